//! The sections of what was measured. Each benchmark of the page has its own: numbers of different
//! benchmarks share no table and no scale.

use super::sections::{Body, Chart, Panel, panels};
use crate::Loaded;
use crate::measure::{Axis, Measure};
use crate::table::Table;
use crate::tables::{self, Entry, benchmark_title};

/// The runs of one benchmark.
struct Group<'a> {
    runs: Vec<Panel<'a>>,
    entries: Vec<Entry<'a>>,
    measure: Measure,
    /// Stands before headings where the page has several benchmarks.
    heading: String,
    /// Keeps ids of different groups apart.
    suffix: String,
}

/// Writes the sections of every benchmark, in the order in which their runs first come.
pub fn write(body: &mut Body, runs: &[Panel<'_>]) {
    for group in groups(runs) {
        group.operations(body);
        group.queries(body);
    }
}

fn groups<'a>(runs: &[Panel<'a>]) -> Vec<Group<'a>> {
    let mut benchmarks: Vec<(&str, Measure)> = Vec::new();
    for panel in runs {
        let benchmark = key(panel.loaded);
        if !benchmarks.contains(&benchmark) {
            benchmarks.push(benchmark);
        }
    }
    let several = benchmarks.len() > 1;
    let group = |(n, (name, measure)): (usize, &(&str, Measure))| {
        let of = runs.iter().filter(|p| key(p.loaded) == (name, *measure));
        let runs: Vec<Panel<'_>> = of.copied().collect();
        Group {
            entries: runs.iter().map(|p| p.loaded.entry()).collect(),
            runs,
            measure: *measure,
            heading: if several { format!("{}: ", benchmark_title(name)) } else { String::new() },
            suffix: if n == 0 { String::new() } else { format!("-{}", n + 1) },
        }
    };
    benchmarks.iter().enumerate().map(group).collect()
}

/// What runs must have in common to share a table.
fn key(loaded: &Loaded) -> (&str, Measure) {
    (&loaded.run.benchmark, loaded.measure())
}

impl Group<'_> {
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
        let throughput = self.own(tables::throughput(&self.entries));
        let (id, name, headline) = match self.measure {
            Measure::Hybrid => {
                let transactions = self.own(tables::transactions(&self.entries));
                ("transactions-section", "Transactions", transactions)
            }
            Measure::Plain => ("operations-section", "Operations", throughput.clone()),
        };
        if headline.rows.is_empty() {
            return;
        }
        self.open(body, id, name);
        for axis in Axis::ALL {
            self.charts(body, axis, &headline.id);
        }
        body.filled(&headline);
        if self.measure == Measure::Hybrid {
            body.filled(&throughput);
            self.isolation(body);
        }
        let operations = self.own(tables::operations(&self.entries));
        body.html.push_str(match self.measure {
            Measure::Hybrid => "<h3>All transactions</h3>\n",
            Measure::Plain => "<h3>Every kind of operation</h3>\n",
        });
        body.filled(&operations);
        let waits = self.own(tables::waits(&self.entries));
        if !waits.rows.is_empty() {
            body.html.push_str("<h3>Service and wait</h3>\n");
            body.paragraph(
                "In an open loop operations are due at their times, whether or not the database keeps \
                 up, and response times count from there. Service is the part from the actual start to \
                 the end, wait the part before it, response the whole.",
            );
            body.filled(&waits);
        }
        body.close();
    }

    /// The headline measure and response times against what the steps differ in.
    fn charts(&self, body: &mut Body, axis: Axis, table: &str) {
        let any =
            |run: &Loaded| run.run.steps.iter().any(|s| s.tx_clients > 0 && Axis::of(s) == axis);
        let against = axis.label(self.measure);
        let (headline, times) = match self.measure {
            Measure::Hybrid => {
                ("NewOrder transactions per minute (tpM)", "NewOrder response times")
            }
            Measure::Plain => ("Operations per second", "Response times of each kind"),
        };
        panels(body, &self.runs, any, |body, panel| {
            Chart {
                kind: "headline",
                axis: axis.name(),
                caption: &format!("{headline} against {against}"),
                label: &in_words(panel.loaded, axis, against),
                table: table.to_string(),
            }
            .write(&mut body.html, panel);
        });
        panels(body, &self.runs, any, |body, panel| {
            let caption = format!("{times} against {against}");
            Chart {
                kind: "latency",
                axis: axis.name(),
                caption: &caption,
                label: &format!("Line chart of the 50th, 95th and 99th percentile: {caption}"),
                table: table.to_string(),
            }
            .write(&mut body.html, panel);
        });
    }

    fn isolation(&self, body: &mut Body) {
        let isolation = self.own(tables::isolation(&self.entries));
        if isolation.rows.is_empty() {
            return;
        }
        body.html.push_str("<h3>Isolation</h3>\n");
        body.paragraph(
            "What each side takes from the other at equal numbers of clients. A tpM ratio below 1: \
             queries slow transactions down. A power ratio above 1: transactions slow queries down.",
        );
        body.filled(&isolation);
    }

    fn queries(&self, body: &mut Body) {
        let rates = self.own(tables::query_rates(&self.entries));
        if rates.rows.is_empty() {
            return;
        }
        self.open(body, "queries", "Queries");
        body.paragraph(
            "Power is the geometric mean of the 22 mean times; QpH is 22 × 3600 s through their sum, \
             times the streams. Both need all 22 queries.",
        );
        body.filled(&rates);
        let any = |run: &Loaded| run.run.steps.iter().any(|s| !s.queries.is_empty());
        panels(body, &self.runs, any, |body, panel| {
            let table = format!("query-times-{}", panel.number);
            Chart {
                kind: "queries",
                axis: "query",
                caption: "Mean time of each query, by step",
                label: "Bar chart of the mean time of each query in each step",
                table: table.clone(),
            }
            .write(&mut body.html, panel);
            let made = tables::query_times(panel.loaded.entry());
            body.folded("Numbers of this chart", &made, &table);
        });
        let detail = self.own(tables::query_detail(&self.entries));
        let id = detail.id.clone();
        body.folded("Each query in each step: fastest, slowest, failures", &detail, &id);
        body.close();
    }
}

fn in_words(loaded: &Loaded, axis: Axis, against: &str) -> String {
    let measure = loaded.measure();
    let points: Vec<String> = loaded
        .run
        .steps
        .iter()
        .filter(|s| Axis::of(s) == axis)
        .filter_map(|s| {
            Some(format!("{} at {}", measure.rate().show(measure.recorded(s)?), s.name))
        })
        .collect();
    format!("Line chart of {} against {against}: {}", measure.unit(), points.join("; "))
}
