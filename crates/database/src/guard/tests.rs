//! What the guard makes of what an engine says.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use hoap_record::{Description, Error, ErrorKind};
use serde_json::Value;

use super::Database;
use crate::answer::{Answer, Canceller, Explained};
use crate::batch::Index;
use crate::engine::{
    About, Analytics, Bulk, Calls, Documents, Each, Engine, Offered, QuerySession,
};
use crate::failure::{Done, Failure};

/// Each of its queries is cancelled: at once, or when it was asked for.
#[derive(Clone)]
struct Cancels {
    waits: bool,
    told: Arc<AtomicBool>,
}

impl Engine for Cancels {
    fn about(&self) -> About {
        About::new("Cancels", "cancels:", &[], Calls::Server)
    }

    fn description(&self) -> Description {
        unreachable!("nothing is recorded of it")
    }

    fn documents(&self) -> Offered<&dyn Documents> {
        Ok(self)
    }

    fn analytics(&self) -> Offered<&dyn Analytics> {
        Ok(self)
    }
}

fn cancelled<T>() -> Done<T> {
    Err(Failure::new(ErrorKind::Cancelled, "canceling statement"))
}

#[async_trait]
impl Documents for Cancels {
    async fn note(&self) -> Done<Option<Value>> {
        cancelled()
    }

    async fn set_note(&self, _: Option<&Value>, _: &Value) -> Done<bool> {
        cancelled()
    }

    async fn exists(&self, _: &str) -> Done<bool> {
        cancelled()
    }

    fn elsewhere(&self) -> &'static str {
        "nowhere"
    }

    async fn drop(&self, _: &[&str]) -> Done<()> {
        cancelled()
    }

    async fn create(&self, _: &[&str]) -> Done<()> {
        cancelled()
    }

    async fn bulk(&self, _: &str) -> Done<Box<dyn Bulk>> {
        cancelled()
    }

    async fn settle(&self, _: &[Index]) -> Done<()> {
        cancelled()
    }

    /// Has one document before that.
    async fn scan(&self, _: &str, _: &[&str], each: &mut Each<'_>) -> Done<()> {
        each("1", Vec::new())?;
        cancelled()
    }
}

#[async_trait]
impl Analytics for Cancels {
    fn dialect(&self) -> &'static str {
        "none"
    }

    async fn query_session(&self) -> Done<Box<dyn QuerySession>> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl QuerySession for Cancels {
    async fn query(&mut self, _: &str, _: &[(String, Value)]) -> Done<Answer> {
        while self.waits && !self.told.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
        cancelled()
    }

    async fn explain(&mut self, _: &str, _: &[(String, Value)]) -> Done<Explained> {
        unreachable!()
    }

    async fn counters(&mut self, _: &str, _: &str) -> Done<Vec<(String, i64)>> {
        cancelled()
    }

    fn canceller(&self) -> Option<Canceller> {
        let told = self.told.clone();
        Some(Arc::new(move || told.store(true, Ordering::SeqCst)))
    }
}

/// Of a query that nobody here asked to end, the end is a failure, and not the user's wish.
#[test]
fn what_the_database_cancels_by_itself_is_no_cancellation() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let session = async |waits| {
        let database = Database::new(Cancels { waits, told: Arc::default() });
        database.analytics().unwrap().session().await.unwrap()
    };
    runtime.block_on(async {
        let mut alone = session(false).await;
        for e in
            [alone.query("q", &[]).await.unwrap_err(), alone.counters("c", "f").await.unwrap_err()]
        {
            assert_eq!(e.kind, ErrorKind::Timeout, "{e}");
            assert!(e.to_string().contains("the database cancelled it: canceling"), "{e}");
        }
        let mut asked = session(true).await;
        let cancel = asked.canceller().unwrap();
        let (ended, ()) = tokio::join!(asked.query("q", &[]), async { cancel() });
        assert_eq!(ended.unwrap_err().kind, ErrorKind::Cancelled);
    });
}

/// Also outside of queries; but a scan that its caller ends is the caller's wish.
#[test]
fn documents_that_the_database_cancels_are_no_cancellation() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let database = Database::new(Cancels { waits: false, told: Arc::default() });
    let documents = database.documents().unwrap();
    runtime.block_on(async {
        for e in [
            documents.note().await.unwrap_err(),
            documents.any_exists(&["c"]).await.unwrap_err(),
            documents.create(&["c"]).await.unwrap_err(),
            documents.settle(&[]).await.unwrap_err(),
            documents.scan("c", &[], &mut |_, _| Ok(())).await.unwrap_err(),
        ] {
            assert_eq!(e.kind, ErrorKind::Timeout, "{e}");
        }
        let stop = || Error::new(ErrorKind::Cancelled, "check", "interrupted");
        let stopped = documents.scan("c", &[], &mut |_, _| Err(stop())).await.unwrap_err();
        assert_eq!((stopped.kind, stopped.to_string()), (ErrorKind::Cancelled, stop().to_string()));
    });
}
