//! Stepwise operations in the place of transactions, where the user allows it.

use std::collections::BTreeMap;
use std::sync::Arc;

use hoap_record::Description;

use super::analytics::Analytics;
use super::applicable::Applicable;
use super::documents::Documents;
use super::target::{Blocking, Target};
use super::transactions::Transactions;

/// A database whose [`Target::transactions`] are its [`Target::stepwise`].
pub struct NonTransactional {
    inner: Arc<dyn Target>,
    caveat: &'static str,
}

impl NonTransactional {
    /// The database to run transactions on, and the caveat if they are stepwise. It is `target`
    /// itself where that has transactions, or has no stepwise operations either.
    pub fn allow(target: Arc<dyn Target>) -> (Arc<dyn Target>, Option<&'static str>) {
        let caveat = match (target.transactions(), target.stepwise()) {
            (Err(_), Ok(stepwise)) => stepwise.caveat,
            _ => return (target, None),
        };
        (Arc::new(NonTransactional { inner: target, caveat }), Some(caveat))
    }
}

impl Blocking for NonTransactional {
    fn blocking(&self) -> bool {
        self.inner.blocking()
    }
}

impl Target for NonTransactional {
    fn description(&self) -> Description {
        let mut description = self.inner.description();
        description.settings.insert("transactions".into(), format!("NONE: {}", self.caveat));
        description
    }

    fn in_process(&self) -> bool {
        self.inner.in_process()
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
