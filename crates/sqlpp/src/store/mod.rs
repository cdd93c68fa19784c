//! Documents and queries of AsterixDB and of the analytical services built from it.
//!
//! Read [`definition`] first: [`Definition`] has what differs between the services, the statements
//! that define collections, the name of the setting that resolves names, the place of a document's
//! key. The rest is the same SQL++. [`endpoint`] has the [`Store`].

mod analytics;
mod bulk;
mod definition;
mod documents;
mod endpoint;
mod files;
mod parameters;
mod progress;
mod settle;
mod shadow;
mod shop;
mod underway;

pub use analytics::DIALECT;
pub use endpoint::StoreEngine;

pub use definition::{Definition, INDEXES, Indexes, KEY, Shadow, published};
pub use endpoint::{Endpoint, Folder, OFFERS};
