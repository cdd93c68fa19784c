//! Ratios as people read them.

use crate::format::number::Unit;

/// A ratio as a change: "+12.3 %", "−4.0 %", "4.2x" above a threefold.
pub fn change(ratio: f64) -> String {
    if ratio >= 3.0 {
        return format!("{}x", Unit::Rate("").show(ratio));
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

/// Both ends of an interval: "−1.0 … +7.5 %".
pub fn span(low: f64, high: f64) -> String {
    let (low, high) = (change(low), change(high));
    match (low.strip_suffix(" %"), high.ends_with(" %")) {
        (Some(bare), true) => format!("{bare} … {high}"),
        _ => format!("{low} … {high}"),
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
            (4.25, "4.25x"),
        ];
        for (ratio, text) in cases {
            assert_eq!(change(ratio), text);
        }
        assert_eq!(span(0.99, 1.075), "−1.0 … +7.5 %");
        assert_eq!(span(0.5, 7.0), "−50.0 % … 7.00x");
    }
}
