//! What the axes of charts measure. The script makes scales, ticks and words of it, by D3.

use super::spec::{Axis, Kind, Quantity};
use crate::format::number::{Unit, latency, rate};

/// A rate in words.
pub fn axis_rate(value: f64) -> String {
    if value == 0.0 { "0".to_string() } else { rate(value) }
}

impl Quantity {
    /// What numbers of a unit measure.
    pub fn of(unit: Unit) -> Quantity {
        match unit {
            Unit::Seconds | Unit::Latency => Quantity::Times,
            Unit::Rate(_) => Quantity::Rates,
            Unit::Moment => Quantity::Moments,
            Unit::Bytes => Quantity::Bytes,
            Unit::Share => Quantity::Shares,
            Unit::Count | Unit::Ratio | Unit::Price => Quantity::Amounts,
        }
    }

    /// A scale whose highest value is more than so many times its lowest has logarithms: a linear
    /// one would flatten most of what there is to see. Rates are compared by their heights as long
    /// as that shows anything.
    fn flat(self) -> f64 {
        if self == Quantity::Times { 30.0 } else { 100.0 }
    }

    /// A value in a tooltip or beside a mark.
    pub fn value(self, value: f64) -> String {
        if self == Quantity::Times { latency(value) } else { axis_rate(value) }
    }
}

/// The vertical axis of these values, linear from 0 on or with logarithms where they are far apart.
/// Within a factor of two there is nothing that logarithms would show; else a reader may switch.
pub fn vertical(quantity: Quantity, label: &str, values: impl Iterator<Item = f64>) -> Axis {
    let (mut zero, mut low, mut high) = (false, f64::INFINITY, 0.0f64);
    for value in values.filter(|v| *v >= 0.0 && v.is_finite()) {
        match value > 0.0 {
            true => (low, high) = (low.min(value), high.max(value)),
            false => zero = true,
        }
    }
    let switch = high > low * 2.0;
    let kind = if switch && high / low > quantity.flat() { Kind::Log } else { Kind::Linear };
    let low = if low.is_finite() { low } else { 0.0 };
    Axis { switch, zero, ..axis(kind, quantity, label, low, high) }
}

fn axis(kind: Kind, quantity: Quantity, label: &str, low: f64, high: f64) -> Axis {
    let (domain, label) = (vec![low, high], label.to_string());
    Axis { kind, domain, label, quantity: Some(quantity), ..Axis::default() }
}

impl Axis {
    /// The linear one of the two: rates over time, whose stalls and last ticks are far below the
    /// others.
    pub fn linear(self) -> Axis {
        Axis { kind: Kind::Linear, ..self }
    }
}

/// An axis with logarithms from `low` or a little less to `high` or a little more.
pub fn logarithmic(quantity: Quantity, label: &str, low: f64, high: f64) -> Axis {
    axis(Kind::Log, quantity, label, low, high)
}

/// An axis from 0 to `end`.
pub fn from_zero(quantity: Quantity, label: &str, end: f64) -> Axis {
    axis(Kind::Linear, quantity, label, 0.0, end)
}

/// A vertical axis around these values, which need not begin at 0.
pub fn near(quantity: Quantity, values: impl Iterator<Item = f64> + Clone) -> Axis {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    let room = ((high - low) * 0.15).max(high.abs() * 0.01).max(f64::MIN_POSITIVE);
    Axis { near: true, ..axis(Kind::Linear, quantity, "", (low - room).max(0.0), high + room) }
}

/// An axis of durations from 0 on, which ends at the longest.
pub fn durations(label: &str, longest: f64) -> Axis {
    from_zero(Quantity::Times, label, if longest > 0.0 { longest } else { 1.0 })
}

/// An axis of durations with logarithms. All that are shorter than `least` are at half of it.
pub fn log_durations(label: &str, least: f64, longest: f64) -> Axis {
    Axis { least: true, ..logarithmic(Quantity::Times, label, least, longest) }
}

/// A horizontal axis on which each of these values has the same room.
pub fn points(label: &str, values: impl Iterator<Item = f64>) -> Axis {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    Axis { kind: Kind::Point, domain: values, label: label.to_string(), ..Axis::default() }
}

/// A horizontal axis of rates.
pub fn rates(label: &str, values: impl Iterator<Item = f64>) -> Axis {
    from_zero(Quantity::Rates, label, values.fold(0.0, f64::max))
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
    fn values_far_apart_have_logarithms_and_the_other_scale_where_there_is_anything_to_see() {
        use Quantity::{Rates, Times};
        for (quantity, values, kind, switch, zero) in [
            (Times, &[0.001, 0.01, 0.0][..], Kind::Linear, true, true),
            (Times, &[0.0015, 0.09, 0.0], Kind::Log, true, true),
            (Times, &[0.0015, 0.09], Kind::Log, true, false),
            (Times, &[], Kind::Linear, false, false),
            (Times, &[0.0], Kind::Linear, false, true),
            (Rates, &[400.0, 9_000.0, 0.0], Kind::Linear, true, true),
            (Rates, &[40.0, 9_000.0], Kind::Log, true, false),
            (Rates, &[400.0, 500.0], Kind::Linear, false, false),
        ] {
            let axis = vertical(quantity, "x", values.iter().copied());
            assert_eq!((axis.kind, axis.switch, axis.zero), (kind, switch, zero), "{values:?}");
            assert_eq!((axis.clone().linear().kind, axis.linear().switch), (Kind::Linear, switch));
        }
        let axis = vertical(Rates, "ops/s", [40.0, f64::NAN, 9_000.0, 0.0].into_iter());
        assert_eq!(axis.domain, [40.0, 9_000.0]);
    }
}
