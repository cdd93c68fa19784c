//! Ratios as people read them: "+4.0 %", or "5.30 ×" from a threefold on.

use crate::format::number::{Unit, rate};

/// How ratios that stand beside each other are written: all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// "+12.3 %".
    Percent,
    /// "4.20 ×".
    Factor,
}

impl Notation {
    /// That of these ratios: percent, unless one of them is a threefold or more.
    pub fn of(ratios: impl IntoIterator<Item = f64>) -> Notation {
        match ratios.into_iter().any(|ratio| ratio >= 3.0) {
            true => Notation::Factor,
            false => Notation::Percent,
        }
    }

    /// A ratio: "−4.0 %", "0.96 ×".
    pub fn change(self, ratio: f64) -> String {
        if self == Notation::Factor {
            return format!("{} ×", factor(ratio));
        }
        let percent = (ratio - 1.0) * 100.0;
        let decimals = usize::from(percent.abs() < 99.95);
        let text = format!("{:.decimals$}", percent.abs());
        let zero = text.bytes().all(|b| matches!(b, b'0' | b'.'));
        let sign = if zero {
            "±"
        } else if percent < 0.0 {
            "−"
        } else {
            "+"
        };
        format!("{sign}{text} %")
    }

    /// Both ends of an interval: "−1.0 … +7.5 %", "0.96 … 24.4 ×".
    pub fn span(self, (low, high): (f64, f64)) -> String {
        let low = self.change(low);
        let bare = low.trim_end_matches([' ', '%', '×']);
        format!("{bare} … {}", self.change(high))
    }
}

/// A ratio without a sign, such as "5.30" or "0.034".
pub fn factor(ratio: f64) -> String {
    if ratio < 0.0995 { Unit::Ratio.show(ratio) } else { rate(ratio) }
}

/// A ratio alone.
pub fn change(ratio: f64) -> String {
    Notation::of([ratio]).change(ratio)
}

/// A ratio with its interval, which may be one within the run: "−28.4 % (−56.9 … +18.8 %)".
pub fn with_interval(ratio: f64, interval: Option<((f64, f64), bool)>) -> String {
    let Some(((low, high), within)) = interval else { return change(ratio) };
    Notation::of([ratio, low, high]).with_interval(ratio, (low, high), within)
}

impl Notation {
    /// A ratio with its interval.
    pub fn with_interval(self, ratio: f64, interval: (f64, f64), within: bool) -> String {
        let within = if within { "within the run " } else { "" };
        format!("{} ({within}{})", self.change(ratio), self.span(interval))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_read_as_people_write_them() {
        let cases = [
            (1.1234, "+12.3 %"),
            (0.96, "−4.0 %"),
            (1.0, "±0.0 %"),
            (0.99999, "±0.0 %"),
            (2.5, "+150 %"),
            (4.25, "4.25 ×"),
        ];
        for (ratio, text) in cases {
            assert_eq!(change(ratio), text);
        }
        let interval = |low, high| Some(((low, high), false));
        assert_eq!(with_interval(1.02, interval(0.99, 1.075)), "+2.0 % (−1.0 … +7.5 %)");
        assert_eq!(
            with_interval(0.034, Some(((0.03, 0.04), true))),
            "−96.6 % (within the run −97.0 … −96.0 %)"
        );
    }

    #[test]
    fn what_stands_beside_a_factor_is_one() {
        assert_eq!(with_interval(1.8, Some(((0.5, 7.0), false))), "1.80 × (0.50 … 7.00 ×)");
        assert_eq!(Notation::of([1.0, 6.46, 0.034]).change(0.034), "0.034 ×");
    }
}
