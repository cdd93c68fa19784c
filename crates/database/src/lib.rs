//! What a database is to the rest of Hoap.
//!
//! [`Database`] is what everyone else calls: the capabilities that it offers, and the values that go
//! in and out. A database implements the traits of [`engine`], as far as it has what they name. What
//! it lacks is a typed [`NotApplicable`] with the reason, known before a run starts.
//!
//! Fields are named by *paths* ([`path`]): dotted names with array positions, `c_name.c_last`,
//! `s_dists[3]`.

mod answer;
pub mod answering;
mod applicable;
mod at_once;
mod batch;
pub mod engine;
pub mod export;
pub mod failure;
mod guard;
pub mod json;
pub mod key_value;
pub mod names;
mod offers;
pub mod options;
mod patch;
pub mod patches;
pub mod path;
pub mod patience;
pub mod reads;
pub mod search;
pub mod shop;
mod texts;
pub mod url;
mod values;

pub use answer::{Answer, Canceller, Explained, Row};
pub use applicable::{Applicable, NotApplicable};
pub use at_once::at_once;
pub use batch::{Batch, Index};
pub use guard::limit::{limited, opening};
pub use guard::timer::Timer;
pub use guard::{
    AnalyticalSession, Analytics, AnyStore, BulkWriter, Database, Documents, KeyValue,
    KeyValueSession, Session, Shop, ShopSession, Transaction, Transactions, stop_waiting,
};
pub use offers::{Offered, Offers, What};
pub use patch::{
    Access, Bounds, Change, Condition, DIGITS, Find, Intent, Is, Last, Order, Patch, Patched,
};
pub use texts::Texts;
pub use values::{Unmade, Values};

pub use hoap_record::{Error, ErrorKind, Result};
