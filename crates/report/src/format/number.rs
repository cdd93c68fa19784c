//! Numbers as text, each with its unit and at most [`WIDEST`] columns wide.

/// No text of this module is longer, whatever the number.
pub const WIDEST: usize = 22;

/// What a number measures: decides its format and the unit in the heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Things counted: "1,234".
    Count,
    /// A rate whose unit is in the heading: "1,234", "12.3".
    Rate(&'static str),
    /// A duration in seconds: "3.42 ms", "12 min 3 s".
    Seconds,
    /// A response time in seconds: "3.42 ms". A run records it to the microsecond, so that 0 is
    /// shown as "< 1 µs".
    Latency,
    /// A point in time in seconds since the run's start: "12.50 s".
    Moment,
    /// Bytes: "1.20 GB".
    Bytes,
    /// One number through another: "0.873".
    Ratio,
    /// A share between 0 and 1 of a whole: "99.9 %".
    Share,
    /// Money, its currency in another column: "5,524.42", "0.000182".
    Price,
}

impl Unit {
    /// The number as text.
    pub fn show(self, value: f64) -> String {
        if !value.is_finite() {
            return "–".to_string();
        }
        match self {
            Unit::Count if value.fract() == 0.0 => decimals(value, 0),
            Unit::Count | Unit::Rate(_) => rate(value),
            Unit::Seconds => duration(value),
            Unit::Latency => latency(value),
            Unit::Moment => format!("{} s", decimals(value, 2)),
            Unit::Bytes => bytes(value),
            Unit::Ratio => ratio(value),
            Unit::Share if value.abs() >= 10.0 => format!("{} %", decimals(value * 100.0, 0)),
            Unit::Share => format!("{} %", trim(&decimals(value * 100.0, 4))),
            Unit::Price => price(value),
        }
    }

    /// The unit as it stands in a heading, where cells do not carry it themselves.
    pub fn in_heading(self) -> Option<&'static str> {
        match self {
            Unit::Rate(unit) => Some(unit),
            _ => None,
        }
    }

    /// The unit of the bare number, for files that machines read.
    pub fn bare(self) -> Option<&'static str> {
        match self {
            Unit::Count | Unit::Price => None,
            Unit::Rate(unit) => Some(unit),
            Unit::Seconds | Unit::Latency | Unit::Moment => Some("s"),
            Unit::Bytes => Some("bytes"),
            Unit::Ratio => Some("ratio"),
            Unit::Share => Some("share"),
        }
    }
}

/// Above this, grouped digits no longer help and a power of ten does.
const LARGE: f64 = 1e12;

/// A rate as "1,234", "12.3", "1.23".
pub fn rate(value: f64) -> String {
    let size = value.abs();
    if size >= 99.95 {
        decimals(value, 0)
    } else if size >= 9.995 {
        decimals(value, 1)
    } else {
        decimals(value, 2)
    }
}

fn ratio(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.001 { format!("{value:.2e}") } else { decimals(value, 3) }
}

/// Cents; below one as many as four significant digits, as unit prices have.
fn price(value: f64) -> String {
    let size = value.abs();
    if size >= 0.995 || size == 0.0 {
        decimals(value, 2)
    } else if size < 1e-6 {
        format!("{value:.2e}")
    } else {
        let digits = 3.0 - size.log10().floor();
        trim(&decimals(value, digits as usize)).to_string()
    }
}

/// A number as it was written, its thousands grouped: "16,340.34".
pub fn plain(value: f64) -> String {
    trim(&decimals(value, 6)).to_string()
}

