//! What the guard makes of what an engine says.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use hoap_record::witness::Level;
use hoap_record::{Description, Error, ErrorKind, Result};
use serde_json::Value;

use super::Database;
use crate::answer::{Answer, Canceller, Explained, Row};
use crate::batch::{Batch, Index};
use crate::engine::{
    About, Analytics, BoxedStore, Bulk, Calls, Documents, Each, Engine, OpenTransaction,
    QuerySession, RecordSession, RecordStore, Session, Transactions,
};
use crate::failure::{Done, Failure};
use crate::key_value::{Fields, Record, Scanned, Table};
use crate::offers::Offered;
use crate::patch::{Access, Change, Condition, Find, Intent, Patch, Patched, Read};

/// All that is asked of it fails so: at once, or queries when they are cancelled.
#[derive(Clone)]
struct Fails {
    failure: Failure,
    waits: bool,
    told: Arc<AtomicBool>,
}

impl Fails {
    fn with(failure: Failure) -> Fails {
        Fails { failure, waits: false, told: Arc::default() }
    }

    fn fail<T>(&self) -> Done<T> {
        Err(self.failure.clone())
    }
}

fn cancelled() -> Failure {
    Failure::new(ErrorKind::Cancelled, "canceling statement")
}

impl Engine for Fails {
    fn about(&self) -> About {
        About::new("Fails", "fails:", &[], Calls::Server)
    }

    fn description(&self) -> Description {
        unreachable!("nothing is recorded of it")
    }

    fn documents(&self) -> Option<&dyn Documents> {
        Some(self)
    }

    fn analytics(&self) -> Option<&dyn Analytics> {
        Some(self)
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        Some(self)
    }

    fn key_value(&self) -> Option<&dyn BoxedStore> {
        Some(self)
    }
}

#[async_trait]
impl Documents for Fails {
    async fn note(&self) -> Done<Option<Value>> {
        self.fail()
    }

    async fn set_note(&self, _: Option<&Value>, _: &Value) -> Done<bool> {
        self.fail()
    }

    async fn exists(&self, _: &str) -> Done<bool> {
        self.fail()
    }

    fn elsewhere(&self) -> &'static str {
        "nowhere"
    }

    async fn drop(&self, _: &[&str]) -> Done<()> {
        self.fail()
    }

    async fn create(&self, _: &[&str]) -> Done<()> {
        self.fail()
    }

    async fn bulk(&self, _: &str) -> Done<Box<dyn Bulk>> {
        Ok(Box::new(self.clone()))
    }

    async fn settle(&self, _: &[Index]) -> Done<()> {
        self.fail()
    }

    async fn has(&self, _: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        self.fail()
    }

    /// Has one document before that.
    async fn scan(&self, _: &str, _: &[&str], each: &mut Each<'_>) -> Done<()> {
        each("1", Vec::new())?;
        self.fail()
    }
}

#[async_trait]
impl Bulk for Fails {
    async fn position(&mut self, _: &str) -> Done<u64> {
        self.fail()
    }

    async fn write(&mut self, _: &str, _: &Batch, _: u64) -> Done<()> {
        self.fail()
    }
}

#[async_trait]
impl Transactions for Fails {
    fn isolation(&self) -> Option<Level> {
        None
    }

    async fn transaction_session(&self) -> Done<Box<dyn Session>> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl Session for Fails {
    async fn begin<'a>(&'a mut self, _: Access) -> Done<Box<dyn OpenTransaction + 'a>> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl OpenTransaction for Fails {
    fn is_over(&self) -> bool {
        false
    }

    async fn get(&mut self, _: Read<'_>) -> Done<Vec<Option<Row>>> {
        self.fail()
    }

    async fn find(&mut self, _: Find<'_>) -> Done<Vec<(String, Row)>> {
        self.fail()
    }

    async fn insert(&mut self, _: &str, _: &[(&str, &Value)]) -> Done<()> {
        self.fail()
    }

    async fn put(&mut self, _: &str, _: &str, _: &Value) -> Done<()> {
        self.fail()
    }

