//! YCSB's core workload (Cooper et al., SoCC 2010) with the constants and behaviour of YCSB 0.17.
//!
//! * [`Properties`]: properties files and `-p key=value` as YCSB reads them; the presets A to F.
//! * [`Setup`]: the checked parameters; [`Setup::benchmark`], the name of the workload.
//! * [`Keys`]: the draw of an operation's record.
//! * [`Ycsb`]: the workload on a database, and [`Ycsb::verify`], the check of the table afterwards;
//!   [`Contribution`], one driver machine's part of it.
//! * [`UserTable`]: the records as the source of a load; [`data`]: the records; [`documents`],
//!   [`files`]: how they are asked for, and made into files.
//! * [`flags`], [`run`]: the flags, and how they become a run.
//!
//! Differences from YCSB are documented where they occur. A read of a missing record and a failed
//! insert are failures here. A key whose insert failed is inserted again instead of being read.
//! Deletes (`deleteproportion`) are Hoap's own: each removes a loaded record that no other does.

mod benchmark;
mod client;
mod contribution;
pub mod data;
mod deletes;
mod distribution;
pub mod documents;
pub mod files;
pub mod flags;
mod inserts;
mod known;
mod name;
mod preset;
mod properties;
mod proportions;
pub mod run;
mod sample;
mod setup;
mod shared;
mod table;
mod verify;
mod workload;
mod wrong;

pub use benchmark::BENCHMARK;
pub use client::YcsbClient;
pub use contribution::Contribution;
pub use distribution::{Distribution, KeySpace, Keys};
pub use inserts::Inserts;
pub use preset::{PRESETS, Preset};
pub use properties::Properties;
pub use proportions::{KINDS, Kind, Proportions};
pub use sample::{Memory, Write};
pub use setup::{ReadFields, ScanFields, ScanLength, Setup};
pub use table::UserTable;
pub use workload::Ycsb;
