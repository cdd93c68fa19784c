//! Checks that runs belong together.

use hoap_data::words::counted;

use super::machine::{Machine, refuse};
use super::parts;
use crate::check::{Check, START, Verdict};
use crate::description::Description;
use crate::error::{Error, ErrorKind, Result};
use crate::remark::{Remark, RemarkId};
use crate::run::Run;
use crate::search::Search;
use crate::step::Step;

/// The windows of a step must overlap by at least this share of the longest. Below it, the sum of
/// the rates is not a rate of the database at any time.
const LEAST_OVERLAP: f64 = 0.9;
/// Below this share the merged run has a remark.
const GOOD_OVERLAP: f64 = 0.99;

/// Flags in which drivers may differ: the amount of work and the seed.
const OWN: [&str; 10] = [
    "clients",
    "tx-clients",
    "query-clients",
    "rate",
    "operations",
    "run-seed",
    "meet",
    "part",
    "part-from",
    "start-at",
];

/// Refuses runs that do not belong together, with the name of the folder; returns remarks for
/// readers.
pub fn check(drivers: &[Machine]) -> Result<Vec<Remark>> {
    let Some((first, rest)) = drivers.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return Err(Error::new(ErrorKind::Invalid, "merge runs", "there is only one")
            .advise("name the folders of at least two driver machines"));
    };
    for driver in drivers {
        let whole = alone(driver);
        whole.map_err(|why| refuse(driver, first, why, "merge whole runs only"))?;
    }
    let mut remarks = Vec::new();
    for driver in rest {
        facts(first, driver).map_err(|why| {
            refuse(driver, first, why, "merge the runs of one benchmark that ran at the same time")
        })?;
    }
    for (at, driver) in drivers.iter().enumerate() {
        for other in &drivers[..at] {
            let same = driver.folder.canonicalize().ok() == other.folder.canonicalize().ok();
            let twin = driver.run.started == other.run.started
                && driver.run.host == other.run.host
                && driver.run.command == other.run.command;
            if same || twin {
                let why = format!("it is the same run as {}", other.name);
                return Err(refuse(driver, first, why, "name every folder once"));
            }
        }
    }
    parts::check(drivers)?;
    for number in 0..first.run.steps.len() {
        remarks.extend(overlap(drivers, number)?);
    }
    Ok(remarks)
}

/// Refuses a run that cannot be merged with any other.
fn alone(driver: &Machine) -> std::result::Result<(), String> {
    let run = &driver.run;
    let late = |check: &&Check| check.name == START && check.verdict == Verdict::Fail;
    if let Some(check) = run.checks.iter().find(late) {
        return Err(format!("it began late: {}", check.detail.as_deref().unwrap_or_default()));
    }
    if let Some(why) = &run.partial {
        return Err(format!("it is partial: {why}"));
    }
    if run.search.as_ref().is_some_and(|search| search.drivers.is_none()) {
        return Err("it is a search for the highest rate by a driver alone".into());
    }
    if run.steps.is_empty() {
        return Err("it has no step".into());
    }
    if !run.drivers.is_empty() {
        return Err("it is a merged run already".into());
    }
    match run.steps.iter().find_map(|s| s.partial.as_ref().map(|why| (s.number, why))) {
        Some((step, why)) => Err(format!("its step {step} is partial: {why}")),
        None => Ok(()),
    }
}

