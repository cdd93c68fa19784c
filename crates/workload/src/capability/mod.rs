//! The capabilities that a database offers, each a small trait.
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
pub use values::{TypedSource, Unmade, Values};
