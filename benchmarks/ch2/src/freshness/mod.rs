//! Freshness: the age of the data that an analytical query sees (spec §7).
//!
//! The method is HATtrick's (Milkai et al., SIGMOD 2022). A query returns the number of the last
//! transaction of each client that it sees. Compared with the times at which the clients' commits
//! were acknowledged, these numbers give the query's lag. Here every client has its own document in
//! the collection [`COLLECTION`], outside the benchmark's collections. Each of its writing
//! transactions sets the field [`FIELD`] to the number of the transaction. A [`FreshnessProbe`] on
//! the analytical side reads these documents while the queries run.
//!
//! *Definitions.* A look of the probe begins at *b* and sees, of each client, all transactions up
//! to the number it reads. Only commits acknowledged before *b* count.
//!
//! * **unseen** is *b* minus the time at which the oldest commit that the look does not see was
//!   acknowledged, and 0 where it sees all. This is HATtrick's freshness score and the headline
//!   figure. It is 0 exactly where the queries miss no commit, at any rate of commits.
//! * **newest seen** is *b* minus the time at which the newest commit that the look sees was
//!   acknowledged (the definition of spec §7). It grows on an idle database, where there are no
//!   newer commits to see, so it is meaningful only together with the rate of commits.
//!
//! A commit of unknown outcome counts in neither: its number is never acknowledged, and the next
//! number of its client is larger, whether or not it was applied.

mod board;
mod log;
mod pair;
mod probe;

pub(super) use board::Counter;
pub use board::{Asked, Board};
pub(super) use pair::enter;
pub use pair::{Held, caught_up, compare, mark, same_data};
pub use probe::{FreshnessProbe, Probes};

/// The collection of the counters.
pub const COLLECTION: &str = "freshness";
/// The field with the number of the last transaction.
pub const FIELD: &str = "committed";
