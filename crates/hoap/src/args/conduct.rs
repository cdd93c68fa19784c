//! How often and when a run goes on, and beside whom.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;

use super::{PartArg, RunBenchmark, StepArgs};

/// How often and when a run goes on, and beside whom.
#[derive(Debug, Args)]
pub struct Conduct {
    /// Run all of it so many times, into DIR/01, DIR/02, …: `hoap compare` takes its intervals from
    /// what differs between them
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=99))]
    pub repeat: u32,
    /// Begin the first step at this time, such as 2026-01-31T12:00:00Z, everything before it being done
    #[arg(long, value_name = "TIME", conflicts_with = "repeat")]
    pub start_at: Option<Timestamp>,
    /// This machine is driver I of N that work at the same time; `hoap merge` makes one run of theirs
    #[arg(long, value_name = "I/N", requires = "start_at")]
    pub part: Option<PartArg>,
}

/// What repetitions and parts of a run change in its flags.
pub struct Changed<'a> {
    /// How often and when.
    pub conduct: &'a Conduct,
    /// The folder.
    pub out: &'a mut Option<PathBuf>,
    /// The seed.
    pub run_seed: &'a mut u64,
}

impl RunBenchmark {
    /// The flags that every benchmark has.
    pub fn changed(&mut self) -> Changed<'_> {
        use RunBenchmark::*;
        match self {
            Ch2(run) | Ch2pp(run) => {
                Changed { conduct: &run.conduct, out: &mut run.out, run_seed: &mut run.run_seed }
            }
            YcsbA(run) | YcsbB(run) | YcsbC(run) | YcsbD(run) | YcsbE(run) | YcsbEUpdate(run)
            | YcsbF(run) => run.steps.changed(),
            Pagination(run) => run.steps.changed(),
            Join(run) => run.steps.changed(),
        }
    }
}

impl StepArgs {
    fn changed(&mut self) -> Changed<'_> {
        Changed { conduct: &self.conduct, out: &mut self.out, run_seed: &mut self.run_seed }
    }
}
