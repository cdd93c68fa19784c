//! The words users type.

mod answers;
mod bundle;
mod compare;
mod examples;
mod experiment;
mod files;
mod fleet;
mod history;
mod named;
mod or_file;
mod report;
mod run;
#[cfg(target_os = "linux")]
mod torture;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use hoap_ch2::run::query::Questions;
use hoap_ch2::run::verify::Verify;
use hoap_conduct::Chosen;
use hoap_conduct::load::AskedLoad;
use hoap_doctor::Doctor;
use hoap_own::learn::Learn;
use hoap_own::run::Questions as QuestionsOwn;
use hoap_own::verify::Verify as VerifyOwn;

pub use answers::*;
pub use bundle::*;
pub use compare::*;
pub use examples::command;
pub use experiment::*;
pub use files::*;
pub use fleet::*;
pub use history::*;
pub use named::Named;
pub use or_file::OrFile;
pub use report::*;
pub use run::*;
#[cfg(target_os = "linux")]
pub use torture::*;

/// Whether it loads, and what it may cost.
#[derive(Debug, Args)]
pub struct LoadArgs {
    /// Print what would be loaded, with documents, bytes and time; nothing is opened
    #[arg(long, global = true)]
    pub dry_run: bool,
    /// What the writes cost by a price list, a file or the name of one that is built in: with
    /// --dry-run or --ask-above
    #[arg(long, global = true, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Ask before a load whose writes cost more than this by --prices; without a terminal to ask
    /// on it is refused
    #[arg(long, global = true, value_name = "MONEY")]
    pub ask_above: Option<f64>,
}

