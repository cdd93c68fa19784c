//! The sections of the page, in the order in which a reader asks.

use std::fmt::Write as _;

use hoap_record::benchmark_title;

use super::body::{Body, Figure, Panel, panels};
use super::chart::{machine, search as search_chart};
use super::compared::{Compared, costed, unpriced};
use super::markup::escape;
use super::{figures, frontier, ingestion, measured, observed, verdicts, witness};
use crate::configurations::Report;
use crate::configurations::group::{Group, groups};
use crate::run::Entry;
use crate::run::Loaded;
use crate::run::measure::Measure;
use crate::run::search::search_line;
use crate::tables;

/// Writes all sections.
///
/// # Errors
/// Returns the errors of the prices.
pub fn write(body: &mut Body, report: &Report, runs: &[Loaded]) -> hoap_record::Result<()> {
    let entries: Vec<Entry<'_>> = runs.iter().map(Loaded::entry).collect();
    let entries = entries.as_slice();
    let panel = |(number, loaded): (usize, &'_ Loaded)| (number, loaded.name.clone());
    let names: Vec<(usize, String)> = runs.iter().enumerate().map(panel).collect();
    let groups = groups(report, runs);
    let panels: Vec<Panel<'_>> = runs
        .iter()
        .zip(&names)
        .map(|(loaded, (number, name))| Panel {
            number: *number,
            loaded,
            name: (runs.len() > 1).then_some(name.as_str()),
            configuration: groups.iter().find_map(|group| group.member(*number)),
        })
        .collect();
    let compared = described(&groups);
    experiment(body, report);
    result(body, entries, &compared, &panels);
    for each in compared.iter().map(Described::compared) {
        let studies = tables::of_benchmark(&report.published, each.group.benchmark);
        each.configurations(body, &studies);
        let of: Vec<Panel<'_>> = each.group.runs().iter().map(|(n, _)| panels[*n]).collect();
        frontier::write(body, &each);
        measured::write(body, &each, &of);
        each.costs(body, &costed(report, each.group)?, &unpriced(report, each.group));
        each.sizes(body, &studies);
    }
    search(body, &panels, entries);
    freshness(body, entries);
    ingestion::write(body, &panels, entries);
    witness::write(body, entries);
    failures(body, entries, &compared);
    time(body, &panels);
    observed::section(body, entries);
    latency(body, &panels);
    verification(body, entries);
    setup(body, entries);
    repeat(body, entries);
    Ok(())
}

/// A group with what tells it from others.
struct Described<'a> {
    group: &'a Group<'a>,
    heading: String,
    suffix: String,
}

impl Described<'_> {
    fn compared(&self) -> Compared<'_> {
        Compared { group: self.group, heading: &self.heading, suffix: &self.suffix }
    }
}

