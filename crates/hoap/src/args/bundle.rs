//! `hoap bundle` and `hoap audit`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Bundle {
    /// Run folders, or folders of repeated runs
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// The bundle, such as results.hoap
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Why a setting is as it is, such as 'synchronous_commit=a replica has every commit'
    #[arg(long, value_name = "SETTING=TEXT")]
    pub reason: Vec<String>,
    /// Price files or names of built-in lists that belong to the runs
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub prices: Vec<PathBuf>,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Audit {
    /// The bundle
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Load and run the same again there, with another seed, on a place without data; the run joins the
    /// bundle, and exit code 1 says that it differs by much
    #[arg(long, value_name = "URL")]
    pub rerun: Option<String>,
}
