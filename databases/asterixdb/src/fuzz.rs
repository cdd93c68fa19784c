//! What its parsers keep to, whatever they are given; `hoap_databases::fuzz` has the targets.

use hoap_record::Result;

/// A URL as it is shown.
pub fn url(url: &str) -> Result<String> {
    super::options::parse(url).map(|parsed| parsed.shown)
}
