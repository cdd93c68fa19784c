//! A history in words.

use hoap_record::words::counted;
use hoap_report::compare::change;
use serde_json::{Value, json};

use crate::check::{FoundChanges, SeriesChange};
use crate::divisive::FEWEST;
use crate::series::Timeline;

/// The version of [`json()`]. It changes when a field changes its meaning or is removed.
pub const FORMAT: u32 = 1;

/// "p99 of READ: between 4f2a and 9c01, +6.1 % ± 1.2 %".
pub fn line(timeline: &Timeline<'_>, of: &SeriesChange<'_>) -> String {
    let series = &timeline.series[of.series];
    let (before, after) = (timeline.name(of.between.0), timeline.name(of.between.1));
    format!("{}: between {before} and {after}, {}", series.title(), size(of))
}

/// "+6.1 % ± 1.2 %".
pub fn size(of: &SeriesChange<'_>) -> String {
    let size = change(of.ratio);
    // Of a factor the interval is one, too.
    match size.strip_suffix(" ×") {
        Some(factor) => format!("{factor} ± {:.1} ×", of.half),
        None => format!("{size} ± {:.1} %", of.half * 100.0),
    }
}

/// "worse", "better", or who knows of it.
pub fn state(of: &SeriesChange<'_>) -> String {
    match (of.acknowledged, of.is_worse) {
        (Some(line), _) => {
            let by = line.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
            format!("acknowledged{by}: {}", line.reason)
        }
        (None, true) => "worse".into(),
        (None, false) => "better".into(),
    }
}

/// What was looked at, and every change, a line each; the steps of each ground stand over their
/// changes.
pub fn text(timeline: &Timeline<'_>, found: &FoundChanges<'_>, since: Option<usize>) -> String {
    let mut out = format!("{}\n", summary(timeline, found));
    let shown = |of: &&SeriesChange<'_>| since.is_none_or(|since| of.between.1 > since);
    let mut heading = None;
    let mut all: Vec<&SeriesChange<'_>> = found.changes.iter().filter(shown).collect();
    all.sort_by_key(|of| (of.series, of.between.1));
    for of in all {
        let series = &timeline.series[of.series];
        let place = (series.ground, series.step);
        if heading != Some(place) {
            let ground = timeline.grounds[series.ground].words();
            out.push_str(&format!("\n{ground}, {}\n", series.step));
            heading = Some(place);
        }
        out.push_str(&format!("  {} ({})\n", line(timeline, of), state(of)));
    }
    if let Some(since) = since {
        out.push_str(&format!("\nChanges after {} are shown.\n", timeline.name(since)));
    }
    out
}

/// "40 runs; 12 series".
pub fn summary(timeline: &Timeline<'_>, found: &FoundChanges<'_>) -> String {
    let runs = timeline.order.len();
    let excluded = timeline.history.runs.iter().filter(|run| run.excluded.is_some()).count();
    let excluded = match excluded {
        0 => String::new(),
        some => format!(" ({some} void or partial, which do not count)"),
    };
    let short = match found.short {
        0 => String::new(),
        some => {
            format!("; {some} more have fewer than {} runs, too few to show a change", 2 * FEWEST)
        }
    };
    let series = counted(found.series, "series", "series");
    format!("{}{excluded}, {series}{short}", counted(runs, "run", "runs"))
}

/// The same for programs.
pub fn json(timeline: &Timeline<'_>, found: &FoundChanges<'_>, since: Option<usize>) -> Value {
    let run = |at: usize| {
        let run = timeline.run(at);
        json!({ "run": run.run, "labels": run.labels, "started": run.started })
    };
    let change = |of: &SeriesChange<'_>| {
        let series = &timeline.series[of.series];
        let ground = &timeline.grounds[series.ground];
        json!({
            "benchmark": ground.benchmark, "databases": ground.databases,
            "branch": ground.branch, "testbed": ground.testbed,
            "step": series.step, "metric": series.metric.name(), "kind": series.kind,
            "before": run(of.between.0), "after": run(of.between.1),
            "ratio": of.ratio, "half_width": of.half, "is_worse": of.is_worse,
            "acknowledged": of.acknowledged, "is_regression": of.is_regression(since),
        })
    };
    json!({
        "format": FORMAT,
        "runs": timeline.order.len(),
        "series": found.series,
        "too_short": found.short,
        "since": since.map(run),
        "changes": found.changes.iter().map(change).collect::<Vec<_>>(),
    })
}
