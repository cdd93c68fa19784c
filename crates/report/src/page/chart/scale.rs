//! Scales: where an axis begins and ends, which values it names, and in which words.

use super::spec::{Axis, Format, Kind};
use crate::format::number::{duration, latency, rate};

/// Ticks that a vertical axis aims at.
const TICKS: usize = 6;

/// Round values from `low` to `high`, about `count` of them: multiples of 1, 2 or 5 times a power
/// of ten.
pub fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    if !(high > low && high.is_finite()) {
        return vec![low];
    }
    let step = (high - low) / count as f64;
    let power = 10f64.powf(step.log10().floor());
    let error = step / power;
    let factor = if error >= 50f64.sqrt() {
        10.0
    } else if error >= 10f64.sqrt() {
        5.0
    } else if error >= 2f64.sqrt() {
        2.0
    } else {
        1.0
    };
    // A step below 1 is divided by, because its inverse is a whole number and it is not.
    let inverse = 1.0 / (factor * power);
    let exact = |n: f64| match inverse > 1.0 {
        true => n / inverse.round(),
        false => n * (factor * power),
    };
    let (first, last) = ((low * inverse - 1e-9).ceil(), (high * inverse + 1e-9).floor());
    (0..=(last - first) as usize).map(|n| exact(first + n as f64)).collect()
}

fn named(
    values: impl IntoIterator<Item = f64>,
    words: impl Fn(f64) -> String,
) -> Vec<(f64, String)> {
    values.into_iter().map(|value| (value, words(value))).collect()
}

/// A duration on an axis, where zeros behind the point say nothing.
fn axis_duration(seconds: f64) -> String {
    let text = duration(seconds);
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

/// A rate on an axis.
pub fn axis_rate(value: f64) -> String {
    if value == 0.0 { "0".to_string() } else { rate(value) }
}

/// The numbers of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Response times and durations, seconds.
    Times,
    /// Rates.
    Rates,
}

impl Words {
    /// A scale whose highest value is more than so many times its lowest has logarithms: a linear
    /// one would flatten most of what there is to see. Rates are compared by their heights as long
    /// as that shows anything.
    fn flat(self) -> f64 {
        match self {
            Words::Times => 30.0,
            Words::Rates => 100.0,
        }
    }

    /// The same for the script, which formats the values of long series.
    fn format(self, label: &str) -> Vec<Format> {
        let unit = |below: f64, times: f64, words: &str| (below, times, words.to_string());
        match self {
            Words::Times => vec![
                unit(1e-12, 0.0, "< 1 µs"),
                unit(0.999_5e-6, 1e9, " ns"),
                unit(0.999_5e-3, 1e6, " µs"),
                unit(0.999_5, 1e3, " ms"),
                unit(0.0, 1.0, " s"),
            ],
            Words::Rates => {
                vec![unit(1e-12, 0.0, &format!("0 {label}")), unit(0.0, 1.0, &format!(" {label}"))]
            }
        }
    }

    /// A value in a tooltip or beside a mark.
    pub fn value(self, value: f64) -> String {
        match self {
            Words::Times => latency(value),
            Words::Rates => axis_rate(value),
        }
    }
}

/// The vertical axis of these values, with the other one to switch to: linear from 0 on, or with
/// logarithms where the values are far apart. 0 has no logarithm: it stands at the lower end.
pub fn vertical(words: Words, label: &str, values: impl Iterator<Item = f64>) -> Axis {
    let values: Vec<f64> = values.filter(|v| *v >= 0.0 && v.is_finite()).collect();
    let zero = values.contains(&0.0);
    let positive = || values.iter().copied().filter(|v| *v > 0.0);
    let (low, high) = (positive().fold(f64::INFINITY, f64::min), positive().fold(0.0, f64::max));
    let linear = match words {
        Words::Times if high > 0.0 => from_zero(label, high * 1.06, TICKS, axis_duration),
        Words::Times => from_zero(label, 1e-6, 2, axis_duration),
        Words::Rates => {
            from_zero(label, if high > 0.0 { high } else { 1.0 } * 1.08, TICKS, axis_rate)
        }
    };
    let format = words.format(label);
    let linear = Axis { format: format.clone(), ..linear };
    // Within a factor of two there is nothing that logarithms would show.
    if high <= low * 2.0 || high == 0.0 {
        return linear;
    }
    let named = if zero {
        format!("{label} (log scale, 0 at its end)")
    } else {
        format!("{label} (log scale)")
    };
    let logarithmic = Axis { format, ..logarithmic(words, named, low, high) };
    match high / low > words.flat() {
        true => Axis { other: Some(Box::new(linear)), ..logarithmic },
        false => Axis { other: Some(Box::new(logarithmic)), ..linear },
    }
}

