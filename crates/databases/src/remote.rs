//! A database on the other side of a network, as one type for all of them.
//!
//! Records by key, pages and joins are generic over the database. Compiled once more for each of
//! many databases, the driver and the workloads would make the build several times longer; and where
//! an operation takes a network round trip, boxing its future (some tens of nanoseconds) cannot be
//! seen beside it. So all databases with a network driver share this type, and the generic code is
//! compiled once for them. So does DuckDB, of which a query takes as long as a round trip, and so do
//! pages and joins of all databases. Records by key in an embedded store are without a box.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use hoap_database::key_value::{Fields, KeyValue, KeyValueSession, Record, Scanned, Table};
use hoap_database::shop::{JoinRow, JoinSession, JoinVariant, Joins, PageSession, Pages};
use hoap_database::{Applicable, Blocking, Target};
use hoap_record::Result;

/// What an operation is, whichever database it is one of.
type Boxed<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Makes a future in a box. The box is there before the future is: one that is made first, as
/// `async_trait` has it, is copied, and with a driver's own in it has up to 15 KB.
fn boxed<'a, T, F: Future<Output = Result<T>> + Send + 'a>(
    make: impl FnOnce() -> F,
) -> Boxed<'a, T> {
    let place = Box::<F>::new_uninit();
    let made = Box::write(place, make());
    Box::into_pin(made)
}

/// A database with a network driver. Clones are the same database.
#[derive(Clone)]
pub struct Remote {
    /// Its boxed capabilities.
    pub target: Arc<dyn Target>,
    /// Records by key.
    pub key_value: Applicable<RemoteKeyValue>,
    /// Pages of customers.
    pub pages: Applicable<RemotePages>,
    /// Joins of customers and orders.
    pub joins: Applicable<RemoteJoins>,
}

impl Remote {
    /// A database that has everything.
    pub fn whole<T: Target + KeyValue + Pages + Joins + 'static>(database: T) -> Remote {
        let database = Arc::new(database);
        Remote {
            target: database.clone(),
            key_value: Ok(RemoteKeyValue::new(database.clone())),
            pages: Ok(RemotePages::new(database.clone())),
            joins: Ok(RemoteJoins::new(database)),
        }
    }
}

/// Records by key, in boxes.
#[derive(Clone)]
pub struct RemoteKeyValue(Arc<dyn BoxedKeyValue>);

impl RemoteKeyValue {
    /// Those of this database.
    pub fn new<K: KeyValue + 'static>(database: Arc<K>) -> RemoteKeyValue {
        RemoteKeyValue(database)
    }
}

/// Pages, in boxes.
#[derive(Clone)]
pub struct RemotePages(Arc<dyn BoxedPages>);

impl RemotePages {
    /// Those of this database.
    pub fn new<P: Pages + 'static>(database: Arc<P>) -> RemotePages {
        RemotePages(database)
    }
}

/// Joins, in boxes.
#[derive(Clone)]
pub struct RemoteJoins(Arc<dyn BoxedJoins>);

impl RemoteJoins {
    /// Those of this database.
    pub fn new<J: Joins + 'static>(database: Arc<J>) -> RemoteJoins {
        RemoteJoins(database)
    }
}

/// [`KeyValue`] with every future in a box.
#[async_trait]
trait BoxedKeyValue: Blocking {
    fn scans(&self) -> Applicable<()>;
    fn updates_are_whole(&self) -> bool;
    fn answers(&self) -> bool;
    async fn session(&self, table: &Table) -> Result<RemoteKeyValueSession>;
    async fn checking_session(&self, table: &Table) -> Result<RemoteKeyValueSession>;
}

#[async_trait]
impl<K: KeyValue<Session: 'static>> BoxedKeyValue for K {
    fn scans(&self) -> Applicable<()> {
        KeyValue::scans(self)
    }

    fn updates_are_whole(&self) -> bool {
        KeyValue::updates_are_whole(self)
    }

    fn answers(&self) -> bool {
        KeyValue::answers(self)
    }

    async fn session(&self, table: &Table) -> Result<RemoteKeyValueSession> {
        Ok(RemoteKeyValueSession(Box::new(KeyValue::session(self, table).await?)))
    }

    async fn checking_session(&self, table: &Table) -> Result<RemoteKeyValueSession> {
        Ok(RemoteKeyValueSession(Box::new(KeyValue::checking_session(self, table).await?)))
    }
}

impl Blocking for RemoteKeyValue {
    fn blocking(&self) -> bool {
        self.0.blocking()
    }
}

impl KeyValue for RemoteKeyValue {
    type Session = RemoteKeyValueSession;

    fn scans(&self) -> Applicable<()> {
        self.0.scans()
    }

    fn updates_are_whole(&self) -> bool {
        self.0.updates_are_whole()
    }

    fn answers(&self) -> bool {
        self.0.answers()
    }

    async fn session(&self, table: &Table) -> Result<RemoteKeyValueSession> {
        self.0.session(table).await
    }

    async fn checking_session(&self, table: &Table) -> Result<RemoteKeyValueSession> {
        self.0.checking_session(table).await
    }
}

/// One client's connection to the records of a [`Remote`].
pub struct RemoteKeyValueSession(Box<dyn BoxedKeyValueSession>);

