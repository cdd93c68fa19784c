//! The sections that compare configurations of one benchmark.

use super::body::{Body, Figure};
use super::chart::bars;
use super::chart::configurations as charts;
use super::chart::spec::Chart;
use super::chart::together;
use crate::configurations::Report;
use crate::configurations::group::{Group, Member};
use crate::format::number::Unit;
use crate::format::table::Table;
use crate::published::{PublishedFigure, PublishedMetric, Study};
use crate::run::measure::{Axis, rate_words, times_words};
use crate::tables::{self, Costed, TimeOf};
use hoap_record::Percentile;

/// A study with its figures of the group's benchmark.
pub type Published<'a> = (&'a Study, Vec<&'a PublishedFigure>);

/// A group, with what makes its ids and headings unique on the page.
pub struct Compared<'a> {
    pub group: &'a Group<'a>,
    /// Stands before headings where the page has several benchmarks.
    pub heading: &'a str,
    /// Stands behind ids.
    pub suffix: &'a str,
}

impl Compared<'_> {
    pub(super) fn own(&self, table: Table) -> Table {
        Table { id: format!("{}{}", table.id, self.suffix), ..table }
    }

    pub(super) fn open(&self, body: &mut Body, id: &str, name: &str) {
        let heading = format!("{}{name}", self.heading);
        body.open(&format!("{id}{}", self.suffix), &heading, &heading);
    }

    pub(super) fn chart(
        &self,
        body: &mut Body,
        name: &str,
        caption: &str,
        table: &Table,
        chart: Option<Chart>,
    ) {
        let Some(chart) = chart else { return };
        let label = format!("Chart: {caption}. Its numbers are in the table.");
        let name = &format!("{name}{}", self.suffix);
        let figure = Figure { name, caption, label: &label, table: &table.id };
        body.chart(&figure, None, chart);
    }

    /// Throughput, response times and power, a line a configuration.
    pub fn configurations(&self, body: &mut Body, studies: &[Published<'_>]) {
        let group = self.group;
        if group.runs().len() < 2 {
            return;
        }
        self.open(body, "configurations", "Configurations compared");
        self.left_out(body, &group.left_out(|_| true));
        if !group.compares() {
            body.close();
            return;
        }
        if group.members.iter().any(|m| m.runs.len() > 1) {
            body.paragraph(
                "A configuration with several runs: lines and numbers are geometric means of the runs, \
                 as those of hoap compare (shares of failures and ages: arithmetic), bands reach from the \
                 lowest to the highest of them.",
            );
        }
        let summary = self.own(tables::summary_by_configuration(group));
        body.filled(&summary);
        self.table_3(body, &summary, studies);
        let throughput = self.own(tables::throughput_by_configuration(group));
        let latency = self.own(tables::latency_by_configuration(group));
        let of = group.headline.map(|kind| format!("{kind} ")).unwrap_or_default();
        let answer = self.answer();
        for axis in Axis::ALL {
            let against = axis.label(group.measure);
            let name = axis.name();
            if Some(axis) != answer {
                self.throughput(body, axis, &throughput);
            }
            for time in [TimeOf::Mean, TimeOf::Percentile(Percentile::P99)] {
                let which = match time {
                    TimeOf::Mean => "mean response time",
                    TimeOf::Percentile(_) => "99th percentile of the response time",
                };
                let caption = sentence(&format!("{of}{which} against {against}, by configuration"));
                let spec = charts::response_time(group, axis, time);
                let name = format!("{}-by-{name}", time.name());
                self.chart(body, &name, &caption, &latency, spec);
            }
        }
        if !throughput.rows.is_empty() {
            body.folded("Throughput by configuration: the numbers", &throughput, &throughput.id);
            body.folded("Response times by configuration: the numbers", &latency, &latency.id);
        }
        self.power(body);
        body.close();
    }

    /// What the steps of the headline chart differ in, which stands among the results.
    fn answer(&self) -> Option<Axis> {
        Axis::ALL.into_iter().find(|axis| charts::throughput(self.group, *axis).is_some())
    }

    /// The chart that answers which configuration does more.
    pub fn headline(&self, body: &mut Body) {
        if let Some(axis) = self.answer() {
            let table = self.own(tables::throughput_by_configuration(self.group));
            self.throughput(body, axis, &table);
        }
    }

    /// The configurations over time.
    pub fn over_time(&self, body: &mut Body) {
        let repeated = self.group.members.iter().any(|m| m.runs.len() > 1);
        let band = if repeated { "; band: lowest to highest of its runs" } else { "" };
        let caption = |what: &str| format!("{what} over time, by configuration{band}");
        let rates = self.own(tables::throughput_by_configuration(self.group));
        let chart = together::throughput(self.group);
        let what = caption(&rate_words(self.group.headline));
        self.chart(body, "throughput-over-time", &what, &rates, chart);
        let times = self.own(tables::latency_by_configuration(self.group));
        let what = format!("{}, 99th percentile,", times_words(self.group.headline));
        let chart = together::p99(self.group);
        self.chart(body, "p99-over-time", &caption(&what), &times, chart);
    }

    /// The headline measure against what the steps differ in, a line a configuration.
    fn throughput(&self, body: &mut Body, axis: Axis, table: &Table) {
        let what = rate_words(self.group.headline);
        let against = axis.label(self.group.measure);
        let caption = format!("{what} against {against}, by configuration");
        let name = format!("throughput-by-{}", axis.name());
        self.chart(body, &name, &caption, table, charts::throughput(self.group, axis));
    }

    /// Ingestion rate, power and queries per hour of the configurations as bars, with the published
    /// ones (CH2++ table 3).
    fn table_3(&self, body: &mut Body, summary: &Table, studies: &[Published<'_>]) {
        type Of = fn(&Member<'_>) -> Option<f64>;
        let queries_per_hour: Of =
            |m| Some(m.power()?.0.spread(|step| step.queries_per_hour)?.mean);
        let charts: [(&str, &str, Unit, PublishedMetric, Of); 3] = [
            (
                "ingestion",
                "documents/s",
                Unit::Rate("documents/s"),
                PublishedMetric::IngestionRate,
                |m| m.ingestion_rate(),
            ),
            ("power", "s", Unit::Seconds, PublishedMetric::Power, |m| Some(m.power()?.1.mean)),
            ("QpH", "QpH", Unit::Rate("QpH"), PublishedMetric::QueriesPerHour, queries_per_hour),
        ];
        body.beside(|body| {
            for (name, label, unit, metric, of) in charts {
                let own = |(number, m): (usize, &Member<'_>)| {
                    let (name, value) = (m.label.to_string(), of(m)?);
                    Some(bars::Row { name, number, value, published: false })
                };
                let members = self.group.members.iter().enumerate();
                let mut rows: Vec<_> = members.filter_map(own).collect();
                if rows.is_empty() {
                    continue;
                }
                let stated: Vec<_> = published_rows(studies, metric);
                let together = bars::share_an_axis(
                    rows.iter().map(|row| row.value),
                    stated.iter().map(|row| row.value),
                );
                rows.extend(stated.into_iter().filter(|_| together));
                let hollow = if together { "; hollow: published, not measured here" } else { "" };
                let caption = format!("{} by configuration{hollow}", sentence(name));
                let spec = bars::rows(&rows, label, unit);
                self.chart(body, &format!("table-3-{name}"), &caption, summary, Some(spec));
            }
        });
    }

    /// Names the void runs that a section leaves out.
    pub(super) fn left_out(&self, body: &mut Body, void: &[String]) {
        if !void.is_empty() {
            body.paragraph("Left out, because a void run has no numbers:");
            body.list(void);
        }
    }

    fn power(&self, body: &mut Body) {
        let power = self.own(tables::power_by_configuration(self.group));
        if power.rows.is_empty() {
            return;
        }
        let caption = "Power (geometric mean of the queries' mean times) against transaction \
                       clients, by configuration";
        self.chart(body, "power-by-clients", caption, &power, charts::power(self.group));
        body.folded("Power by configuration: the numbers", &power, &power.id);
        let shared = tables::shared_query_places(self.group);
        for (n, (name, places)) in shared.iter().enumerate() {
            let made = tables::queries_by_configuration(name, places);
            let made = Table { id: format!("{}{}-{n}", made.id, self.suffix), ..made };
            let caption = format!("Mean time of each query by configuration, {name}");
            let spec = Some(charts::queries(places, &made));
            let write = |body: &mut Body| {
                self.chart(body, &format!("queries-{n}"), &caption, &made, spec);
                body.folded("Numbers of this chart", &made, &made.id);
            };
            // The first in the open: the queries alone, or with the fewest transactions beside
            // them.
            if n == 0 {
                write(body);
            } else {
                body.behind(&caption, write);
            }
        }
    }

    /// The share of operations that failed, by kind.
    pub fn failed(&self, body: &mut Body) {
        let failed = tables::failed(self.group);
        let made = self.own(tables::failed_shares(self.group));
        if failed.is_empty() {
            return;
        }
        let caption = format!("{}Share of operations that failed, by kind of error", self.heading);
        self.chart(body, "failed", &caption, &made, Some(bars::failed(&failed)));
        body.filled(&made);
    }

    /// The costs of the configurations that have prices, and the void runs that have none for all
    /// that.
    pub fn costs(&self, body: &mut Body, costed: &[Costed<'_>], unpriced: &[String]) {
        if costed.is_empty() && unpriced.is_empty() {
            return;
        }
        self.open(body, "costs-section", "Costs");
        self.left_out(body, unpriced);
        if costed.is_empty() {
            body.close();
            return;
        }
        body.paragraph(
            "What a month of the cluster costs if it worked all month as in its best step, or at the \
             highest rate that a search found to hold. Prices are the list's, not an offer; see where they come from below.",
        );
        let measure = self.group.measure;
        let made = self.own(tables::cost_table(measure, costed));
        let currencies: Vec<&str> =
            costed.iter().map(|c| c.priced.list.currency.as_str()).collect();
        // Money of two kinds has no common scale.
        if let Some(currency) = currencies.first().filter(|c| currencies.iter().all(|o| o == *c)) {
            body.beside(|body| {
                let caption = format!("Cost of a million operations ({currency})");
                let spec = bars::costs(costed, currency, |c| c.cost.per_million(c.per_second));
                self.chart(body, "cost-million", &caption, &made, Some(spec));
                let caption = format!("Cost of a month ({currency})");
                let spec = bars::costs(costed, currency, |c| Some(c.cost.month));
                self.chart(body, "cost-month", &caption, &made, Some(spec));
            });
        }
        body.filled(&made);
        body.filled(&self.own(tables::cost_lines(costed)));
        body.list(&tables::cost_notes(costed));
        body.close();
    }
}

/// The costs of a group's configurations.
///
/// # Errors
/// Returns the errors of [`crate::prices::Priced::cost`].
pub fn costed<'a>(report: &'a Report, group: &Group<'_>) -> hoap_record::Result<Vec<Costed<'a>>> {
    tables::costs(group, |label| {
        let configuration = report.configurations.iter().find(|c| c.label == label)?;
        Some((configuration.label.as_str(), configuration.priced.as_ref()?))
    })
}

/// The void runs whose configurations have prices, a sentence each.
pub fn unpriced(report: &Report, group: &Group<'_>) -> Vec<String> {
    let priced =
        |label: &str| report.configurations.iter().any(|c| c.label == label && c.priced.is_some());
    group.left_out(priced)
}

fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The published numbers of a metric, a row for each.
fn published_rows(studies: &[Published<'_>], metric: PublishedMetric) -> Vec<bars::Row> {
    let all = studies.iter().flat_map(|(study, figures)| figures.iter().map(move |f| (study, f)));
    let row = |(study, figure): (&&Study, &&PublishedFigure)| bars::Row {
        name: format!("{}: {}", study.name, figure.setting.as_ref().unwrap_or(&figure.system)),
        number: 0,
        value: figure.value,
        published: true,
    };
    all.filter(|(_, f)| f.metric == metric && f.to.is_none()).map(row).collect()
}
