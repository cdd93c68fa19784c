//! YCSB's core workload (Cooper et al., SoCC 2010) with the constants and behaviour of YCSB 0.17.
//!
//! * [`Properties`]: properties files and `-p key=value` as YCSB reads them; the presets A to F.
//! * [`Setup`]: what they say, checked; [`Setup::benchmark`], the name of what it does.
//! * [`Keys`]: which record an operation takes.
//! * [`Ycsb`]: the workload on a database, and [`Ycsb::verify`], what it must hold afterwards;
//!   [`Contribution`], what one of several drivers knows of that.
//! * [`UserTable`]: the records as a load writes them.
//!
//! Where this differs from YCSB it says so at the place: a read of a missing record and a failed
//! insert are failures here, and a key whose insert failed is inserted again instead of being read.

mod client;
mod contribution;
mod distribution;
mod inserts;
mod known;
mod name;
mod preset;
mod properties;
mod proportions;
mod sample;
mod setup;
mod shared;
mod table;
mod verify;
mod workload;

pub use client::YcsbClient;
pub use contribution::Contribution;
pub use distribution::{Distribution, KeySpace, Keys};
pub use inserts::Inserts;
pub use preset::{PRESETS, Preset};
pub use properties::Properties;
pub use proportions::{Kind, Proportions};
pub use sample::{Memory, Write};
pub use setup::{ReadFields, ScanFields, ScanLength, Setup};
pub use table::UserTable;
pub use verify::verify;
pub use workload::Ycsb;
