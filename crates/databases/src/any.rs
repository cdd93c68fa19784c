//! Whichever database a URL named.

use std::sync::Arc;

use hoap_workload::capability::{Applicable, Target};

use crate::null::Null;
use crate::remote::Remote;
use crate::sqlite::Sqlite;

/// A database that `hoap` knows. Clones are the same database.
///
/// The boxed capabilities are behind [`AnyTarget::target`]. The generic ones want code that is
/// compiled for each type: [`with_key_value!`](crate::with_key_value),
/// [`with_pages!`](crate::with_pages) and [`with_joins!`](crate::with_joins) run an expression on
/// whichever it is.
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
    pub fn target(&self) -> &dyn Target {
        match self {
            AnyTarget::Null(target) => target,
            AnyTarget::Sqlite(target) => target,
            AnyTarget::Remote(remote) => &*remote.target,
        }
    }

    /// The same, owned.
    pub fn boxed(self) -> Arc<dyn Target> {
        match self {
            AnyTarget::Null(target) => Arc::new(target),
            AnyTarget::Sqlite(target) => Arc::new(target),
            AnyTarget::Remote(remote) => remote.target,
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
        $crate::with_capability!($target, key_value, |$name| $body)
    };
}

/// Runs an expression on the database, whose type has
/// [`Pages`](hoap_workload::capability::shop::Pages), as [`with_key_value!`](crate::with_key_value)
/// does.
#[macro_export]
macro_rules! with_pages {
    ($target:expr, |$name:pat_param| $body:expr) => {
        $crate::with_capability!($target, pages, |$name| $body)
    };
}

/// Runs an expression on the database, whose type has
/// [`Joins`](hoap_workload::capability::shop::Joins), as [`with_key_value!`](crate::with_key_value)
/// does.
#[macro_export]
macro_rules! with_joins {
    ($target:expr, |$name:pat_param| $body:expr) => {
        $crate::with_capability!($target, joins, |$name| $body)
    };
}

/// Runs an expression on the database, where `$capability` is a field of [`Remote`].
#[doc(hidden)]
#[macro_export]
macro_rules! with_capability {
    ($target:expr, $capability:ident, |$name:pat_param| $body:expr) => {
        match $target {
            $crate::AnyTarget::Null($name) => $crate::applicable($body),
            $crate::AnyTarget::Sqlite($name) => $crate::applicable($body),
            $crate::AnyTarget::Remote($crate::Remote { $capability: Ok($name), .. }) => {
                $crate::applicable($body)
            }
            $crate::AnyTarget::Remote($crate::Remote { $capability: Err(reason), .. }) => {
                Err(reason.clone())
            }
        }
    };
}

/// `Ok`, with the error type that the macros promise.
#[doc(hidden)]
pub fn applicable<T>(value: T) -> Applicable<T> {
    Ok(value)
}
