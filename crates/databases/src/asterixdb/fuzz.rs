//! See [`crate::fuzz`].

use hoap_record::Result;

/// A URL as it is shown.
pub(crate) fn url(url: &str) -> Result<String> {
    super::options::parse(url).map(|parsed| parsed.shown)
}
