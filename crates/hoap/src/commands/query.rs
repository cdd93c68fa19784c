//! `hoap query`: the analytical queries one after the other.

use hoap_ch2::run::query::{Answered, AskedQueries, Questions, ask};
use hoap_workload::answers::Query;
use hoap_workload::words::{counted, noun};
use serde_json::json;

use super::context::Context;
use crate::failure::Failure;

/// Runs the queries, prints their times, and fails where one failed.
pub async fn query(context: &Context, args: &Questions) -> Result<(), Failure> {
    if args.print_texts {
        return print_texts(context, args);
    }
    let asked = ask(context, args).await?;
    context.result(&asked.json(args), || text_of(&asked, args));
    match asked.failed.first() {
        None => Ok(()),
        Some((query, first)) => {
            let (n, of) = (asked.failed.len() + asked.left_out.len(), args.queries.0.len());
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

fn text_of(asked: &AskedQueries, args: &Questions) -> String {
    let mut text = format!(
        "{}, {} set, {} parameters\n",
        counted(args.queries.0.len(), "query", "queries"),
        args.texts.query_set,
        args.parameters.set().name()
    );
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
