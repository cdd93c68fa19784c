//! Charts and sentences around the tables of sections.

use std::fmt::Write as _;

use hoap_record::Run;

use super::body::{Body, Figure, Panel, panels};
use super::chart::ingestion::ingestion;
use super::chart::{machine, search as search_chart};
use super::compared::Compared;
use super::markup::escape;
use super::observed;
use crate::run::Entry;
use crate::run::again::again;
use crate::run::measure::{Measure, headline, rate_words, times_words};
use crate::run::search::search_line;
use crate::tables;

/// What a page is about.
pub struct OfPage<'a> {
    pub panels: &'a [Panel<'a>],
    pub entries: &'a [Entry<'a>],
    pub groups: &'a [Compared<'a>],
}

/// The answers, and every probe against the bounds.
pub fn search(body: &mut Body, page: &OfPage<'_>) {
    for panel in page.panels {
        let Some(search) = &panel.loaded.run.search else { continue };
        let name = panel.name.map(|name| format!("{name}: ")).unwrap_or_default();
        body.paragraph(&escape(&format!("{name}{}.", search_line(search))));
    }
    // That of the only run is its result.
    page.panels.iter().filter(|_| page.panels.len() > 1).for_each(|panel| probes(body, panel));
}

/// The chart of the probes of a search, if the run has one.
pub fn probes(body: &mut Body, panel: &Panel<'_>) {
    let search = panel.loaded.run.search.as_ref();
    let Some(search) = search.filter(|s| !s.bounds.slas.is_empty()) else { return };
    let name = panel.name.map(|name| format!("{name}: ")).unwrap_or_default();
    let caption = format!("{name}Response time of each probe against its rate");
    let found = search_line(search);
    let label = format!("Chart: {caption}; {found}. Its numbers are in the table.");
    let id = format!("search-{}", panel.number);
    let figure = Figure { name: &id, caption: &caption, label: &label, table: "search" };
    body.chart(&figure, None, search_chart::search(search));
}

/// That nothing failed, or how large a share.
pub fn failures(body: &mut Body, page: &OfPage<'_>) {
    if tables::failures(page.entries).rows.is_empty() {
        let hybrid = page.entries.iter().all(|e| Measure::of(e.run) == Measure::Hybrid);
        body.paragraph(if hybrid {
            "No transaction and no query failed."
        } else {
            "No operation failed."
        });
    }
    page.groups.iter().for_each(|group| group.failed(body));
}

/// How long the database of the queries took to catch up.
pub fn caught_up(body: &mut Body, page: &OfPage<'_>) {
    for sentence in page.entries.iter().filter_map(|e| tables::caught_up(e.run)) {
        body.paragraph(&format!("The database of the queries had caught up {sentence}."));
    }
}

/// How the database of the queries took in what was loaded.
pub fn ingested(body: &mut Body, page: &OfPage<'_>) {
    panels(
        body,
        page.panels,
        |loaded| loaded.run.ingestion().is_some(),
        |body, panel| {
            let Some(measured) = panel.loaded.run.ingestion() else { return };
            let caption = "Documents taken in by the database of the queries over time";
            let label = format!("Chart: {caption}. Its numbers are in the table.");
            let (name, table) = (format!("ingestion-{}", panel.number), "ingestion-counts");
            let figure = Figure { name: &name, caption, label: &label, table };
            body.chart(&figure, Some(panel), ingestion(measured));
        },
    );
}

/// Charts over time: configurations together, and each run by itself.
pub fn time(body: &mut Body, page: &OfPage<'_>) {
    let compare = || page.groups.iter().filter(|each| each.group.compares());
    compare().for_each(|each| each.over_time(body));
    match compare().next() {
        Some(_) => body.behind("Each run over time", |body| each_over_time(body, page.panels)),
        None => each_over_time(body, page.panels),
    }
}

fn each_over_time(body: &mut Body, runs: &[Panel<'_>]) {
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
            let what = times_words(headline(&panel.loaded.run));
            let caption =
                format!("{what} over time: the denser, the more operations took that long");
            let label = format!("Heat map. {caption}");
            let name = &format!("heat-{}", panel.number);
            let figure = Figure { name, caption: &caption, label: &label, table: &table };
            let all = panel.peers(runs);
            body.chart(&figure, Some(panel), panel.among(&all).heat());
            body.folded("Numbers of the heat map", &tables::heat(panel.loaded), &table);
        },
    );
}

/// The rate and the response time of one run over time.
fn rates(body: &mut Body, runs: &[Panel<'_>], panel: Panel<'_>) {
    let table = format!("ticks-{}", panel.number);
    let headline = headline(&panel.loaded.run);
    let rate = format!("{} over time", rate_words(headline));
    let [rate, time] = match headline {
        Some(kind) => [rate, format!("{kind} response time over time")],
        None => [format!("{rate}, each kind"), "Response time over time, each kind".into()],
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

/// Charts of percentiles.
pub fn latency(body: &mut Body, page: &OfPage<'_>) {
    let runs = page.panels;
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
}

/// When checks were made, and what they said.
type Said = Vec<(String, String)>;

/// What the checks say, in sentences.
pub fn verification(body: &mut Body, page: &OfPage<'_>) {
    let entries = page.entries;
    // Runs whose checks say the same are told together.
    let mut alike: Vec<(Said, Vec<&str>)> = Vec::new();
    for entry in entries {
        let groups = tables::groups(entry.run);
        match alike.iter_mut().find(|(known, _)| *known == groups) {
            Some((_, names)) => names.push(entry.name),
            None => alike.push((groups, vec![entry.name])),
        }
    }
    for (groups, names) in alike {
        if names.len() < entries.len() || entries.len() > 1 && groups.is_empty() {
            body.heading(&escape(&names.join(", ")));
        } else if entries.len() > 1 {
            body.heading(&format!("All {} runs", entries.len()));
        }
        if groups.is_empty() {
            body.paragraph("No checks were made: nothing here is verified.");
            continue;
        }
        body.html.push_str("<ul>\n");
        for (when, sentence) in groups {
            let _ = writeln!(body.html, "<li>{}</li>", escape(&format!("{when}: {sentence}")));
        }
        body.html.push_str("</ul>\n");
    }
}

/// The commands, each with the runs that it made.
pub fn repeat(body: &mut Body, page: &OfPage<'_>) {
    let entries = page.entries;
    let mut commands: Vec<(&Entry<'_>, Vec<&str>)> = Vec::new();
    for entry in entries {
        let same = |a: &Run, b: &Run| a.command == b.command && a.hoap == b.hoap;
        match commands.iter_mut().find(|(first, _)| same(first.run, entry.run)) {
            Some((_, names)) => names.push(entry.name),
            None => commands.push((entry, vec![entry.name])),
        }
    }
    for (Entry { run, .. }, names) in commands {
        let name = match names.len() {
            1 if entries.len() == 1 => "With".into(),
            all if all == entries.len() => format!("All {all} runs: with"),
            _ => format!("{}: with", names.join(", ")),
        };
        let _ = write!(
            body.html,
            "<p>{}:</p>\n<pre><code>{}</code></pre>\n",
            escape(&format!("{name} hoap {}", run.hoap)),
            escape(&again(run))
        );
    }
}
