//! Multi-document transactions.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hoap_database::{Access, Index, Intent, Order, Patch, Row, Session, Transaction, Transactions};
use hoap_record::Result;
use hoap_record::witness::Level;
use hoap_record::words::counted;
use serde_json::Value;

use super::engine::{self, Engine, OpenTransaction};
use super::limit::{maybe_applied, unlimited, within};
use super::stopping::Waiting;
use super::{Front, check_index, check_name, check_paths, error};
use crate::failure::{Done, Failure};
use crate::names;

#[async_trait]
impl<E: engine::Transactions> Transactions for Front<E> {
    async fn session(&self) -> Result<Box<dyn Session>> {
        let engine = self.0.clone();
        match unlimited(&*engine, engine.transaction_session()).await {
            Ok(inner) => Ok(Box::new(FrontSession {
                engine,
                inner,
                unanswered: false,
                waiting: Waiting::default(),
            })),
            Err(failure) => Err(error(&*engine, failure, "connect a client to")),
        }
    }

    fn isolation(&self) -> Option<Level> {
        self.0.isolation()
    }
}

/// The transactions of one client.
struct FrontSession<E, S> {
    engine: Arc<E>,
    inner: S,
    /// Whether the answer to the last begin did not come.
    unanswered: bool,
    waiting: Waiting,
}

#[async_trait]
impl<E: Engine, S: engine::Session> Session for FrontSession<E, S> {
    async fn begin<'a>(&'a mut self, access: Access) -> Result<Box<dyn Transaction + 'a>> {
        let FrontSession { engine, inner, unanswered: lost, waiting } = self;
        if std::mem::take(lost) {
            inner.abandon();
        }
        let limit = engine.answer_timeout();
        let begun = within(&**engine, waiting, limit, inner.begin(access)).await;
        let begun = begun.unwrap_or_else(|silence| {
            *lost = true;
            Err(silence)
        });
        match begun {
            Ok(inner) => Ok(Box::new(FrontTransaction {
                engine: &**engine,
                inner,
                access,
                over: false,
                limit,
                waiting,
            })),
            Err(failure) => Err(error(&**engine, failure, "begin a transaction in")),
        }
    }
}

struct FrontTransaction<'a, E, T> {
    engine: &'a E,
    inner: T,
    access: Access,
    /// Whether an answer did not come.
    over: bool,
    limit: Option<Duration>,
    /// The session's.
    waiting: &'a mut Waiting,
}

impl<E: Engine, T: OpenTransaction> FrontTransaction<'_, E, T> {
    fn check_open(&self) -> Done<()> {
        match self.over || self.inner.is_over() {
            false => Ok(()),
            true => Err(Failure::invalid("the transaction is over since an earlier error")),
        }
    }

    fn check(&self, collection: &str, fields: &[&str]) -> Done<()> {
        self.check_open()?;
        check_name(self.engine, collection)?;
        Ok(check_paths(fields)?)
    }

    fn check_writer(&self, collection: &str) -> Done<()> {
        self.check(collection, &[])?;
        match self.access {
            Access::Write => Ok(()),
            Access::Read => Err(Failure::invalid("the transaction was begun for reading only")),
        }
    }

    fn check_patches(&self, collection: &str, patches: &[Patch]) -> Done<()> {
        self.check_writer(collection)?;
        patches.iter().try_for_each(|patch| names::path(patch.path).map(drop))?;
        Ok(())
    }

    fn check_search(&self, index: &Index, prefix: &[Value], fields: &[&str]) -> Done<()> {
        self.check(index.collection, fields)?;
        check_index(self.engine, index.name)?;
        check_paths(&index.fields)?;
        if prefix.len() > index.fields.len() {
            let fields = counted(index.fields.len(), "index field", "index fields");
            return Err(Failure::invalid(format!("{} values for {fields}", prefix.len())));
        }
        match prefix.iter().find(|value| value.is_array() || value.is_object()) {
            Some(value) => Err(Failure::invalid(format!("{value} cannot be searched for"))),
            None => Ok(()),
        }
    }

    /// A transaction that only reads changes nothing of what it reads.
    fn intent(&self, intent: Intent) -> Intent {
        match self.access {
            Access::Read => Intent::Look,
            Access::Write => intent,
        }
    }
}

