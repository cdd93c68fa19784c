//! Freshness: how old what an analytical query sees is (spec §7).
//!
//! The idea is HATtrick's (Milkai et al., SIGMOD 2022): a query that returns the number of the last
//! transaction it sees of each client tells, with the times at which the clients had their commits
//! acknowledged, how far behind it is. Here every client has a document of its own in the collection
//! [`COLLECTION`], outside of the benchmark's; each of its writing transactions sets the field
//! [`FIELD`] to the transaction's number, and a [`FreshnessProbe`] on the analytical side reads these
//! documents beside the queries.
//!
//! *Definitions.* A probe begins at *b* and sees, of each client, all transactions up to the number it
//! reads. Only commits that were acknowledged before *b* count.
//!
//! * **unseen** is *b* less the time at which the oldest commit was acknowledged that the probe does
//!   not see, and 0 where it sees all: HATtrick's freshness score, and the headline. It is 0 exactly
//!   where the queries miss nothing, however rarely somebody commits.
//! * **newest seen** is *b* less the time at which the newest commit was acknowledged that the probe
//!   sees: the words of spec §7. On an idle database it grows by itself, as nothing newer is there to
//!   be seen, so it can be read only beside the rate of commits.
//!
//! A commit whose fate is unknown counts in neither: its number is never acknowledged, and if it was
//! applied, its successor has a larger one all the same.

mod board;
mod log;
mod pair;
mod probe;

pub(super) use board::Counter;
pub use board::{Asked, Board};
pub(super) use pair::enter;
pub use pair::{caught_up, mark, prepare, same_data};
pub use probe::{FreshnessProbe, Probes};

/// The collection of the counters.
pub const COLLECTION: &str = "freshness";
/// The field with the number of the last transaction.
pub const FIELD: &str = "committed";
