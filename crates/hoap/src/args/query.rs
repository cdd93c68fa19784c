//! `hoap query`.

use std::path::PathBuf;

use clap::Args;
use hoap_conduct::ch2::queries::{ParameterArgs, TextArgs};
use hoap_conduct::ch2::verify::Benchmark;
use hoap_conduct::values::QueryList;

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
