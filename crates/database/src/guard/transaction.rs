//! Multi-document transactions.

use std::sync::Arc;

use hoap_record::Result;
use hoap_record::witness::Level;
use hoap_record::words::counted;
use serde_json::Value;

use super::check::check_paths;
use super::limit::{repeatable, unlimited, within, written};
use super::stopping::Waiting;
use crate::answer::Row;
use crate::engine::{self, About, OpenTransaction};
use crate::failure::{Done, Failure};
use crate::patch::{Access, Find, Intent, Patch, Read};
use crate::path;

/// Multi-document transactions of a [`Database`](crate::Database).
#[derive(Clone, Copy)]
pub struct Transactions<'d> {
    pub(super) about: &'d Arc<About>,
    pub(super) engine: &'d dyn engine::Transactions,
}

impl Transactions<'_> {
    /// Connects one client.
    ///
    /// # Errors
    /// Why the database could not be reached, or refuses.
    pub async fn session(&self) -> Result<Session> {
        match unlimited(self.about, self.engine.transaction_session()).await {
            Ok(inner) => Ok(Session {
                about: self.about.clone(),
                inner,
                unanswered: false,
                waiting: Waiting::default(),
            }),
            Err(failure) => Err(self.about.error(failure, "connect a client to")),
        }
    }

    /// The isolation that the database promises to all of its transactions, with its settings as
    /// they are; `None` if it promises none.
    pub fn isolation(&self) -> Option<Level> {
        self.engine.isolation()
    }
}

/// The transactions of one client.
pub struct Session {
    about: Arc<About>,
    inner: Box<dyn engine::Session>,
    /// Whether the answer to the last begin did not come.
    unanswered: bool,
    waiting: Waiting,
}

impl Session {
    /// Begins a transaction. Dropping it without a commit rolls it back.
    ///
    /// # Errors
    /// Why the database did not begin one.
    pub async fn begin(&mut self, access: Access) -> Result<Transaction<'_>> {
        let Session { about, inner, unanswered, waiting } = self;
        if std::mem::take(unanswered) {
            inner.abandon();
        }
        let begun = within(about, waiting, about.answer_timeout, inner.begin(access)).await;
        let begun = begun.unwrap_or_else(|silence| {
            *unanswered = true;
            Err(silence)
        });
        match begun {
            Ok(inner) => Ok(Transaction { about, inner, access, over: false, waiting }),
            Err(failure) => Err(about.error(failure, "begin a transaction in")),
        }
    }
}

/// Document operations inside one transaction.
///
/// Every method may return [`ErrorKind::Conflict`]; the transaction has then ended and the caller
/// may begin another.
///
/// [`ErrorKind::Conflict`]: crate::ErrorKind::Conflict
pub struct Transaction<'a> {
    about: &'a About,
    inner: Box<dyn OpenTransaction + 'a>,
    access: Access,
    /// Whether an answer did not come.
    over: bool,
    /// The session's.
    waiting: &'a mut Waiting,
}

impl Transaction<'_> {
    fn check_open(&self) -> Done<()> {
        match self.over || self.inner.is_over() {
            false => Ok(()),
            true => Err(Failure::invalid("the transaction is over since an earlier error")),
        }
    }

    fn check(&self, collection: &str, fields: &[&str]) -> Done<()> {
        self.check_open()?;
        self.about.check_name(collection)?;
        Ok(check_paths(fields)?)
    }

    fn check_writer(&self, collection: &str) -> Done<()> {
        self.check(collection, &[])?;
        match self.access {
            Access::Write => Ok(()),
            Access::Read => Err(Failure::invalid("the transaction was begun for reading only")),
        }
    }

    fn check_patches(&self, collection: &str, patches: &[Patch<'_>]) -> Done<()> {
        self.check_writer(collection)?;
        patches.iter().try_for_each(|patch| path::check(patch.path).map(drop))?;
        Ok(())
    }

    fn check_search(&self, find: &Find<'_>) -> Done<()> {
        let Find { index, prefix, fields, .. } = find;
        self.check(&index.collection, fields)?;
        self.about.check_index(&index.name)?;
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
        within($self.about, $self.waiting, $self.about.answer_timeout, call).await
    }};
}