/// Refuses a run that differs in what all must have in common.
fn facts(a: &Machine, b: &Machine) -> std::result::Result<(), String> {
    let (x, y) = (&a.run, &b.run);
    let name = |d: &Option<Description>| {
        d.as_ref().map(|d| format!("{} {}", d.name, d.version)).unwrap_or_default()
    };
    let pairs = [
        ("benchmark", x.benchmark.clone(), y.benchmark.clone()),
        ("version of hoap", x.hoap.clone(), y.hoap.clone()),
        ("data set", x.data.to_string(), y.data.to_string()),
        (
            "query set",
            x.query_set.clone().unwrap_or_default(),
            y.query_set.clone().unwrap_or_default(),
        ),
        // TPC-C 2.1.6.1 has one C in a run; with several the drivers seldom meet at one customer.
        ("NURand constants", nurand(x), nurand(y)),
        ("database", name(&x.operational), name(&y.operational)),
        ("database of the queries", name(&x.analytical), name(&y.analytical)),
    ];
    for (what, theirs, ours) in pairs {
        if theirs != ours {
            return Err(format!("its {what} is {ours}, not {theirs}"));
        }
    }
    for key in x.configuration.keys().chain(y.configuration.keys()) {
        let (theirs, ours) = (x.configuration.get(key), y.configuration.get(key));
        if theirs != ours && !OWN.contains(&key.as_str()) {
            let shown = |value: Option<&serde_json::Value>| {
                value.map_or("not there".to_owned(), ToString::to_string)
            };
            return Err(format!("its --{key} is {}, not {}", shown(ours), shown(theirs)));
        }
    }
    let of = |run: &Run| run.search.as_ref().map(Search::decisions);
    if of(x) != of(y) {
        let found = |run: &Run| {
            let search = run.search.as_ref();
            let rate = search.and_then(|search| search.rate);
            let probes = search.map_or(0, |search| search.probes.len());
            let rate = rate.map_or("no rate".to_owned(), |rate| format!("{rate}/s"));
            format!("{rate} after {}", counted(probes, "probe", "probes"))
        };
        return Err(format!("its search came to {}, not {}", found(y), found(x)));
    }
    if x.steps.len() != y.steps.len() {
        return Err(format!(
            "it has {}, not {}",
            counted(y.steps.len(), "step", "steps"),
            x.steps.len()
        ));
    }
    for (theirs, ours) in x.steps.iter().zip(&y.steps) {
        if shape(theirs) != shape(ours) {
            return Err(format!(
                "its step {} is \"{}\", not like \"{}\"",
                ours.number, ours.name, theirs.name
            ));
        }
    }
    Ok(())
}

/// The constants of NURand, of benchmarks that have them.
fn nurand(run: &Run) -> String {
    run.constants.get("nurand").map(ToString::to_string).unwrap_or_default()
}

/// The properties that merged steps must share.
fn shape(step: &Step) -> (usize, bool, bool, Option<&String>) {
    let (tx, plain) = (step.tx_clients > 0, step.clients.is_some());
    (step.number, tx, plain, step.arrivals.as_ref())
}

/// Refuses a step whose windows do not overlap enough; returns a remark if they overlap only
/// mostly.
fn overlap(drivers: &[Machine], number: usize) -> Result<Option<Remark>> {
    let base = drivers[0].started;
    let window = |driver: &Machine| {
        let step = &driver.run.steps[number];
        let start = driver.offset(base) + step.start_seconds;
        (start, start + step.seconds)
    };
    let first = window(&drivers[0]);
    let (mut latest_start, mut earliest_end) = first;
    let mut longest = first.1 - first.0;
    for driver in &drivers[1..] {
        let (start, end) = window(driver);
        latest_start = latest_start.max(start);
        earliest_end = earliest_end.min(end);
        longest = longest.max(end - start);
        let share = (earliest_end - latest_start).max(0.0) / longest;
        // NaN, from windows of length zero, is refused too.
        if share.is_nan() || share < LEAST_OVERLAP {
            let why = format!(
                "in step {} it measured from {:.1} s to {:.1} s, the others from {:.1} s to \
                 {:.1} s of the first one's run: not at the same time",
                number + 1,
                start,
                end,
                first.0,
                first.1
            );
            let advice = "start all drivers at one time with --start-at, and set their clocks: \
                          drivers that began together by one clock and not by their own have \
                          clocks that differ";
            return Err(refuse(driver, &drivers[0], why, advice));
        }
    }
    let share = (earliest_end - latest_start) / longest;
    Ok((share < GOOD_OVERLAP).then(|| {
        let text = format!(
            "the drivers measured at the same time for {:.0} % of the window",
            share * 100.0
        );
        Remark::new(RemarkId::WindowsApart, text).of_step(drivers[0].run.steps[number].number)
    }))
}
