//! `hoap run`: its own flags. Those of the benchmarks are in [`hoap_conduct`].

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use super::Export;

/// Whether it runs, and where its results go beside its folder.
#[derive(Debug, Args)]
pub struct LiveArgs {
    /// Print the steps and the time that they take; nothing is opened or written
    #[arg(long, global = true, help_heading = "Output")]
    pub dry_run: bool,
    /// Load the data first, into each database, as `hoap load` does; flags of that behind a =, such
    /// as --load='-w 10 --replace'
    #[arg(long, global = true, help_heading = "What runs", value_name = "FLAGS")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub load: Option<LoadFlags>,
    /// What no server tells, as labels of the run: a TOML file with instance, disks, memory, price and
    /// where, of all databases or each in a table of its name
    #[arg(long, global = true, help_heading = "What runs", value_name = "FILE")]
    pub server_facts: Option<PathBuf>,
    /// Serve the run's page while it goes on at http://ADDRESS/, such as 127.0.0.1:9464, and its
    /// metrics for Prometheus at http://ADDRESS/metrics
    #[arg(long, global = true, help_heading = "Output", value_name = "ADDRESS")]
    pub metrics: Option<SocketAddr>,
    /// Open that page in the browser, without --metrics at a free port of this machine
    #[arg(long, global = true, help_heading = "Output")]
    pub open: bool,
    /// Send the run's metrics to an OpenTelemetry collector (OTLP over HTTP), such as
    /// http://127.0.0.1:4318
    #[arg(long, global = true, help_heading = "Output", value_name = "URL")]
    pub otlp: Option<String>,
    /// Also write the results to a file: text, markdown, csv, json or ycsb, as `hoap show` prints
    /// them; of ycsb a file for each step, such as out.01.txt, where there are several
    #[arg(long, global = true, help_heading = "Output", value_name = "FORMAT=FILE")]
    pub export: Vec<Export>,
}

/// Flags in one word, apart as a shell has them: quotes hold spaces together.
#[derive(Clone, Debug)]
pub struct LoadFlags(pub Vec<String>);

impl FromStr for LoadFlags {
    type Err = String;

    fn from_str(text: &str) -> Result<LoadFlags, String> {
        shlex::split(text).map(LoadFlags).ok_or_else(|| "a quote in it has no end".to_owned())
    }
}
