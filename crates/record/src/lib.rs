//! The run folder: the files that a run writes, and all that a report reads.
//!
//! | file | content |
//! |---|---|
//! | `run.json` | [`Run`]: version, full configuration, seeds, host, databases, steps, checks |
//! | `samples.csv` | time series, a row for each cell, step and kind of operation |
//! | `step-NN.hlog` | HdrHistogram interval log of a step's response times, see [`hlog`] |
//! | `machine.csv` | what the driver's machine did beside the load |
//! | `observed.csv` | what the servers did beside the load, if they were observed |
//! | `queries.csv` | every execution of a query |
//! | `witness.ndjson` | what the witness transactions did and saw, if there were any |
//! | `answers/qNN.json` | answers of queries, if they were asked for |
//!
//! Units are parts of the names: `_seconds`, `_us` (microseconds). Times of day are RFC 3339, UTC.
//!
//! Start with [`run`]. Each module uses only modules that are named before it or in its line:
//!
//! * [`error`], [`mod@count`], [`percentile`], [`bound`], [`check`], [`description`], [`freshness`],
//!   [`ingestion`], [`remark`], [`search`], [`stored`], [`time`]: parts of the record. [`history`],
//!   [`witness`]: those of isolation.
//! * [`machine`], [`observed`], [`step`], [`run`], [`rows`]: the types of `run.json` and of the
//!   rows of the CSV files.
//! * [`names`] of a folder's files. [`whole`] writes files whole or not at all, [`output`] where
//!   nothing is lost by it; [`made`] knows the folders that Hoap made.
//! * [`limits`]: the bounds on what a folder may say; [`mod@input`] reads files within bounds, [`lines`]
//!   text files of a folder.
//! * [`hlog`] writes and reads the interval logs of a folder, of [`histogram`]s, `ledger` what a driver
//!   saw acknowledged, [`folder`] the rest.
//! * [`kept`] holds the steps of a run to its bounds.
//! * [`merge`] makes one run of the runs of several driver machines.

pub mod bound;
pub mod check;
pub mod count;
mod decoder;
pub mod description;
pub mod error;
pub mod folder;
pub mod freshness;
pub mod histogram;
pub mod history;
pub mod hlog;
pub mod ingestion;
pub mod input;
mod interval;
pub mod kept;
mod ledger;
pub mod level;
pub mod limits;
pub mod lines;
pub mod machine;
pub mod made;
pub mod merge;
pub mod names;
pub mod observed;
pub mod output;
mod pairs;
pub mod percentile;
mod read;
pub mod remark;
pub mod rows;
pub mod run;
pub mod search;
pub mod step;
pub mod stored;
mod table;
pub mod time;
pub mod whole;
pub mod witness;

pub use bound::{Bounds, Sla};
pub use check::{AuditLine, Bound, Check, Verdict};
pub use description::Description;
pub use error::{Error, ErrorKind, ErrorParts, Result};
pub use folder::RunFolder;
pub use freshness::{CatchUp, FRESHNESS, Freshness};
pub use hoap_data::{named, words};
pub use ingestion::{CURVE, Ingested, Ingestion};
pub use level::LevelChange;
pub use machine::{DriverUse, MachineRow};
pub use observed::{Observation, ObservedSeries, ObservedSource, SeriesKind};
pub use percentile::{Latency, Percentile};
pub use remark::{Remark, RemarkId, Severity};
pub use rows::{Execution, GRACE, Sample};
pub use run::{Clock, Driver, Event, FORMAT, Host, Load, Repetition, Run};
pub use step::{Cells, Gap, Operation, Query, Score, Start, Step, step_name};
pub use stored::{Medium, Stored, StoredCollection};
pub use time::Time;
pub use witness::{Level, Witness};
