//! `hoap torture`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[allow(missing_docs)]
pub struct Torture {
    #[command(subcommand)]
    pub command: Option<TortureCommand>,
    /// The plan: the server, the workload, the kinds of faults
    #[arg(long, value_name = "FILE", required = true)]
    pub plan: Option<PathBuf>,
    /// Folder of the campaign; one that was interrupted continues there
    #[arg(short, long, value_name = "FOLDER", required = true)]
    pub out: Option<PathBuf>,
    /// Which run folders stay
    #[arg(long, value_enum, default_value_t = KeepChoice::Bad)]
    pub keep: KeepChoice,
}

#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
pub enum TortureCommand {
    /// Make one page of several campaigns
    Report(ReportTorture),
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct ReportTorture {
    /// Folders of campaigns, files torture.json, or folders of such files and folders
    #[arg(required = true, value_name = "[NAME=]FOLDER")]
    pub campaigns: Vec<String>,
    /// The page
    #[arg(short, long, value_name = "FILE", default_value = "torture.html")]
    pub out: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum KeepChoice {
    /// Every one
    All,
    /// Those of runs that lost something against the plan's promise, or that hoap judged wrongly
    Bad,
}
