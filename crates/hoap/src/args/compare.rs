//! `hoap compare` and `hoap merge`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hoap_conduct::values::Percent;
use hoap_report::compare::Gate;

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Compare {
    /// Run folders, or folders of repeated runs; the first is the baseline unless --baseline names
    /// one
    #[arg(required = true, value_name = "RUNS")]
    pub runs: Vec<PathBuf>,
    /// What the others are held against
    #[arg(long, value_name = "RUNS")]
    pub baseline: Option<PathBuf>,
    /// Exit with 1 where this is so, such as 'tpm<-5%', 'p99[NewOrder]>1.2x', 'ops<-3%:strict'
    #[arg(long, value_name = "BOUND", value_delimiter = ',')]
    pub fail_if: Vec<Gate>,
    /// The least difference that matters: a smaller one is never better or worse
    #[arg(long, value_name = "PERCENT", default_value = "1%")]
    pub relevant: Percent,
    /// How the comparison is written
    #[arg(long, value_enum, default_value_t = CompareFormat::Text)]
    pub format: CompareFormat,
    /// Write it to a file, and plain text to the terminal
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum CompareFormat {
    Text,
    Markdown,
    Junit,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Merge {
    /// Run folders of driver machines that worked at the same time
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// The folder of the run that they make
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// The database they worked on, to hold all that they saw acknowledged against it (CH2, CH2++,
    /// YCSB)
    #[arg(long, visible_alias = "target", value_name = "URL")]
    pub operational: Option<String>,
}
