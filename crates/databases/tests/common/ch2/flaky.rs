//! A database between the benchmark and a real one that loses answers, refuses for a while, or
//! shows its queries an old state.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hoap_database::engine::{
    About, Analytics, Calls, Documents, Done, Engine, OpenTransaction, QuerySession, Read, Session,
    Transactions,
};
use hoap_database::failure::Failure;
use hoap_database::{
    Access, AnalyticalSession, Answer, Condition, Database, Explained, Find, Patch, Patched, Row,
    Transaction,
};
use hoap_databases::sqlite::SqliteEngine;
use hoap_drive::Canceller;
use hoap_record::Description;
use hoap_record::witness::Level;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

/// What becomes of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is applied and acknowledged.
    Acknowledged,
    /// It is applied, and the answer is lost.
    AppliedUnheard,
    /// The connection is lost before it is applied.
    Lost,
    /// It is acknowledged and not applied.
    Lie,
    /// Another transaction was first.
    Conflict,
}

/// The state of a [`Flaky`].
#[derive(Default)]
pub struct State {
    /// Commits of writing transactions so far.
    pub commits: AtomicU64,
    /// Whether it refuses everything.
    pub down: AtomicBool,
    /// How many transactions and queries from now on conflict at their beginning.
    pub conflicts: AtomicU64,
    /// Where set, what its queries see of the counters.
    pub frozen: Mutex<Option<Vec<(String, i64)>>>,
    /// Changes so far of the field that it forgets to change once.
    pub changes: AtomicU64,
}

/// The database. `fate` says what becomes of the nth commit of a writing transaction.
#[derive(Clone)]
pub struct Flaky {
    inner: Database,
    pub state: Arc<State>,
    fate: fn(u64) -> Fate,
    /// The field or collection, and which of its changes is lost.
    forgets: Option<(&'static str, u64)>,
}

impl Flaky {
    pub fn new(inner: &Database, fate: fn(u64) -> Fate) -> Self {
        Flaky { inner: inner.clone(), state: Arc::default(), fate, forgets: None }
    }

    /// Acknowledges everything, and loses the nth change of a field, from 0, or of a collection's
    /// documents.
    pub fn forgetting(inner: &Database, field: &'static str, nth: u64) -> Self {
        Flaky { forgets: Some((field, nth)), ..Flaky::new(inner, |_| Fate::Acknowledged) }
    }

    /// It as a database.
    pub fn database(&self) -> Database {
        Database::new(self.clone())
    }

    fn loses(&self, what: &str) -> bool {
        self.forgets.is_some_and(|(name, nth)| {
            what == name && self.state.changes.fetch_add(1, Ordering::SeqCst) == nth
        })
    }

    fn conflict(&self) -> Done<()> {
        let one_less = |left: u64| left.checked_sub(1);
        let conflicts = &self.state.conflicts;
        match conflicts.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less) {
            Ok(_) => Err(Failure::new(ErrorKind::Conflict, "a lock is held")),
            Err(_) => Ok(()),
        }
    }

    fn check(&self) -> Result<()> {
        match self.state.down.load(Ordering::SeqCst) {
            true => Err(Error::new(ErrorKind::Unavailable, "reach it", "connection refused")),
            false => Ok(()),
        }
    }
}

impl Engine for Flaky {
    fn about(&self) -> About {
        let calls = if self.inner.blocking() { Calls::Blocking } else { Calls::InProcess };
        let Description { name, url, .. } = self.inner.description();
        About::new(name, url, &[], calls)
    }

    fn description(&self) -> Description {
        self.inner.description()
    }

    fn documents(&self) -> Option<&dyn Documents> {
        self.inner.engine::<SqliteEngine>().unwrap().documents()
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        Some(self)
    }

    fn analytics(&self) -> Option<&dyn Analytics> {
        Some(self)
    }
}

#[async_trait]
impl Transactions for Flaky {
    fn isolation(&self) -> Option<Level> {
        self.inner.transactions().ok()?.isolation()
    }

    async fn transaction_session(&self) -> Done<Box<dyn Session>> {
        self.check()?;
        let session = self.inner.transactions().map_err(Error::from)?.session().await?;
        Ok(Box::new(FlakySession { session, flaky: self.clone() }))
    }
}

struct FlakySession {
    session: hoap_database::Session,
    flaky: Flaky,
}