/// The benchmark suite for JSON document databases
#[derive(Debug, Parser)]
#[command(name = "hoap", max_term_width = 100)]
#[command(version = crate::version::short(), long_version = crate::version::long())]
#[command(
    after_help = "Exit codes: 0 done, 1 a check or a bound failed, 2 usage, 3 the database could not \
                        be reached or refused, 4 a bound of compare is not proven, 130 interrupted."
)]
pub struct Cli {
    /// TOML file with flags by their long names; what is typed here wins
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print the result as one JSON object on standard output
    #[arg(long, global = true)]
    pub json: bool,
    /// Print results and errors only
    #[arg(long, global = true)]
    pub quiet: bool,
    #[allow(missing_docs)]
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
#[allow(clippy::large_enum_variant, reason = "there is one in a process")]
pub enum Command {
    /// Run a scaled-down CH2++ on the embedded database and make its page
    Demo(Demo),
    /// Write a benchmark's documents to files or standard output, or check such files
    #[command(subcommand_value_name = "BENCHMARK", subcommand_help_heading = "Benchmarks")]
    Gen(Gen),
    /// Write a workload file whose documents are like those of a sample
    Learn(Learn),
    /// Load a benchmark's documents into a database
    #[command(subcommand_value_name = "BENCHMARK", subcommand_help_heading = "Benchmarks")]
    Load {
        #[command(flatten)]
        how: LoadArgs,
        #[command(subcommand)]
        benchmark: Named<Box<dyn AskedLoad>>,
    },
    /// Check that a database holds consistent data and gives right answers
    Verify(OrFile<Verify, VerifyOwn>),
    /// Examine an empty database with data of Hoap's own, which is removed: run it before
    /// publishing
    Doctor(Doctor),
    /// Run the analytical queries one after the other
    Query(OrFile<Questions, QuestionsOwn>),
    /// Look at answers that queries left in folders
    Answers {
        #[command(subcommand)]
        command: AnswersCommand,
    },
    /// Run a benchmark in steps and measure it
    #[command(subcommand_value_name = "BENCHMARK", subcommand_help_heading = "Benchmarks")]
    Run {
        #[command(flatten)]
        live: LiveArgs,
        #[command(subcommand)]
        benchmark: Named<Chosen>,
    },
    /// Repeat an experiment of the papers and reports, or one of your own
    Experiment {
        #[command(subcommand)]
        command: ExperimentCommand,
    },
    /// Make an HTML page of one run or several
    Report(Report),
    /// List the runs in a folder, a line each
    Runs {
        /// The folder
        #[arg(default_value = "runs", value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print the results of finished runs again: text, Markdown, CSV, JSON, or as YCSB does
    Show(Show),
    /// Hold runs against a baseline: ratios, intervals, and better, worse or undecided
    Compare(Compare),
    /// Keep what runs measured, commit after commit, and find where it changed
    History {
        #[command(subcommand)]
        command: HistoryCommand,
    },
    /// Write run folders into one file that others can audit
    Bundle(Bundle),
    /// Hold a bundle against itself and the rules: standard, tuned, rehearsal or void
    Audit(Audit),
    /// Make one run of the folders of several driver machines
    Merge(Merge),
    /// Wait for drivers on several machines, begin their steps together, and make one run of theirs
    Gather(Gather),
    /// Print what runs' configurations cost by price files
    Price(Price),
    /// Run while faults occur on purpose, and hold the checks against a recount
    #[cfg(target_os = "linux")]
    Torture(Torture),
    /// List the databases and what they can run
    Targets(Targets),
    /// Print a configuration file for --config with every flag of a benchmark, or an example of a
    /// workload file
    Init {
        /// As `hoap run` names it, such as ch2pp or ycsb-a; own for the workload file
        #[arg(value_name = "BENCHMARK")]
        benchmark: String,
    },
    /// Print the completions of a shell: source <(hoap completions bash)
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// `load` or `run` on several databases: each with its name and its command.
    #[command(skip)]
    Several(Vec<(String, Command)>),
    /// Print the manual page, or write those of all commands into a folder
    Man {
        /// The folder
        #[arg(short, long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Demo {
    /// Folder for the database, the run and its page; what an earlier demo left there is replaced
    #[arg(long, value_name = "DIR", default_value = "hoap-demo")]
    pub out: PathBuf,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Have the database acknowledge one commit and lose it: the checks find it, with exit code 1
    #[arg(long)]
    pub lose_a_commit: bool,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Targets {}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    /// Every flag of a stage that names a file or an address is the user's, and each of the user's is a
    /// flag.
    #[test]
    fn an_experiment_gives_no_flag_that_names_a_file_or_an_address() {
        use hoap_experiment::file::{DATABASES, OF_THE_USER};
        let mut cli = Cli::command();
        cli.build();
        let of = |name: &str| cli.find_subcommand(name).unwrap();
        let stages = ["load", "verify", "query", "run"].map(of);
        let inner = stages.iter().flat_map(|stage| stage.get_subcommands());
        let mut seen = std::collections::BTreeSet::new();
        for arg in stages.iter().copied().chain(inner).flat_map(|stage| stage.get_arguments()) {
            let Some(flag) = arg.get_long() else { continue };
            let value = arg.get_value_names().unwrap_or_default().join(" ");
            let place = ["FILE", "DIR", "URL", "ADDRESS", "HOST"].iter().any(|w| value.contains(w))
                || arg.get_value_parser().type_id() == std::any::TypeId::of::<PathBuf>();
            let known = OF_THE_USER.contains(&flag) || DATABASES.contains(&flag);
            assert!(!place || known || flag == "properties", "--{flag} {value}");
            seen.insert(flag.to_owned());
        }
        for flag in OF_THE_USER.iter().chain(&DATABASES) {
            assert!(seen.contains(*flag), "--{flag} is no flag of a stage");
        }
    }

    /// Without debug assertions in clap, the test above tests nothing.
    #[test]
    #[should_panic(expected = "Short option names must be unique")]
    fn a_command_line_that_is_not_well_formed_is_found() {
        let twice = ["one", "two"].map(|name| clap::Arg::new(name).short('x'));
        clap::Command::new("hoap").args(twice).debug_assert();
    }
}
