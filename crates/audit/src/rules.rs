//! What a benchmark asks of a run: its checks, the mix, time enough, and a driver that was not the
//! limit.

use hoap_record::{Bound, RemarkId, Run, Severity, Step, Verdict};

use crate::finding::{Division, Findings};
use crate::open::Folder;

/// The shortest measured window, seconds.
pub const SHORTEST: f64 = 60.0;
/// The shortest warm-up, seconds.
pub const WARM: f64 = 5.0;
/// By how much throughput may differ between the halves of a window.
pub const STEADY: f64 = 0.1;

/// The checks that must pass, by the first word of a benchmark's name: before and after the run,
/// and of runs that write.
const MANDATORY: &[(&str, &[&str], &[&str])] = &[
    (
        "ch2",
        &[
            "condition 1",
            "condition 2",
            "condition 3",
            "condition 4",
            "condition 5",
            "condition 6",
            "condition 7",
            "condition 8",
            "condition 9",
            "condition 10",
            "condition 11",
            "condition 12",
            "stock counts",
            "stock quantities",
            "customer counts",
            "nothing changed",
        ],
        &[
            "nothing lost: NewOrder",
            "nothing lost: Payment",
            "nothing lost: Delivery",
            "nothing added",
        ],
    ),
    ("ycsb", &["record count", "nothing changed"], &["nothing lost: writes"]),
    ("pagination", &["document counts", "nothing changed"], &[]),
    ("join", &["document counts", "nothing changed"], &[]),
];

/// Holds a run to the rules.
pub fn run(folder: &Folder, run: &Run, findings: &mut Findings) {
    let place = format!("{}/run.json", folder.at);
    checks(run, &place, findings);
    audited(folder, run, &place, findings);
    remarks(run, &place, findings);
    if let Some(why) = &run.partial {
        findings.add(Division::Rehearsal, &place, format!("the run is not whole: {why}"));
    }
    if let Some(why) = &run.stopped_by {
        findings.add(Division::Rehearsal, &place, format!("an error ended the run: {why}"));
    }
    let scale = run.data.get("scale_down").and_then(serde_json::Value::as_u64);
    if let Some(scale) = scale.filter(|scale| *scale > 1) {
        findings.add(Division::Rehearsal, &place, format!("the data is scaled down by {scale}"));
    }
    if run.operational.as_ref().is_some_and(|of| of.url.starts_with("null:")) {
        findings.add(Division::Rehearsal, &place, "there is no database behind null:");
    }
    for step in &run.steps {
        let place = format!("{place}, step {}", step.number);
        long_enough(step, &place, findings);
        steady(folder, step, &place, findings);
        driver(folder, step, &place, findings);
    }
}

/// Whether the run wrote to the database.
fn writes(run: &Run) -> bool {
    let reads = ["READ", "SCAN", "OrderStatus", "StockLevel"];
    let operations = run.steps.iter().flat_map(|step| &step.transactions);
    operations.filter(|o| o.count > 0).any(|o| !reads.contains(&o.kind.as_str()))
}

fn checks(run: &Run, place: &str, findings: &mut Findings) {
    for check in &run.checks {
        let detail = check.detail.as_deref().unwrap_or("without a reason");
        let text = format!("{}, {}: {detail}", check.name, check.when);
        match check.verdict {
            Verdict::Pass => {}
            Verdict::Fail if check.name.parse::<Bound>().is_ok() => {
                findings.add(Division::Rehearsal, place, format!("broke a bound: {text}"));
            }
            Verdict::Fail => findings.void(place, format!("failed: {text}")),
            Verdict::Skip => {
                findings.add(Division::Standard, place, format!("skipped: {text}"));
            }
        }
    }
    let of = MANDATORY.iter().find(|(begin, ..)| run.benchmark.starts_with(begin));
    let Some((_, always, written)) = of else {
        let text = format!("no check is mandatory for {}, which is none of Hoap's", run.benchmark);
        return findings.add(Division::Standard, place, text);
    };
    let some: &[&str] = if writes(run) { written } else { &[] };
    let missing: Vec<&str> =
        always.iter().chain(some).copied().filter(|name| !passed(run, name)).collect();
    if !missing.is_empty() {
        let text = format!("did not pass after the run: {}", missing.join(", "));
        findings.add(Division::Rehearsal, place, text);
    }
}

