//! Whichever database a URL named, as its own type.

use hoap_workload::Result;
use hoap_workload::capability::{
    Analytics, Applicable, Description, Documents, Target, Transactions, key_value, shop,
};

use crate::null::Null;

/// The type of a database: its module's where the feature is on, else [`Absent`].
macro_rules! built {
    ($feature:literal, $module:ident, $Type:ident) => {
        #[cfg(feature = $feature)]
        pub use crate::$module::$Type;
        #[allow(missing_docs)]
        #[cfg(not(feature = $feature))]
        pub type $Type = Absent;
    };
}

built!("sqlite", sqlite, Sqlite);
built!("postgres", postgres, Postgres);
built!("redis", redis, Redis);

/// A database of one of the types that `hoap` knows. Clones are the same database.
///
/// The boxed capabilities are behind [`AnyTarget::target`]. The generic ones, where the cost per
/// operation is part of the result, want code that is compiled for each type:
/// [`with_key_value!`](crate::with_key_value) and [`with_shop!`](crate::with_shop) run an expression
/// on whichever it is.
///
/// There is a variant for every database whether or not it is built in, so that these macros mean
/// the same in every crate; those that are not built in have the type [`Absent`] and no value.
#[derive(Clone)]
pub enum AnyTarget {
    /// Nothing: it measures the client.
    Null(Null),
    /// SQLite.
    Sqlite(Sqlite),
    /// PostgreSQL.
    Postgres(Postgres),
    /// Redis and Valkey.
    Redis(Redis),
}

impl AnyTarget {
    /// Its boxed capabilities.
    pub fn target(&self) -> &dyn Target {
        match self {
            AnyTarget::Null(target) => target,
            AnyTarget::Sqlite(target) => target,
            AnyTarget::Postgres(target) => target,
            AnyTarget::Redis(target) => target,
        }
    }

    /// The same, owned.
    pub fn boxed(self) -> Box<dyn Target> {
        match self {
            AnyTarget::Null(target) => Box::new(target),
            AnyTarget::Sqlite(target) => Box::new(target),
            AnyTarget::Postgres(target) => Box::new(target),
            AnyTarget::Redis(target) => Box::new(target),
        }
    }
}

/// Runs an expression on the database, whose type has
/// [`KeyValue`](hoap_workload::capability::key_value::KeyValue): `Ok` of its value, or
/// [`NotApplicable`](hoap_workload::capability::NotApplicable).
///
/// The name is bound to the database itself where an [`AnyTarget`] is given, and to a reference
/// where a reference is. The expression may contain `.await`, `?` and `return`.
///
/// ```
/// # async fn f() -> hoap_workload::Result<()> {
/// use hoap_workload::capability::key_value::KeyValue;
/// let target = hoap_target::open_any("null:").await?;
/// let blocking = hoap_target::with_key_value!(&target, |kv| KeyValue::blocking(kv))?;
/// # assert!(!blocking);
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(f()).unwrap();
/// ```
#[macro_export]
macro_rules! with_key_value {
    ($target:expr, |$name:pat_param| $body:expr) => {
        match $target {
            $crate::AnyTarget::Null($name) => $crate::applicable($body),
            $crate::AnyTarget::Sqlite($name) => $crate::applicable($body),
            $crate::AnyTarget::Postgres($name) => $crate::applicable($body),
            $crate::AnyTarget::Redis($name) => $crate::applicable($body),
        }
    };
}

/// Runs an expression on the database, whose type has
/// [`Shop`](hoap_workload::capability::shop::Shop), as [`with_key_value!`](crate::with_key_value)
/// does.
#[macro_export]
macro_rules! with_shop {
    ($target:expr, |$name:pat_param| $body:expr) => {
        match $target {
            $crate::AnyTarget::Null($name) => $crate::applicable($body),
            $crate::AnyTarget::Sqlite($name) => $crate::applicable($body),
            $crate::AnyTarget::Postgres($name) => $crate::applicable($body),
            $crate::AnyTarget::Redis($name) => $crate::applicable($body),
        }
    };
}

/// `Ok`, with the error type that the macros promise.
#[doc(hidden)]
pub fn applicable<T>(value: T) -> Applicable<T> {
    Ok(value)
}

/// The type of a database that is not part of this build. There is no value of it.
#[derive(Clone, Copy, Debug)]
pub enum Absent {}

impl Target for Absent {
    fn description(&self) -> Description {
        match *self {}
    }

    fn blocking(&self) -> bool {
        match *self {}
    }

    fn documents(&self) -> Applicable<&dyn Documents> {
        match *self {}
    }

    fn transactions(&self) -> Applicable<&dyn Transactions> {
        match *self {}
    }

    fn analytics(&self) -> Applicable<&dyn Analytics> {
        match *self {}
    }
}

impl key_value::KeyValue for Absent {
    type Session = Absent;

    fn blocking(&self) -> bool {
        match *self {}
    }

    fn scans(&self) -> Applicable<()> {
        match *self {}
    }

    async fn session(&self, _: &key_value::Table) -> Result<Absent> {
        match *self {}
    }
}

impl key_value::KeyValueSession for Absent {
    async fn read(
        &mut self,
        _: &str,
        _: key_value::Fields,
        _: &mut key_value::Record,
    ) -> Result<bool> {
        match *self {}
    }

    async fn insert(&mut self, _: &str, _: &key_value::Record) -> Result<()> {
        match *self {}
    }

    async fn update(&mut self, _: &str, _: &key_value::Record) -> Result<bool> {
        match *self {}
    }

    async fn scan(
        &mut self,
        _: &str,
        _: usize,
        _: key_value::Fields,
        _: &mut key_value::Scanned,
    ) -> Result<()> {
        match *self {}
    }
}

impl shop::Shop for Absent {
    type Session = Absent;

    fn blocking(&self) -> bool {
        match *self {}
    }

    fn pagination(&self) -> Applicable<()> {
        match *self {}
    }

    fn joins(&self) -> Applicable<&'static [shop::JoinVariant]> {
        match *self {}
    }

    async fn session(&self, _: Option<shop::JoinVariant>) -> Result<Absent> {
        match *self {}
    }
}

impl shop::ShopSession for Absent {
    async fn page(&mut self, _: &str, _: u32, _: u32, _: &mut Vec<String>) -> Result<()> {
        match *self {}
    }

    async fn join(&mut self, _: &str, _: &str, _: &mut Vec<shop::JoinRow>) -> Result<()> {
        match *self {}
    }
}
