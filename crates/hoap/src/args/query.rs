//! `hoap verify` and `hoap query`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hoap_workload::ch2::queries::QuerySet;

use super::{Benchmark, QueryList};

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Verify {
    pub benchmark: Benchmark,
    /// The database
    #[arg(long, value_name = "URL")]
    pub target: String,
    /// Answers to compare with: a folder that `hoap query --answers-out` made, or a file of stored
    /// digests; without it the stored digests of well-known data sets
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// Documents of each collection that are read by key and compared with the load
    #[arg(long, value_name = "COUNT", default_value_t = hoap_workload::ch2::unchanged::SIZE)]
    pub sample: u64,
    /// Draws the same documents as a check that names this seed; without it another sample each time
    #[arg(long, value_name = "SEED")]
    pub sample_seed: Option<u64>,
    #[command(flatten)]
    pub texts: TextArgs,
}

/// Which query texts run.
#[derive(Debug, Args)]
pub struct TextArgs {
    /// naive: closest to the definition; tuned: rewritten for the engine, answers equal
    #[arg(long, value_name = "SET", default_value_t = QuerySet::Tuned)]
    pub query_set: QuerySet,
    /// Folder of query texts to use instead of the built-in ones: DIR/<benchmark>/<dialect>/q01.sql
    #[arg(long, value_name = "DIR")]
    pub queries_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Query {
    pub benchmark: Benchmark,
    /// The database
    #[arg(long, value_name = "URL")]
    pub analytical: String,
    /// Only these queries, such as 1,5-7
    #[arg(long, value_name = "LIST", default_value_t = QueryList::all())]
    pub queries: QueryList,
    #[command(flatten)]
    pub parameters: ParameterArgs,
    #[command(flatten)]
    pub texts: TextArgs,
    /// Write each answer to DIR/q01.json …
    #[arg(long, value_name = "DIR")]
    pub answers_out: Option<PathBuf>,
    /// Run each query once more for its plan and profile, in DIR/q01.plan.json … as the database gives them
    #[arg(long, value_name = "DIR")]
    pub explain: Option<PathBuf>,
}

/// Which parameters the queries get.
#[derive(Debug, Args)]
pub struct ParameterArgs {
    /// ref: those of the published runs; check: no empty answer at W = 1; random: drawn
    #[arg(long, value_enum, default_value_t = ParameterChoice::Ref)]
    pub params: ParameterChoice,
    /// Seed of random parameters
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub params_seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ParameterChoice {
    Ref,
    Check,
    Random,
}
