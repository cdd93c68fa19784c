//! `hoap experiment`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use hoap_conduct::values::PartArg;
use hoap_record::Time;

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
    /// Run a configuration of an experiment, or all whose databases a file names
    Run(Box<RunExperiment>),
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
    /// Run all configurations that the file of --targets names, one after the other
    #[arg(long, requires = "targets")]
    #[arg(conflicts_with_all = ["label", "target", "operational", "analytical", "gather", "meet"])]
    pub all: bool,
    /// With --all: a file of your own with a table for each configuration, ["4Q+4A"], and in it the
    /// URLs of its databases by the names of their flags; it may have passwords
    #[arg(long, value_name = "FILE", requires = "all")]
    pub targets: Option<PathBuf>,
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
    /// Remove first what earlier loads of hoap made in the databases, and nothing else
    #[arg(long, conflicts_with = "loaded")]
    pub replace: bool,
    /// A rehearsal: sizes, clients and times divided by N. Its page says that it is none of the
    /// figure
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub scale_down: Option<u32>,
    /// Print what would run, with documents and the time that it takes at least
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub together: Together,
}

/// Several drivers that run an experiment together: one command gathers them, and does all but the
/// runs.
#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Together {
    /// Load and check here, and gather so many drivers for every run
    #[arg(long, value_name = "N", requires = "listen", conflicts_with = "meet")]
    #[arg(value_parser = clap::value_parser!(u64).range(2..=1000))]
    pub gather: Option<u64>,
    /// With --gather: where the drivers come to, such as 127.0.0.1:7117
    #[arg(long, value_name = "ADDRESS", requires = "gather")]
    pub listen: Option<SocketAddr>,
    /// With --gather: how long one driver may be waited for
    #[arg(long, value_name = "TIME", default_value = "10m", requires = "gather")]
    pub wait: Time,
    /// With --gather: as for `hoap gather`
    #[arg(long, value_name = "FILE", requires_all = ["gather", "tls_key"])]
    #[arg(conflicts_with = "insecure_without_tls")]
    pub tls_cert: Option<PathBuf>,
    /// The key of the certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Be a driver: only the runs, with the drivers that meet at a command with --gather
    #[arg(long, value_name = "HOST:PORT", requires = "part")]
    pub meet: Option<String>,
    /// With --meet: which driver of how many
    #[arg(long, value_name = "I/N", requires = "meet")]
    pub part: Option<PartArg>,
    /// With --meet: as for `hoap run`
    #[arg(long, value_name = "FILE", requires = "meet", conflicts_with = "insecure_without_tls")]
    pub tls_ca: Option<String>,
    /// Send and receive beyond this machine although nothing is encrypted
    #[arg(long)]
    pub insecure_without_tls: bool,
}

impl Together {
    /// What a driver's runs are told beside the flags of the experiment.
    pub fn words(&self) -> Vec<String> {
        let (Some(meet), Some(part)) = (&self.meet, &self.part) else { return Vec::new() };
        let mut words = vec![format!("--meet={meet}"), format!("--part={part}")];
        words.extend(self.tls_ca.as_ref().map(|file| format!("--tls-ca={file}")));
        words.extend(self.insecure_without_tls.then(|| "--insecure-without-tls".to_owned()));
        words
    }
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
