//! What a database is to the rest of Hoap: the capabilities that it offers, each a small trait, and
//! the values that go in and out.
//!
//! A database implements [`Target`] and, of the others, what it has. What it lacks is a typed
//! [`NotApplicable`] with the reason, known before a run starts.
//!
//! Fields are named by *paths*: dotted names with array positions, `c_name.c_last`, `s_dists[3]`.

mod analytics;
mod applicable;
mod documents;
pub mod key_value;
pub mod shop;
mod target;
mod texts;
mod transactions;
mod values;

pub use analytics::{AnalyticalSession, Analytics, Answer, Explained};
pub use applicable::{Applicable, NotApplicable};
pub use documents::{Batch, BulkWriter, Documents, Index, Row};
pub use target::{Blocking, Target};
pub use texts::Texts;
pub use transactions::{Access, Change, Intent, Order, Patch, Session, Transaction, Transactions};
pub use values::{Unmade, Values};

use std::sync::Arc;

pub use hoap_record::{Error, ErrorKind, Result};

/// Interrupts a running call from another thread. May be called at any time.
pub type Canceller = Arc<dyn Fn() + Send + Sync>;
