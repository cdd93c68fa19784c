//! `hoap torture`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Torture {
    /// The plan: the server, the workload, the kinds of faults
    #[arg(long, value_name = "FILE")]
    pub plan: PathBuf,
    /// Folder of the campaign; one that was interrupted continues there
    #[arg(short, long, value_name = "FOLDER")]
    pub out: PathBuf,
    /// Which run folders stay
    #[arg(long, value_enum, default_value_t = KeepChoice::Bad)]
    pub keep: KeepChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum KeepChoice {
    /// Every one
    All,
    /// Those of runs that lost something against the plan's promise, or that hoap judged wrongly
    Bad,
}
