//! Whether the steps of a run kept its bounds: how many operations may fail (`--max-failures`), and
//! how long they may take (`--sla`). Both are judged from the record; a broken bound is a failed
//! check. The probes of a search are not judged: a search ends by breaking bounds.

use serde_json::Value;

use crate::bound::Sla;
use crate::check::{Bound, Check, Verdict};
use crate::run::Run;
use crate::search::too_few;
use crate::step::{Operation, Query, Step};

/// The attempts from which the failures of a kind are judged: one failure of fewer tells nothing.
const JUDGED: u64 = 20;
/// The most places that a check names. It counts the others.
const NAMED: usize = 4;

/// Holds the steps of a run to the bounds of its configuration.
pub fn checks(run: &Run) -> Vec<Check> {
    failures(run).into_iter().chain(response_times(run)).collect()
}

/// The check of the failures, if a kind failed too often.
fn failures(run: &Run) -> Option<Check> {
    let most = run.configuration.get("max-failures")?.as_f64()?;
    let mut steps = run.planned_steps();
    // The user named the failures that end a run, and the last step ended by one.
    if let (Some(_), [before @ .., _]) = (&run.stopped_by, steps) {
        steps = before;
    }
    let mut broken = Vec::new();
    let mut sums: Vec<(Attempts<'_>, bool)> = Vec::new();
    for step in steps {
        let queries = step.queries.iter().map(Attempts::of_query);
        for kind in step.transactions.iter().map(Attempts::of_operation).chain(queries) {
            let why = kind.broken(most, JUDGED);
            broken.extend(why.as_ref().map(|why| format!("{why} in {}", place(step))));
            match sums.iter_mut().find(|(sum, _)| sum.kind == kind.kind) {
                Some((sum, told)) => {
                    sum.add(&kind);
                    *told |= why.is_some();
                }
                None => sums.push((kind, why.is_some())),
            }
        }
    }
    let checked = sums.iter().map(|(sum, _)| sum.all).sum();
    // What no step alone has enough attempts for, all of them together may have.
    for (sum, _) in sums.iter().filter(|(_, told)| !told) {
        let never = sum.query && sum.succeeded == 0;
        broken.extend(sum.broken(most, if never { 1 } else { JUDGED }));
    }
    let limit = (most * 1e8).round() / 1e6;
    (!broken.is_empty()).then(|| Check {
        when: "during the run".into(),
        name: Bound::Failures.name().into(),
        compares: format!(
            "the failures of each kind of operation and query with --max-failures {limit}%"
        ),
        verdict: Verdict::Fail,
        checked,
        detail: Some(listed(&broken)),
    })
}

/// How the attempts at one kind of operation or query ended.
struct Attempts<'a> {
    kind: &'a str,
    query: bool,
    all: u64,
    failed: u64,
    /// Those that committed.
    succeeded: u64,
}