/// Whether a check of this name passed after the run: by the driver, or by the database's queries.
fn passed(run: &Run, name: &str) -> bool {
    let mut of = run.checks.iter().filter(|check| {
        let rest = check.name.strip_prefix(name);
        check.when == "after the run" && rest.is_some_and(|r| r.is_empty() || r.starts_with(','))
    });
    let mut any = false;
    of.all(|check| {
        any = true;
        check.verdict == Verdict::Pass
    }) && any
}

/// The audit of the mix: its verdicts, and its shares from the rows.
fn audited(folder: &Folder, run: &Run, place: &str, findings: &mut Findings) {
    let mut executed = std::collections::BTreeMap::<&str, u64>::new();
    let (mut all, mut open) = (0, 0);
    for step in &run.steps {
        open = (step.tx_clients as u64).saturating_add(open);
        for (kind, series) in folder.samples.get(&step.number).into_iter().flatten() {
            if step.transactions.iter().any(|operation| operation.kind == *kind) {
                let count = series.warmed_up.saturating_add(series.sum(|cell| cell.count));
                let of = executed.entry(kind).or_default();
                *of = of.saturating_add(count);
                all = count.saturating_add(all);
            }
        }
    }
    for line in &run.audit {
        let place = format!("{place}, audit, {}", line.name);
        let seen = number(&line.seen);
        if let (Some(seen), Some(bounds)) = (seen, bounds(&line.wanted)) {
            let holds = (bounds.0..=bounds.1).contains(&seen);
            if line.verdict == Verdict::Pass && !holds {
                let text = format!("passed with {}, and wanted is {}", line.seen, line.wanted);
                findings.void(&place, text);
            }
        }
        let share = line.name.strip_suffix(" share").and_then(|kind| executed.get(kind));
        if let (Some(seen), Some(count), true) = (seen, share, all > 0 && run.drivers.is_empty()) {
            let again = 100.0 * *count as f64 / all as f64;
            // What the end of a step cut off may count there.
            let slack = 0.006 + 100.0 * 2.0 * open as f64 / all as f64;
            findings.within(&place, "seen", seen, (again - slack, again + slack));
        }
        match line.verdict {
            Verdict::Pass => {}
            Verdict::Fail => {
                let text = format!("it is {}, and wanted is {}", line.seen, line.wanted);
                findings.add(Division::Rehearsal, &place, text);
            }
            Verdict::Skip => findings.add(Division::Standard, &place, "it was not decided"),
        }
    }
    let has = run.audit.iter().any(|line| line.verdict == Verdict::Pass);
    if run.benchmark.starts_with("ch2") && writes(run) && !has {
        findings.add(Division::Rehearsal, place, "the mix was not audited (TPC-C 9.2)");
    }
}

/// "45.28 %", "10.11", "χ² 7.4".
fn number(text: &str) -> Option<f64> {
    text.trim_end_matches(" %").rsplit(' ').next()?.parse().ok()
}