    async fn patch(
        &mut self,
        _: &str,
        _: &str,
        _: &[Patch<'_>],
        _: &[Condition<'_>],
    ) -> Done<Patched> {
        self.fail()
    }

    async fn delete(&mut self, _: &str, _: &str) -> Done<bool> {
        self.fail()
    }

    async fn commit(&mut self) -> Done<()> {
        self.fail()
    }

    async fn rollback(&mut self) -> Done<()> {
        self.fail()
    }
}

impl RecordStore for Fails {
    type Session = Fails;

    async fn record_session(&self, _: &Table) -> Done<Fails> {
        Ok(self.clone())
    }
}

impl RecordSession for Fails {
    async fn read(&mut self, _: &str, _: Fields, _: &mut Record) -> Done<bool> {
        self.fail()
    }

    async fn insert(&mut self, _: &str, _: &Record) -> Done<()> {
        self.fail()
    }

    async fn update(&mut self, _: &str, _: &Record) -> Done<bool> {
        self.fail()
    }

    async fn delete(&mut self, _: &str) -> Done<bool> {
        self.fail()
    }

    async fn scan(&mut self, _: &str, _: usize, _: Fields, _: &mut Scanned) -> Done<()> {
        self.fail()
    }
}

#[async_trait]
impl Analytics for Fails {
    fn dialect(&self) -> &'static str {
        "none"
    }

    async fn query_session(&self) -> Done<Box<dyn QuerySession>> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl QuerySession for Fails {
    async fn query(&mut self, _: &str, _: &[(String, Value)]) -> Done<Answer> {
        while self.waits && !self.told.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
        self.fail()
    }

    async fn explain(&mut self, _: &str, _: &[(String, Value)]) -> Done<Explained> {
        unreachable!()
    }

    async fn counters(&mut self, _: &str, _: &str) -> Done<Vec<(String, i64)>> {
        self.fail()
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
        let database = Database::new(Fails { waits, ..Fails::with(cancelled()) });
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
    let database = Database::new(Fails::with(cancelled()));
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

/// What each operation makes of a failure: the writes first that are their own commits.
async fn kinds(failure: Failure) -> (Vec<ErrorKind>, Vec<ErrorKind>) {
    let database = Database::new(Fails::with(failure));
    let documents = database.documents().unwrap();
    let table = Table { name: "t".to_owned(), fields: vec!["f".to_owned()] };
    let mut records = database.key_value().unwrap().session(&table).await.unwrap();
    let mut session = database.transactions().unwrap().session().await.unwrap();
    let mut bulk = documents.bulk("1/1").await.unwrap();
    let mut committed = async |access| session.begin(access).await.unwrap().commit().await;
    let (mut record, mut scanned) = (Record::default(), Scanned::default());
    let null = Value::Null;
    let kind = |done: Result<()>| done.unwrap_err().kind;
    let mut writes = vec![
        kind(committed(Access::Write).await),
        kind(documents.set_note(None, &null).await.map(drop)),
        kind(records.insert("k", &record).await),
        kind(records.update("k", &record).await.map(drop)),
        kind(records.delete("k").await.map(drop)),
    ];
    let add = [Patch { path: "n", change: Change::AddInteger(1) }];
    let mut each = session.begin(Access::Each).await.unwrap();
    writes.extend([
        kind(each.insert("t", "k", &serde_json::json!({})).await),
        kind(each.put("t", "k", &serde_json::json!({})).await),
        kind(each.patch("t", "k", &add).await),
        kind(each.delete("t", "k").await.map(drop)),
    ]);
    let mut repeatable = vec![
        kind(each.get("t", "k", &[], Intent::Look).await.map(drop)),
        kind(each.commit().await),
    ];
    let mut t = session.begin(Access::Write).await.unwrap();
    repeatable.extend([
        kind(t.put("t", "k", &serde_json::json!({})).await),
        kind(t.patch("t", "k", &add).await),
        kind(t.delete("t", "k").await.map(drop)),
        kind(t.insert("t", "k", &serde_json::json!({})).await),
        kind(t.get("t", "k", &[], Intent::Look).await.map(drop)),
        kind(t.rollback().await),
        kind(session.begin(Access::Read).await.unwrap().commit().await),
        kind(bulk.write("t", &Batch::default(), 0).await),
        kind(bulk.position("t").await.map(drop)),
        kind(documents.note().await.map(drop)),
        kind(documents.create(&["t"]).await),
        kind(documents.drop(&["t"]).await),
        kind(records.read("k", Fields::All, &mut record).await.map(drop)),
        kind(records.scan("k", 1, Fields::All, &mut scanned).await),
    ]);
    (writes, repeatable)
}

/// Whichever database: a write that took too long, or whose outcome the engine does not know, is
/// ambiguous; what may be run again whatever became of it is what the engine says.
#[test]
fn a_write_that_may_be_applied_is_ambiguous_and_nothing_else_is() {
    use ErrorKind::{Ambiguous, Broken, Cancelled, Conflict, Missing, Timeout, Unavailable};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let said = |kind| Failure::new(kind, "so");
    for (failure, write, repeatable) in [
        (said(Timeout), Ambiguous, Timeout),
        (said(Cancelled), Ambiguous, Timeout),
        (said(Unavailable).unsure(), Ambiguous, Unavailable),
        (said(Broken).unsure(), Ambiguous, Broken),
        (said(Missing).unsure(), Ambiguous, Missing),
        (said(Unavailable), Unavailable, Unavailable),
        (said(Conflict), Conflict, Conflict),
    ] {
        let words = format!("{failure:?}");
        let (writes, others) = runtime.block_on(kinds(failure));
        assert_eq!(writes, vec![write; writes.len()], "{words}");
        assert_eq!(others, vec![repeatable; others.len()], "{words}");
    }
}
