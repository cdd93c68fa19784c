//! What the guard makes of what an engine says.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use hoap_record::{Description, ErrorKind};
use serde_json::Value;

use super::Database;
use crate::answer::{Answer, Canceller, Explained};
use crate::engine::{About, Analytics, Calls, Engine, Offered, QuerySession};
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

    fn analytics(&self) -> Offered<&dyn Analytics> {
        Ok(self)
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
        Err(Failure::new(ErrorKind::Cancelled, "canceling statement"))
    }

    async fn explain(&mut self, _: &str, _: &[(String, Value)]) -> Done<Explained> {
        unreachable!()
    }

    async fn counters(&mut self, _: &str, _: &str) -> Done<Vec<(String, i64)>> {
        Err(Failure::new(ErrorKind::Cancelled, "canceling statement"))
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
