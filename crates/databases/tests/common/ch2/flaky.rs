//! A database between the benchmark and a real one that loses answers, refuses for a while, or
//! shows its queries an old state.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hoap_database::{
    Access, AnalyticalSession, Analytics, Answer, Applicable, Blocking, Documents, Explained,
    Index, Intent, Order, Patch, Row, Session, Target, Transaction, Transactions,
};
use hoap_drive::Canceller;
use hoap_record::Description;
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
    /// How many transactions from now on conflict at their beginning.
    pub conflicts: AtomicU64,
    /// Where set, what its queries see of the counters.
    pub frozen: Mutex<Option<Vec<(String, i64)>>>,
    /// Changes so far of the field that it forgets to change once.
    pub changes: AtomicU64,
}

/// The database. `fate` says what becomes of the nth commit of a writing transaction.
#[derive(Clone)]
pub struct Flaky {
    inner: Arc<dyn Target>,
    pub state: Arc<State>,
    fate: fn(u64) -> Fate,
    /// The field or collection, and which of its changes is lost.
    forgets: Option<(&'static str, u64)>,
}

impl Flaky {
    pub fn new(inner: &Arc<dyn Target>, fate: fn(u64) -> Fate) -> Self {
        Flaky { inner: inner.clone(), state: Arc::default(), fate, forgets: None }
    }

    /// Acknowledges everything, and loses the nth change of a field, from 0, or of a collection's
    /// documents.
    pub fn forgetting(inner: &Arc<dyn Target>, field: &'static str, nth: u64) -> Self {
        Flaky { forgets: Some((field, nth)), ..Flaky::new(inner, |_| Fate::Acknowledged) }
    }

    fn loses(&self, what: &str) -> bool {
        self.forgets.is_some_and(|(name, nth)| {
            what == name && self.state.changes.fetch_add(1, Ordering::SeqCst) == nth
        })
    }

    fn check(&self) -> Result<()> {
        match self.state.down.load(Ordering::SeqCst) {
            true => Err(Error::new(ErrorKind::Unavailable, "reach it", "connection refused")),
            false => Ok(()),
        }
    }
}

impl Blocking for Flaky {
    fn blocking(&self) -> bool {
        self.inner.blocking()
    }
}

impl Target for Flaky {
    fn description(&self) -> Description {
        self.inner.description()
    }

    fn documents(&self) -> Applicable<&dyn Documents> {
        self.inner.documents()
    }

    fn transactions(&self) -> Applicable<&dyn Transactions> {
        Ok(self)
    }

    fn analytics(&self) -> Applicable<&dyn Analytics> {
        Ok(self)
    }
}

#[async_trait]
impl Transactions for Flaky {
    async fn session(&self) -> Result<Box<dyn Session>> {
        self.check()?;
        let session = self.inner.transactions()?.session().await?;
        Ok(Box::new(FlakySession { session, flaky: self.clone() }))
    }
}

struct FlakySession {
    session: Box<dyn Session>,
    flaky: Flaky,
}

#[async_trait]
impl Session for FlakySession {
    async fn begin<'a>(&'a mut self, access: Access) -> Result<Box<dyn Transaction + 'a>> {
        self.flaky.check()?;
        let conflicts = &self.flaky.state.conflicts;
        let one_less = |left: u64| left.checked_sub(1);
        if conflicts.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok() {
            return Err(Error::new(ErrorKind::Conflict, "begin", "a lock is held"));
        }
        let tx = self.session.begin(access).await?;
        let flaky = (access == Access::Write).then_some(&self.flaky);
        Ok(Box::new(FlakyTransaction { tx, flaky }))
    }
}

struct FlakyTransaction<'a> {
    tx: Box<dyn Transaction + 'a>,
    flaky: Option<&'a Flaky>,
}

#[async_trait]
impl Transaction for FlakyTransaction<'_> {
    async fn get(&mut self, c: &str, key: &str, f: &[&str], i: Intent) -> Result<Option<Row>> {
        self.tx.get(c, key, f, i).await
    }

    async fn get_many(
        &mut self,
        c: &str,
        keys: &[String],
        f: &[&str],
        i: Intent,
    ) -> Result<Vec<Option<Row>>> {
        self.tx.get_many(c, keys, f, i).await
    }

    async fn find(
        &mut self,
        index: &Index,
        prefix: &[Value],
        order: Order,
        limit: Option<usize>,
        f: &[&str],
        i: Intent,
    ) -> Result<Vec<(String, Row)>> {
        self.tx.find(index, prefix, order, limit, f, i).await
    }

    async fn insert(&mut self, c: &str, key: &str, document: &Value) -> Result<()> {
        self.tx.insert(c, key, document).await
    }

    async fn patch(&mut self, c: &str, key: &str, patches: &[Patch]) -> Result<()> {
        let forgets = |what: &str| self.flaky.is_some_and(|flaky| flaky.loses(what));
        let whole = forgets(c);
        let kept: Vec<Patch> = patches.iter().filter(|p| !forgets(p.path)).cloned().collect();
        match whole || kept.is_empty() {
            true => Ok(()),
            false => self.tx.patch(c, key, &kept).await,
        }
    }

    async fn delete(&mut self, c: &str, key: &str) -> Result<bool> {
        self.tx.delete(c, key).await
    }

    async fn commit(self: Box<Self>) -> Result<()> {
        let Some(flaky) = self.flaky else { return self.tx.commit().await };
        let unknown = Err(Error::new(ErrorKind::Ambiguous, "commit", "the connection was lost"));
        match (flaky.fate)(flaky.state.commits.fetch_add(1, Ordering::SeqCst)) {
            Fate::Acknowledged => self.tx.commit().await,
            Fate::AppliedUnheard => self.tx.commit().await.and(unknown),
            Fate::Lost => self.tx.rollback().await.and(unknown),
            Fate::Lie => self.tx.rollback().await,
            Fate::Conflict => {
                self.tx.rollback().await?;
                Err(Error::new(ErrorKind::Conflict, "commit", "another was first"))
            }
        }
    }

    async fn rollback(self: Box<Self>) -> Result<()> {
        self.tx.rollback().await
    }
}

#[async_trait]
impl Analytics for Flaky {
    fn dialect(&self) -> &'static str {
        "sqlite"
    }

    async fn session(&self) -> Result<Box<dyn AnalyticalSession>> {
        let session = self.inner.analytics()?.session().await?;
        Ok(Box::new(FlakyStream { session, flaky: self.clone() }))
    }
}

struct FlakyStream {
    session: Box<dyn AnalyticalSession>,
    flaky: Flaky,
}

#[async_trait]
impl AnalyticalSession for FlakyStream {
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Answer> {
        self.session.query(text, parameters).await
    }

    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Explained> {
        self.session.explain(text, parameters).await
    }

    async fn counters(&mut self, collection: &str, field: &str) -> Result<Vec<(String, i64)>> {
        self.flaky.check()?;
        let frozen = self.flaky.state.frozen.lock().unwrap().clone();
        match frozen {
            Some(frozen) => Ok(frozen),
            None => self.session.counters(collection, field).await,
        }
    }

    fn canceller(&self) -> Option<Canceller> {
        self.session.canceller()
    }
}
