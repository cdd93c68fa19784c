//! Tables of what ran where, and how it was set: a row a fact, a column a run.

use hoap_record::Description;
use hoap_record::Run;
use hoap_record::words::{counted, noun};
use serde_json::Value;

use crate::format::number::{Unit, bytes, duration};
use crate::format::table::{Cell, Column, Table, Without};
use crate::run::Entry;
use crate::run::measure::Measure;

type Fact<'a> = (String, Box<dyn Fn(&Run) -> String + 'a>);

fn fact<'a>(name: impl Into<String>, of: impl Fn(&Run) -> String + 'a) -> Fact<'a> {
    (name.into(), Box::new(of))
}

/// One closure a row. A fact that no run has is no row.
fn table(entries: &[Entry<'_>], id: &str, title: &str, facts: Vec<Fact<'_>>) -> Table {
    let column = |title: &str| Column {
        title: title.to_string(),
        unit: None,
        wide: false,
        without: Without::Never,
    };
    let several = entries.len() > 1;
    let columns = std::iter::once(column(""))
        .chain(entries.iter().map(|e| column(if several { e.name } else { "" })))
        .collect();
    let rows = facts
        .into_iter()
        .map(|(name, of)| {
            let values = entries.iter().map(|e| Cell::text(of(e.run)));
            std::iter::once(Cell::Text(name)).chain(values).collect::<Vec<_>>()
        })
        .filter(|row| row[1..].iter().any(|cell| *cell != Cell::Empty))
        .collect();
    Table { id: id.to_string(), title: title.to_string(), columns, rows }
}

fn named<'a>(database: impl Into<Option<&'a Description>>) -> String {
    match database.into() {
        Some(d) => format!("{} {}, {}", d.name, d.version, d.url),
        None => String::new(),
    }
}

/// An RFC 3339 time in UTC as people write it: "2026-01-01 12:00:00 UTC".
pub fn moment(rfc3339: &str) -> String {
    match rfc3339.strip_suffix('Z').and_then(|t| t.split_once('T')) {
        Some((day, time)) => format!("{day} {} UTC", time.split('.').next().unwrap_or(time)),
        None => rfc3339.to_string(),
    }
}

/// How much data a run had, when it was, and of which version.
pub fn origin(run: &Run) -> String {
    let size = size(run).map(|size| format!("{size}, ")).unwrap_or_default();
    let (started, took) = (moment(&run.started), duration(run.seconds));
    format!("{size}started {started}, took {took}, hoap {}", run.hoap)
}

/// What says how big a data set is, and the names of one of it and of more.
const SIZES: [(&str, &str, &str); 4] = [
    ("warehouses", "warehouse", "warehouses"),
    ("customers", "customer", "customers"),
    ("records", "record", "records"),
    ("count", "record", "records"),
];

/// "20,000 records".
fn size(run: &Run) -> Option<String> {
    SIZES.iter().find_map(|(key, one, more)| {
        let n = run.data.get(key)?.as_u64()?;
        Some(format!("{} {}", Unit::Count.show(n as f64), noun(n, one, more)))
    })
}

/// A fact of runs that measure this.
fn of_measure(measure: Measure, of: impl Fn(&Run) -> String) -> impl Fn(&Run) -> String {
    move |r| if Measure::of(r) == measure { of(r) } else { String::new() }
}

/// What ran where: the facts that stand before the first number.
pub fn overview(entries: &[Entry<'_>]) -> Table {
    let mut facts = vec![
        fact("benchmark", |r| {
            let size = size(r).map(|size| format!(", {size}")).unwrap_or_default();
            format!("{}{size}, hoap {}", r.title(), r.hoap)
        }),
        fact("started", |r| format!("{}, took {}", moment(&r.started), duration(r.seconds))),
        fact("database", of_measure(Measure::Plain, |r| named(r.operational.as_ref()))),
        fact("transactions on", of_measure(Measure::Hybrid, |r| named(r.operational.as_ref()))),
        fact("queries on", |r| match (&r.analytical, &r.query_set) {
            (Some(d), Some(set)) => format!("{}, {set} set", named(d)),
            (Some(d), None) => named(d),
            (None, Some(set)) => format!("the same database, {set} set"),
            (None, None) => String::new(),
        }),
        fact("machine", |r| {
            let h = &r.host;
            let cores = counted(h.cores, "core", "cores");
            let memory = bytes(h.memory_bytes as f64);
            format!("{}, {}, {cores}, {memory} memory", h.system, h.processor)
        }),
        fact("drivers", |r| {
            let skews = r.steps.iter().filter_map(|step| step.start_skew_seconds);
            match (r.drivers.len(), skews.max_by(f64::total_cmp)) {
                (0 | 1, _) => String::new(),
                (several, None) => several.to_string(),
                (several, Some(skew)) => format!("{several}, start skew {}", duration(skew)),
            }
        }),
        fact("load", |r| match &r.load {
            Some(l) => {
                let rate = |n: u64| n as f64 / l.seconds;
                let name = noun(l.documents, "document", "documents");
                let mut documents = format!("{} {name}", Unit::Count.show(l.documents as f64));
                let mut size = bytes(l.bytes as f64);
                let mut time = String::new();
                // Nobody knows it of a load of which a process was killed.
                if l.seconds > 0.0 {
                    time = format!(" in {}", duration(l.seconds));
                    documents += &format!(" ({}/s)", Unit::Count.show(rate(l.documents).round()));
                    size += &format!(" ({}/s)", bytes(rate(l.bytes)));
                }
                let clients = match l.clients {
                    0 | 1 => String::new(),
                    several => format!(" by {several} clients"),
                };
                let stored = l.stored.as_ref().map(|stored| {
                    format!("; {} stored {}", bytes(stored.bytes as f64), stored.medium.place())
                });
                let stored = stored.unwrap_or_default();
                format!("{documents}, {size}{time}{clients}{stored}")
            }
            None => String::new(),
        }),
    ];
    facts.splice(2..2, labels(entries));
    table(entries, "overview", "What ran where", facts)
}

/// What the runs are known by.
fn labels<'a>(entries: &[Entry<'_>]) -> Vec<Fact<'a>> {
    let keys = keys(entries, |r| r.labels.keys().cloned().collect());
    let of = |key: String| {
        fact(format!("label {key}"), move |r| r.labels.get(&key).cloned().unwrap_or_default())
    };
    keys.into_iter().map(of).collect()
}