/// So many decimals, the thousands grouped by commas.
pub fn decimals(value: f64, count: usize) -> String {
    if value.abs() >= LARGE {
        return format!("{value:.2e}");
    }
    let text = format!("{:.count$}", value.abs());
    let (whole, fraction) =
        text.split_once('.').map_or((text.as_str(), None), |(w, f)| (w, Some(f)));
    let mut out = String::with_capacity(text.len() + 6);
    if value < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b)) {
        out.push('-');
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// Drops zeros behind the decimal point.
fn trim(text: &str) -> &str {
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// Three significant digits with as many decimals as that needs.
fn significant(value: f64) -> String {
    let size = value.abs();
    let count = if size < 9.995 {
        2
    } else if size < 99.95 {
        1
    } else {
        0
    };
    decimals(value, count)
}

/// Seconds as "850 ns", "3.42 ms", "12.3 s", "12 min 3 s", "3 h 12 min", "4 d 5 h".
pub fn duration(seconds: f64) -> String {
    let size = seconds.abs();
    let sign = if seconds < 0.0 { "-" } else { "" };
    if size == 0.0 {
        "0 s".to_string()
    } else if size < 0.999_5e-6 {
        format!("{sign}{:.0} ns", size * 1e9)
    } else if size < 0.999_5e-3 {
        format!("{sign}{} µs", significant(size * 1e6))
    } else if size < 0.999_5 {
        format!("{sign}{} ms", significant(size * 1e3))
    } else if size < 119.5 {
        format!("{sign}{} s", significant(size))
    } else if size < 7_200.0 {
        let whole = size.round();
        format!("{sign}{:.0} min {:.0} s", (whole / 60.0).floor(), whole % 60.0)
    } else if size < 172_800.0 {
        let minutes = (size / 60.0).round();
        format!("{sign}{:.0} h {:.0} min", (minutes / 60.0).floor(), minutes % 60.0)
    } else {
        let hours = (size / 3_600.0).round();
        let days = (hours / 24.0).floor();
        if days < 100_000.0 {
            format!("{sign}{days:.0} d {:.0} h", hours % 24.0)
        } else {
            format!("{sign}{days:.1e} d")
        }
    }
}

/// A response time, [`Unit::Latency`].
pub fn latency(seconds: f64) -> String {
    if seconds == 0.0 { "< 1 µs".to_string() } else { duration(seconds) }
}

/// Bytes in decimal multiples: "512 B", "1.20 GB".
pub fn bytes(value: f64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if value.abs() < 999.5 {
        return format!("{} B", decimals(value, 0));
    }
    let mut scaled = value / 1e3;
    for unit in UNITS {
        if scaled.abs() < 999.5 {
            return format!("{} {unit}", significant(scaled));
        }
        scaled /= 1e3;
    }
    format!("{:.2e} EB", scaled * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        let cases = [
            (Unit::Count, 1234.0, "1,234"),
            (Unit::Count, 1_234_567.0, "1,234,567"),
            (Unit::Count, 0.0, "0"),
            (Unit::Rate("tpM"), 1234.4, "1,234"),
            (Unit::Rate("tpM"), 99.96, "100"),
            (Unit::Rate("tpM"), 12.34, "12.3"),
            (Unit::Rate("tpM"), 1.234, "1.23"),
            (Unit::Rate("tpM"), 16.0, "16.0"),
            (Unit::Rate("tpM"), -0.001, "0.00"),
            (Unit::Seconds, 0.0, "0 s"),
            (Unit::Seconds, 0.000_000_85, "850 ns"),
            (Unit::Seconds, 0.000_850, "850 µs"),
            (Unit::Seconds, 0.000_999_6, "1.00 ms"),
            (Unit::Seconds, 0.003_42, "3.42 ms"),
            (Unit::Seconds, 0.0342, "34.2 ms"),
            (Unit::Seconds, 0.9996, "1.00 s"),
            (Unit::Seconds, 12.34, "12.3 s"),
            (Unit::Seconds, 119.7, "2 min 0 s"),
            (Unit::Seconds, 723.0, "12 min 3 s"),
            (Unit::Seconds, 11_520.0, "3 h 12 min"),
            (Unit::Seconds, 363_600.0, "4 d 5 h"),
            (Unit::Latency, 0.0, "< 1 µs"),
            (Unit::Latency, 0.000_000_3, "300 ns"),
            (Unit::Latency, 0.000_001, "1.00 µs"),
            (Unit::Latency, 0.003_42, "3.42 ms"),
            (Unit::Moment, 12.5, "12.50 s"),
            (Unit::Bytes, 512.0, "512 B"),
            (Unit::Bytes, 1_200_000_000.0, "1.20 GB"),
            (Unit::Ratio, 0.8734, "0.873"),
            (Unit::Ratio, 0.000_01, "1.00e-5"),
            (Unit::Share, 0.999, "99.9 %"),
            (Unit::Share, 0.5, "50 %"),
            (Unit::Price, 5524.416, "5,524.42"),
            (Unit::Price, 0.0, "0.00"),
            (Unit::Price, 0.003_421_4, "0.003421"),
            (Unit::Price, 0.000_182, "0.000182"),
            (Unit::Price, 0.7748, "0.7748"),
            (Unit::Count, f64::NAN, "–"),
        ];
        for (unit, value, text) in cases {
            assert_eq!(unit.show(value), text, "{unit:?} {value}");
        }
    }

    #[test]
    fn no_number_is_wider_than_promised() {
        let units = [
            Unit::Count,
            Unit::Rate("x"),
            Unit::Seconds,
            Unit::Latency,
            Unit::Moment,
            Unit::Bytes,
            Unit::Ratio,
            Unit::Share,
            Unit::Price,
        ];
        let mut value = 1e-320;
        while value < f64::MAX / 8.0 {
            for unit in units {
                for signed in [value, -value] {
                    let text = unit.show(signed);
                    assert!(text.chars().count() <= WIDEST, "{unit:?} {signed}: {text}");
                }
            }
            value *= 7.3;
        }
    }
}
