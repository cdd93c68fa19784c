//! Charts of one run: response time against percentile.

use hoap_record::Step;

use super::parts::items;
use super::runs::Among;
use super::scale::vertical;
use super::spec::{Chart, Look, Mark, Number, Plot, Quantity, Sample, Series};
use crate::run::curve::Curve;
use crate::run::measure::Measure;
use crate::run::{Loaded, step_name};

impl<'a> Among<'a> {
    /// Response times by percentile, a plot for each kind and a line for each step.
    pub fn percentiles(self) -> Chart {
        let run = self.run;
        let known = |s: &&Step| run.curves.iter().any(|c| c.step == s.number);
        let steps: Vec<&Step> =
            run.run.steps.iter().filter(|s| s.tx_clients > 0).filter(known).collect();
        let mut counts: Vec<usize> =
            self.all.iter().flat_map(|r| &r.run.steps).map(|s| s.query_clients).collect();
        counts.sort_unstable();
        counts.dedup();
        let look = |n: usize| match self.measure() {
            Measure::Hybrid => {
                let queries = counts.iter().position(|q| *q == steps[n].query_clients);
                self.colour_of_clients(steps[n].tx_clients).dashed(queries.unwrap_or(0))
            }
            Measure::Plain => Look::part(n),
        };
        let plot = |kind: String| {
            let of_kind = |run: &'a Loaded| run.curves.iter().filter(|c| c.kind == kind);
            let lines: Vec<(usize, &Curve)> = steps
                .iter()
                .enumerate()
                .filter_map(|(n, s)| Some((n, of_kind(run).find(|c| c.step == s.number)?)))
                .collect();
            let all = self.all.iter().flat_map(|run| of_kind(run)).flat_map(|c| &c.points);
            let y =
                vertical(Quantity::Times, "response time", all.filter(|p| p.0 > 0.0).map(|p| p.1));
            let right = lines.iter().flat_map(|(_, c)| c.points.iter().map(|p| nines(c, p.0)));
            let right = right.fold(1.0, f64::max);
            let marks = lines.iter().map(|(n, curve)| {
                let seen = curve.points.iter().filter(|p| p.0 > 0.0);
                let points = seen.map(|(q, seconds)| {
                    let which = match *q < 1.0 {
                        true => share(*q),
                        false => "maximum".to_string(),
                    };
                    (Number(nines(curve, *q)), Number(*seconds), 0, which)
                });
                let (look, title) = (look(*n), step_name(steps[*n]));
                Mark::Line(Series { look, title, points: points.collect(), ..Series::default() })
            });
            let shares: [f64; 7] = [0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999];
            let named = shares.map(|q| (-(1.0 - q).log10(), share(q)));
            let x = super::spec::Axis {
                domain: vec![0.0, right],
                ticks: named.into_iter().filter(|t| t.0 <= right + 0.01).collect(),
                label: "percentile".into(),
                ..Default::default()
            };
            let marks = marks.collect();
            Plot { name: kind.clone(), height: 230, x, y, grid: true, marks, ..Plot::default() }
        };
        let plots = run.kinds().into_iter().map(plot).filter(|p| !p.marks.is_empty()).collect();
        let named = steps.iter().enumerate().map(|(n, s)| (step_name(s), look(n)));
        let legend = items(&named.collect::<Vec<_>>(), Sample::Line);
        Chart { legend, plots, least: 330, ..Chart::default() }
    }
}

/// Where a quantile stands: as many units as 1 − q has nines; the maximum as those of its
/// operations.
fn nines(curve: &Curve, quantile: f64) -> f64 {
    match quantile < 1.0 {
        true => -(1.0 - quantile).log10(),
        false => (curve.count.max(1) as f64).log10(),
    }
}

fn share(quantile: f64) -> String {
    crate::format::number::Unit::Share.show(quantile)
}
