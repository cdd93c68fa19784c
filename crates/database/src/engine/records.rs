//! Records by key: generic, and boxed for whoever has the operation take a round trip.
//!
//! Against an embedded store the driver's own cost per operation is part of the result, so nothing
//! of [`RecordStore`] allocates per operation. Compiled once more for each of many databases, the
//! driver and the workloads would make the build several times longer; and beside a network round
//! trip a box (some tens of nanoseconds) cannot be seen. [`BoxedStore`] is for those.

use std::future::Future;
use std::pin::Pin;

use crate::failure::Done;
use crate::key_value::{Fields, Record, Scanned, Table};

/// A database that keeps records by key. Clones are the same one.
pub trait RecordStore: Send + Sync + 'static {
    /// One client's connection.
    type Session: RecordSession + 'static;

    /// Whether the guard leaves out its checks and timers: a store that answers at once, does
    /// nothing and cannot fail.
    const BARE: bool = false;

    /// Whether an update writes the whole record, as the database's settings ask: it then gets
    /// every field, whichever a workload would have drawn.
    fn updates_are_whole(&self) -> bool {
        false
    }
    /// Whether a read answers with what is stored. `null:` keeps nothing, so its records are empty.
    fn answers(&self) -> bool {
        true
    }
    /// Connects one client to a table, whose name and fields are checked.
    fn record_session(&self, table: &Table) -> impl Future<Output = Done<Self::Session>> + Send;
    /// Connects the check of a table after a run. Its reads see every write acknowledged before,
    /// even if the database's settings let clients read older states.
    fn checking_session(&self, table: &Table) -> impl Future<Output = Done<Self::Session>> + Send {
        self.record_session(table)
    }
}

/// One client's records. Numbers of fields are those of the table; buffers arrive empty.
pub trait RecordSession: Send {
    /// Reads a record; returns whether the key exists.
    fn read(
        &mut self,
        key: &str,
        fields: Fields,
        record: &mut Record,
    ) -> impl Future<Output = Done<bool>> + Send;
    /// Inserts a record.
    fn insert(&mut self, key: &str, record: &Record) -> impl Future<Output = Done<()>> + Send;
    /// Sets fields; returns whether the key exists.
    fn update(&mut self, key: &str, record: &Record) -> impl Future<Output = Done<bool>> + Send;
    /// Removes a record; returns whether the key existed.
    fn delete(&mut self, key: &str) -> impl Future<Output = Done<bool>> + Send;
    /// Reads records in the order of their keys.
    fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> impl Future<Output = Done<()>> + Send;
    /// See [`Bulk::abandon`](super::Bulk::abandon).
    fn abandon(&mut self) -> bool {
        true
    }
}

/// What a boxed operation is, whichever database it is one of.
type Boxed<'a, T> = Pin<Box<dyn Future<Output = Done<T>> + Send + 'a>>;

/// Makes a future in a box. The box is there before the future is: one that is made first, as
/// `async_trait` has it, is copied, and with a driver's own in it has up to 15 KB.
fn boxed<'a, T, F: Future<Output = Done<T>> + Send + 'a>(make: impl FnOnce() -> F) -> Boxed<'a, T> {
    let place = Box::<F>::new_uninit();
    let made = Box::write(place, make());
    Box::into_pin(made)
}

/// [`RecordStore`] with every future in a box.
pub trait BoxedStore: Send + Sync {
    /// See [`RecordStore::updates_are_whole`].
    fn updates_are_whole(&self) -> bool;
    /// See [`RecordStore::answers`].
    fn answers(&self) -> bool;
    /// See [`RecordStore::record_session`].
    fn record_session<'a>(&'a self, table: &'a Table) -> Boxed<'a, BoxedSession>;
    /// See [`RecordStore::checking_session`].
    fn checking_session<'a>(&'a self, table: &'a Table) -> Boxed<'a, BoxedSession>;
}

impl<R: RecordStore> BoxedStore for R {
    fn updates_are_whole(&self) -> bool {
        RecordStore::updates_are_whole(self)
    }

    fn answers(&self) -> bool {
        RecordStore::answers(self)
    }

    fn record_session<'a>(&'a self, table: &'a Table) -> Boxed<'a, BoxedSession> {
        boxed(move || async move {
            Ok(BoxedSession(Box::new(RecordStore::record_session(self, table).await?)))
        })
    }

    fn checking_session<'a>(&'a self, table: &'a Table) -> Boxed<'a, BoxedSession> {
        boxed(move || async move {
            Ok(BoxedSession(Box::new(RecordStore::checking_session(self, table).await?)))
        })
    }
}

/// [`RecordSession`] with every future in a box.
trait SessionInBoxes: Send {
    fn read<'a>(
        &'a mut self,
        key: &'a str,
        fields: Fields,
        record: &'a mut Record,
    ) -> Boxed<'a, bool>;
    fn insert<'a>(&'a mut self, key: &'a str, record: &'a Record) -> Boxed<'a, ()>;
    fn update<'a>(&'a mut self, key: &'a str, record: &'a Record) -> Boxed<'a, bool>;
    fn delete<'a>(&'a mut self, key: &'a str) -> Boxed<'a, bool>;
    fn scan<'a>(
        &'a mut self,
        start: &'a str,
        count: usize,
        fields: Fields,
        scanned: &'a mut Scanned,
    ) -> Boxed<'a, ()>;
    fn abandon(&mut self) -> bool;
}

impl<S: RecordSession> SessionInBoxes for S {
    fn read<'a>(
        &'a mut self,
        key: &'a str,
        fields: Fields,
        record: &'a mut Record,
    ) -> Boxed<'a, bool> {
        boxed(move || RecordSession::read(self, key, fields, record))
    }

    fn insert<'a>(&'a mut self, key: &'a str, record: &'a Record) -> Boxed<'a, ()> {
        boxed(move || RecordSession::insert(self, key, record))
    }

    fn update<'a>(&'a mut self, key: &'a str, record: &'a Record) -> Boxed<'a, bool> {
        boxed(move || RecordSession::update(self, key, record))
    }

    fn delete<'a>(&'a mut self, key: &'a str) -> Boxed<'a, bool> {
        boxed(move || RecordSession::delete(self, key))
    }

    fn scan<'a>(
        &'a mut self,
        start: &'a str,
        count: usize,
        fields: Fields,
        scanned: &'a mut Scanned,
    ) -> Boxed<'a, ()> {
        boxed(move || RecordSession::scan(self, start, count, fields, scanned))
    }

    fn abandon(&mut self) -> bool {
        RecordSession::abandon(self)
    }
}

/// One client's records, whichever database they are of.
pub struct BoxedSession(Box<dyn SessionInBoxes>);

impl RecordSession for BoxedSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        self.0.read(key, fields, record).await
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Done<()> {
        self.0.insert(key, record).await
    }

    async fn update(&mut self, key: &str, record: &Record) -> Done<bool> {
        self.0.update(key, record).await
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        self.0.delete(key).await
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        self.0.scan(start, count, fields, scanned).await
    }

    fn abandon(&mut self) -> bool {
        self.0.abandon()
    }
}
