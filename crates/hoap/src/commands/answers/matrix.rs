//! The answers in three and more folders: a row for each query, a column for each folder.

use std::collections::BTreeMap;

use hoap_report::text::paragraph;
use hoap_workload::answers::{AnswerFolder, Verdict};
use serde_json::{Value, json};

use super::pair::{self, Verdicts, names, word};

/// The verdict on a query in each folder but the first, by the query's number. `None` where neither
/// that folder nor the first has an answer.
fn rows(pairs: &[Verdicts]) -> BTreeMap<u8, (&'static str, Vec<Option<&Verdict>>)> {
    let mut rows = BTreeMap::new();
    for (at, (query, verdict)) in
        pairs.iter().enumerate().flat_map(|(at, pair)| pair.iter().map(move |v| (at, v)))
    {
        let none = || (query.name, vec![None; pairs.len()]);
        rows.entry(query.number).or_insert_with(none).1[at] = Some(verdict);
    }
    rows
}

/// The word of the table. What the first folder lacks cannot be called equal to it.
fn cell(verdict: Option<&Verdict>) -> &'static str {
    match verdict {
        None => "missing",
        Some(Verdict::Missing { which: 0 }) => "only here",
        Some(verdict) => word(verdict),
    }
}

/// What the first folder has.
fn first_cell(first: &AnswerFolder, query: u8) -> &'static str {
    if first.answers.contains_key(&query) { "first" } else { "missing" }
}

/// The table, and below it what is not equal.
pub(super) fn text_of(first: &AnswerFolder, others: &[AnswerFolder], pairs: &[Verdicts]) -> String {
    const WIDTH: usize = 18;
    let mut text = String::new();
    for (n, folder) in (1..).zip([first].into_iter().chain(others)) {
        text.push_str(&format!("{n}  {}\n", folder.path.display()));
    }
    let mut line = |start: &str, cells: &mut dyn Iterator<Item = String>| {
        let cells: String = cells.map(|cell| format!("{cell:<WIDTH$}")).collect();
        text.push_str(&format!("{start:<5}{}\n", cells.trim_end()));
    };
    line("", &mut (1..=others.len() + 1).map(|n| n.to_string()));
    for (number, (name, verdicts)) in rows(pairs) {
        let others = verdicts.into_iter().map(cell);
        let cells = [first_cell(first, number)].into_iter().chain(others).map(str::to_owned);
        line(name, &mut cells.into_iter());
    }
    for (other, pair) in others.iter().zip(pairs) {
        let unequal = pair.iter().filter(|(_, v)| !matches!(v, Verdict::Equal { .. }));
        let unequal: Verdicts = unequal.cloned().collect();
        if !unequal.is_empty() {
            text.push_str(&paragraph("", &format!("{}:", other.path.display())));
            text.push_str(&pair::text_of(&names([first, other]), &unequal));
        }
    }
    text
}

/// The table with the verdicts on each query in the order of the folders, and each comparison with
/// the first folder as if it were the only one.
pub(super) fn json_of(first: &AnswerFolder, others: &[AnswerFolder], pairs: &[Verdicts]) -> Value {
    let row = |(number, (_, verdicts)): (u8, (&str, Vec<Option<&Verdict>>))| {
        let others = verdicts.into_iter().map(cell);
        let cells: Vec<_> = [first_cell(first, number)].into_iter().chain(others).collect();
        json!({ "query": number, "verdicts": cells })
    };
    let pair = |(other, verdicts)| pair::json_of([first, other], verdicts);
    let folders = [first].into_iter().chain(others).map(|folder| folder.path.display().to_string());
    json!({
        "benchmark": first.asked.benchmark,
        "folders": folders.collect::<Vec<_>>(),
        "queries": rows(pairs).into_iter().map(row).collect::<Vec<_>>(),
        "compared_with_first": others.iter().zip(pairs).map(pair).collect::<Vec<_>>(),
    })
}
