//! `hoap history`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
pub enum HistoryCommand {
    /// Add runs to a history, which is made where there is none
    Add {
        /// Run folders, or folders of repeated runs, which are one point of a series
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<PathBuf>,
        #[command(flatten)]
        of: HistoryDir,
    },
    /// Look for changes; exit with 1 where one is for the worse that nobody has acknowledged
    Check {
        #[command(flatten)]
        of: HistoryDir,
        /// Only changes after the last run with this label: the beginning of a commit, or
        /// KEY=VALUE
        #[arg(long, value_name = "LABEL")]
        since: Option<String>,
    },
    /// Note that the changes at a run are known, so that they fail no check
    Acknowledge {
        /// The first run after them: the beginning of its commit, or KEY=VALUE
        #[arg(value_name = "LABEL")]
        label: String,
        #[command(flatten)]
        of: HistoryDir,
        /// Why they may stay
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Who says so [default: who began the job, in CI]
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
    },
    /// Make a page of the series, with their changes marked
    Show {
        #[command(flatten)]
        of: HistoryDir,
        /// The page
        #[arg(short, long, value_name = "FILE", default_value = "history.html")]
        out: PathBuf,
    },
    /// Write the runs that compare with the last one for another program
    Export {
        #[command(flatten)]
        of: HistoryDir,
        /// For which: a CSV for Apache Otava, or the last run as JSON for Bencher
        #[arg(long, value_enum)]
        format: HistoryFormat,
        /// The file
        #[arg(short, long, value_name = "FILE", default_value = "-")]
        out: PathBuf,
    },
}

/// The folder of a history.
#[derive(Debug, Args)]
pub struct HistoryDir {
    /// The folder of the history
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum HistoryFormat {
    Otava,
    Bencher,
}
