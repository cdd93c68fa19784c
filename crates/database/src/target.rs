//! A database as a benchmark sees it.

use std::collections::BTreeMap;

use hoap_record::Description;

use crate::analytics::Analytics;
use crate::applicable::Applicable;
use crate::documents::Documents;
use crate::transactions::Transactions;

/// Whether a database's calls block their thread.
pub trait Blocking: Send + Sync {
    /// True of an embedded database, whose calls run on the caller's thread. Calls of a network
    /// driver yield: false, the default.
    fn blocking(&self) -> bool {
        false
    }
}

/// A database, opened by its URL.
///
/// Errors of the operations behind every method: [`ErrorKind::Unavailable`] where the database
/// cannot be reached or refuses, [`ErrorKind::Missing`] where it lacks what a load makes.
///
/// [`ErrorKind::Unavailable`]: crate::ErrorKind::Unavailable
/// [`ErrorKind::Missing`]: crate::ErrorKind::Missing
pub trait Target: Blocking {
    /// Name, version and settings, for the run folder. Holds no secret.
    fn description(&self) -> Description;

    /// Whether its work is done by this process, so that CPU which the process takes is the
    /// database's as well as the driver's. So it is where calls block their thread.
    fn in_process(&self) -> bool {
        self.blocking()
    }

    /// Whole collections: the loader writes them, the checks read them.
    fn documents(&self) -> Applicable<&dyn Documents>;

    /// Multi-document transactions.
    fn transactions(&self) -> Applicable<&dyn Transactions>;

    /// Analytical queries.
    fn analytics(&self) -> Applicable<&dyn Analytics>;

    /// What the driver has counted for all clients since the target was opened: capacity consumed,
    /// requests throttled, … Name → amount; price files may use the names. Empty where the driver
    /// counts nothing.
    fn usage(&self) -> BTreeMap<String, f64> {
        BTreeMap::new()
    }
}
