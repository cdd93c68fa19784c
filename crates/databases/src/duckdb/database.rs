//! The handle that [`super::open`] returns.

use std::sync::{Arc, OnceLock};

use super::instance::Instance;
use super::link::Link;
use crate::failure::Done;
use crate::front::Front;
use crate::front::engine::Engine;

/// A DuckDB database. Clones, and all others of the same file, share its instance.
pub type DuckDb = Front<DuckDbEngine>;

/// What is DuckDB's of it.
pub struct DuckDbEngine {
    /// As the user wrote it.
    pub(super) url: String,
    /// Kept from its first use on, where the URL has one. Dropped before the instance.
    link: OnceLock<Arc<Link>>,
    pub(super) instance: Arc<Instance>,
}

impl DuckDbEngine {
    pub(super) fn new(url: &str, instance: Arc<Instance>) -> Self {
        DuckDbEngine { url: url.to_owned(), link: OnceLock::new(), instance }
    }

    /// The link, which follows from now on; `None` where the URL has none.
    pub(super) fn link(&self) -> Done<Option<&Arc<Link>>> {
        if self.link.get().is_none()
            && let Some(link) = self.instance.link()?
        {
            let _ = self.link.set(link);
        }
        Ok(self.link.get())
    }
}

impl Engine for DuckDbEngine {
    const RESERVED: &'static [&'static str] = &["hoap_"];
    const BLOCKING: bool = true;

    fn url(&self) -> &str {
        &self.url
    }
}
