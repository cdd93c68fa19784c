//! Whether the runs measured freshness in the same way.
//!
//! Where freshness is measured every transaction that writes updates one document more than the
//! benchmark asks for, in all steps of the run, and a probe reads beside it. So the numbers of a
//! run that measures it are not averaged with those of one that does not, nor are verdicts about
//! them given.

use hoap_record::{Error, ErrorKind, Remark, RemarkId, Result, Run};

use super::Entry;

/// Most runs that one value of a difference names.
const NAMED: usize = 4;

/// How a run measured freshness.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Measured {
    Off,
    /// With this time from one look of the probe to the next.
    Every(String),
}

impl Measured {
    /// `None` for a run without transactions, which writes nothing.
    fn of(run: &Run) -> Option<Measured> {
        let on = run.configuration.get("freshness")?.as_bool()?;
        run.steps.iter().find(|step| step.tx_clients > 0)?;
        let every = run.configuration.get("freshness-every").and_then(|every| every.as_str());
        Some(match on {
            true => Measured::Every(every.unwrap_or("unknown").to_owned()),
            false => Measured::Off,
        })
    }

    fn words(&self) -> String {
        match self {
            Measured::Off => "off".into(),
            Measured::Every(every) => format!("on (every {every})"),
        }
    }
}

/// How a difference between these affects the numbers.
fn price(all: &[&Measured]) -> &'static str {
    match all.contains(&&Measured::Off) {
        true => {
            "where it is on, every transaction that writes updates one document more than the benchmark \
             asks for"
        }
        false => "a probe that looks more often takes more of the database",
    }
}

/// Refuses runs that are to be one configuration, or to be held against each other, and measure
/// freshness otherwise. `tried` says what they were to be.
///
/// # Errors
/// Returns `Invalid`, naming what differs and its size.
pub fn alike(first: &Run, other: &Run, tried: impl FnOnce() -> String) -> Result<()> {
    let (Some(there), Some(here)) = (Measured::of(first), Measured::of(other)) else {
        return Ok(());
    };
    if there == here {
        return Ok(());
    }
    let (words, price) = (here.words(), price(&[&there, &here]));
    let answer = format!("freshness is {words} here and {} there: {price}", there.words());
    Err(Error::new(ErrorKind::Invalid, tried(), answer)
        .advise("run all of them with the same --freshness and --freshness-every"))
}

/// What a reader of these runs side by side must know first: a remark for each benchmark whose
/// runs measure freshness otherwise.
pub fn differences(entries: &[Entry<'_>]) -> Vec<Remark> {
    let mut benchmarks: Vec<&str> = Vec::new();
    for entry in entries {
        if !benchmarks.contains(&entry.run.benchmark.as_str()) {
            benchmarks.push(&entry.run.benchmark);
        }
    }
    benchmarks.into_iter().filter_map(|benchmark| of_benchmark(entries, benchmark)).collect()
}

fn of_benchmark(entries: &[Entry<'_>], benchmark: &str) -> Option<Remark> {
    let mut kinds: Vec<(Measured, Vec<&str>)> = Vec::new();
    for entry in entries.iter().filter(|e| e.run.benchmark == benchmark) {
        let Some(measured) = Measured::of(entry.run) else { continue };
        match kinds.iter_mut().find(|(kind, _)| *kind == measured) {
            Some((_, names)) => names.push(entry.name),
            None => kinds.push((measured, vec![entry.name])),
        }
    }
    if kinds.len() < 2 {
        return None;
    }
    let each: Vec<String> =
        kinds.iter().map(|(kind, names)| format!("{} in {}", kind.words(), list(names))).collect();
    let price = price(&kinds.iter().map(|(kind, _)| kind).collect::<Vec<_>>());
    let text = format!(
        "freshness is {}: {price}, so differences in throughput and response time between them are not \
         the databases' alone",
        each.join(", ")
    );
    Some(Remark::new(RemarkId::FreshnessDiffers, text))
}

fn list(names: &[&str]) -> String {
    let shown = names[..names.len().min(NAMED)].join(" and ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
