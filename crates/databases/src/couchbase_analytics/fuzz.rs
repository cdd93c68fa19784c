//! See [`crate::fuzz`].

use hoap_workload::Result;

use crate::fuzz::environment;

/// A URL as it is shown.
pub(crate) fn url(url: &str) -> Result<String> {
    super::options::parse(url, &environment).map(|parsed| parsed.shown)
}
