//! `hoap query`: the analytical queries one after the other.

use std::time::Instant;

use hoap_conduct::ch2::explain;
use hoap_conduct::ch2::queries::{CancelOnStop, still_answers};
use hoap_workload::Error;
use hoap_workload::ch2::note;
use hoap_workload::ch2::queries::answers::AnswerFile;
use hoap_workload::ch2::queries::{ParameterSet, Query};
use hoap_workload::ch2::stream::run_query;
use hoap_workload::words::{counted, noun};
use serde_json::{Value, json};

use super::Context;
use crate::args;
use crate::failure::Failure;

/// Runs the queries and prints their times. One that fails does not keep the others from being asked.
pub async fn query(context: &Context, args: &args::Query) -> Result<(), Failure> {
    let schema = args.benchmark.schema();
    let target = hoap_databases::open(&args.analytical).await?;
    let (_, data) = note::expect_loaded(&*target, schema).await?;
    let analytics = target.analytics().map_err(Error::from)?;
    let texts = args.texts.texts(schema, analytics.dialect())?;
    let set = args.parameters.set();
    let mut session = analytics.session().await?;
    let _watch = CancelOnStop::watch(&context.stop, &*session);

    for dir in args.answers_out.iter().chain(&args.explain) {
        explain::folder(dir)?;
    }
    let mut line = context.console.line();
    let mut asked = Asked::default();
    let mut gone = false;
    for &number in &args.queries.0 {
        let Some(query) = Query::get(number) else { continue };
        if gone {
            asked.left_out.push(query);
            continue;
        }
        line.set(0, format!("{} {}", query.name, query.asks));
        let parameters = set.parameters(data.spec(), query);
        let started = Instant::now();
        let end = match run_query(&mut *session, &texts, query, &parameters).await {
            Ok(answer) => {
                let seconds = started.elapsed().as_secs_f64();
                let warnings = session.warnings().to_vec();
                for warning in &warnings {
                    context.console.say(format!("{}: the database warns: {warning}", query.name));
                }
                asked.rows.push(Row { query, rows: answer.rows.len(), seconds, warnings });
                if let Some(dir) = &args.answers_out {
                    let url = target.description().url;
                    let file = AnswerFile::new(schema, query, &url, &parameters, answer, seconds);
                    file.write(&dir.join(AnswerFile::name(query)))?;
                }
                match &args.explain {
                    Some(dir) => explain::one(&mut *session, &texts, query, &parameters, dir).await,
                    None => Ok(()),
                }
            }
            Err(e) => Err(e),
        };
        match end {
            Ok(()) => {}
            Err(e) if context.stop.is_set() => return Err(e.into()),
            Err(e) => {
                context.console.say(format!("{} failed: {e}", query.name));
                gone = !still_answers(&*target, &e).await;
                asked.failed.push((query, e));
            }
        }
    }
    drop(line);
    context.result(&json_of(&asked, args, set), || text_of(&asked, args, set));
    match asked.failed.first() {
        None => Ok(()),
        Some((query, first)) => {
            let (n, of) = (asked.failed.len() + asked.left_out.len(), args.queries.0.len());
            let told = format!("{n} of {of} queries did not pass, first {}", query.name);
            Err(Failure::from(first.clone()).because(&told))
        }
    }
}

/// What became of the queries.
#[derive(Default)]
struct Asked {
    /// Those that gave an answer.
    rows: Vec<Row>,
    /// Those that failed, or whose plan could not be had.
    failed: Vec<(&'static Query, Error)>,
    /// Those that were not asked since the database had gone away.
    left_out: Vec<&'static Query>,
}

struct Row {
    query: &'static Query,
    rows: usize,
    seconds: f64,
    /// The database's.
    warnings: Vec<String>,
}

/// Geometric mean of the times, where all 22 ran.
fn power(rows: &[Row]) -> Option<f64> {
    let logarithms: f64 = rows.iter().map(|r| r.seconds.ln()).sum();
    (rows.len() == 22).then(|| (logarithms / 22.0).exp())
}

fn json_of(asked: &Asked, args: &args::Query, set: ParameterSet) -> Value {
    let Asked { rows, failed, left_out } = asked;
    let queries: Vec<_> = rows
        .iter()
        .map(|r| {
            json!({
                "query": r.query.number, "rows": r.rows, "seconds": r.seconds,
                "warnings": r.warnings,
            })
        })
        .collect();
    let failed: Vec<_> = failed
        .iter()
        .map(|(query, e)| {
            json!({ "query": query.number, "kind": e.kind.name(), "error": e.to_string() })
        })
        .collect();
    json!({
        "queries": queries,
        "failed": failed,
        "left_out": left_out.iter().map(|query| query.number).collect::<Vec<_>>(),
        "total_seconds": rows.iter().map(|r| r.seconds).sum::<f64>(),
        "power_seconds": power(rows),
        "params": set.name(),
        "query_set": args.texts.query_set.name(),
    })
}

fn text_of(asked: &Asked, args: &args::Query, set: ParameterSet) -> String {
    let Asked { rows, failed, left_out } = asked;
    let mut text = format!(
        "{}, {} set, {} parameters\n",
        counted(args.queries.0.len(), "query", "queries"),
        args.texts.query_set,
        set.name()
    );
    for Row { query, rows, seconds, .. } in rows {
        let unit = noun(*rows, "row", "rows");
        let asks: String = query.asks.chars().take(50).collect();
        text.push_str(&format!("{} {seconds:>9.3} s {rows:>7} {unit:<4}  {asks}\n", query.name));
    }
    for (query, e) in failed {
        text.push_str(&format!("{} failed: {e}\n", query.name));
    }
    for query in left_out {
        text.push_str(&format!("{} not asked: the database is gone\n", query.name));
    }
    let total: f64 = rows.iter().map(|r| r.seconds).sum();
    text.push_str(&format!("all {total:>9.3} s"));
    if let Some(power) = power(rows) {
        text.push_str(&format!("; power (geometric mean) {power:.3} s"));
    }
    text
}