/// "44–46 %", "below 59.7".
fn bounds(text: &str) -> Option<(f64, f64)> {
    let text = text.trim_end_matches(" %");
    if let Some(most) = text.strip_prefix("below ") {
        return Some((0.0, most.parse().ok()?));
    }
    let (from, to) = text.split_once('–')?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

/// What the run says of itself that leaves less than a benchmark.
fn remarks(run: &Run, place: &str, findings: &mut Findings) {
    for remark in &run.remarks {
        let division = match (remark.id.severity(), remark.id) {
            (Severity::Void, _) => Division::Void,
            // Counted where the checks, the data and the steps are.
            (Severity::Note, _) | (_, RemarkId::OrdersGrew) => Division::Standard,
            (Severity::Warns | Severity::Fails, _) => Division::Rehearsal,
        };
        findings.add(division, place, format!("{}: {}", remark.id.name(), remark.text));
    }
}

fn long_enough(step: &Step, place: &str, findings: &mut Findings) {
    if let Some(why) = step.partial.as_ref().or(step.incomplete.as_ref()) {
        findings.add(Division::Rehearsal, place, format!("the step is not whole: {why}"));
    }
    if step.transactions.is_empty() {
        return;
    }
    if step.seconds < SHORTEST {
        let text = format!("its window has {} s, less than {SHORTEST}", step.seconds);
        findings.add(Division::Rehearsal, place, text);
    }
    if step.warmup_seconds < WARM {
        let text = format!("its warm-up has {} s, less than {WARM}", step.warmup_seconds);
        findings.add(Division::Rehearsal, place, text);
    }
    if let Some(why) = &step.rate_shortfall {
        findings.add(Division::Rehearsal, place, format!("it did not keep its rate: {why}"));
    }
}

/// Throughput of the second half of the window against the first, from the rows.
fn steady(folder: &Folder, step: &Step, place: &str, findings: &mut Findings) {
    let middle = step.start_seconds + step.seconds / 2.0;
    let (mut before, mut after) = ((0.0f64, 0u64), (0.0f64, 0u64));
    let Some(kinds) = folder.samples.get(&step.number) else { return };
    for operation in &step.transactions {
        for cell in kinds.get(&operation.kind).into_iter().flat_map(|of| &of.measured) {
            let half = if cell.at - cell.seconds / 2.0 < middle { &mut before } else { &mut after };
            half.0 += cell.seconds;
            half.1 = half.1.saturating_add(cell.count);
        }
    }
    let cells = kinds.values().map(|of| of.measured.len()).max().unwrap_or(0);
    let rate = |(seconds, count): (f64, u64)| count as f64 / seconds.max(1e-9);
    let (first, second) = (rate(before), rate(after));
    let change = (second - first).abs() / first.max(second).max(1e-9);
    // Below it a change may be chance.
    let chance = 4.0 / ((before.1.min(after.1)) as f64).sqrt().max(1.0);
    if cells >= 20 && change > STEADY.max(chance) {
        let text = format!(
            "throughput changed by {:.0} % from the first half of the window to the second",
            100.0 * (second / first.max(1e-9) - 1.0)
        );
        findings.add(Division::Rehearsal, place, text);
    }
}

/// Whether the driver's machine was the limit, from the rows.
fn driver(folder: &Folder, step: &Step, place: &str, findings: &mut Findings) {
    if step.transactions.is_empty() && step.queries.is_empty() {
        return;
    }
    let Some(rows) = &folder.machine else {
        let text = "nothing tells whether the driver was the limit: there is no machine.csv";
        return findings.add(Division::Rehearsal, place, text);
    };
    let mine = || rows.iter().filter(|r| r.step == step.number && r.phase == "measured");
    let all: f64 = mine().map(|row| row.seconds).sum();
    if all < 3.0 {
        return;
    }
    let cores = step.driver.as_ref().map_or(1, |of| of.cores.max(1)) as f64;
    let stolen: f64 = mine().map(|row| row.steal * row.seconds).sum::<f64>() / all / cores;
    if stolen > 0.05 {
        let text = format!("{:.0} % of the driver's cores were stolen", 100.0 * stolen);
        findings.add(Division::Rehearsal, place, text);
    }
    let at_limit = |row: &&hoap_record::MachineRow| row.busiest_thread.is_some_and(|b| b > 0.9);
    let busy = mine().filter(at_limit).map(|row| row.seconds).sum::<f64>() / all;
    if step.rate_intended.is_none() && busy > 0.25 {
        let text = format!("a thread of the driver was busy for {:.0} % of it", 100.0 * busy);
        findings.add(Division::Rehearsal, place, text);
    }
}
