//! `hoap query`: the analytical queries one after the other.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use hoap_conduct::caller::Caller;
use hoap_conduct::values::QueryList;
use hoap_record::Score;
use hoap_workload::answers::{AnswerFile, Query};
use hoap_workload::{Error, Local, Result};
use serde_json::{Value, json};

use super::explain::{self, Kept};
use super::queries::{CancelOnStop, ParameterArgs, TextArgs, dialect, still_answers};
use super::verify::Benchmark;
use crate::note;
use crate::queries::catalogue::{self, COUNT};
use crate::stream::run_query;

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

/// What became of the queries.
#[derive(Default)]
pub struct AskedQueries {
    /// Those that gave an answer.
    pub answered: Vec<Answered>,
    /// Those that failed, or whose plan could not be had.
    pub failed: Vec<(&'static Query, Error)>,
    /// Those that were not asked since the database had gone away.
    pub left_out: Vec<&'static Query>,
}

/// A query that gave an answer.
pub struct Answered {
    /// The query.
    pub query: &'static Query,
    /// Number of rows.
    pub rows: usize,
    /// Its response time.
    pub seconds: f64,
    /// The database's.
    pub warnings: Vec<String>,
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
        let analytics = target.analytics()?;
        let say = |line: &str| caller.say(line);
        let texts = args.texts.texts(schema, analytics.dialect(), &args.queries, say)?;
        let set = args.parameters.set();
        let mut session = analytics.session().await?;
        let _watch = CancelOnStop::watch(caller.stop(), &session);
        for (kept, dir) in [(Kept::Answers, &args.answers_out), (Kept::Plans, &args.explain)] {
            let queries = args.queries.0.iter().filter_map(|&number| catalogue::query(number));
            dir.as_ref().map_or(Ok(()), |dir| kept.folder(dir, queries))?;
        }
        let mut bar = caller.progress("queries", args.queries.0.len() as u64);
        let mut asked = AskedQueries::default();
        let mut gone = false;
        for (n, query) in
            (0..).zip(args.queries.0.iter().filter_map(|&number| catalogue::query(number)))
        {
            if gone {
                asked.left_out.push(query);
                continue;
            }
            bar(n, format!("{} {}", query.name, query.asks).into());
            let parameters = texts.given(query, &set.parameters(data.spec(), query));
            let started = Instant::now();
            let end = match run_query(&mut session, &texts, query, &parameters).await {
                Ok(answer) => {
                    let seconds = started.elapsed().as_secs_f64();
                    let warnings = session.warnings().to_vec();
                    for warning in &warnings {
                        caller.say(&format!("{}: the database warns: {warning}", query.name));
                    }
                    let rows = answer.rows.len();
                    asked.answered.push(Answered { query, rows, seconds, warnings });
                    if let Some(dir) = &args.answers_out {
                        let url = target.description().url;
                        let file = AnswerFile::new(
                            schema.name(),
                            query,
                            &url,
                            &parameters,
                            answer,
                            seconds,
                        );
                        file.write(&dir.join(AnswerFile::name(query.number)))?;
                    }
                    match &args.explain {
                        Some(dir) => {
                            explain::one(&mut session, &texts, query, &parameters, dir).await
                        }
                        None => Ok(()),
                    }
                }
                Err(e) => Err(e),
            };
            match end {
                Ok(()) => {}
                Err(e) if caller.stop().is_set() => return Err(e),
                Err(e) => {
                    caller.say(&format!("{} failed: {e}", query.name));
                    gone = !still_answers(&target, &e).await;
                    asked.failed.push((query, e));
                }
            }
        }
        Ok(asked)
    })
}

impl AskedQueries {
    /// The time of all queries that gave an answer, seconds.
    pub fn seconds(&self) -> f64 {
        // A sum of nothing is minus zero.
        self.answered.iter().map(|answered| answered.seconds).fold(0.0, |sum, more| sum + more)
    }

    /// Geometric mean of the times, seconds, where all 22 gave an answer.
    pub fn power(&self) -> Option<f64> {
        (self.answered.len() == COUNT).then(|| self.mean()).flatten()
    }

    /// The same of those that gave an answer, where others did not. It does not compare with the
    /// power of all 22.
    pub fn power_of_others(&self) -> Option<f64> {
        let some_lack = !(self.failed.is_empty() && self.left_out.is_empty());
        some_lack.then(|| self.mean()).flatten()
    }

    fn mean(&self) -> Option<f64> {
        let times: Vec<f64> = self.answered.iter().map(|answered| answered.seconds).collect();
        Score::of(&times, 1).map(|score| score.power_seconds)
    }

    /// The result of the command.
    pub fn json(&self, args: &Questions) -> Value {
        let answered = |a: &Answered| {
            json!({
                "query": a.query.number, "rows": a.rows, "seconds": a.seconds,
                "warnings": a.warnings,
            })
        };
        let failed = |(query, e): &(&Query, Error)| json!({ "query": query.number, "kind": e.kind.name(), "error": e.to_string() });
        json!({
            "queries": self.answered.iter().map(answered).collect::<Vec<_>>(),
            "failed": self.failed.iter().map(failed).collect::<Vec<_>>(),
            "left_out": self.left_out.iter().map(|query| query.number).collect::<Vec<_>>(),
            "total_seconds": self.seconds(),
            "power_seconds": self.power(),
            "power_of_others_seconds": self.power_of_others(),
            "params": args.parameters.set().name(),
            "query_set": args.texts.query_set.name(),
        })
    }
}
