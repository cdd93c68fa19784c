//! The chart of a search for the highest rate.

use hoap_record::search::Search;

use super::parts::{item, note};
use super::scale::{self, axis_rate, vertical};
use super::spec::{Chart, Look, Mark, Number, Plot, Quantity, Sample, Series};
use crate::format::number::latency;

/// Rates that differ by more than this factor need logarithms.
const WIDE: f64 = 8.0;

/// The probes against the bounds: full where every bound held, hollow where one broke or too few
/// operations ran.
pub fn search(search: &Search) -> Chart {
    let seconds = |us: u64| us as f64 / 1e6;
    let slas = &search.bounds.slas;
    let times = search.probes.iter().flat_map(|p| p.times.iter().map(|t| seconds(t.us)));
    let bounds = slas.iter().map(|s| seconds(s.limit_us));
    let y = vertical(Quantity::Times, "response time", times.chain(bounds));
    let rates = || search.probes.iter().filter(|p| !p.times.is_empty()).map(|p| p.rate);
    let (low, high) = (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max));
    let label = "intended operations per second";
    let x = match high / low.max(1e-9) > WIDE {
        true => scale::logarithmic(Quantity::Rates, label, low, high),
        false => scale::rates(label, std::iter::once(high)),
    };
    let look = |n: usize| Look { dash: None, ..Look::of_configuration(n) };
    let rule = |look: Look, upright: bool, at: f64| Mark::Rule {
        look,
        upright,
        at: vec![(Number(at), None)],
    };
    let mut marks: Vec<Mark> = Vec::new();
    let mut legend = Vec::new();
    for (n, sla) in slas.iter().enumerate() {
        let limit = seconds(sla.limit_us);
        let words = format!("{}, bound {}", sla.percentile.name(), latency(limit));
        legend.push(item(&words, look(n), Sample::Line));
        marks.push(rule(Look { symbol: None, dash: Some("2 3"), ..look(n) }, false, limit));
    }
    legend.push(note("hollow: it did not hold"));
    let ends = [
        (search.rate, Look::line("good", "6 3"), "highest rate that held"),
        (search.below, Look::line("bad", "2 2"), "lowest rate that did not"),
    ];
    for (rate, look, what) in ends {
        let Some(rate) = rate else { continue };
        legend.push(item(&format!("{what}: {}/s", axis_rate(rate)), look, Sample::Line));
        marks.push(rule(look, true, rate));
    }
    for (n, sla) in slas.iter().enumerate() {
        let mut points = Vec::new();
        for probe in &search.probes {
            for time in probe.times.iter().filter(|t| t.percentile == sla.percentile) {
                let (rate, name) = (axis_rate(probe.rate), sla.percentile.name());
                let took = latency(seconds(time.us));
                let mut words = format!("{} {name} {took}", time.kind);
                if let Some(why) = probe.broken.as_ref().or(probe.undecided.as_ref()) {
                    words += &format!("\n{why}");
                }
                let hollow = u8::from(!probe.holds());
                let words = format!("{rate}/s\n{words}");
                points.push((Number(probe.rate), Number(seconds(time.us)), hollow, words));
            }
        }
        let title = sla.percentile.name().to_string();
        marks.push(Mark::Dot(Series { look: look(n), title, points, ..Series::default() }));
    }
    Chart::one(legend, Plot { height: 300, x, y, marks, ..Plot::default() })
}