/// A database of a run: what stands before its facts, and where it is.
type DatabaseOfRun = (&'static str, fn(&Run) -> Option<&Description>);

const PARTS: [DatabaseOfRun; 3] = [
    ("", |r| r.operational.as_ref().filter(|_| Measure::of(r) == Measure::Plain)),
    ("transactions: ", |r| r.operational.as_ref().filter(|_| Measure::of(r) == Measure::Hybrid)),
    ("queries: ", |r| r.analytical.as_ref()),
];

/// The databases and all their settings.
pub fn databases(entries: &[Entry<'_>]) -> Table {
    let mut facts = Vec::new();
    for (part, of) in PARTS {
        facts.push(fact(format!("{part}database"), move |r| named(of(r))));
        for key in
            keys(entries, |r| of(r).iter().flat_map(|d| d.settings.keys().cloned()).collect())
        {
            facts.push(fact(format!("{part}{key}"), move |r| {
                of(r).and_then(|d| d.settings.get(&key)).cloned().unwrap_or_default()
            }));
        }
    }
    table(entries, "databases", "Databases and their settings", facts)
}

/// What was asked for: every flag.
pub fn configuration(entries: &[Entry<'_>]) -> Table {
    let facts = keys(entries, |r| r.configuration.keys().cloned().collect())
        .into_iter()
        .map(|key| {
            fact(key.clone(), move |r| r.configuration.get(&key).map(plain).unwrap_or_default())
        })
        .collect();
    table(entries, "configuration", "Configuration", facts)
}

/// A free-form part of a run, by its name.
type Document = (&'static str, fn(&Run) -> &Value);

/// The data set and the constants of the run.
pub fn setup(entries: &[Entry<'_>]) -> Table {
    let parts: [Document; 2] = [("data", |r| &r.data), ("constants", |r| &r.constants)];
    let mut facts = Vec::new();
    for (part, of) in parts {
        let flat = move |r: &Run| {
            let mut out = Vec::new();
            flatten(part, of(r), &mut out);
            out
        };
        for key in keys(entries, |r| flat(r).into_iter().map(|(k, _)| k).collect()) {
            facts.push(fact(key.clone(), move |r| {
                flat(r).into_iter().find(|(k, _)| *k == key).map(|(_, v)| v).unwrap_or_default()
            }));
        }
    }
    table(entries, "setup", "Data set and constants", facts)
}

/// What decides how fast the driver's machine is, as far as it told.
pub fn machine(entries: &[Entry<'_>]) -> Table {
    let facts = keys(entries, |r| r.host.settings.keys().cloned().collect())
        .into_iter()
        .map(|key| {
            fact(key.clone(), move |r| r.host.settings.get(&key).cloned().unwrap_or_default())
        })
        .collect();
    table(entries, "machine", "The driver's machine", facts)
}

/// The keys of all runs, each once, in the order in which they first come.
fn keys(entries: &[Entry<'_>], of: impl Fn(&Run) -> Vec<String>) -> Vec<String> {
    let mut all = Vec::new();
    for entry in entries {
        for key in of(entry.run) {
            if !all.contains(&key) {
                all.push(key);
            }
        }
    }
    all
}

/// Objects as "outer.inner" rows; anything else as one row.
fn flatten(name: &str, value: &Value, out: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                flatten(&format!("{name}.{key}"), inner, out);
            }
        }
        Value::Null => {}
        other => out.push((name.to_string(), plain(other))),
    }
}

/// A JSON value as words: strings without quotes, lists with commas.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(s) => s.clone(),
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
