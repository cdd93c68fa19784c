//! See [`crate::fuzz`].

use hoap_record::Result;

/// A URL as it is shown, which is as it is: it has no secret.
pub(crate) fn url(url: &str) -> Result<String> {
    super::options::parse(url).map(|_| String::new())
}
