//! A database without transactions taken for one with them, where its user allows it.

use std::collections::BTreeMap;
use std::sync::Arc;

use hoap_record::Description;

use super::{Analytics, Applicable, Documents, Target, Transactions};

/// The operations of transactions on a database that has none: what a transaction changes is applied a
/// document at a time.
///
/// What remains promised: a rollback and a conflict leave nothing behind, and of what was acknowledged
/// every change is there. What is not: that others do not see a transaction in part, that
/// what it read is current when it is applied, and that a crash in its midst undoes it.
pub struct Stepwise<'a> {
    /// The operations.
    pub transactions: &'a dyn Transactions,
    /// What it does and what it cannot promise, a sentence for every reader of a result.
    pub caveat: &'static str,
}

/// A database whose [`Target::transactions`] are its [`Target::stepwise`].
pub struct NonTransactional {
    inner: Arc<dyn Target>,
    caveat: &'static str,
}

impl NonTransactional {
    /// The database to run transactions on where its user allows them without a database's promises: the
    /// same one where it has transactions or cannot do without either.
    pub fn allow(target: Arc<dyn Target>) -> (Arc<dyn Target>, Option<&'static str>) {
        let caveat = match (target.transactions(), target.stepwise()) {
            (Err(_), Ok(stepwise)) => stepwise.caveat,
            _ => return (target, None),
        };
        (Arc::new(NonTransactional { inner: target, caveat }), Some(caveat))
    }
}

impl Target for NonTransactional {
    fn description(&self) -> Description {
        let mut description = self.inner.description();
        description.settings.insert("transactions".into(), format!("NONE: {}", self.caveat));
        description
    }

    fn blocking(&self) -> bool {
        self.inner.blocking()
    }

    fn documents(&self) -> Applicable<&dyn Documents> {
        self.inner.documents()
    }

    fn transactions(&self) -> Applicable<&dyn Transactions> {
        self.inner.stepwise().map(|stepwise| stepwise.transactions)
    }

    fn analytics(&self) -> Applicable<&dyn Analytics> {
        self.inner.analytics()
    }

    fn usage(&self) -> BTreeMap<String, f64> {
        self.inner.usage()
    }
}