#[async_trait]
impl Session for FlakySession {
    async fn begin<'a>(&'a mut self, access: Access) -> Done<Box<dyn OpenTransaction + 'a>> {
        self.flaky.check()?;
        self.flaky.conflict()?;
        let tx = self.session.begin(access).await?;
        let flaky = (access == Access::Write).then_some(&self.flaky);
        Ok(Box::new(FlakyTransaction { tx: Some(tx), flaky }))
    }
}

struct FlakyTransaction<'a> {
    /// `None` once it has ended.
    tx: Option<Transaction<'a>>,
    flaky: Option<&'a Flaky>,
}

#[async_trait]
impl OpenTransaction for FlakyTransaction<'_> {
    fn is_over(&self) -> bool {
        self.tx.is_none()
    }

    async fn get(&mut self, read: Read<'_>) -> Done<Vec<Option<Row>>> {
        let Read { collection, keys, fields, intent } = read;
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        Ok(self.tx()?.get_many(collection, &keys, fields, intent).await?)
    }

    async fn find(&mut self, find: Find<'_>) -> Done<Vec<(String, Row)>> {
        Ok(self.tx()?.find(find).await?)
    }

    async fn insert(&mut self, c: &str, documents: &[(&str, &Value)]) -> Done<()> {
        Ok(self.tx()?.insert_many(c, documents).await?)
    }

    async fn put(&mut self, c: &str, key: &str, document: &Value) -> Done<()> {
        Ok(self.tx()?.put(c, key, document).await?)
    }

    async fn patch(
        &mut self,
        c: &str,
        key: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Done<Patched> {
        let forgets = |what: &str| self.flaky.is_some_and(|flaky| flaky.loses(what));
        let whole = forgets(c);
        let kept: Vec<Patch<'_>> = patches.iter().filter(|p| !forgets(p.path)).cloned().collect();
        match whole || kept.is_empty() {
            true => Ok(Patched::Done),
            false => Ok(self.tx()?.patch_if(c, key, &kept, conditions).await?),
        }
    }

    async fn delete(&mut self, c: &str, key: &str) -> Done<bool> {
        Ok(self.tx()?.delete(c, key).await?)
    }

    async fn commit(&mut self) -> Done<()> {
        let Some(tx) = self.tx.take() else { return over() };
        let Some(flaky) = self.flaky else { return Ok(tx.commit().await?) };
        let lost = Failure::new(ErrorKind::Unavailable, "the connection was lost");
        let unknown = Err(lost.unsure());
        match (flaky.fate)(flaky.state.commits.fetch_add(1, Ordering::SeqCst)) {
            Fate::Acknowledged => Ok(tx.commit().await?),
            Fate::AppliedUnheard => {
                tx.commit().await?;
                unknown
            }
            Fate::Lost => {
                tx.rollback().await?;
                unknown
            }
            Fate::Lie => Ok(tx.rollback().await?),
            Fate::Conflict => {
                tx.rollback().await?;
                Err(Failure::new(ErrorKind::Conflict, "another was first"))
            }
        }
    }

    async fn rollback(&mut self) -> Done<()> {
        match self.tx.take() {
            Some(tx) => Ok(tx.rollback().await?),
            None => Ok(()),
        }
    }
}

impl<'a> FlakyTransaction<'a> {
    fn tx(&mut self) -> Done<&mut Transaction<'a>> {
        self.tx.as_mut().map_or_else(over, Ok)
    }
}

fn over<T>() -> Done<T> {
    Err(Failure::invalid("the transaction is over"))
}

#[async_trait]
impl Analytics for Flaky {
    fn dialect(&self) -> &'static str {
        "sqlite"
    }

    async fn query_session(&self) -> Done<Box<dyn QuerySession>> {
        let session = self.inner.analytics().map_err(Error::from)?.session().await?;
        Ok(Box::new(FlakyStream { session, flaky: self.clone() }))
    }
}

struct FlakyStream {
    session: AnalyticalSession,
    flaky: Flaky,
}

#[async_trait]
impl QuerySession for FlakyStream {
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Answer> {
        self.flaky.conflict()?;
        Ok(self.session.query(text, parameters).await?)
    }

    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Explained> {
        Ok(self.session.explain(text, parameters).await?)
    }

    async fn counters(&mut self, collection: &str, field: &str) -> Done<Vec<(String, i64)>> {
        self.flaky.check()?;
        let frozen = self.flaky.state.frozen.lock().unwrap().clone();
        match frozen {
            Some(frozen) => Ok(frozen),
            None => Ok(self.session.counters(collection, field).await?),
        }
    }

    fn canceller(&self) -> Option<Canceller> {
        self.session.canceller()
    }
}