/// The same; the transaction is over where no answer comes.
macro_rules! answer {
    ($self:ident, $call:expr) => {
        match waited!($self, $call) {
            Ok(done) => done.map_err(repeatable),
            Err(silence) => {
                $self.over = true;
                $self.inner.abandon();
                Err(silence)
            }
        }
    };
}

impl Transaction<'_> {
    /// The fields of one document, or `None` if the key does not exist.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        intent: Intent,
    ) -> Result<Option<Row>> {
        let read = Read { collection, keys: &[key], fields, intent };
        let done = self.read(read).await.map(|mut rows| rows.pop().flatten());
        done.map_err(|failure| self.about.error(failure, &format!("get {collection} {key} in")))
    }

    async fn read(&mut self, read: Read<'_>) -> Done<Vec<Option<Row>>> {
        self.check(read.collection, read.fields)?;
        if read.keys.is_empty() {
            return Ok(Vec::new());
        }
        let read = Read { intent: self.intent(read.intent), ..read };
        answer!(self, self.inner.get(read))
    }

    /// The fields of several documents, in the order of the keys.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        intent: Intent,
    ) -> Result<Vec<Option<Row>>> {
        let names: Vec<&str> = keys.iter().map(String::as_str).collect();
        let done = self.read(Read { collection, keys: &names, fields, intent }).await;
        let count = keys.len();
        done.map_err(|failure| self.about.error(failure, &format!("get {count} {collection} in")))
    }

    /// Documents by an index, with their keys.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn find(&mut self, find: Find<'_>) -> Result<Vec<(String, Row)>> {
        let done = match self.check_search(&find) {
            Ok(()) => {
                let find = Find { intent: self.intent(find.intent), ..find };
                answer!(self, self.inner.find(find))
            }
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| {
            let what = format!("find in {} by {} in", find.index.collection, find.index.name);
            self.about.error(failure, &what)
        })
    }

    /// Inserts a document. [`ErrorKind::Duplicate`](crate::ErrorKind::Duplicate) if the key exists,
    /// of the commit at the latest.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Result<()> {
        let done = match self.check_writer(collection) {
            Ok(()) if !document.is_object() => {
                Err(Failure::invalid(format!("{document} is no JSON object")))
            }
            Ok(()) => answer!(self, self.inner.insert(collection, key, document)),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| {
            self.about.error(failure, &format!("insert {collection} {key} into"))
        })
    }

    /// Patches fields of one document. [`ErrorKind::Broken`](crate::ErrorKind::Broken) if the key
    /// does not exist.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn patch(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
    ) -> Result<()> {
        let done = match self.check_patches(collection, patches) {
            Ok(()) => answer!(self, self.inner.patch(collection, key, patches)),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.about.error(failure, &format!("patch {collection} {key} in")))
    }

    /// Deletes one document and returns whether it existed.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn delete(&mut self, collection: &str, key: &str) -> Result<bool> {
        let done = match self.check_writer(collection) {
            Ok(()) => answer!(self, self.inner.delete(collection, key)),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.about.error(failure, &format!("delete {collection} {key} in")))
    }

    /// Commits, as durably as the database's settings promise.
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous) if the outcome cannot be known.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn commit(mut self) -> Result<()> {
        let done = match self.check_open() {
            Ok(()) => {
                let waited = waited!(self, self.inner.commit());
                let done = waited.unwrap_or_else(|silence| {
                    self.inner.abandon();
                    Err(silence)
                });
                done.map_err(match self.access {
                    Access::Read => repeatable,
                    Access::Write => written,
                })
            }
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.about.error(failure, "commit in"))
    }

    /// Undoes all changes.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn rollback(mut self) -> Result<()> {
        if self.over {
            return Ok(());
        }
        let done = answer!(self, self.inner.rollback());
        done.map_err(|failure| self.about.error(failure, "roll back in"))
    }
}
