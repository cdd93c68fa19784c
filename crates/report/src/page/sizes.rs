//! The sections by cluster size, measured and published.

use super::body::Body;
use super::chart::bars::{self, Column};
use super::compared::{Compared, Published};
use crate::configurations::group::Group;
use crate::published::{PublishedFigure, PublishedMetric, Study};
use crate::tables;

impl Compared<'_> {
    /// Throughput and response time by cluster size, with the published ones apart.
    pub fn sizes(&self, body: &mut Body, studies: &[Published<'_>]) {
        let group = self.group;
        let made = self.own(tables::cluster_sizes(group));
        if made.rows.is_empty() && studies.is_empty() {
            return;
        }
        let [throughput, latency, failed] = own_columns(group);
        let unit = group.measure.unit();
        let stated = |metric, scale| published_columns(studies, metric, scale);
        let pairs = [
            ("Throughput", unit, throughput, PublishedMetric::Throughput, 1.0),
            ("Mean response time", "s", latency, PublishedMetric::Latency, 1e-3),
            ("Failed operations", "%", failed, PublishedMetric::Failed, 1.0),
        ];
        if !made.rows.is_empty() {
            self.open(body, "cluster-size", "By cluster size");
            self.left_out(body, &group.left_out(|_| true));
            body.paragraph(
                "Each configuration at the number of clients where it did most. The response time \
                 is the mean over all kinds of operation.",
            );
            body.beside(|body| {
                for (name, unit, own, metric, scale) in &pairs {
                    let stated = stated(*metric, *scale);
                    let of =
                        |columns: &[Column]| columns.iter().map(|c| c.value).collect::<Vec<_>>();
                    let together = bars::share_an_axis(of(own), of(&stated));
                    let also = stated.iter().filter(|_| together).cloned();
                    let columns: Vec<Column> = own.iter().cloned().chain(also).collect();
                    let spec = bars::columns(&columns, name, unit);
                    let hollow =
                        if together { "; hollow: published, not measured here" } else { "" };
                    let caption = format!("{name} by cluster size and system{hollow}");
                    let id = format!("size-{}", word(unit));
                    self.chart(body, &id, &caption, &made, (!own.is_empty()).then_some(spec));
                }
            });
            body.filled(&made);
            body.close();
        }
        if !studies.is_empty() {
            self.published(
                body,
                studies,
                &pairs.map(|(name, unit, _, of, by)| (name, unit, of, by)),
            );
        }
    }

    /// The published figures, apart from what was measured here.
    fn published(
        &self,
        body: &mut Body,
        studies: &[Published<'_>],
        charts: &[(&str, &str, PublishedMetric, f64)],
    ) {
        let group = self.group;
        let published = self.own(tables::published(studies));
        self.open(body, "published-section", "Published figures");
        if group.members.is_empty() {
            body.paragraph("No published figure stands beside a void run.");
            body.close();
            return;
        }
        body.html.push_str("<div class=\"published\">\n");
        body.paragraph(
            "<strong>Not measured here.</strong> These numbers are as papers and reports state \
             them: other machines, versions, clients and data. They stand beside a run for \
             orientation; no difference between them and a run says which system is faster.",
        );
        body.list(
            &studies
                .iter()
                .map(|(s, _)| format!("{}: {}. {}.", s.name, s.cited(), s.setting))
                .collect::<Vec<_>>(),
        );
        let benchmark = group.benchmark;
        let claims: Vec<String> =
            studies.iter().flat_map(|(study, _)| tables::claims(study, benchmark)).collect();
        if !claims.is_empty() {
            body.paragraph("What their texts say beside the numbers:");
            body.list(&claims);
        }
        for study in studies {
            body.beside(|body| {
                for (name, unit, metric, scale) in charts {
                    let columns = published_columns(std::slice::from_ref(study), *metric, *scale);
                    let spec = bars::columns(&columns, name, unit);
                    let (name, from) = (name.to_lowercase(), study.0.name);
                    let caption = format!("Published, {from}: {name} by cluster size and system");
                    let id = format!("published-size-{}-{from}", word(unit));
                    let spec = (!columns.is_empty()).then_some(spec);
                    self.chart(body, &id, &caption, &published, spec);
                }
            });
        }
        body.filled(&published);
        let settings = self.own(tables::published_settings(studies));
        if !settings.rows.is_empty() {
            body.folded("How their systems were set", &settings, &settings.id);
        }
        body.html.push_str("</div>\n");
        body.close();
    }
}

/// A unit as a part of an id.
fn word(unit: &str) -> String {
    unit.replace('/', "-").replace('%', "failed")
}

/// Throughput, mean response times and failures of the members whose number of nodes is known; no
/// failures where nothing failed.
fn own_columns(group: &Group<'_>) -> [Vec<Column>; 3] {
    let mut columns = [const { Vec::new() }; 3];
    let known: Vec<_> = group.members.iter().filter_map(|m| Some((m, m.nodes?))).collect();
    for (member, nodes) in &known {
        // Two configurations of one system and size are told apart by their labels.
        let same = known.iter().filter(|(m, n)| (&m.system, n) == (&member.system, nodes)).count();
        let series = if same > 1 { member.label.to_string() } else { member.system.clone() };
        let Some((place, value)) = member.best(group.measure) else { continue };
        let share = place.failed().map(|share| share.mean * 100.0);
        let values = [Some(value.mean), place.mean_latency().map(|mean| mean.mean), share];
        for (columns, value) in columns.iter_mut().zip(values) {
            let column =
                |value| Column { nodes: *nodes, series: series.clone(), value, published: false };
            columns.extend(value.map(column));
        }
    }
    if columns[2].iter().all(|column| column.value == 0.0) {
        columns[2].clear();
    }
    columns
}

fn published_columns(
    studies: &[Published<'_>],
    metric: PublishedMetric,
    scale: f64,
) -> Vec<Column> {
    let column = |(_, figure, nodes): (&Study, &PublishedFigure, u32)| {
        let series = format!("{} (published)", figure.system);
        Column { nodes, series, value: figure.value * scale, published: true }
    };
    tables::by_nodes(studies, metric).into_iter().map(column).collect()
}