/// [`KeyValueSession`] with every future in a box.
trait BoxedKeyValueSession: Send {
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
}

impl<S: KeyValueSession> BoxedKeyValueSession for S {
    fn read<'a>(
        &'a mut self,
        key: &'a str,
        fields: Fields,
        record: &'a mut Record,
    ) -> Boxed<'a, bool> {
        boxed(move || KeyValueSession::read(self, key, fields, record))
    }

    fn insert<'a>(&'a mut self, key: &'a str, record: &'a Record) -> Boxed<'a, ()> {
        boxed(move || KeyValueSession::insert(self, key, record))
    }

    fn update<'a>(&'a mut self, key: &'a str, record: &'a Record) -> Boxed<'a, bool> {
        boxed(move || KeyValueSession::update(self, key, record))
    }

    fn delete<'a>(&'a mut self, key: &'a str) -> Boxed<'a, bool> {
        boxed(move || KeyValueSession::delete(self, key))
    }

    fn scan<'a>(
        &'a mut self,
        start: &'a str,
        count: usize,
        fields: Fields,
        scanned: &'a mut Scanned,
    ) -> Boxed<'a, ()> {
        boxed(move || KeyValueSession::scan(self, start, count, fields, scanned))
    }
}

impl KeyValueSession for RemoteKeyValueSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Result<bool> {
        self.0.read(key, fields, record).await
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Result<()> {
        self.0.insert(key, record).await
    }

    async fn update(&mut self, key: &str, record: &Record) -> Result<bool> {
        self.0.update(key, record).await
    }

    async fn delete(&mut self, key: &str) -> Result<bool> {
        self.0.delete(key).await
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Result<()> {
        self.0.scan(start, count, fields, scanned).await
    }
}

/// [`Pages`] with every future in a box.
#[async_trait]
trait BoxedPages: Blocking {
    async fn session(&self) -> Result<RemotePageSession>;
}

#[async_trait]
impl<P: Pages<Session: 'static>> BoxedPages for P {
    async fn session(&self) -> Result<RemotePageSession> {
        Ok(RemotePageSession(Box::new(Pages::session(self).await?)))
    }
}

impl Blocking for RemotePages {
    fn blocking(&self) -> bool {
        self.0.blocking()
    }
}

impl Pages for RemotePages {
    type Session = RemotePageSession;

    async fn session(&self) -> Result<RemotePageSession> {
        self.0.session().await
    }
}

/// One client's connection for pages of a [`Remote`].
pub struct RemotePageSession(Box<dyn BoxedPageSession>);

/// [`PageSession`] with every future in a box.
trait BoxedPageSession: Send {
    fn page<'a>(
        &'a mut self,
        country: &'a str,
        offset: u32,
        limit: u32,
        keys: &'a mut Vec<String>,
    ) -> Boxed<'a, ()>;
}

impl<S: PageSession> BoxedPageSession for S {
    fn page<'a>(
        &'a mut self,
        country: &'a str,
        offset: u32,
        limit: u32,
        keys: &'a mut Vec<String>,
    ) -> Boxed<'a, ()> {
        boxed(move || PageSession::page(self, country, offset, limit, keys))
    }
}

impl PageSession for RemotePageSession {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Result<()> {
        self.0.page(country, offset, limit, keys).await
    }
}

/// [`Joins`] with every future in a box.
#[async_trait]
trait BoxedJoins: Blocking {
    fn variants(&self) -> &'static [JoinVariant];
    async fn session(&self, variant: JoinVariant) -> Result<RemoteJoinSession>;
}

#[async_trait]
impl<J: Joins<Session: 'static>> BoxedJoins for J {
    fn variants(&self) -> &'static [JoinVariant] {
        Joins::variants(self)
    }

    async fn session(&self, variant: JoinVariant) -> Result<RemoteJoinSession> {
        Ok(RemoteJoinSession(Box::new(Joins::session(self, variant).await?)))
    }
}

impl Blocking for RemoteJoins {
    fn blocking(&self) -> bool {
        self.0.blocking()
    }
}

impl Joins for RemoteJoins {
    type Session = RemoteJoinSession;

    fn variants(&self) -> &'static [JoinVariant] {
        self.0.variants()
    }

    async fn session(&self, variant: JoinVariant) -> Result<RemoteJoinSession> {
        self.0.session(variant).await
    }
}

/// One client's connection for joins of a [`Remote`].
pub struct RemoteJoinSession(Box<dyn BoxedJoinSession>);

/// [`JoinSession`] with every future in a box.
trait BoxedJoinSession: Send {
    fn join<'a>(
        &'a mut self,
        zip: &'a str,
        month: &'a str,
        rows: &'a mut Vec<JoinRow>,
    ) -> Boxed<'a, ()>;
}

impl<S: JoinSession> BoxedJoinSession for S {
    fn join<'a>(
        &'a mut self,
        zip: &'a str,
        month: &'a str,
        rows: &'a mut Vec<JoinRow>,
    ) -> Boxed<'a, ()> {
        boxed(move || JoinSession::join(self, zip, month, rows))
    }
}

impl JoinSession for RemoteJoinSession {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Result<()> {
        self.0.join(zip, month, rows).await
    }
}
