//! Whichever database a URL named.

use std::sync::Arc;

use hoap_database::{Applicable, Target};

use crate::null::Null;
use crate::remote::{Remote, RemoteJoins, RemoteKeyValue, RemotePages};
use crate::sqlite::Sqlite;

/// A database that `hoap` knows. Clones are the same database.
///
/// Records by key have code that is compiled for each type, so that no box is part of what an
/// operation takes: [`with_key_value!`](crate::with_key_value) runs an expression on whichever it
/// is. Everything else is boxed.
#[derive(Clone)]
pub enum AnyTarget {
    /// Nothing: it measures the client.
    Null(Null),
    /// SQLite, whose cost per operation is small enough that a box would be part of the result.
    Sqlite(Sqlite),
    /// Any database with a network driver, and DuckDB, whose operations take as long.
    Remote(Remote),
}

impl AnyTarget {
    /// Its boxed capabilities.
    // Inlined elsewhere, this and the next would compile all of SQLite's capabilities there.
    #[inline(never)]
    pub fn target(&self) -> &dyn Target {
        match self {
            AnyTarget::Null(target) => target,
            AnyTarget::Sqlite(target) => target,
            AnyTarget::Remote(remote) => &*remote.target,
        }
    }

    /// The same, owned.
    #[inline(never)]
    pub fn boxed(self) -> Arc<dyn Target> {
        match self {
            AnyTarget::Null(target) => Arc::new(target),
            AnyTarget::Sqlite(target) => Arc::new(target),
            AnyTarget::Remote(remote) => remote.target,
        }
    }

    /// Records by key where no operation is measured.
    pub fn key_value(&self) -> Applicable<RemoteKeyValue> {
        self.in_boxes().key_value
    }

    /// Pages of customers.
    pub fn pages(&self) -> Applicable<RemotePages> {
        self.in_boxes().pages
    }

    /// Joins of customers and orders.
    pub fn joins(&self) -> Applicable<RemoteJoins> {
        self.in_boxes().joins
    }

    /// With all its capabilities boxed.
    fn in_boxes(&self) -> Remote {
        match self {
            AnyTarget::Null(target) => Remote::whole(target.clone()),
            AnyTarget::Sqlite(target) => Remote::whole(target.clone()),
            AnyTarget::Remote(remote) => remote.clone(),
        }
    }
}

/// Runs an expression on the database, whose type has
/// [`KeyValue`](hoap_database::key_value::KeyValue): `Ok` of its value, or
/// [`NotApplicable`](hoap_database::NotApplicable).
///
/// The name is bound to the database itself where an [`AnyTarget`] is given, and to a reference
/// where a reference is. The expression may contain `.await`, `?` and `return`.
///
/// ```
/// # async fn f() -> hoap_record::Result<()> {
/// use hoap_database::key_value::KeyValue;
/// let target = hoap_databases::open_any("null:").await?;
/// let scans = hoap_databases::with_key_value!(&target, |kv| kv.scans())?;
/// # assert!(scans.is_ok());
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
            $crate::AnyTarget::Remote($crate::Remote { key_value: Ok($name), .. }) => {
                $crate::applicable($body)
            }
            $crate::AnyTarget::Remote($crate::Remote { key_value: Err(reason), .. }) => {
                Err(reason.clone())
            }
        }
    };
}

/// `Ok`, with the error type that the macro promises.
#[doc(hidden)]
pub fn applicable<T>(value: T) -> Applicable<T> {
    Ok(value)
}
