//! The rows of `samples.csv` against the intervals of the log, one by one.

use super::step_files::StepFiles;
use crate::finding::Findings;
use crate::log::{Interval, Tagged};
use crate::rows::{self, Cell, Series};

/// Moments of the log have milliseconds, those of the rows microseconds; drivers' clocks are joined
/// to that.
const MOMENT: f64 = 3e-3;

/// One kind of operation.
pub(super) fn held(
    of: &StepFiles<'_>,
    kind: &str,
    series: &Series,
    tagged: Option<&Tagged>,
    findings: &mut Findings,
) {
    let file = format!("{}/samples.csv, step {}, {kind}", of.folder.at, of.step.number);
    let window: f64 = series.measured.iter().map(|cell| cell.seconds).sum();
    let slack = 1e-3 + 2e-6 * series.measured.len() as f64;
    let bounds = (window - slack, window + slack);
    findings.within(&of.place, "seconds (from rows)", of.step.seconds, bounds);
    if let Some(first) = series.measured.first() {
        let start = first.at - first.seconds;
        let bounds = (start - 1e-3, start + 1e-3);
        findings.within(&of.place, "start_seconds (from rows)", of.step.start_seconds, bounds);
    }
    let none = Vec::new();
    let intervals = tagged.map_or(&none, |tagged| &tagged.intervals);
    // The log has milliseconds: of a shorter window only the order of the intervals tells.
    let late = |(n, interval): &(usize, &Interval)| match window < 2e-3 {
        true => *n >= series.measured.len(),
        false => interval.start > of.end() - 1e-3,
    };
    let (after, within): (Vec<_>, Vec<_>) = intervals.iter().enumerate().partition(late);
    let [within, after] =
        [within, after].map(|of| of.into_iter().map(|(_, i)| i).collect::<Vec<_>>());
    if within.len() != series.measured.len() {
        let (rows, logged) = (series.measured.len(), within.len());
        return findings.void(&file, format!("{rows} rows of the window, and {logged} intervals"));
    }
    for (n, (cell, interval)) in series.measured.iter().zip(&within).enumerate() {
        let place = format!("{file}, cell {}", n + 1);
        if (interval.start + interval.seconds - cell.at).abs() > MOMENT {
            let end = interval.start + interval.seconds;
            findings.void(&place, format!("at_seconds is {}, of the log it is {end}", cell.at));
        }
        // In an open loop what was due in the warm-up counts and has no time, be it in flight when the
        // window began or not begun. Of several drivers the rows' counts are shared out over cells
        // that begin together.
        if of.run.drivers.is_empty() {
            let clients = of.step.tx_clients as u64;
            let due = of.step.backlog.map_or(0, |backlog| backlog.saturating_add(clients));
            let most = interval.total.saturating_add(due) as f64;
            findings.within(&place, "count", cell.count as f64, (interval.total as f64, most));
        }
        row(&place, cell, interval, findings);
    }
    // What was in flight at the end and failed has a time, and is no success.
    let late = rows::sum(after.iter().map(|interval| interval.total));
    let ended = series.grace.map_or(0, |cell| cell.count);
    if let Some(there) = of.step.transactions.iter().find(|operation| operation.kind == kind) {
        let again = late.saturating_sub(ended);
        findings.same(&of.at(kind), "at_least", there.at_least, again);
    }
    let some: Vec<&&Interval> = after.iter().filter(|interval| interval.total > 0).collect();
    match (&series.grace, &some[..]) {
        (Some(cell), [interval]) => {
            let place = format!("{file}, grace");
            if cell.count > interval.total {
                let text = format!("count is {}, of the log {}", cell.count, interval.total);
                findings.void(&place, text);
            }
            row(&place, cell, interval, findings);
        }
        (None, []) => {}
        (Some(cell), []) if cell.count == 0 && cell.max == 0 => {}
        (row, some) => {
            let rows = u8::from(row.is_some());
            let text = format!("{rows} rows after the window, and {} intervals", some.len());
            findings.void(&file, text);
        }
    }
}

fn row(place: &str, cell: &Cell, interval: &Interval, findings: &mut Findings) {
    findings.same(place, "p50_us", cell.p50, interval.p50.min(cell.max));
    findings.same(place, "p99_us", cell.p99, interval.p99.min(cell.max));
    let (lowest, highest) = interval.top;
    let max = cell.max.min(3_600_000_000) as f64;
    findings.within(place, "max_us", max, (lowest as f64, highest as f64));
    let (from, to) = if interval.total == 0 { (0.0, 0.0) } else { interval.mean };
    // Rows have three digits behind the point.
    let mean = if cell.max > 3_600_000_000 { from } else { cell.mean };
    findings.within(place, "mean_us", mean, (from - 1e-3, to + 1e-3));
}
