//! The page of a history: what changed, the series over the runs, and the runs.

use std::collections::BTreeSet;

use hoap_record::remark::{Remark, RemarkId};
use hoap_record::words::counted;
use hoap_report::page::{Body, Figure, Frame, KeyFigure, Page, Past, PastChange, PastRun, escape};
use hoap_report::run::remarks;
use hoap_report::statistics::width;
use hoap_report::table::{Cell, Column, Table, Without};
use hoap_report::tables::moment;

use crate::check::{FoundChanges, SeriesChange};
use crate::series::{Series, Timeline};
use crate::words;

/// The most series of a page.
pub const MOST_SERIES: usize = 50_000;

/// The page.
pub fn page(timeline: &Timeline<'_>, found: &FoundChanges<'_>) -> Page {
    let mut body = Body::default();
    let told = excluded(timeline);
    changed(&mut body, timeline, found, &told);
    series(&mut body, timeline, found);
    runs(&mut body, timeline, found);
    let title = match timeline.grounds.as_slice() {
        [one] => format!("History of {} on {}", one.benchmark, one.databases.join(" and ")),
        _ => "History".to_owned(),
    };
    let about = [words::summary(timeline, found)];
    let frame = Frame {
        title: &title,
        description: &description(timeline, found),
        about: &about,
        from: "the history",
    };
    Page { html: frame.around(&body), tables: body.tables, remarks: told }
}

fn description(timeline: &Timeline<'_>, found: &FoundChanges<'_>) -> String {
    match found.changes.last() {
        Some(last) => format!("the last change: {}", words::line(timeline, last)),
        None => words::summary(timeline, found),
    }
}

/// The runs that do not count, as a remark.
fn excluded(timeline: &Timeline<'_>) -> Vec<Remark> {
    let of = timeline.history.runs.iter().filter(|run| run.excluded.is_some()).count();
    let text =
        format!("{} void or partial: no point of any series", counted(of, "run is", "runs are"));
    (of > 0).then(|| Remark::new(RemarkId::Partial, text)).into_iter().collect()
}

