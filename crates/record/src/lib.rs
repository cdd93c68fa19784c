//! The run folder: what a run leaves behind, and all that a report may look at.
//!
//! | file | content |
//! |---|---|
//! | `run.json` | [`Run`]: version, full configuration, seeds, host, databases, steps, checks |
//! | `samples.csv` | time series, a row for each tick, step and kind of operation |
//! | `step-NN.hlog` | HdrHistogram interval log (V2, compressed) of the step's measured window and of what ended after it ([`GRACE`]), an interval for each tick and kind, tagged with the kind, in an open loop also with `KIND:service` and `KIND:wait`, and with [`FRESHNESS`]; latencies in µs |
//! | `queries.csv` | every execution of a query |
//! | `answers/qNN.json` | answers, where they were asked for |
//!
//! Units are part of the names: `_seconds`, `_us` (microseconds). Times of day are RFC 3339, UTC.
//!
//! * [`run`], [`step`], [`freshness`], [`rows`]: the types of the files; [`check`], [`description`], [`percentile`], [`bound`],
//!   [`search`]: what they are made of; [`error`]: kinds of error.
//! * [`folder`] writes and reads a folder, [`hlog`] its interval logs of [`histogram`]s.
//! * [`merge`]: one run out of those of several driver machines.

pub mod bound;
pub mod check;
pub mod description;
pub mod error;
pub mod folder;
pub mod freshness;
pub mod histogram;
pub mod hlog;
pub mod merge;
pub mod percentile;
pub mod rows;
pub mod run;
pub mod search;
pub mod step;

pub use bound::{Bounds, Sla};
pub use check::{AuditLine, Check, Verdict};
pub use description::Description;
pub use error::{Error, ErrorKind, Result};
pub use folder::RunFolder;
pub use freshness::{CatchUp, FRESHNESS, Freshness};
pub use hoap_data::words;
pub use percentile::{Latency, Percentile};
pub use rows::{Execution, GRACE, Sample};
pub use run::{Driver, Event, FORMAT, Host, Load, Repetition, Run};
pub use step::{Gap, Operation, Query, Step, step_name};
