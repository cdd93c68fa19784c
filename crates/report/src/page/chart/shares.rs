//! Cumulative distributions: which share of things ended within which time.

use super::parts::item;
use super::scale;
use super::spec::{Chart, Look, Mark, Number, Plot, Point, Quantity, Sample, Series};
use crate::format::number::duration;

/// The things of a line.
#[derive(Clone, Debug)]
pub struct Shares {
    /// What the line is: of one name are those of a look.
    pub name: String,
    /// How many things there were.
    pub count: usize,
    /// The times of those that ended, seconds. The line of fewer than `count` ends below all.
    pub seconds: Vec<f64>,
}

/// A plot: its heading and its lines.
#[derive(Clone, Debug)]
pub struct SharesOf {
    /// The heading.
    pub name: String,
    /// The lines.
    pub lines: Vec<Shares>,
}

/// A plot for each, with the same scale of times. Times shorter than `least` share a place.
pub fn shares(plots: &[SharesOf], least: f64) -> Chart {
    let lines = || plots.iter().flat_map(|plot| &plot.lines);
    let longest = lines().flat_map(|line| &line.seconds).copied().fold(least, f64::max);
    let x = scale::log_durations("time", least, longest);
    let y = scale::from_zero(Quantity::Shares, "share", 1.0);
    let mut names: Vec<&str> = Vec::new();
    for line in lines().filter(|line| !line.seconds.is_empty()) {
        if !names.contains(&line.name.as_str()) {
            names.push(&line.name);
        }
    }
    let look = |n: usize| Look { symbol: None, ..Look::of(n) };
    let ranks = Look::line("soft", "2 3");
    let plot = |of: &SharesOf| {
        let at = [0.5, 0.95].map(|share| (Number(share), None)).into();
        let mut marks = vec![Mark::Rule { look: ranks, upright: false, at }];
        for line in of.lines.iter().filter(|line| !line.seconds.is_empty()) {
            let number = names.iter().position(|name| *name == line.name).unwrap_or(0);
            marks.push(Mark::Line(Series {
                look: look(number),
                title: line.name.clone(),
                // The script has it at the end of the scale.
                points: points(line, least, 10.0 * longest),
                ..Series::default()
            }));
        }
        let (name, x, y) = (of.name.clone(), x.clone(), y.clone());
        Plot { name, height: 210, x, y, marks, ..Plot::default() }
    };
    let named = names.iter().enumerate().map(|(n, name)| item(name, look(n), Sample::Line));
    let ranks = item("median and 95th percentile", ranks, Sample::Line);
    let legend = named.chain([ranks]).collect();
    Chart { legend, plots: plots.iter().map(plot).collect(), least: 300, ..Chart::default() }
}

/// A step at each time, and where not all ended a line to the end of the scale.
fn points(line: &Shares, least: f64, end: f64) -> Vec<Point> {
    let mut seconds = line.seconds.clone();
    seconds.sort_by(f64::total_cmp);
    let place = |seconds: f64| if seconds < least { least / 2.0 } else { seconds };
    let (mut points, mut before) = (Vec::new(), 0.0);
    for (n, at) in seconds.iter().enumerate() {
        if seconds.get(n + 1).is_some_and(|next| place(*next) == place(*at)) {
            continue;
        }
        let share = (n + 1) as f64 / line.count.max(1) as f64;
        let within = match *at < least {
            true => format!("less than {}", duration(least)),
            false => format!("at most {}", duration(*at)),
        };
        let words = format!("{within}: {} of {}", n + 1, line.count);
        points.push((Number(place(*at)), Number(before), 0, words.clone()));
        points.push((Number(place(*at)), Number(share), 0, words));
        before = share;
    }
    if seconds.len() < line.count {
        let words = format!("{} of {} without an end", line.count - seconds.len(), line.count);
        points.push((Number(end), Number(before), 0, words));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_step_at_each_time_and_ends_below_all_where_not_all_ended() {
        let of = |count, seconds: &[f64]| {
            let line = Shares { name: "x".into(), count, seconds: seconds.into() };
            let all = points(&line, 0.1, 10.0);
            all.into_iter().map(|(x, y, _, words)| (x.0, y.0, words)).collect::<Vec<_>>()
        };
        let made = of(4, &[2.0, 0.02, 2.0, 0.0]);
        let places: Vec<_> = made.iter().map(|(x, y, _)| (*x, *y)).collect();
        assert_eq!(places, [(0.05, 0.0), (0.05, 0.5), (2.0, 0.5), (2.0, 1.0)]);
        assert_eq!(made[1].2, "less than 100 ms: 2 of 4");
        assert_eq!(made[3].2, "at most 2.00 s: 4 of 4");
        let made = of(3, &[0.1]);
        assert_eq!(made.last().unwrap().0, 10.0);
        assert!(made.last().unwrap().1 < 0.34 && made.last().unwrap().2.starts_with("2 of 3"));
        assert_eq!(of(2, &[]).len(), 1);
    }
}
