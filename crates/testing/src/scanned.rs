//! Databases in memory, of which only documents are scanned.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hoap_database::engine::Done;
use hoap_database::failure::Failure;

/// Polls a future once; `None` where it waits.
pub fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// The value of a future that never waits.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    poll_once(future).expect("a database in memory answers at once")
}

/// What a database answers to anything else than a scan.
pub fn only_reads<T>() -> Done<T> {
    Err(Failure::invalid("the documents are only read"))
}

/// `Documents` of a database that a check only scans, by this method.
#[macro_export]
macro_rules! only_scanned {
    ($database:ty: $($scan:tt)*) => {
        #[async_trait::async_trait]
        impl hoap_database::engine::Documents for $database {
            async fn note(&self) -> hoap_database::engine::Done<Option<Value>> {
                Ok(None)
            }
            async fn set_note(&self, _: Option<&Value>, _: &Value) -> hoap_database::engine::Done<bool> {
                $crate::scanned::only_reads()
            }
            async fn exists(&self, _: &str) -> hoap_database::engine::Done<bool> {
                Ok(true)
            }
            fn elsewhere(&self) -> &'static str {
                "nowhere"
            }
            async fn drop(&self, _: &[&str]) -> hoap_database::engine::Done<()> {
                $crate::scanned::only_reads()
            }
            async fn create(&self, _: &[&str]) -> hoap_database::engine::Done<()> {
                $crate::scanned::only_reads()
            }
            async fn bulk(&self, _: &str) -> hoap_database::engine::Done<Box<dyn hoap_database::engine::Bulk>> {
                $crate::scanned::only_reads()
            }
            async fn settle(&self, _: &[hoap_database::Index]) -> hoap_database::engine::Done<()> {
                $crate::scanned::only_reads()
            }
            async fn has(
                &self,
                indexes: &[hoap_database::Index],
            ) -> hoap_database::engine::Done<hoap_database::engine::Offered<Vec<Option<bool>>>> {
                Ok(Ok(vec![None; indexes.len()]))
            }
            $($scan)*
        }
    };
}