impl Axis {
    /// The linear one of the two: rates over time, whose stalls and last ticks are far below the
    /// others.
    pub fn linear(self) -> Axis {
        match self {
            Axis { kind: Kind::Log, other: Some(linear), .. } => {
                let logarithmic = Axis { other: None, ..self };
                Axis { other: Some(Box::new(logarithmic)), ..*linear }
            }
            axis => axis,
        }
    }
}

/// Written and read, a power of ten is exact.
fn tick(m: u32, power: i32) -> f64 {
    format!("{m}e{power}").parse().unwrap_or(f64::NAN)
}

/// A vertical axis of times with logarithms.
pub fn log_times(label: &str, low: f64, high: f64) -> Axis {
    logarithmic(Words::Times, format!("{label} (log scale)"), low, high)
}

/// An axis with logarithms from `low` or a little less to `high` or a little more.
fn logarithmic(words: Words, label: String, low: f64, high: f64) -> Axis {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let all: Vec<(u32, f64)> =
        (first..=last).flat_map(|p| [1, 2, 5].map(|m| (m, tick(m, p)))).collect();
    let begin = all.iter().map(|t| t.1).filter(|t| *t <= low).fold(f64::NAN, f64::max);
    let end = all.iter().map(|t| t.1).filter(|t| *t >= high).fold(f64::NAN, f64::min);
    let within: Vec<_> = all.into_iter().filter(|t| t.1 >= begin && t.1 <= end).collect();
    let few = within.len() <= 8;
    let shown = within.into_iter().filter(|t| few || t.0 == 1).map(|t| t.1);
    let said = match words {
        Words::Times => axis_duration,
        Words::Rates => axis_rate,
    };
    Axis {
        kind: Kind::Log,
        domain: vec![begin, end],
        ticks: named(shown, said),
        label,
        ..Axis::default()
    }
}

/// An axis from 0 to `end`.
pub fn from_zero(label: &str, end: f64, count: usize, words: impl Fn(f64) -> String) -> Axis {
    Axis {
        kind: Kind::Linear,
        domain: vec![0.0, end],
        ticks: named(ticks(0.0, end, count), words),
        label: label.to_string(),
        ..Axis::default()
    }
}

/// An axis of durations from 0 on, which ends at the longest.
pub fn durations(label: &str, longest: f64) -> Axis {
    from_zero(label, if longest > 0.0 { longest } else { 1.0 }, 8, axis_duration)
}

/// An axis of durations with logarithms, from half of `least` on: the place of all shorter ones.
pub fn log_durations(label: &str, least: f64, longest: f64) -> Axis {
    let power = |value: f64| value.log10().floor() as i32;
    let longest = longest.clamp(2.0 * least, 1e15);
    let steps = (power(least)..=power(longest) + 1).flat_map(|p| [1, 2, 5].map(|m| tick(m, p)));
    let after: Vec<f64> = steps.filter(|t| *t >= least).collect();
    let end = after.iter().copied().find(|t| *t >= longest).unwrap_or(longest);
    let below = (least / 2.0, format!("< {}", axis_duration(least)));
    let within = named(after.into_iter().filter(|t| *t <= end), axis_duration);
    Axis {
        kind: Kind::Log,
        domain: vec![least / 2.0, end],
        ticks: std::iter::once(below).chain(within).collect(),
        label: format!("{label} (log scale)"),
        ..Axis::default()
    }
}

/// A horizontal axis on which each of these values has the same room.
pub fn points(label: &str, values: impl Iterator<Item = f64>) -> Axis {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let ticks = named(values.iter().copied(), |v| v.to_string());
    Axis { kind: Kind::Point, domain: values, ticks, label: label.to_string(), ..Axis::default() }
}

