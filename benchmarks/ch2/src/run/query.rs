//! `hoap query`: the analytical queries one after the other.

use std::path::PathBuf;

use clap::Args;
use hoap_conduct::caller::Caller;
use hoap_conduct::queries::{AskedQueries, Asking};
use hoap_conduct::values::QueryList;
use hoap_database::AnalyticalSession;
use hoap_databases::dialect;
use hoap_workload::answers::Query;
use hoap_workload::{Local, Result};
use serde_json::Value;

use super::explain::{self, Kept};
use super::queries::{ParameterArgs, TextArgs};
use super::verify::Benchmark;
use crate::note;
use crate::queries::{Parameters, catalogue};
use crate::stream::Asked;

/// The flags.
#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Questions {
    pub benchmark: Benchmark,
    /// The database
    #[arg(long, visible_alias = "target", value_name = "URL")]
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
    /// Run each query once more for its plan and profile, in DIR/q01.plan.json … as the database
    /// gives them
    #[arg(long, value_name = "DIR")]
    pub explain: Option<PathBuf>,
    /// Print the texts of the queries; nothing is opened
    #[arg(long, conflicts_with_all = ["answers_out", "explain"])]
    pub print_texts: bool,
}

impl Questions {
    /// The texts of the queries, with `$` names of parameters. Nothing is opened.
    ///
    /// # Errors
    /// Fails where the database answers no queries, or a file cannot be read.
    pub fn texts(&self, caller: &dyn Caller) -> Result<Vec<(&'static Query, String)>> {
        let dialect = dialect(&self.analytical)?;
        let say = |line: &str| caller.say(line);
        let texts = self.texts.texts(self.benchmark.schema(), dialect, &self.queries, say)?;
        let queries = self.queries.0.iter().filter_map(|&number| catalogue::query(number));
        Ok(queries.map(|query| (query, texts.get(query).to_owned())).collect())
    }
}

/// Asks the queries. One that fails does not keep the others from being asked.
///
/// # Errors
/// Fails where the database cannot be asked at all, a file cannot be written, or somebody asks for
/// the end.
pub fn ask<'a>(caller: &'a dyn Caller, args: &'a Questions) -> Local<'a, Result<AskedQueries>> {
    Box::pin(async move {
        let schema = args.benchmark.schema();
        hoap_databases::offers(&args.analytical, &[hoap_database::What::Analytics])?;
        let target = hoap_databases::open(&args.analytical).await?;
        let (_, data) = note::expect_loaded(&target, schema).await?;
        let say = |line: &str| caller.say(line);
        let texts = args.texts.texts(schema, target.analytics()?.dialect(), &args.queries, say)?;
        let asks = Asked { data, texts, parameters: args.parameters.set() };
        let queries: Vec<&Query> =
            args.queries.0.iter().filter_map(|&number| catalogue::query(number)).collect();
        if let Some(dir) = &args.explain {
            Kept::Plans.folder(dir, queries.iter().copied())?;
        }
        let asking = Asking {
            asks: &asks,
            benchmark: schema.name(),
            tells: false,
            target: &target,
            queries: &queries,
            answers_out: args.answers_out.as_deref(),
        };
        let explain =
            async |session: &mut AnalyticalSession, query: &'static Query, given: &Parameters| {
                match &args.explain {
                    Some(dir) => explain::one(session, &asks.texts, query, given, dir).await,
                    None => Ok(()),
                }
            };
        asking.ask(caller, explain).await
    })
}

/// The result of the command.
pub fn json(asked: &AskedQueries, args: &Questions) -> Value {
    let mut json = asked.json(|query| query.number.into());
    json["params"] = args.parameters.set().name().into();
    json["query_set"] = args.texts.query_set.name().into();
    json
}