/// Waits for the answer of a call to the inner transaction.
macro_rules! waited {
    ($self:ident, $call:expr) => {{
        let call = std::pin::pin!($call);
        within($self.engine, $self.waiting, $self.limit, call).await
    }};
}

/// The same; the transaction is over where no answer comes.
macro_rules! answer {
    ($self:ident, $call:expr) => {
        match waited!($self, $call) {
            Ok(done) => done,
            Err(silence) => {
                $self.over = true;
                $self.inner.abandon();
                Err(silence)
            }
        }
    };
}

#[async_trait]
impl<E: Engine, T: OpenTransaction> Transaction for FrontTransaction<'_, E, T> {
    async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        intent: Intent,
    ) -> Result<Option<Row>> {
        let done = match self.check(collection, fields) {
            Ok(()) => {
                let intent = self.intent(intent);
                answer!(self, self.inner.get(collection, key, fields, intent))
            }
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| error(self.engine, failure, &format!("get {collection} {key} in")))
    }

    async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        intent: Intent,
    ) -> Result<Vec<Option<Row>>> {
        let done = match self.check(collection, fields) {
            Ok(()) if keys.is_empty() => Ok(Vec::new()),
            Ok(()) => {
                let intent = self.intent(intent);
                answer!(self, self.inner.get_many(collection, keys, fields, intent))
            }
            Err(failure) => Err(failure),
        };
        let count = keys.len();
        done.map_err(|failure| error(self.engine, failure, &format!("get {count} {collection} in")))
    }

    async fn find(
        &mut self,
        index: &Index,
        prefix: &[Value],
        order: Order,
        limit: Option<usize>,
        fields: &[&str],
        intent: Intent,
    ) -> Result<Vec<(String, Row)>> {
        let done = match self.check_search(index, prefix, fields) {
            Ok(()) => {
                let intent = self.intent(intent);
                answer!(self, self.inner.find(index, prefix, order, limit, fields, intent))
            }
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| {
            let what = format!("find in {} by {} in", index.collection, index.name);
            error(self.engine, failure, &what)
        })
    }

    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Result<()> {
        let done = match self.check_writer(collection) {
            Ok(()) if !document.is_object() => {
                Err(Failure::invalid(format!("{document} is no JSON object")))
            }
            Ok(()) => answer!(self, self.inner.insert(collection, key, document)),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| {
            error(self.engine, failure, &format!("insert {collection} {key} into"))
        })
    }

    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()> {
        let done = match self.check_patches(collection, patches) {
            Ok(()) => answer!(self, self.inner.patch(collection, key, patches)),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| error(self.engine, failure, &format!("patch {collection} {key} in")))
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Result<bool> {
        let done = match self.check_writer(collection) {
            Ok(()) => answer!(self, self.inner.delete(collection, key)),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| {
            error(self.engine, failure, &format!("delete {collection} {key} in"))
        })
    }

    async fn commit(mut self: Box<Self>) -> Result<()> {
        let done = match self.check_open() {
            Ok(()) => match waited!(self, self.inner.commit()) {
                Ok(done) => done,
                Err(silence) => {
                    self.inner.abandon();
                    Err(match self.access {
                        Access::Read => silence,
                        Access::Write => maybe_applied(silence),
                    })
                }
            },
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| error(self.engine, failure, "commit in"))
    }

    async fn rollback(mut self: Box<Self>) -> Result<()> {
        if self.over {
            return Ok(());
        }
        let done = answer!(self, self.inner.rollback());
        done.map_err(|failure| error(self.engine, failure, "roll back in"))
    }
}
