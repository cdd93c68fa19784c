//! Which facts of the runs must be equal, and which may differ and are reported.

use hoap_record::Description;
use hoap_record::Run;
use hoap_record::{Error, ErrorKind, Result};
use serde_json::Value;

use super::side::Side;
use crate::run::freshness;

/// Flags that decide what a client does. With other values it is another benchmark.
const DECISIVE: [&str; 7] =
    ["params", "params-seed", "properties", "scan-fields", "variant", "think-times", "check-reads"];

/// Flags that say nothing about how a run compares: the seeds of repetitions are to differ, plans
/// are made and answers kept after what is measured. [`freshness::alike`] looks at those of
/// freshness, whose cadence matters only where it is measured.
const IRRELEVANT: [&str; 10] = [
    "run-seed",
    "meet",
    "part",
    "part-from",
    "start-at",
    "explain",
    "keep-answers",
    "keep-witness",
    "freshness",
    "freshness-every",
];

/// Flags whose values are the databases' URLs, which are told as such.
const URLS: [&str; 3] = ["target", "operational", "analytical"];

/// A fact that differs: its name and its value on each side, empty where it has none.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Such as "hoap", "database version", "synchronous".
    pub name: String,
    /// The baseline's value first.
    pub values: Vec<String>,
}

/// Whether two sides compare at all.
pub fn comparable(baseline: &Side, candidate: &Side) -> bool {
    differences(&[baseline, candidate]).is_ok()
}

/// Holds the sides against the first one.
///
/// # Errors
/// Returns `Invalid`, naming the fact, where they do not compare, or the runs of one side are not
/// repetitions of one another.
pub fn differences(sides: &[&Side]) -> Result<Vec<Difference>> {
    for side in sides {
        for other in &side.runs[1..] {
            let folder = other.folder.display();
            let first = side.runs[0].folder.display();
            same(side.first(), &other.run, decisive)
                .and_then(|()| same(side.first(), &other.run, versions))
                .and_then(|()| same(side.first(), &other.run, flags))
                .map_err(|what| {
                    let tried = format!("take {folder} as a repetition of {first}");
                    Error::new(ErrorKind::Invalid, tried, what)
                        .advise("keep only runs of one configuration in a folder of repetitions")
                })?;
            freshness::alike(side.first(), &other.run, || {
                format!("take {folder} as a repetition of {first}")
            })?;
        }
    }
    let (baseline, candidates) = sides.split_first().expect("a comparison has a baseline");
    for candidate in candidates {
        same(baseline.first(), candidate.first(), decisive).map_err(|what| {
            let tried = format!("compare {} with {}", candidate.name, baseline.name);
            Error::new(ErrorKind::Invalid, tried, what)
                .advise("compare runs of the same benchmark on the same data")
        })?;
        freshness::alike(baseline.first(), candidate.first(), || {
            format!("compare {} with {}", candidate.name, baseline.name)
        })?;
    }
    let facts: Vec<Vec<Fact>> = sides.iter().map(|side| told(side.first())).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in facts.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let values = |name: &String| -> Vec<String> {
        facts.iter().map(|facts| value(facts, name).to_owned()).collect()
    };
    Ok(names
        .into_iter()
        .map(|name| Difference { name: name.clone(), values: values(name) })
        .filter(|d| d.values.iter().any(|v| *v != d.values[0]))
        .collect())
}

/// A name and a value.
pub type Fact = (String, String);

fn value<'a>(facts: &'a [Fact], name: &str) -> &'a str {
    facts.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value.as_str())
}

/// The first fact that differs, in words.
fn same(a: &Run, b: &Run, facts: fn(&Run) -> Vec<Fact>) -> std::result::Result<(), String> {
    let (a, b) = (facts(a), facts(b));
    let shown = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
    for (name, _) in a.iter().chain(&b) {
        let (left, right) = (value(&a, name), value(&b, name));
        if left != right {
            return Err(format!("{name} is {} here and {} there", shown(right), shown(left)));
        }
    }
    Ok(())
}

/// What must be equal: the benchmark, its data (`data.…`), and the flags that decide what a client
/// does.
pub fn decisive(run: &Run) -> Vec<Fact> {
    let mut facts = vec![
        ("benchmark".to_owned(), run.benchmark.clone()),
        ("query set".to_owned(), run.query_set.clone().unwrap_or_default()),
    ];
    flatten("data", &run.data, &mut facts);
    for name in DECISIVE {
        if let Some(value) = run.configuration.get(name) {
            flatten(name, value, &mut facts);
        }
    }
    facts
}

/// What may differ between sides: what was asked for first, and what a server says of itself last. A
/// name means one thing: a server's setting that is called as a flag is not told.
fn told(run: &Run) -> Vec<Fact> {
    let mut facts = versions(run);
    for (part, database) in databases(run) {
        facts.extend(database.iter().map(|of| (format!("{part}URL"), of.url.clone())));
    }
    facts.extend(flags(run).into_iter().filter(|(name, _)| !URLS.contains(&name.as_str())));
    facts.push(("machine".to_owned(), run.host.processor.clone()));
    facts.push(("cores".to_owned(), run.host.cores.to_string()));
    let label = |(key, value): (&String, &String)| (format!("label {key}"), value.clone());
    facts.extend(run.labels.iter().map(label));
    facts.push(("system".to_owned(), run.host.system.clone()));
    for (part, database) in databases(run) {
        let settings = database.iter().flat_map(|of| &of.settings);
        let named = settings.map(|(key, value)| (format!("{part}{key}"), value.clone()));
        let named: Vec<Fact> = named.filter(|(name, _)| value(&facts, name).is_empty()).collect();
        facts.extend(named);
    }
    facts
}

fn databases(run: &Run) -> [(&'static str, &Option<Description>); 2] {
    [("", &run.operational), ("queries: ", &run.analytical)]
}

/// Of hoap and of the databases; repetitions share them.
fn versions(run: &Run) -> Vec<Fact> {
    let mut facts = vec![("hoap".to_owned(), run.hoap.clone())];
    for (part, database) in databases(run) {
        if let Some(Description { name, version, .. }) = database {
            facts.push((format!("{part}database"), format!("{name} {version}")));
        }
    }
    facts
}

/// What was asked for; repetitions share it.
fn flags(run: &Run) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (name, value) in &run.configuration {
        if !DECISIVE.contains(&name.as_str()) && !IRRELEVANT.contains(&name.as_str()) {
            flatten(name, value, &mut facts);
        }
    }
    facts
}

/// Objects as "outer.inner", anything else as it is; nothing for null.
fn flatten(name: &str, value: &Value, out: &mut Vec<Fact>) {
    match value {
        Value::Null => {}
        Value::Object(map) => {
            map.iter().for_each(|(key, inner)| flatten(&format!("{name}.{key}"), inner, out));
        }
        Value::String(text) => out.push((name.to_owned(), text.clone())),
        other => out.push((name.to_owned(), other.to_string())),
    }
}
