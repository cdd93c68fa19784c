//! What a database implements, a trait a capability, in boxes of `async_trait`; records by key have
//! none ([`RecordStore`]).
//!
//! [`Database`](crate::Database) stands in front of an engine. It checks names, paths, parameters
//! and the access of a transaction, so that an engine may write them into its statements; keys are
//! not checked. It limits how long an answer may take. A failure says what came back; the sentence
//! about what was tried is the guard's, unless the failure has one of its own
//! ([`Failure::trying`](crate::failure::Failure::trying)).

mod about;
mod database;
mod documents;
mod export;
mod queries;
mod records;
mod shop;
mod transactions;

pub use about::{About, Calls};
pub use database::Engine;
pub use documents::{Bulk, Documents, Each};
pub use export::{EachDocument, Export};
pub use queries::{Analytics, QuerySession};
pub use records::{BoxedSession, BoxedStore, RecordSession, RecordStore};
pub use shop::{Shop, ShopSession, put_key};
pub use transactions::{OpenTransaction, Session, Transactions, in_order};

pub use crate::failure::Done;
pub use crate::offers::{Offered, Offers, What};
pub use crate::patch::Read;

/// The methods of [`Engine`] by which it gives itself as these capabilities.
#[macro_export]
macro_rules! gives {
    (@ $name:ident $Trait:ident) => {
        fn $name(&self) -> Option<&dyn $crate::engine::$Trait> {
            Some(self)
        }
    };
    (@ documents) => { $crate::gives!(@ documents Documents); };
    (@ export) => { $crate::gives!(@ export Export); };
    (@ transactions) => { $crate::gives!(@ transactions Transactions); };
    (@ operations) => { $crate::gives!(@ operations Transactions); };
    (@ analytics) => { $crate::gives!(@ analytics Analytics); };
    (@ key_value) => { $crate::gives!(@ key_value BoxedStore); };
    (@ shop) => { $crate::gives!(@ shop Shop); };
    ($($name:ident),*) => { $($crate::gives!(@ $name);)* };
}