/// A horizontal axis of rates.
pub fn rates(label: &str, values: impl Iterator<Item = f64>) -> Axis {
    let high = values.fold(0.0, f64::max);
    from_zero(label, if high > 0.0 { high } else { 1.0 } * 1.04, 8, axis_rate)
}

/// An axis of rates with logarithms, for rates that are far apart.
pub fn log_rates(label: &str, low: f64, high: f64) -> Axis {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let all = (first..=last).flat_map(|p| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(p)));
    let within = all.filter(|t| *t >= low && *t <= high);
    Axis {
        kind: Kind::Log,
        domain: vec![low, high],
        ticks: named(within, axis_rate),
        label: format!("{label} (log scale)"),
        ..Axis::default()
    }
}

/// A place among others without words, as the lanes of a chart of bars.
pub fn lanes(count: usize) -> Axis {
    Axis { kind: Kind::Band, domain: (0..count).map(|n| n as f64).collect(), ..Axis::default() }
}

/// Places with names.
pub fn bands(names: &[String]) -> Axis {
    let ticks = names.iter().enumerate().map(|(n, name)| (n as f64, name.clone())).collect();
    Axis { ticks, ..lanes(names.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(ticks(0.0, 106.0, 6), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(0.0, 0.0106, 6), [0.0, 0.002, 0.004, 0.006, 0.008, 0.01]);
        assert_eq!(ticks(0.0, 1.0, 2), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(0.0, 0.0, 6), [0.0]);
    }

    #[test]
    fn times_far_apart_have_logarithms_and_words_without_idle_zeros() {
        let axis = |values: &[f64]| vertical(Words::Times, "p99", values.iter().copied());
        let near = axis(&[0.001, 0.01, 0.0]);
        assert_eq!((near.kind, near.label.as_str()), (Kind::Linear, "p99"));
        let words: Vec<&str> = near.ticks.iter().map(|t| t.1.as_str()).collect();
        assert_eq!(words, ["0 s", "2 ms", "4 ms", "6 ms", "8 ms", "10 ms"]);
        let far = axis(&[0.0015, 0.09, 0.0]);
        assert_eq!((far.kind, far.label.as_str()), (Kind::Log, "p99 (log scale, 0 at its end)"));
        assert_eq!(far.domain, [0.001, 0.1]);
        let words: Vec<&str> = far.ticks.iter().map(|t| t.1.as_str()).collect();
        assert_eq!(words, ["1 ms", "2 ms", "5 ms", "10 ms", "20 ms", "50 ms", "100 ms"]);
        assert_eq!(axis(&[0.0015, 0.09]).label, "p99 (log scale)");
        assert_eq!(axis(&[]).domain, [0.0, 1e-6]);
        assert_eq!(axis(&[1e-6, 1.0]).ticks.len(), 7);
    }

    #[test]
    fn each_scale_has_the_other_one_to_switch_to_where_there_is_anything_to_see() {
        let rates = |values: &[f64]| vertical(Words::Rates, "ops/s", values.iter().copied());
        let kinds = |axis: &Axis| (axis.kind, axis.other.as_ref().map(|other| other.kind));
        let (near, far) = (rates(&[400.0, 9_000.0, 0.0]), rates(&[40.0, 9_000.0]));
        assert_eq!(kinds(&near), (Kind::Linear, Some(Kind::Log)));
        let log = near.other.as_ref().unwrap();
        assert_eq!(log.domain, [200.0, 10_000.0]);
        assert_eq!(log.label, "ops/s (log scale, 0 at its end)");
        assert_eq!(kinds(&far), (Kind::Log, Some(Kind::Linear)));
        assert_eq!(far.other.as_ref().unwrap().domain, [0.0, 9_720.0]);
        assert_eq!(kinds(&far.linear()), (Kind::Linear, Some(Kind::Log)));
        assert_eq!(kinds(&rates(&[400.0, 500.0])), (Kind::Linear, None));
        assert_eq!(kinds(&rates(&[])), (Kind::Linear, None));
    }
}
