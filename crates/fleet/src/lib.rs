//! Drivers that meet: several `hoap run … --meet HOST:PORT` and one `hoap gather N`.
//!
//! The drivers dial out. Each says again and again, over HTTP/1.1, who it is and how far it is, and
//! is told by `gather` when its next step begins or that all is over. At its end it sends its
//! folder.
//!
//! | module | content |
//! |---|---|
//! | [`message`] | what goes over the wire, and its bounds |
//! | [`hall`] | what `gather` decides: pure, without network and clocks |
//! | [`gather`] | `gather`: serves the hall, takes the folders |
//! | `line`, `speak` | a driver's connection, and what it says and hears |
//! | [`driver`] | a driver: one [`Start`](hoap_conduct::start::Start) for each step |
//! | [`secret`] | the token, and where it may be sent in plain text |
//! | [`tls`] | certificates, and who trusts which |
//!
//! Beyond this machine there is TLS. Without it, whoever reads the network sees the token, the
//! command lines (without secrets) and the run folders, but no secret of a database: that is for
//! those who say so.

pub mod driver;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod gather;
pub mod hall;
mod line;
pub mod message;
pub mod secret;
mod speak;
pub mod tls;