impl<'a> Attempts<'a> {
    fn of_operation(of: &'a Operation) -> Attempts<'a> {
        let failed = of.failed();
        let all = of.count.saturating_add(failed);
        Attempts { kind: &of.kind, query: false, all, failed, succeeded: of.committed() }
    }

    fn of_query(of: &'a Query) -> Attempts<'a> {
        let all = of.count.saturating_add(of.failed);
        Attempts { kind: &of.kind, query: true, all, failed: of.failed, succeeded: of.count }
    }

    fn add(&mut self, more: &Attempts<'_>) {
        self.all = self.all.saturating_add(more.all);
        self.failed = self.failed.saturating_add(more.failed);
        self.succeeded = self.succeeded.saturating_add(more.succeeded);
    }

    /// Why it failed too often, if it did in so many attempts or more.
    fn broken(&self, most: f64, judged: u64) -> Option<String> {
        let Attempts { kind, all, failed, succeeded, .. } = self;
        if *all < judged {
            return None;
        }
        let share = *failed as f64 / *all as f64;
        match succeeded {
            0 if failed == all => Some(format!("{kind}: all {all} failed")),
            0 => Some(format!("{kind}: none of {all} succeeded, {failed} failed")),
            _ if share > most => {
                Some(format!("{kind}: {failed} of {all} failed ({:.2} %)", share * 100.0))
            }
            _ => None,
        }
    }
}

/// The check of the response times, if the run has bounds on them and a step with operations.
fn response_times(run: &Run) -> Option<Check> {
    if run.configuration.get("max-rate").and_then(Value::as_bool).unwrap_or(false) {
        return None;
    }
    let given = run.configuration.get("sla")?.as_array()?.iter();
    let slas: Vec<Sla> = given.filter_map(|one| one.as_str()?.parse().ok()).collect();
    let steps = || run.steps.iter().filter(|step| step.tx_clients > 0);
    if slas.is_empty() || steps().next().is_none() {
        return None;
    }
    let (mut broken, mut few, mut checked) = (Vec::new(), Vec::new(), 0);
    for step in steps() {
        // Operations that never began have no response times.
        let short = step.rate_shortfall.iter().map(|why| format!("the rate does not hold: {why}"));
        let mut over: Vec<String> = short.collect();
        let all = step.transactions.iter().map(|o| o.timed).sum();
        for operation in &step.transactions {
            let Operation { kind, timed, .. } = operation;
            let Some(latency) = operation.response() else {
                let tried = operation.failed() > 0 || *timed > 0 || operation.rolled_back > 0;
                few.extend(tried.then(|| format!("{kind}: none succeeded in {}", place(step))));
                continue;
            };
            checked += timed;
            for sla in &slas {
                match sla.broken(kind, latency) {
                    Some(why) => over.push(why),
                    None => few.extend(
                        too_few(sla.percentile, kind, *timed, all)
                            .map(|few| format!("{few} in {}", place(step))),
                    ),
                }
            }
        }
        broken.extend(over.iter().map(|why| format!("{why}, in {}", place(step))));
    }
    let (verdict, detail) = match (broken.is_empty(), few.is_empty()) {
        (false, _) => (Verdict::Fail, Some(listed(&broken))),
        (true, false) => {
            let few = listed(&few);
            (Verdict::Skip, Some(format!("not broken, and too few to tell that it holds: {few}")))
        }
        (true, true) => (Verdict::Pass, None),
    };
    let bounds: Vec<String> = slas.iter().map(Sla::to_string).collect();
    Some(Check {
        when: "during the run".into(),
        name: Bound::ResponseTimes.name().into(),
        compares: format!(
            "the response times of each kind of operation in each step with --sla {}",
            bounds.join(",")
        ),
        verdict,
        checked,
        detail,
    })
}

fn place(step: &Step) -> String {
    format!("step {} ({})", step.number, step.name)
}

/// The first of these, and how many more there are.
fn listed(all: &[String]) -> String {
    let more = all.len().saturating_sub(NAMED);
    let named = all[..all.len() - more].join("; ");
    if more > 0 { format!("{named}; and {more} more") } else { named }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::percentile::Latency;
    use crate::search::{Probe, Search};

    fn operation(count: u64, failed: u64, rolled_back: u64) -> Operation {
        let failures = BTreeMap::from([("broken".to_owned(), failed)]);
        let latency = Latency { p50_us: 1_000, p99_us: 5_000, max_us: 9_000, ..Latency::default() };
        let kind = "NewOrder".into();
        Operation {
            kind,
            count,
            timed: count,
            rolled_back,
            failures,
            latency,
            ..Operation::default()
        }
    }

    fn query(count: u64, failed: u64) -> Query {
        Query { kind: "Q01".into(), count, failed, ..Query::default() }
    }

    fn step(transactions: &[Operation], queries: &[Query]) -> Step {
        let (transactions, queries) = (transactions.to_vec(), queries.to_vec());
        let name = "2 tx, 1 query".into();
        Step { number: 1, name, tx_clients: 2, transactions, queries, ..Step::default() }
    }

    fn run(steps: Vec<Step>, configuration: Value) -> Run {
        let run = json!({
            "format": 3, "hoap": "1", "benchmark": "ch2", "command": [], "started": "", "seconds": 1,
            "remarks": [], "configuration": configuration, "data": {}, "constants": {},
            "host": { "system": "", "processor": "", "cores": 1, "memory_bytes": 1 }, "checks": [],
            "audit": [], "steps": steps,
        });
        serde_json::from_value(run).unwrap()
    }

    /// What the check of the failures of these steps found.
    fn found(steps: Vec<Step>, most: f64) -> Option<String> {
        let checks = checks(&run(steps, json!({ "max-failures": most })));
        assert!(checks.iter().all(|check| check.is_of_bound() && check.verdict == Verdict::Fail));
        checks.into_iter().next()?.detail
    }

    #[test]
    fn a_kind_that_failed_too_often_is_named_from_twenty_attempts_on() {
        let one =
            |count, failed, rolled_back| vec![step(&[operation(count, failed, rolled_back)], &[])];
        let queries = |of: &[(u64, u64)]| {
            let step = |(count, failed): &(u64, u64)| step(&[], &[query(*count, *failed)]);
            of.iter().map(step).collect::<Vec<_>>()
        };
        let twice = |one: Vec<Step>| [one.clone(), one].concat();
        for (steps, most, wanted) in [
            // TPC-C 2.4.1.4: one of a hundred rolls back as it must.
            (one(1_000, 0, 10), 0.01, None),
            (one(990, 10, 10), 0.01, None),
            (
                one(989, 11, 0),
                0.01,
                Some("NewOrder: 11 of 1000 failed (1.10 %) in step 1 (2 tx, 1 query)"),
            ),
            (one(18, 1, 0), 0.01, None),
            (
                one(19, 1, 0),
                0.01,
                Some("NewOrder: 1 of 20 failed (5.00 %) in step 1 (2 tx, 1 query)"),
            ),
            (one(0, 19, 0), 0.01, None),
            (one(0, 20, 0), 0.01, Some("NewOrder: all 20 failed in step 1 (2 tx, 1 query)")),
            (
                one(7, 693, 7),
                1.0,
                Some("NewOrder: none of 700 succeeded, 693 failed in step 1 (2 tx, 1 query)"),
            ),
            (one(600, 400, 0), 1.0, None),
            // Too few in each step, and enough in both.
            (twice(one(0, 19, 0)), 0.01, Some("NewOrder: all 38 failed")),
            (twice(one(9, 1, 0)), 0.01, Some("NewOrder: 2 of 20 failed (10.00 %)")),
            (twice(one(0, 0, 0)), 0.0, None),
            (queries(&[(0, 1)]), 0.01, Some("Q01: all 1 failed")),
            (queries(&[(0, 1), (0, 2)]), 0.01, Some("Q01: all 3 failed")),
            (queries(&[(0, 1), (1, 0)]), 0.01, None),
            (
                queries(&[(30, 10)]),
                0.01,
                Some("Q01: 10 of 40 failed (25.00 %) in step 1 (2 tx, 1 query)"),
            ),
        ] {
            let told = format!("{:?}", steps[0].transactions);
            assert_eq!(found(steps, most).as_deref(), wanted, "{told}");
        }
    }

    #[test]
    fn what_was_to_fail_is_not_judged() {
        let failing = || step(&[operation(0, 500, 0)], &[]);
        let with = |change: fn(&mut Run)| {
            let good = step(&[operation(500, 0, 0)], &[]);
            let mut run = run(vec![good, failing()], json!({ "max-failures": 0.01 }));
            change(&mut run);
            checks(&run).len()
        };
        assert_eq!(with(|_| {}), 1);
        assert_eq!(with(|run| run.stopped_by = Some("not today".into())), 0, "--on-error");
        let off =
            |run: &mut Run| drop(run.configuration.insert("max-failures".into(), "off".into()));
        assert_eq!(with(off), 0);
        let probe = |run: &mut Run| {
            let probe = json!({
                "rate": 9, "seconds": 1, "achieved": 9, "failures": 1, "times": [], "broken": ""
            });
            let probe: Probe = serde_json::from_value(probe).unwrap();
            let bounds = json!({ "slas": [], "failures": 0 });
            let effort = json!({ "shortest_seconds": 1, "longest_seconds": 1, "shares": [] });
            let search = json!({
                "bounds": bounds, "rate": null, "effort": effort, "unfinished": null, "probes": []
            });
            let search: Search = serde_json::from_value(search).unwrap();
            run.search = Some(Search { probes: vec![probe], ..search });
        };
        assert_eq!(with(probe), 0);
        let both = |run: &mut Run| run.steps.iter_mut().for_each(|s| s.transactions[0].count = 0);
        assert_eq!(with(both), 1);
    }

    #[test]
    fn a_bound_on_response_times_is_held_broken_or_open() {
        let judged = |steps: &[Step], sla: &[&str]| {
            let configuration = json!({ "max-failures": "off", "max-rate": false, "sla": sla });
            let check = checks(&run(steps.to_vec(), configuration)).pop();
            check.map(|check| (check.verdict, check.detail.unwrap_or_default()))
        };
        let whole = step(&[operation(5_000, 0, 0)], &[]);
        let few = step(&[operation(900, 0, 0)], &[]);
        let none = step(&[operation(0, 900, 0)], &[]);
        let short = Step { rate_shortfall: Some("too slow".into()), ..whole.clone() };
        let alone = Step { tx_clients: 0, ..step(&[], &[query(9, 0)]) };
        let at = "in step 1 (2 tx, 1 query)";
        for (steps, sla, verdict, detail) in [
            (vec![whole.clone(), alone.clone()], "p99=5000 µs", Verdict::Pass, String::new()),
            (
                vec![alone.clone(), whole],
                "p99=4999 µs",
                Verdict::Fail,
                format!("NewOrder: p99 is 5000 µs, the bound 4999 µs, {at}"),
            ),
            (
                vec![few.clone()],
                "p99=5000 µs",
                Verdict::Skip,
                format!(
                    "not broken, and too few to tell that it holds: NewOrder: 900 of the 1000 \
                     operations for p99 {at}"
                ),
            ),
            (
                vec![few],
                "p99=1000 µs",
                Verdict::Fail,
                format!("NewOrder: p99 is 5000 µs, the bound 1000 µs, {at}"),
            ),
            (
                vec![none],
                "p99=5000 µs",
                Verdict::Skip,
                format!(
                    "not broken, and too few to tell that it holds: NewOrder: none succeeded {at}"
                ),
            ),
            (
                vec![short],
                "p50=1s",
                Verdict::Fail,
                format!("the rate does not hold: too slow, {at}"),
            ),
        ] {
            assert_eq!(judged(&steps, &[sla]), Some((verdict, detail)), "{sla}");
        }
        assert_eq!(judged(&[alone], &["p99=1 µs"]), None, "queries alone have no operations");
        assert_eq!(judged(&[step(&[operation(9, 0, 0)], &[])], &[]), None);
    }
}
