//! A benchmark of one's own: a workload file says what documents there are, what is done with them,
//! and thereby what each answer must be.
//!
//! * [`file`]: the file, with line and column in every error.
//! * [`plan`]: the file with every name looked up and every number of documents known.
//! * [`generate`]: documents, each a function of its number.
//! * [`workload`], [`document`], [`documents`], [`files`], [`load`]: a file that the user named, as
//!   data.
//! * [`learn`]: a file from a sample.
//! * [`run`]: the operations of a file on a database; [`verify`]: what a database holds, against the
//!   file.

pub mod document;
pub mod documents;
pub mod file;
pub mod files;
pub mod generate;
pub mod learn;
pub mod load;
pub mod plan;
pub mod run;
pub mod verify;
mod words;
pub mod workload;

pub use workload::NAME;

use hoap_conduct::data::DataLine;
use hoap_conduct::offer::BenchmarkLine;
use hoap_conduct::registry::Benchmark;

/// An example of a workload file, with comments.
pub const EXAMPLE: &str = include_str!("../../../examples/workloads/shop.toml");

/// What the command line lists: one line for all workload files.
pub static BENCHMARK: Benchmark = Benchmark {
    data: &[&DataLine::<documents::DataFlags> {
        name: NAME,
        about: "The documents of a workload file: FILE.toml takes the place of its name",
        collections: &[],
        variant: (),
    }],
    runs: &[&BenchmarkLine::<run::Flags> {
        name: NAME,
        about: "The operations of a workload file: FILE.toml takes the place of its name",
        variant: (),
        questions: None,
    }],
};
