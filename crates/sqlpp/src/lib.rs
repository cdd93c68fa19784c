//! SQL++ over HTTP, which AsterixDB, Couchbase Analytics and Couchbase's query service have in
//! common.
//!
//! A statement is a POST of JSON, with its parameters; the answer is one JSON object, whose member
//! `results` may have any size. Read [`client`] first, which sends statements within their time
//! limits. [`stream`] reads the rows of an answer while it arrives, [`error`] classifies errors by
//! the [`codes`] of each service, [`name`] quotes identifiers, [`tls`] and [`login`] authenticate.
//!
//! Nothing is sent twice: the HTTP client neither follows redirections nor retries.

mod client;
mod codes;
mod envelope;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod login;
mod name;
mod path;
mod request;
pub mod store;
mod stream;
#[cfg(test)]
mod tests;
mod tls;

pub use client::{Credentials, ServiceAddress, StatementClient};
pub use codes::Service;
pub use envelope::Envelope;
pub use envelope::Fault;
pub use error::{Cause, Error};
pub use login::{Named, PASSWORD_FILE, TLS_CERT, TLS_KEY};
pub use name::quote;
pub use path::path;
pub use request::Request;
pub use tls::Tls;