fn changed(body: &mut Body, timeline: &Timeline<'_>, found: &FoundChanges<'_>, told: &[Remark]) {
    body.open("changed", "What changed", "Changes");
    let count =
        |which: &dyn Fn(&&SeriesChange<'_>) -> bool| found.changes.iter().filter(which).count();
    let worse = count(&|of| of.is_regression(None));
    let known = count(&|of| of.acknowledged.is_some());
    let figure = |label, value: usize, note: &str, bad| KeyFigure {
        label,
        value: value.to_string(),
        unit: "",
        note: note.to_owned(),
        bad,
    };
    body.figures(&[
        figure("Worse", worse, "changes that nobody has acknowledged", worse > 0),
        figure("Better", count(&|of| !of.is_worse), "changes", false),
        figure("Acknowledged", known, "changes", false),
    ]);
    body.remarks(&remarks::lines(told, &[]));
    if found.changes.is_empty() {
        body.paragraph("No series changed.");
    }
    // The latest first, each with its place in the chart and its run.
    let items = found.changes.iter().rev().map(|of| {
        let series = &timeline.series[of.series];
        let (chart, run) = (chart(series.ground), of.between.1);
        let words = format!("{}, {}", series.step, words::line(timeline, of));
        format!(
            "<li><a href=\"#chart-{chart}\">{}</a> ({}); <a href=\"#run-{run}\">the run</a></li>\n",
            escape(&words),
            escape(&words::state(of)),
        )
    });
    let items: String = items.collect();
    if !items.is_empty() {
        body.html.push_str(&format!("<ul>\n{items}</ul>\n"));
    }
    body.close();
}

/// The name of the chart of a ground.
fn chart(ground: usize) -> String {
    format!("series-{}", ground + 1)
}

fn series(body: &mut Body, timeline: &Timeline<'_>, found: &FoundChanges<'_>) {
    body.open("series", "Series", "Series");
    let names: Vec<String> = (0..timeline.order.len()).map(|at| timeline.name(at)).collect();
    for (number, ground) in timeline.grounds.iter().enumerate() {
        body.heading(&escape(&ground.words()));
        if let Some(before) = number.checked_sub(1).map(|before| &timeline.grounds[before]) {
            let differs = ground.differs(before).join(", ");
            body.paragraph(&escape(&format!(
                "Its runs do not compare with those above: {differs}."
            )));
        }
        let those = timeline.series.iter().enumerate().filter(|(_, of)| of.ground == number);
        let past: Vec<Past> = those.map(|(place, of)| past(timeline, found, place, of)).collect();
        let (name, caption) =
            (chart(number), format!("Each series over the runs: {}", ground.words()));
        let label =
            "Values of each series in the order of the runs, with the places where it changed";
        let figure = Figure { name: &name, caption: &caption, label, table: "runs" };
        body.history(&figure, &names, &past);
    }
    body.close();
}

fn past(timeline: &Timeline<'_>, found: &FoundChanges<'_>, place: usize, of: &Series<'_>) -> Past {
    let unit = of.metric.unit();
    let known = |error: Option<f64>, freedom: Option<f64>| match error.zip(freedom) {
        Some((error, freedom)) => {
            format!(", ± {:.1} % within it", (width(0.95, freedom) * error).exp_m1() * 100.0)
        }
        None => String::new(),
    };
    let run = |point: &crate::series::Point<'_>| PastRun {
        run: point.at,
        value: point.line.value,
        known: known(point.line.error, point.line.freedom),
    };
    let change = |change: &SeriesChange<'_>| PastChange {
        run: change.between.1,
        words: format!("{} ({})", words::line(timeline, change), words::state(change)),
        bad: change.is_regression(None),
    };
    Past {
        name: format!("{}: {}", of.step, of.title()),
        unit,
        runs: of.points.iter().map(run).collect(),
        changes: found.changes.iter().filter(|of| of.series == place).map(change).collect(),
    }
}

/// The runs at which something changed, each with an anchor, and a table of all.
fn runs(body: &mut Body, timeline: &Timeline<'_>, found: &FoundChanges<'_>) {
    body.open("runs-section", "Runs", "Runs");
    let column = |title: &str| Column {
        title: title.into(),
        unit: None,
        wide: false,
        without: Without::Never,
    };
    let titles = ["run", "started", "labels", "database", "folder", "digest", "counts"];
    let row = |at: usize| {
        let run = timeline.run(at);
        let labels = run.labels.iter().map(|(key, value)| format!("{key}={value}"));
        let folders: Vec<&str> = run.folders.iter().map(|of| of.path.as_str()).collect();
        [
            timeline.name(at),
            moment(&run.started),
            labels.collect::<Vec<_>>().join(", "),
            run.versions.join(", "),
            folders.join(", "),
            run.run.clone(),
            run.excluded.clone().unwrap_or_else(|| "yes".into()),
        ]
        .map(Cell::text)
        .into()
    };
    let table = Table {
        id: "runs".into(),
        title: "Runs in the order in which they started".into(),
        columns: titles.map(column).into(),
        rows: (0..timeline.order.len()).map(row).collect(),
    };
    let changed: BTreeSet<usize> = found.changes.iter().map(|of| of.between.1).collect();
    let items = changed.iter().map(|at| {
        let run = timeline.run(*at);
        let folders: Vec<&str> = run.folders.iter().map(|of| of.path.as_str()).collect();
        let words = format!(
            "{}: started {}, by hoap {}, on {}, folder {}",
            timeline.name(*at),
            moment(&run.started),
            run.hoap,
            run.versions.join(" and "),
            folders.join(", "),
        );
        format!("<li id=\"run-{at}\">{}</li>\n", escape(&words))
    });
    let items: String = items.collect();
    if !items.is_empty() {
        body.heading("Those at which something changed");
        body.html.push_str(&format!("<ul>\n{items}</ul>\n"));
    }
    body.filled(&table);
    body.close();
}