fn described<'a>(groups: &'a [Group<'a>]) -> Vec<Described<'a>> {
    let several = groups.len() > 1;
    let name = |g: &Group<'_>| format!("{}: ", benchmark_title(g.benchmark));
    groups
        .iter()
        .enumerate()
        .map(|(n, group)| Described {
            group,
            heading: if several { name(group) } else { String::new() },
            suffix: if n == 0 { String::new() } else { format!("-{}", n + 1) },
        })
        .collect()
}

const NO_SCRIPT: &str = "<noscript><p>The charts need JavaScript. The tables hold the same \
                         numbers.</p></noscript>\n";

/// What the runs are to show, and what they have otherwise than its source.
fn experiment(body: &mut Body, report: &Report) {
    let Some(experiment) = &report.experiment else { return };
    body.open("experiment", "Experiment", "Experiment");
    if let Some(source) = &experiment.source {
        body.paragraph(&format!("{}. {}", escape(&experiment.name), escape(source)));
    }
    body.paragraph(&escape(&experiment.about));
    if !experiment.differs.is_empty() {
        body.paragraph("Otherwise than there:");
        body.list(&experiment.differs);
    }
    if !experiment.settings.is_empty() {
        body.paragraph(
            "Options of the targets, as the source had them; one that a URL has itself wins:",
        );
        body.list(&experiment.settings);
    }
    body.close();
}

/// What was compared and how it came out, and the chart that shows it.
fn result(body: &mut Body, entries: &[Entry<'_>], groups: &[Described<'_>], panels: &[Panel<'_>]) {
    body.open("result", "Result", "Result");
    for group in groups.iter().filter(|g| g.group.compares()) {
        if groups.len() > 1 {
            body.heading(&escape(&benchmark_title(group.group.benchmark)));
        }
        verdicts::write(body, &group.compared());
    }
    let cards = |body: &mut Body| {
        for entry in entries {
            if entries.len() > 1 {
                body.heading(&escape(entry.name));
            }
            figures::write(&mut body.html, entry.run);
        }
    };
    match entries.len() > 1 && groups.iter().all(|g| g.group.compares()) {
        true => body.behind("Key figures of each run", cards),
        false => cards(body),
    }
    if let ([group], [_]) = (groups, panels) {
        measured::headline(body, &group.compared(), panels);
    }
    body.html.push_str(NO_SCRIPT);
    body.filled(&tables::overview(entries));
    body.close();
}

/// Searches for the highest rate: every probe against the bounds.
fn search(body: &mut Body, runs: &[Panel<'_>], entries: &[Entry<'_>]) {
    let made = tables::search(entries);
    if made.rows.is_empty() {
        return;
    }
    body.open("search-section", "Search for the highest rate", "Highest rate");
    body.paragraph(
        "Each probe ran at a rate of its own, until its percentiles rested on enough operations. A rate \
         whose probe broke a bound was probed again, and near a bound every rate was. Between the \
         highest rate that held and the lowest that did not, the probes of a rate scatter across the \
         bound: those rates are undecided.",
    );
    body.filled(&tables::highest_rate(entries));
    for panel in runs {
        let Some(search) = &panel.loaded.run.search else { continue };
        let name = panel.name.map(|name| format!("{name}: ")).unwrap_or_default();
        body.paragraph(&escape(&format!("{name}{}.", search_line(search))));
    }
    for panel in runs {
        let Some(search) = panel.loaded.run.search.as_ref().filter(|s| !s.bounds.slas.is_empty())
        else {
            continue;
        };
        let name = panel.name.map(|name| format!("{name}: ")).unwrap_or_default();
        let caption = format!("{name}response time of each probe against its rate");
        let found = search_line(search);
        let label = format!("Chart: {caption}; {found}. Its numbers are in the table.");
        let id = format!("search-{}", panel.number);
        let figure = Figure { name: &id, caption: &caption, label: &label, table: &made.id };
        body.chart(&figure, None, search_chart::search(search));
    }
    body.filled(&made);
    body.close();
}

fn failures(body: &mut Body, entries: &[Entry<'_>], groups: &[Described<'_>]) {
    if entries.iter().all(|e| e.run.steps.is_empty()) {
        return;
    }
    body.open("failures-section", "Failures", "Failures");
    let failures = tables::failures(entries);
    if failures.rows.is_empty() {
        let hybrid = entries.iter().all(|e| Measure::of(e.run) == Measure::Hybrid);
        body.paragraph(if hybrid {
            "No transaction and no query failed."
        } else {
            "No operation failed."
        });
    }
    for group in groups {
        group.compared().failed(body);
    }
    body.filled(&failures);
    let events = tables::events(entries);
    if !events.rows.is_empty() {
        body.heading("When");
        body.paragraph(
            "Failures of one kind with less than three seconds between them are one event, those of the \
             warm-up included.",
        );
        body.filled(&events);
    }
    body.close();
}

fn freshness(body: &mut Body, entries: &[Entry<'_>]) {
    let freshness = tables::freshness(entries);
    let caught_up: Vec<String> = entries.iter().filter_map(|e| tables::caught_up(e.run)).collect();
    if freshness.rows.is_empty() && caught_up.is_empty() {
        return;
    }
    body.open("freshness-section", "Freshness", "Freshness");
    body.paragraph(
        "The age, when a probe begins, of the oldest acknowledged commit that a query begun then would \
         not see; 0 where it would see all. Newest seen is the age of the newest commit that it would \
         see.",
    );
    body.filled(&freshness);
    for sentence in caught_up {
        body.paragraph(&format!("The database of the queries had caught up {sentence}."));
    }
    body.close();
}

fn time(body: &mut Body, runs: &[Panel<'_>]) {
    if runs.iter().all(|p| p.loaded.samples.is_empty()) {
        return;
    }
    body.open("time", "Over time", "Over time");
    body.paragraph(
        "Shaded: the measured window of each step. Between them: warm-up, which does not count.",
    );
    panels(
        body,
        runs,
        |r| !r.samples.is_empty(),
        |body, panel| {
            // Queries alone have no rate and no response time of a transaction.
            if !panel.loaded.kinds().is_empty() {
                rates(body, runs, panel);
            }
            if body.is_many() {
                return;
            }
            if !panel.loaded.machine.is_empty() {
                let (caption, table) =
                    ("Driver CPU over time", format!("machine-over-time-{}", panel.number));
                let name = &format!("cpu-{}", panel.number);
                let figure = Figure { name, caption, label: caption, table: &table };
                body.chart(&figure, Some(panel), machine::cpu(panel.loaded));
                let numbers = tables::machine_over_time(panel.loaded);
                body.folded("Numbers of this chart", &numbers, &table);
            }
            observed::charts(body, panel);
            if panel.loaded.heat.is_empty() {
                return;
            }
            let table = format!("heat-{}", panel.number);
            let what = match panel.loaded.measure() {
                Measure::Hybrid => "NewOrder response times",
                Measure::Plain => "Response times of each kind",
            };
            let caption = format!("{what} over time: share of the operations of a column");
            let label = format!("Heat map. {caption}, darker where more of them took that long");
            let name = &format!("heat-{}", panel.number);
            let figure = Figure { name, caption: &caption, label: &label, table: &table };
            let all = panel.peers(runs);
            body.chart(&figure, Some(panel), panel.among(&all).heat());
            body.folded("Numbers of the heat map", &tables::heat(panel.loaded), &table);
        },
    );
    body.close();
}

/// The rate and the response time of one run over time.
fn rates(body: &mut Body, runs: &[Panel<'_>], panel: Panel<'_>) {
    let table = format!("ticks-{}", panel.number);
    let [rate, time] = match panel.loaded.measure() {
        Measure::Hybrid => {
            ["NewOrder transactions per minute (tpM) over time", "NewOrder response time over time"]
        }
        Measure::Plain => {
            ["Operations per second over time, each kind", "Response time over time, each kind"]
        }
    };
    let resolution = panel.loaded.ticks.resolution();
    let mean = resolution.as_ref().map(|each| format!(", mean of each {each}"));
    let each = resolution.unwrap_or_else(|| "tick".into());
    let captions = [
        format!("{rate}{}", mean.unwrap_or_default()),
        format!("{time}, 99th percentile of each {each}"),
    ];
    let all = panel.peers(runs);
    let among = panel.among(&all);
    let charts = [("throughput", among.throughput()), ("p99", among.p99())];
    for ((kind, chart), caption) in charts.into_iter().zip(&captions) {
        let name = &format!("{kind}-{}", panel.number);
        let figure = Figure { name, caption, label: caption, table: &table };
        body.chart(&figure, Some(panel), chart);
    }
    body.folded("Numbers of these charts", &tables::ticks(panel.loaded), &table);
}

fn latency(body: &mut Body, runs: &[Panel<'_>]) {
    if runs.iter().all(|p| p.loaded.kinds().is_empty()) {
        return;
    }
    body.open("latency", "Response-time percentiles", "Percentiles");
    body.paragraph("How long the slowest share took: at 99 %, one of a hundred took longer.");
    if runs.iter().any(|p| p.loaded.run.steps.iter().any(|s| s.rate_intended.is_some())) {
        body.paragraph(
            "In an open loop a response time counts from the intended start. Its two parts have charts \
             of their own: “wait” until the actual start, “service” from there to the end.",
        );
    }
    panels(
        body,
        runs,
        |r| !r.kinds().is_empty(),
        |body, panel| {
            let table = format!("percentiles-{}", panel.number);
            let operation = panel.loaded.measure().operation();
            let caption = format!("Response times by percentile, each kind of {operation}");
            let label = format!(
                "Line charts of response time against percentile, a chart for each kind of {operation} \
                 and a line for each step"
            );
            let name = &format!("percentiles-of-{}", panel.number);
            let figure = Figure { name, caption: &caption, label: &label, table: &table };
            let all = panel.peers(runs);
            let among = panel.among(&all);
            body.chart(&figure, Some(panel), among.percentiles());
            body.folded("Numbers of these charts", &tables::percentiles(panel.loaded), &table);
        },
    );
    body.close();
}

fn verification(body: &mut Body, entries: &[Entry<'_>]) {
    let audit = tables::audit(entries, |_| true);
    let heading = if audit.rows.is_empty() { "Checks" } else { "Checks and audit" };
    body.open("verification", heading, "Checks");
    for entry in entries {
        if entries.len() > 1 {
            body.heading(&escape(entry.name));
        }
        let groups = tables::groups(entry.run);
        if groups.is_empty() {
            body.paragraph("This run made no checks: nothing here is verified.");
            continue;
        }
        body.html.push_str("<ul>\n");
        for (when, sentence) in groups {
            let _ = writeln!(body.html, "<li>{}</li>", escape(&format!("{when}: {sentence}")));
        }
        body.html.push_str("</ul>\n");
    }
    body.filled(&tables::checks(entries));
    body.filled(&tables::checks_read(entries));
    body.filled(&audit);
    body.close();
}

fn setup(body: &mut Body, entries: &[Entry<'_>]) {
    body.open("setup-section", "Setup", "Setup");
    let set = [tables::databases(entries), tables::configuration(entries), tables::setup(entries)];
    for made in set.iter().chain([&tables::machine(entries), &tables::sources(entries)]) {
        body.filled(made);
    }
    body.close();
}

fn repeat(body: &mut Body, entries: &[Entry<'_>]) {
    body.open("repeat", "How to repeat", "Repeat");
    for entry in entries {
        let name = if entries.len() > 1 { format!("{}: with", entry.name) } else { "With".into() };
        let _ = write!(
            body.html,
            "<p>{}:</p>\n<pre><code>{}</code></pre>\n",
            escape(&format!("{name} hoap {}", entry.run.hoap)),
            escape(&quoted(&entry.run.command))
        );
    }
    body.close();
}

/// The command as a shell takes it.
fn quoted(command: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,.:/@%".contains(c);
    let words = command.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}
