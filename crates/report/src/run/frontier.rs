//! The throughput frontier: how many transactions a database does at each throughput of queries
//! (HATtrick: Milkai et al., SIGMOD 2022, section 4).
//!
//! Each step is a point: its tpM and its queries per hour. The frontier joins the points that no
//! other one exceeds in both, by straight lines. Its box is as wide and as high as the highest
//! throughputs. The area ratio is the part of the box below the frontier: 1 where neither side
//! costs the other anything, 0.5 where both share one resource, less where they disturb each other.

use hoap_record::{Run, Step};

use super::interference::complete;
use super::measure::Measure;

/// A frontier.
#[derive(Clone, Debug, PartialEq)]
pub struct Frontier {
    /// The highest tpM and the highest QpH: the corner of the box.
    pub corner: (f64, f64),
    /// The points of the frontier, from the axis of queries to that of transactions.
    pub line: Vec<(f64, f64)>,
    /// The area below it as a part of the box, from 0 to 1.
    pub ratio: f64,
}

impl Frontier {
    /// The frontier of these points. `None` where a side never did anything alone, or both never
    /// anything together.
    pub fn of(points: &[(f64, f64)]) -> Option<Frontier> {
        let alone = points.iter().any(|p| p.0 > 0.0 && p.1 == 0.0)
            && points.iter().any(|p| p.0 == 0.0 && p.1 > 0.0);
        let both = points.iter().any(|p| p.0 > 0.0 && p.1 > 0.0);
        if !alone || !both || points.iter().any(|p| !p.0.is_finite() || !p.1.is_finite()) {
            return None;
        }
        let mut sorted = points.to_vec();
        sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
        let mut line: Vec<(f64, f64)> = Vec::new();
        for point in sorted {
            if line.last().is_none_or(|last| point.1 > last.1) {
                line.push(point);
            }
        }
        line.reverse();
        let (first, last) = (*line.first()?, *line.last()?);
        let corner = (last.0, first.1);
        // Where a step of both sides exceeds one side alone, the frontier meets the axis at a right
        // angle.
        if first.0 > 0.0 {
            line.insert(0, (0.0, first.1));
        }
        if last.1 > 0.0 {
            line.push((last.0, 0.0));
        }
        let below = |p: &[(f64, f64)]| (p[1].0 - p[0].0) * (p[0].1 + p[1].1) / 2.0;
        let area: f64 = line.windows(2).map(below).sum();
        Some(Frontier { corner, line, ratio: area / (corner.0 * corner.1) })
    }

    /// The frontier of a run that asked for one, or whose steps make a grid.
    pub fn of_run(run: &Run) -> Option<Frontier> {
        is_grid(run)
            .then(|| Frontier::of(&run.steps.iter().filter_map(point).collect::<Vec<_>>()))?
    }

    /// Whether a point is on it.
    pub fn has(&self, point: (f64, f64)) -> bool {
        self.line.contains(&point)
    }
}

/// The point of a step: tpM and queries per hour, 0 for a side that has no client. `None` for a
/// step that is not whole, or whose queries are not complete.
pub fn point(step: &Step) -> Option<(f64, f64)> {
    if step.partial.is_some() || Measure::of_step(step) != Measure::Hybrid {
        return None;
    }
    let transactions = match step.tx_clients {
        0 => 0.0,
        _ => Measure::Hybrid.value(step).ok()?,
    };
    let queries = match step.query_clients {
        0 => 0.0,
        _ => complete(step, step.queries_per_hour).ok()?,
    };
    Some((transactions, queries))
}

/// Whether the steps show a frontier: it was asked for, or at least two numbers of clients of one
/// side ran with at least two of the other.
fn is_grid(run: &Run) -> bool {
    let asked = run.configuration.get("frontier").is_some_and(|value| !value.is_null());
    let both = || run.steps.iter().filter(|s| s.tx_clients > 0 && s.query_clients > 0);
    let several = |of: fn(&Step) -> usize| {
        let mut numbers: Vec<usize> = both().map(of).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.len() > 1
    };
    asked || (several(|s| s.tx_clients) && several(|s| s.query_clients))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points of a grid on a system: the shares of a full load of both sides to what it does.
    fn measured(system: impl Fn(f64, f64) -> (f64, f64)) -> Frontier {
        let loads = [0.0, 0.25, 0.5, 0.75, 1.0];
        let points = loads.iter().flat_map(|tx| loads.map(|q| system(*tx, q)));
        let points: Vec<_> = points.filter(|p| *p != (0.0, 0.0)).collect();
        Frontier::of(&points).unwrap()
    }

    #[test]
    fn a_system_without_interference_fills_the_box() {
        let frontier = measured(|tx, q| (3000.0 * tx, 80.0 * q));
        assert_eq!(frontier.corner, (3000.0, 80.0));
        assert_eq!(frontier.line, [(0.0, 80.0), (3000.0, 80.0), (3000.0, 0.0)]);
        assert_eq!(frontier.ratio, 1.0);
    }

    #[test]
    fn a_shared_resource_gives_half_the_box() {
        let shared = |tx: f64, q: f64| {
            let load = (tx + q).max(1.0);
            (3000.0 * tx / load, 80.0 * q / load)
        };
        assert!((measured(shared).ratio - 0.5).abs() < 0.03, "{:?}", measured(shared));
    }

    #[test]
    fn sides_that_disturb_each_other_give_less_than_half() {
        let disturbed = |tx: f64, q: f64| (3000.0 * tx * (1.0 - q), 80.0 * q * (1.0 - tx));
        let ratio = measured(disturbed).ratio;
        assert!((0.1..0.5).contains(&ratio), "{ratio}");
    }

    #[test]
    fn noise_above_one_side_alone_widens_the_box() {
        let points = [(100.0, 0.0), (0.0, 10.0), (102.0, 10.5)];
        let frontier = Frontier::of(&points).unwrap();
        assert_eq!(frontier.corner, (102.0, 10.5));
        assert_eq!((frontier.ratio, frontier.line.len()), (1.0, 3));
    }

    #[test]
    fn without_each_side_alone_and_both_together_there_is_none() {
        for points in [
            &[][..],
            &[(1.0, 0.0), (0.0, 1.0)],
            &[(1.0, 0.0), (1.0, 1.0)],
            &[(0.0, 1.0), (1.0, 1.0)],
            &[(1.0, 0.0), (0.0, 1.0), (0.0, 0.0)],
            &[(1.0, 0.0), (0.0, f64::INFINITY), (1.0, 1.0)],
        ] {
            assert_eq!(Frontier::of(points), None, "{points:?}");
        }
    }
}
