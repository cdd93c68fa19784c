//! `hoap query`: analytical queries one after the other.

use hoap_ch2::run::query::{self, Questions};
use hoap_conduct::queries::{Answered, AskedQueries};
use hoap_own::run as own;
use hoap_workload::answers::Query;
use hoap_workload::words::{counted, noun};
use serde_json::json;

use super::context::Context;
use crate::args::OrFile;
use crate::failure::Failure;

/// Asks the queries of a benchmark, or of a workload file.
pub async fn any(
    context: &Context,
    args: &OrFile<Questions, own::Questions>,
) -> Result<(), Failure> {
    match args {
        OrFile::Named(args) if args.print_texts => print_texts(context, args),
        OrFile::Named(args) => {
            let asked = query::ask(context, args).await?;
            let set = args.parameters.set();
            let how = format!(", {} set, {} parameters", args.texts.query_set, set.name());
            context.result(&query::json(&asked, args), || text_of(&asked, &how));
            verdict(&asked)
        }
        OrFile::File(args) => {
            let asked = own::ask(context, args).await?;
            context.result(&asked.json(|query| query.name.into()), || text_of(&asked, ""));
            verdict(&asked)
        }
    }
}

/// Fails where a query failed.
fn verdict(asked: &AskedQueries) -> Result<(), Failure> {
    match asked.failed.first() {
        None => Ok(()),
        Some((query, first)) => {
            let (n, of) = (asked.failed.len() + asked.left_out.len(), asked.count());
            let told = format!("{n} of {of} queries did not pass, first {}", query.name);
            Err(Failure::from(first.clone()).because(&told))
        }
    }
}

/// Prints the texts, which need no database.
fn print_texts(context: &Context, args: &Questions) -> Result<(), Failure> {
    let texts = args.texts(context)?;
    let one = |(query, text): &(&Query, String)| json!({ "query": query.number, "text": text });
    context.result(&texts.iter().map(one).collect::<Vec<_>>(), || {
        texts.iter().map(|(_, text)| format!("{}\n\n", text.trim_end())).collect()
    });
    Ok(())
}

/// A line for each; the first says `how` they were asked.
fn text_of(asked: &AskedQueries, how: &str) -> String {
    let mut text = format!("{}{how}\n", counted(asked.count(), "query", "queries"));
    for Answered { query, rows, seconds, .. } in &asked.answered {
        let unit = noun(*rows, "row", "rows");
        let asks: String = query.asks.chars().take(50).collect();
        text.push_str(&format!("{} {seconds:>9.3} s {rows:>7} {unit:<4}  {asks}\n", query.name));
    }
    for (query, e) in &asked.failed {
        text.push_str(&format!("{} failed: {e}\n", query.name));
    }
    for query in &asked.left_out {
        text.push_str(&format!("{} not asked: the database is gone\n", query.name));
    }
    text.push_str(&format!("all {:>9.3} s", asked.seconds()));
    if let Some(power) = asked.power() {
        text.push_str(&format!("; power (geometric mean) {power:.3} s"));
    }
    if let Some(power) = asked.power_of_others() {
        let others = counted(asked.answered.len(), "query", "queries");
        text.push_str(&format!("; power incomplete, of the other {others} {power:.3} s"));
    }
    text
}
