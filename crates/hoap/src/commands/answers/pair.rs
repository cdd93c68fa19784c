//! The answers in two folders, query by query.

use hoap_report::text::paragraph;
use hoap_workload::answers::{AnswerFolder, Difference, Query, Verdict};
use hoap_workload::words::counted;
use serde_json::{Value, json};

/// The verdicts on the answers of two folders.
pub(super) type Verdicts = Vec<(&'static Query, Verdict)>;

pub(super) fn names(folders: [&AnswerFolder; 2]) -> [String; 2] {
    folders.map(|folder| folder.path.display().to_string())
}

/// The word that a verdict has in both forms of the result.
pub(super) fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Equal { .. } => "equal",
        Verdict::Differ(_) => "differ",
        Verdict::Missing { .. } => "missing",
        Verdict::OtherParameters(_) => "other parameters",
    }
}

pub(super) fn text_of(names: &[String; 2], verdicts: &Verdicts) -> String {
    let [first, second] = names.each_ref().map(|name| format!("in {name}"));
    let mut text = String::new();
    for (query, verdict) in verdicts {
        let detail = match verdict {
            Verdict::Equal { rows } => counted(*rows, "row", "rows"),
            Verdict::Differ(difference) => difference.words([&first, &second]),
            Verdict::Missing { which } => format!("not in {}", names[*which]),
            Verdict::OtherParameters([a, b]) => {
                let value = |v: Option<&Value>| v.map_or("nothing".into(), Value::to_string);
                let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
                let other = names.filter(|name| a.get(*name) != b.get(*name));
                let each = other.map(|name| {
                    let [a, b] = [a, b].map(|parameters| value(parameters.get(name)));
                    format!("${name} is {a} {first}, {b} {second}")
                });
                each.collect::<Vec<_>>().join("; ")
            }
        };
        let start = format!("{}  {:<16}  ", query.name, word(verdict));
        text.push_str(&paragraph(&start, &detail));
    }
    text
}

pub(super) fn json_of(folders: [&AnswerFolder; 2], verdicts: &Verdicts) -> Value {
    let query = |(query, verdict): &(&'static Query, Verdict)| {
        let mut object = json!({ "query": query.number, "verdict": word(verdict) });
        match verdict {
            Verdict::Equal { rows } => object["rows"] = json!([rows, rows]),
            Verdict::Missing { which } => {
                object["missing_in"] = json!(folders[*which].path.display().to_string())
            }
            Verdict::OtherParameters(parameters) => object["parameters"] = json!(parameters),
            Verdict::Differ(Difference::NoAnswer { which, error }) => {
                object["no_answer_in"] = json!(folders[*which].path.display().to_string());
                object["why"] = json!(error.to_string());
            }
            Verdict::Differ(Difference::Row { rows, has }) => {
                object["rows"] = json!(rows);
                object["first_difference"] = json!(has);
            }
            Verdict::Differ(Difference::Tie { rows, has }) => {
                object["rows"] = json!(rows);
                object["at_the_limit"] = json!(has);
            }
        }
        object
    };
    json!({
        "benchmark": folders[0].asked.benchmark,
        "folders": folders.map(|folder| folder.path.display().to_string()),
        "queries": verdicts.iter().map(query).collect::<Vec<_>>(),
    })
}
