//! What the benchmarks do and check, on databases in memory.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hoap_workload::{Error, ErrorKind, Result};

/// Polls a future once; `None` where it waits.
fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// The value of a future that never waits.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    poll_once(future).expect("a database in memory answers at once")
}

fn only_reads<T>() -> Result<T> {
    Err(Error::new(ErrorKind::Invalid, "use the documents", "they are only read"))
}

/// `Documents` of a database that a check only scans, by this method.
macro_rules! only_scanned {
    ($database:ty: $($scan:tt)*) => {
        #[async_trait::async_trait]
        impl hoap_database::Documents for $database {
            async fn note(&self) -> Result<Option<Value>> {
                Ok(None)
            }
            async fn set_note(&self, _: Option<&Value>, _: &Value) -> Result<bool> {
                crate::only_reads()
            }
            async fn any_exists(&self, _: &[&str]) -> Result<bool> {
                Ok(true)
            }
            async fn drop(&self, _: &[&str]) -> Result<()> {
                crate::only_reads()
            }
            async fn create(&self, _: &[&str]) -> Result<()> {
                crate::only_reads()
            }
            async fn bulk(
                &self,
                _: &str,
            ) -> Result<Box<dyn hoap_database::BulkWriter>> {
                crate::only_reads()
            }
            async fn settle(&self, _: &[hoap_database::Index]) -> Result<()> {
                crate::only_reads()
            }
            $($scan)*
        }
    };
}

mod ledger;
mod shop;
mod whole;
mod ycsb;
