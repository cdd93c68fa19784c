//! What is true of a database as long as it is open.

use std::time::Duration;

use crate::offers::Offers;

/// What is true of a database as long as it is open.
#[derive(Clone, Debug)]
pub struct About {
    /// The database's name, as messages about what it lacks have it.
    pub name: String,
    /// The URL without user and password, as messages show it.
    pub url: String,
    /// What names of collections and indexes must not begin with, in whatever case: it belongs to
    /// the database or to `hoap`.
    pub reserved: &'static [&'static str],
    /// The longest name of a collection, bytes.
    pub longest_name: usize,
    /// The longest name of an index, bytes.
    pub longest_index: usize,
    /// How long an answer may take. Not of queries, of making indexes and of gathering statistics,
    /// which have limits of their own or none.
    pub answer_timeout: Option<Duration>,
    /// How long a query may take, where the database itself cannot be told: the guard has it
    /// cancelled ([`QuerySession::canceller`](super::QuerySession::canceller)).
    pub query_timeout: Option<Duration>,
    /// How its calls are made.
    pub calls: Calls,
    /// What it lacks, with these options and on this server.
    pub offers: Offers,
}

impl About {
    /// One with names of any length, without a limit on answers, that lacks nothing.
    pub fn new(
        name: impl Into<String>,
        url: impl Into<String>,
        reserved: &'static [&'static str],
        calls: Calls,
    ) -> About {
        About {
            name: name.into(),
            url: url.into(),
            reserved,
            longest_name: usize::MAX,
            longest_index: usize::MAX,
            answer_timeout: None,
            query_timeout: None,
            calls,
            offers: Offers(&[]),
        }
    }
}

/// Who does the work of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// A server: the call yields while it waits, within limits, and ends when the program stops.
    Server,
    /// The caller's thread, which the call blocks until it is done.
    Blocking,
    /// This process, and the call yields: it ends by itself.
    InProcess,
}
