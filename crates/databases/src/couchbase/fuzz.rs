//! See [`crate::fuzz`].

use hoap_record::Result;

/// A URL as it is shown.
pub(crate) fn url(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<String> {
    super::options::parse(url, environment).map(|place| place.url)
}
