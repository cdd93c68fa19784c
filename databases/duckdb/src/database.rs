//! The handle that [`super::open`] returns.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hoap_database::engine::{About, Calls, Engine, Offers, What};
use hoap_database::failure::Done;
use hoap_record::Description;

use super::file;
use super::instance::Instance;
use super::link::Link;

const COLUMNS: &str = "it stores columns in groups of rows, and a change of one document rewrites its \
                       columns there";

const NO_LEARN: &str = "it writes files that are learned from as they are: COPY it TO 'FILE.parquet' or \
                        'FILE.json' and learn from that file";

/// What it offers, and why not the rest.
pub const OFFERS: Offers = Offers(&[
    (What::Transactions, COLUMNS),
    (What::KeyValue, COLUMNS),
    (What::Scans, COLUMNS),
    (What::Operations, COLUMNS),
    (What::Patches, COLUMNS),
    (What::NestedPatches, COLUMNS),
    (What::Finds, COLUMNS),
    (What::Learn, NO_LEARN),
    (What::Ranges, COLUMNS),
]);

/// A DuckDB database. All of the same file share its instance.
pub struct DuckDbEngine {
    /// As the user wrote it.
    pub(super) url: String,
    /// Kept from its first use on, where the URL has one. Dropped before the instance.
    link: OnceLock<Arc<Link>>,
    /// The limit of a query; zero: none. Each target of a file has its own.
    query_timeout: Duration,
    pub(super) instance: Arc<Instance>,
}

impl DuckDbEngine {
    pub(super) fn new(url: &str, instance: Arc<Instance>, query_timeout: Duration) -> Self {
        DuckDbEngine { url: url.to_owned(), link: OnceLock::new(), query_timeout, instance }
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
    fn about(&self) -> About {
        let limit = self.query_timeout;
        About {
            offers: OFFERS,
            query_timeout: (!limit.is_zero()).then_some(limit),
            ..About::new("DuckDB", &self.url, &["hoap_"], Calls::Blocking)
        }
    }

    fn description(&self) -> Description {
        let settings = self.instance.file.settings().unwrap_or_else(|failure| {
            let error = failure.into_error("read the settings");
            BTreeMap::from([("settings".to_owned(), format!("unknown: {error}"))])
        });
        Description {
            url: self.url.clone(),
            name: "DuckDB".to_owned(),
            version: file::version(),
            settings,
        }
    }

    hoap_database::gives!(documents, analytics, shop);
}
