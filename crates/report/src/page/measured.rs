//! The sections of what one benchmark's runs measured, each run by itself.

use super::body::{Body, Figure, Panel, panels};
use super::compared::Compared;
use crate::format::table::Table;
use crate::run::Entry;
use crate::run::Loaded;
use crate::run::measure::{Axis, Measure, rate_words, times_words};
use crate::tables;
use hoap_record::Run;

/// Writes the sections of one benchmark's runs.
pub fn write(body: &mut Body, compared: &Compared<'_>, runs: &[Panel<'_>]) {
    let group = Measured::of(compared, runs);
    group.operations(body);
    group.queries(body);
}

/// Writes the chart of the headline measure of the only run of a page, which stands among the
/// results.
pub fn headline(body: &mut Body, compared: &Compared<'_>, runs: &[Panel<'_>]) {
    let group = Measured::of(compared, runs);
    if let Some(axis) = group.answer() {
        group.headline(body, axis, &group.table().id);
    }
}

/// The runs of one benchmark.
struct Measured<'a> {
    runs: &'a [Panel<'a>],
    entries: Vec<Entry<'a>>,
    measure: Measure,
    headline: Option<&'a str>,
    /// Whether the configurations stand side by side before these sections.
    compares: bool,
    heading: &'a str,
    suffix: &'a str,
}

