//! SQL++ over HTTP: what AsterixDB, Couchbase Analytics and Couchbase's query service have in common.
//!
//! A statement is a POST of JSON with its parameters beside it; the answer is one JSON object whose
//! member `results` may be of any size. [`client`] sends and watches the clock, [`stream`] takes the
//! rows out of the answer while it arrives, [`failure`] sorts what went wrong by the codes of each
//! service, [`name`] quotes identifiers, [`tls`] and [`login`] are about who may ask.
//!
//! Nothing is sent twice: the HTTP client neither follows redirections nor tries again.

mod client;
mod envelope;
mod failure;
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

pub(crate) use client::{Client, Credentials, Place};
pub(crate) use envelope::Envelope;
pub(crate) use failure::{Doing, Failure, Service};
#[cfg(any(feature = "couchbase", feature = "couchbase-analytics"))]
pub(crate) use login::{Named, PASSWORD_FILE, TLS_CERT, TLS_KEY};
pub(crate) use name::quote;
pub(crate) use request::Request;
pub(crate) use tls::Tls;
