//! Multi-document transactions.

use std::sync::Arc;

use hoap_record::Result;
use hoap_record::witness::Level;
use hoap_record::words::counted;
use serde_json::Value;

use super::check::{check_bounds, check_condition, check_patch, check_paths};
use super::limit::{repeatable, unlimited, within, written};
use super::stopping::Waiting;
use crate::answer::Row;
use crate::engine::{self, About, OpenTransaction};
use crate::failure::{Done, Failure};
use crate::offers::What;
use crate::patch::{Access, Condition, Find, Intent, Patch, Patched, Read};
use crate::patches::independent;

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

    /// Whether a read answers with what is stored. `null:` keeps nothing, so its documents have
    /// nothing but nulls.
    pub fn answers(&self) -> bool {
        self.engine.answers()
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
    /// Begins a transaction. Dropping it without a commit rolls it back. With [`Access::Each`]
    /// nothing is begun, and each operation is done when it returns.
    ///
    /// # Errors
    /// Why the database did not begin one.
    pub async fn begin(&mut self, access: Access) -> Result<Transaction<'_>> {
        let Session { about, inner, unanswered, waiting } = self;
        if access != Access::Each {
            about.offer(What::Transactions, Some(()))?;
        }
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
            Access::Write | Access::Each => Ok(()),
            Access::Read => Err(Failure::invalid("the transaction was begun for reading only")),
        }
    }

    fn check_patches(
        &self,
        collection: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Done<()> {
        self.check_writer(collection)?;
        patches.iter().try_for_each(check_patch)?;
        conditions.iter().try_for_each(check_condition)?;
        match self.access {
            Access::Each if independent(patches).nth(1).is_some() => {
                Err(Failure::invalid("one command cannot change what another part of it changes"))
            }
            _ => Ok(()),
        }
    }

    fn check_documents(&self, collection: &str, documents: &[(&str, &Value)]) -> Done<()> {
        self.check_writer(collection)?;
        match documents.iter().find(|(_, document)| !document.is_object()) {
            Some((_, document)) => Err(Failure::invalid(format!("{document} is no JSON object"))),
            None => Ok(()),
        }
    }

    fn check_search(&self, find: &Find<'_>) -> Done<()> {
        let Find { index, prefix, fields, range, .. } = find;
        self.check(&index.collection, fields)?;
        self.about.check_index(&index.name)?;
        check_paths(&index.fields)?;
        if prefix.len() > index.fields.len() {
            let fields = counted(index.fields.len(), "index field", "index fields");
            return Err(Failure::invalid(format!("{} values for {fields}", prefix.len())));
        }
        let last = find.behind();
        let of_keys = index.is_keys();
        if range.is_some() && find.rest().is_empty() && !of_keys {
            return Err(Failure::invalid("a range is of the index field after the values given"));
        }
        range.as_ref().map_or(Ok(()), check_bounds)?;
        if of_keys && range.is_some_and(|range| !range.is_text()) {
            return Err(Failure::invalid("bounds of keys are texts"));
        }
        if last.is_some_and(|last| last.values.len() != find.rest().len()) {
            return Err(Failure::invalid(
                "the last document has a value for each field after them",
            ));
        }
        let values = last.map_or(&[][..], |last| last.values);
        match prefix.iter().chain(values).find(|value| value.is_array() || value.is_object()) {
            Some(value) => Err(Failure::invalid(format!("{value} cannot be searched for"))),
            None => Ok(()),
        }
    }

    /// A transaction that only reads changes nothing of what it reads, and a command by itself
    /// nothing later.
    fn intent(&self, intent: Intent) -> Intent {
        match self.access {
            Access::Read | Access::Each => Intent::Look,
            Access::Write => intent,
        }
    }

    /// What the failure of an operation that writes means.
    fn outcome(&self) -> fn(Failure) -> Failure {
        match self.access {
            Access::Each => written,
            Access::Read | Access::Write => repeatable,
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

/// The same; the transaction is over where no answer comes. The last argument says what a failure
/// means.
macro_rules! answer {
    ($self:ident, $call:expr, $outcome:expr) => {
        match waited!($self, $call) {
            Ok(done) => done.map_err($outcome),
            Err(silence) => {
                $self.over = true;
                $self.inner.abandon();
                Err($outcome(silence))
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
        answer!(self, self.inner.get(read), repeatable)
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
        let of_keys = find.index.is_keys();
        if of_keys {
            self.about.offer(What::Ranges, Some(()))?;
        }
        let done = match self.check_search(&find) {
            Ok(()) => {
                let pages = find.pages.or(of_keys.then_some(None));
                let find = Find { intent: self.intent(find.intent), pages, ..find };
                answer!(self, self.inner.find(find), repeatable)
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
        let done = self.insert_all(collection, &[(key, document)]).await;
        done.map_err(|failure| {
            self.about.error(failure, &format!("insert {collection} {key} into"))
        })
    }

    /// Inserts several documents of different keys by one command, which is a duplicate if one of
    /// the keys exists. Outside of a transaction the others may be there then, unless the database
    /// says otherwise.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn insert_many(
        &mut self,
        collection: &str,
        documents: &[(&str, &Value)],
    ) -> Result<()> {
        let done = self.insert_all(collection, documents).await;
        let count = documents.len();
        done.map_err(|failure| {
            self.about.error(failure, &format!("insert {count} {collection} into"))
        })
    }

    async fn insert_all(&mut self, collection: &str, documents: &[(&str, &Value)]) -> Done<()> {
        self.check_documents(collection, documents)?;
        if documents.is_empty() {
            return Ok(());
        }
        let outcome = self.outcome();
        answer!(self, self.inner.insert(collection, documents), outcome)
    }

    /// Puts a document in the place of whatever is there under its key.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn put(&mut self, collection: &str, key: &str, document: &Value) -> Result<()> {
        let outcome = self.outcome();
        let done = match self.check_documents(collection, &[(key, document)]) {
            Ok(()) => answer!(self, self.inner.put(collection, key, document), outcome),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.about.error(failure, &format!("put {collection} {key} into")))
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
        let done = match self.patch_where(collection, key, patches, &[]).await {
            Ok(Patched::Missing) => Err(Failure::broken("no such key")),
            done => done.map(drop),
        };
        done.map_err(|failure| self.about.error(failure, &format!("patch {collection} {key} in")))
    }

    /// Patches fields of one document if the conditions hold.
    ///
    /// # Errors
    /// Why the database did not do it: [`ErrorKind::Broken`](crate::ErrorKind::Broken) if a patch
    /// does not fit the document.
    pub async fn patch_if(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Result<Patched> {
        let done = self.patch_where(collection, key, patches, conditions).await;
        done.map_err(|failure| self.about.error(failure, &format!("patch {collection} {key} in")))
    }

    async fn patch_where(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Done<Patched> {
        self.check_patches(collection, patches, conditions)?;
        if patches.is_empty() {
            return Ok(Patched::Done);
        }
        let outcome = self.outcome();
        answer!(self, self.inner.patch(collection, key, patches, conditions), outcome)
    }

    /// Deletes one document and returns whether it existed.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn delete(&mut self, collection: &str, key: &str) -> Result<bool> {
        let outcome = self.outcome();
        let done = match self.check_writer(collection) {
            Ok(()) => answer!(self, self.inner.delete(collection, key), outcome),
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
                    Access::Read | Access::Each => repeatable,
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
        let done = answer!(self, self.inner.rollback(), repeatable);
        done.map_err(|failure| self.about.error(failure, "roll back in"))
    }
}
