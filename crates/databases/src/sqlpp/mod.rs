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
#[cfg(any(test, fuzzing))]
pub mod fuzz;
#[cfg(any(feature = "couchbase", feature = "couchbase-analytics"))]
mod login;
mod name;
mod request;
#[cfg(any(feature = "asterixdb", feature = "couchbase-analytics"))]
pub(crate) mod store;
mod stream;
#[cfg(test)]
mod tests;
mod tls;

pub(crate) use client::{Credentials, ServiceAddress, StatementClient};
pub(crate) use codes::Service;
pub(crate) use envelope::Envelope;
#[cfg(feature = "couchbase")]
pub(crate) use envelope::Fault;
pub(crate) use error::{Cause, Doing, Error};
#[cfg(any(feature = "couchbase", feature = "couchbase-analytics"))]
pub(crate) use login::{Named, PASSWORD_FILE, TLS_CERT, TLS_KEY};
pub(crate) use name::quote;
pub(crate) use request::Request;
pub(crate) use tls::Tls;
