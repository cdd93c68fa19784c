//! Records by key.

use std::future::Future;
use std::sync::Arc;

use hoap_record::Result;

use super::limit::{answer, repeatable, unlimited, written};
use super::stopping::Waiting;
use crate::applicable::Applicable;
use crate::engine::{About, BoxedSession, BoxedStore, Calls, Engine, RecordSession, RecordStore};
use crate::failure::{Done, Failure};
use crate::key_value::{Fields, Record, Scanned, Table};
use crate::offers::What;
use crate::{json, names};

/// Records by key of a database. Clones are of the same one.
#[derive(Clone)]
pub struct KeyValue<R> {
    about: Arc<About>,
    store: R,
}

impl<R: RecordStore> KeyValue<R> {
    pub(super) fn new(about: Arc<About>, store: R) -> Self {
        KeyValue { about, store }
    }

    /// A store by itself, which `url` names in errors. It is no database that `hoap` opens.
    pub fn alone(url: &str, store: R) -> Self {
        KeyValue { about: Arc::new(About::new(url, url, &[], Calls::InProcess)), store }
    }

    /// Whether its calls block their thread.
    pub fn blocking(&self) -> bool {
        self.about.calls == Calls::Blocking
    }

    /// Whether the database can scan keys in order.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn scans(&self) -> Applicable<()> {
        self.about.offer(What::Scans, Some(()))
    }

    /// See [`RecordStore::updates_are_whole`].
    pub fn updates_are_whole(&self) -> bool {
        self.store.updates_are_whole()
    }

    /// See [`RecordStore::answers`].
    pub fn answers(&self) -> bool {
        self.store.answers()
    }

    /// Connects one client to a table.
    ///
    /// # Errors
    /// Why the database could not be reached, or refuses.
    pub async fn session(&self, table: &Table) -> Result<KeyValueSession<R::Session>> {
        self.open(table, self.store.record_session(table)).await
    }

    /// Connects the check of a table after a run; see [`RecordStore::checking_session`].
    ///
    /// # Errors
    /// Why the database could not be reached, or refuses.
    pub async fn checking_session(&self, table: &Table) -> Result<KeyValueSession<R::Session>> {
        self.open(table, self.store.checking_session(table)).await
    }

    async fn open(
        &self,
        table: &Table,
        opening: impl Future<Output = Done<R::Session>>,
    ) -> Result<KeyValueSession<R::Session>> {
        let about = &self.about;
        if !R::BARE {
            about.check_name(&table.name)?;
            table.fields.iter().try_for_each(|field| names::field(field).map(drop))?;
        }
        match unlimited(about, opening).await {
            Ok(inner) => Ok(KeyValueSession {
                about: about.clone(),
                table: table.clone(),
                bare: R::BARE,
                inner,
                waiting: Waiting::default(),
            }),
            Err(failure) => Err(about.error(failure, &format!("read {} in", table.name))),
        }
    }
}

/// The records of whichever database.
#[derive(Clone)]
pub struct AnyStore(pub(super) Arc<dyn Engine>);

impl AnyStore {
    fn store(&self) -> Done<&dyn BoxedStore> {
        self.0.key_value().ok_or_else(|| Failure::invalid("it has no records by key"))
    }
}

impl RecordStore for AnyStore {
    type Session = BoxedSession;

    fn updates_are_whole(&self) -> bool {
        self.0.key_value().is_some_and(|store| store.updates_are_whole())
    }

    fn answers(&self) -> bool {
        self.0.key_value().is_some_and(|store| store.answers())
    }

    async fn record_session(&self, table: &Table) -> Done<BoxedSession> {
        self.store()?.record_session(table).await
    }

    async fn checking_session(&self, table: &Table) -> Done<BoxedSession> {
        self.store()?.checking_session(table).await
    }
}

/// One client's records.
///
/// Every method may return an error of any [`crate::ErrorKind`]. Nothing is tried again.
pub struct KeyValueSession<S> {
    about: Arc<About>,
    table: Table,
    /// Whether nothing is checked.
    bare: bool,
    inner: S,
    waiting: Waiting,
}

impl<S: RecordSession> KeyValueSession<S> {
    #[inline]
    fn check(&self, fields: Fields) -> Done<()> {
        match fields {
            Fields::One(number) if !self.bare && usize::from(number) >= self.table.fields.len() => {
                Err(Failure::invalid(format!("no field has the number {number}")))
            }
            _ => Ok(()),
        }
    }

    #[inline]
    fn check_record(&self, record: &Record) -> Done<()> {
        if self.bare {
            return Ok(());
        }
        let names = &self.table.fields;
        record.iter().try_for_each(|(field, value)| match json::check(names, field, value) {
            Ok(_) => Ok(()),
            Err(why) => Err(Failure::invalid(why)),
        })
    }

    #[cold]
    fn error(&self, failure: Failure, what: &str, key: &str) -> hoap_record::Error {
        self.about.error(failure, &format!("{what} {} {key} in", self.table.name))
    }

    /// Replaces `record` by fields of the record under `key`. Returns whether the key exists.
    ///
    /// # Errors
    /// Why it was not read.
    pub async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Result<bool> {
        record.clear();
        let done = match self.check(fields) {
            Ok(()) => answer!(self, self.inner.read(key, fields, record), repeatable),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.error(failure, "read", key))
    }

    /// Inserts a record.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Duplicate`] if the key exists.
    pub async fn insert(&mut self, key: &str, record: &Record) -> Result<()> {
        let done = match self.check_record(record) {
            Ok(()) => answer!(self, self.inner.insert(key, record), written),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.error(failure, "insert", key))
    }

    /// Sets the fields in `record` and keeps the others. Returns whether the key exists.
    ///
    /// # Errors
    /// Why it was not written.
    pub async fn update(&mut self, key: &str, record: &Record) -> Result<bool> {
        let done = match self.check_record(record) {
            Ok(()) => answer!(self, self.inner.update(key, record), written),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.error(failure, "update", key))
    }

    /// Removes a record. Returns whether the key existed; a database that writes without reading
    /// says that it did.
    ///
    /// # Errors
    /// Why it was not removed.
    pub async fn delete(&mut self, key: &str) -> Result<bool> {
        let done = answer!(self, self.inner.delete(key), written);
        done.map_err(|failure| self.error(failure, "delete", key))
    }

    /// Replaces `scanned` by at most `count` records from key `start` on, in the database's key
    /// order.
    ///
    /// # Errors
    /// Why they were not read.
    pub async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Result<()> {
        scanned.clear();
        let done = match self.check(fields) {
            Ok(()) => answer!(self, self.inner.scan(start, count, fields, scanned), repeatable),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.error(failure, "scan from", start))
    }
}