impl<'a> Measured<'a> {
    fn of(compared: &'a Compared<'_>, runs: &'a [Panel<'a>]) -> Measured<'a> {
        Measured {
            runs,
            entries: runs.iter().map(|p| p.loaded.entry()).collect(),
            measure: compared.group.measure,
            headline: compared.group.headline,
            compares: compared.group.compares(),
            heading: compared.heading,
            suffix: compared.suffix,
        }
    }

    /// What the steps of the chart among the results differ in; `None` where no run stands alone.
    fn answer(&self) -> Option<Axis> {
        let [Panel { loaded, name: None, .. }] = self.runs else { return None };
        Axis::ALL.into_iter().find(|axis| any(&loaded.run, *axis))
    }

    /// The table of the headline measure.
    fn table(&self) -> Table {
        self.own(match self.measure {
            Measure::Hybrid => tables::transactions(&self.entries),
            Measure::Plain => tables::throughput(&self.entries),
        })
    }

    fn open(&self, body: &mut Body, id: &str, name: &str) {
        let heading = format!("{}{name}", self.heading);
        body.open(&format!("{id}{}", self.suffix), &heading, &heading);
    }

    /// The table under an id of this group.
    fn own(&self, table: Table) -> Table {
        Table { id: format!("{}{}", table.id, self.suffix), ..table }
    }

    /// Transactions or operations: headline measure, response times, every kind.
    fn operations(&self, body: &mut Body) {
        let headline = self.table();
        let (id, name) = match self.measure {
            Measure::Hybrid => ("transactions-section", "Transactions"),
            Measure::Plain => ("operations-section", "Operations"),
        };
        if headline.rows.is_empty() {
            return;
        }
        self.open(body, id, name);
        match self.compares {
            true => body.behind("Each run by itself", |body| self.each(body, &headline)),
            false => self.each(body, &headline),
        }
        body.close();
    }

    /// What each run measured: charts and tables.
    fn each(&self, body: &mut Body, headline: &Table) {
        for axis in Axis::ALL {
            if self.answer() != Some(axis) {
                self.headline(body, axis, &headline.id);
            }
            self.times(body, axis, &headline.id);
        }
        body.filled(headline);
        if self.measure == Measure::Hybrid {
            body.filled(&self.own(tables::throughput(&self.entries)));
        }
        self.interference(body);
        let operations = self.own(tables::operations(&self.entries));
        body.heading(match self.measure {
            Measure::Hybrid => "All transactions",
            Measure::Plain => "Every kind of operation",
        });
        body.filled(&operations);
        let waits = self.own(tables::waits(&self.entries));
        if !waits.rows.is_empty() {
            body.heading("Service and wait");
            body.paragraph(
                "In an open loop operations are due at their times, whether or not the database keeps \
                 up, and response times count from there. Service is the part from the actual start to \
                 the end, wait the part before it, response the whole.",
            );
            body.filled(&waits);
        }
    }

    /// The headline measure against what the steps differ in.
    fn headline(&self, body: &mut Body, axis: Axis, table: &str) {
        let against = axis.label(self.measure);
        let headline = rate_words(self.headline);
        let all = self.all();
        panels(
            body,
            self.runs,
            |run| any(&run.run, axis),
            |body, panel| {
                let name = &format!("headline-by-{}-{}", axis.name(), panel.number);
                let (caption, label) = (
                    &format!("{headline} against {against}"),
                    &in_words(panel.loaded, axis, against),
                );
                let figure = Figure { name, caption, label, table };
                body.chart(&figure, Some(panel), panel.among(&all).headline(axis));
            },
        );
    }

    /// Response times against what the steps differ in.
    fn times(&self, body: &mut Body, axis: Axis, table: &str) {
        let against = axis.label(self.measure);
        let times = times_words(self.headline);
        let all = self.all();
        panels(
            body,
            self.runs,
            |run| any(&run.run, axis),
            |body, panel| {
                let name = &format!("latency-by-{}-{}", axis.name(), panel.number);
                let caption = &format!("{times} against {against}");
                let label = &format!("Line chart of the 50th, 95th and 99th percentile: {caption}");
                let figure = Figure { name, caption, label, table };
                body.chart(&figure, Some(panel), panel.among(&all).latency(axis));
            },
        );
    }

    /// The runs, which share scales and colours.
    fn all(&self) -> Vec<&Loaded> {
        self.runs.iter().map(|p| p.loaded).collect()
    }

    fn interference(&self, body: &mut Body) {
        let interference = self.own(tables::interference(&self.entries));
        if interference.rows.is_empty() {
            return;
        }
        body.heading("Interference");
        body.paragraph(&format!(
            "What each side takes from the other at equal numbers of clients. A {unit} ratio below 1: \
             queries slow {operations} down. A power ratio above 1: {operations} slow queries down.",
            unit = self.measure.unit(),
            operations = self.measure.operations_word(),
        ));
        body.filled(&interference);
    }

    fn queries(&self, body: &mut Body) {
        let rates = self.own(tables::query_rates(&self.entries));
        if rates.rows.is_empty() {
            return;
        }
        self.open(body, "queries", "Queries");
        let n = self.entries.iter().flat_map(|e| &e.run.steps).map(|s| s.queries.len()).max();
        let n = n.unwrap_or_default();
        body.paragraph(&format!(
            "Power is the geometric mean of the {n} mean times; QpH is {n} × 3600 s through their sum, \
             times the streams. Both need all {n} queries."
        ));
        body.filled(&rates);
        let all = self.all();
        let any = |run: &Loaded| run.run.steps.iter().any(|s| !s.queries.is_empty());
        panels(body, self.runs, any, |body, panel| {
            let table = format!("query-times-{}", panel.number);
            let figure = Figure {
                name: &format!("queries-of-{}", panel.number),
                caption: "Mean time of each query, by step",
                label: "Bar chart of the mean time of each query in each step",
                table: &table,
            };
            body.chart(&figure, Some(panel), panel.among(&all).queries());
            let made = tables::query_times(panel.loaded.entry());
            body.folded("Numbers of this chart", &made, &table);
        });
        let detail = self.own(tables::query_detail(&self.entries));
        let id = detail.id.clone();
        body.folded("Each query in each step: fastest, slowest, failures", &detail, &id);
        body.close();
    }
}

/// Whether a chart against this axis has more of the run than one place. The probes of a search
/// have a chart of their own.
fn any(run: &Run, axis: Axis) -> bool {
    let steps = run.planned_steps().iter().filter(|s| s.tx_clients > 0 && Axis::of(s) == axis);
    let mut places = steps.map(|step| axis.place(step));
    places.next().is_some_and(|first| places.any(|place| place != first))
}

fn in_words(loaded: &Loaded, axis: Axis, against: &str) -> String {
    let measure = loaded.measure();
    let points: Vec<String> = loaded
        .run
        .planned_steps()
        .iter()
        .filter(|s| Axis::of(s) == axis)
        .filter_map(|s| {
            Some(format!("{} at {}", measure.rate().show(measure.recorded(s)?), s.name))
        })
        .collect();
    format!("Line chart of {} against {against}: {}", measure.unit(), points.join("; "))
}
