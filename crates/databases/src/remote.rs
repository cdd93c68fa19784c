//! A database on the other side of a network, as one type for all of them.
//!
//! Records by key, pages and joins are generic over the database, so that against an embedded store
//! no allocation is part of the result. Compiled once more for each of many databases, the driver
//! and the workloads would make the build several times longer; and where an operation takes a
//! network round trip, boxing its future (some tens of nanoseconds) cannot be seen beside it. So all
//! databases with a network driver share this type, and the generic code is compiled once for them.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_workload::Result;
use hoap_workload::capability::key_value::{
    Fields, KeyValue, KeyValueSession, Record, Scanned, Table,
};
use hoap_workload::capability::shop::{JoinRow, JoinVariant, Shop, ShopSession};
use hoap_workload::capability::{Applicable, Target};

/// A database with a network driver. Clones are the same database.
#[derive(Clone)]
pub struct Remote {
    /// Its boxed capabilities.
    pub target: Arc<dyn Target>,
    /// Records by key.
    pub key_value: Applicable<RemoteKeyValue>,
    /// Pages and joins.
    pub shop: Applicable<RemoteShop>,
}

impl Remote {
    /// A database that has everything.
    pub fn whole<T: Target + KeyValue + Shop + 'static>(database: T) -> Remote {
        let database = Arc::new(database);
        Remote {
            target: database.clone(),
            key_value: Ok(RemoteKeyValue::new(database.clone())),
            shop: Ok(RemoteShop::new(database)),
        }
    }
}

/// Records by key of a [`Remote`].
#[derive(Clone)]
pub struct RemoteKeyValue(Arc<dyn BoxedKeyValue>);

impl RemoteKeyValue {
    /// Those of this database.
    pub fn new<K: KeyValue + 'static>(database: Arc<K>) -> RemoteKeyValue {
        RemoteKeyValue(database)
    }
}

/// Pages and joins of a [`Remote`].
#[derive(Clone)]
pub struct RemoteShop(Arc<dyn BoxedShop>);

impl RemoteShop {
    /// Those of this database.
    pub fn new<S: Shop + 'static>(database: Arc<S>) -> RemoteShop {
        RemoteShop(database)
    }
}

/// [`KeyValue`] with every future in a box.
#[async_trait]
trait BoxedKeyValue: Send + Sync {
    fn blocking(&self) -> bool;
    fn scans(&self) -> Applicable<()>;
    async fn session(&self, table: &Table) -> Result<RemoteKeyValueSession>;
    async fn checking_session(&self, table: &Table) -> Result<RemoteKeyValueSession>;
}

#[async_trait]
impl<K: KeyValue<Session: 'static>> BoxedKeyValue for K {
    fn blocking(&self) -> bool {
        KeyValue::blocking(self)
    }

    fn scans(&self) -> Applicable<()> {
        KeyValue::scans(self)
    }

    async fn session(&self, table: &Table) -> Result<RemoteKeyValueSession> {
        Ok(RemoteKeyValueSession(Box::new(KeyValue::session(self, table).await?)))
    }

    async fn checking_session(&self, table: &Table) -> Result<RemoteKeyValueSession> {
        Ok(RemoteKeyValueSession(Box::new(KeyValue::checking_session(self, table).await?)))
    }
}

impl KeyValue for RemoteKeyValue {
    type Session = RemoteKeyValueSession;

    fn blocking(&self) -> bool {
        self.0.blocking()
    }

    fn scans(&self) -> Applicable<()> {
        self.0.scans()
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
#[async_trait]
trait BoxedKeyValueSession: Send {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Result<bool>;
    async fn insert(&mut self, key: &str, record: &Record) -> Result<()>;
    async fn update(&mut self, key: &str, record: &Record) -> Result<bool>;
    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Result<()>;
}

#[async_trait]
impl<S: KeyValueSession> BoxedKeyValueSession for S {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Result<bool> {
        KeyValueSession::read(self, key, fields, record).await
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Result<()> {
        KeyValueSession::insert(self, key, record).await
    }

    async fn update(&mut self, key: &str, record: &Record) -> Result<bool> {
        KeyValueSession::update(self, key, record).await
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Result<()> {
        KeyValueSession::scan(self, start, count, fields, scanned).await
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

/// [`Shop`] with every future in a box.
#[async_trait]
trait BoxedShop: Send + Sync {
    fn blocking(&self) -> bool;
    fn pagination(&self) -> Applicable<()>;
    fn joins(&self) -> Applicable<&'static [JoinVariant]>;
    async fn session(&self, variant: Option<JoinVariant>) -> Result<RemoteShopSession>;
}

#[async_trait]
impl<S: Shop<Session: 'static>> BoxedShop for S {
    fn blocking(&self) -> bool {
        Shop::blocking(self)
    }

    fn pagination(&self) -> Applicable<()> {
        Shop::pagination(self)
    }

    fn joins(&self) -> Applicable<&'static [JoinVariant]> {
        Shop::joins(self)
    }

    async fn session(&self, variant: Option<JoinVariant>) -> Result<RemoteShopSession> {
        Ok(RemoteShopSession(Box::new(Shop::session(self, variant).await?)))
    }
}

impl Shop for RemoteShop {
    type Session = RemoteShopSession;

    fn blocking(&self) -> bool {
        self.0.blocking()
    }

    fn pagination(&self) -> Applicable<()> {
        self.0.pagination()
    }

    fn joins(&self) -> Applicable<&'static [JoinVariant]> {
        self.0.joins()
    }

    async fn session(&self, variant: Option<JoinVariant>) -> Result<RemoteShopSession> {
        self.0.session(variant).await
    }
}

/// One client's connection to the customers and orders of a [`Remote`].
pub struct RemoteShopSession(Box<dyn BoxedShopSession>);

/// [`ShopSession`] with every future in a box.
#[async_trait]
trait BoxedShopSession: Send {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Result<()>;
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Result<()>;
}

#[async_trait]
impl<S: ShopSession> BoxedShopSession for S {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Result<()> {
        ShopSession::page(self, country, offset, limit, keys).await
    }

    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Result<()> {
        ShopSession::join(self, zip, month, rows).await
    }
}

impl ShopSession for RemoteShopSession {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Result<()> {
        self.0.page(country, offset, limit, keys).await
    }

    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Result<()> {
        self.0.join(zip, month, rows).await
    }
}
