//! `hoap experiment`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
pub enum ExperimentCommand {
    /// List the experiments of the papers and reports
    List,
    /// Print an experiment's file, to read it or to write one of your own
    Show {
        /// Its name, as `list` prints it
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Run one configuration of an experiment
    Run(RunExperiment),
    /// Make the page of what is done of an experiment
    Report(ReportExperiment),
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct RunExperiment {
    /// An experiment's name, as `list` prints it, or a file of your own
    #[arg(value_name = "NAME|FILE")]
    pub experiment: String,
    /// The configuration; needed where there are several
    #[arg(long = "configuration", value_name = "LABEL")]
    pub label: Option<String>,
    /// The database, in experiments that have one
    #[arg(long, value_name = "URL")]
    pub target: Option<String>,
    /// The database that transactions run on
    #[arg(long, value_name = "URL")]
    pub operational: Option<String>,
    /// The database that queries run on
    #[arg(long, value_name = "URL")]
    pub analytical: Option<String>,
    /// The experiment's folder, the same for all its configurations [default: its name]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on with a configuration that was interrupted: what is done is not done again
    #[arg(long)]
    pub resume: bool,
    /// Take the data that is there: leave the loads out
    #[arg(long)]
    pub loaded: bool,
    /// Remove what the databases hold before they are loaded
    #[arg(long, conflicts_with = "loaded")]
    pub replace: bool,
    /// A rehearsal: sizes, clients and times divided by N. Its page says that it is none of the figure
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub scale_down: Option<u32>,
    /// Print what would run, with documents and the time that it takes at least
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct ReportExperiment {
    /// The experiment's folder
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The page [default: report.html in the folder]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
