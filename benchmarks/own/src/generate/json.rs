//! Values as JSON, without white space.

use hoap_data::Timestamp;
use hoap_data::number::write_u64;

use crate::file::model::{DateFormat, Literal};

/// Appends a number.
#[inline]
pub fn unsigned(value: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 28];
    let len = write_u64(value, &mut digits);
    out.extend_from_slice(&digits[..len]);
}

/// Appends an integer.
#[inline]
pub fn integer(value: i64, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    unsigned(value.unsigned_abs(), out);
}

/// Appends a number with zeros before it up to a width.
pub fn padded(value: u64, width: usize, out: &mut Vec<u8>) {
    let mut digits = [0; 28];
    let len = write_u64(value, &mut digits);
    out.extend(std::iter::repeat_n(b'0', width.saturating_sub(len)));
    out.extend_from_slice(&digits[..len]);
}

/// Appends a decimal that has so many digits behind its point.
#[inline]
pub fn decimal(units: i64, digits: u8, out: &mut Vec<u8>) {
    if digits == 0 {
        return integer(units, out);
    }
    if units < 0 {
        out.push(b'-');
    }
    let (mut text, digits) = ([0; 28], usize::from(digits));
    let len = write_u64(units.unsigned_abs(), &mut text);
    let (whole, rest) = text[..len].split_at(len.saturating_sub(digits));
    out.extend_from_slice(if whole.is_empty() { b"0" } else { whole });
    out.push(b'.');
    out.extend(std::iter::repeat_n(b'0', digits - rest.len()));
    out.extend_from_slice(rest);
}

/// Appends a double: the shortest text that reads back. JSON has none for what is not finite.
pub fn number(value: f64, out: &mut Vec<u8>) {
    if !value.is_finite() {
        return out.extend_from_slice(b"null");
    }
    out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
}

/// Appends a date in units of its format, without quotes.
pub fn date(units: i64, format: DateFormat, out: &mut Vec<u8>) {
    let text = |units: i64| Timestamp::from_micros(units.saturating_mul(format.unit())).to_bytes();
    match format {
        DateFormat::Iso => {
            let mut text = text(units);
            (text[10], text[23]) = (b'T', b'Z');
            out.extend_from_slice(&text[..24]);
        }
        DateFormat::Space => out.extend_from_slice(&text(units)[..23]),
        DateFormat::Date => out.extend_from_slice(&text(units)[..10]),
        DateFormat::Seconds | DateFormat::Millis | DateFormat::Micros => integer(units, out),
    }
}

/// Whether a date of this format is text.
pub fn is_text(format: DateFormat) -> bool {
    matches!(format, DateFormat::Iso | DateFormat::Space | DateFormat::Date)
}

/// Appends a text in quotes.
pub fn text(value: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let start = out.len();
    out.extend_from_slice(value);
    escape(start, out);
    out.push(b'"');
}

/// Escapes what was appended from this byte on.
#[inline]
pub fn escape(start: usize, out: &mut Vec<u8>) {
    let special = |b: &u8| *b < 0x20 || *b == b'"' || *b == b'\\';
    if !out[start..].iter().any(special) {
        return;
    }
    let raw = out.split_off(start);
    for byte in raw {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
}

/// A literal as JSON.
pub fn literal(literal: &Literal) -> Box<[u8]> {
    let mut out = Vec::new();
    match literal {
        Literal::Null => out.extend_from_slice(b"null"),
        Literal::Boolean(whether) => out.extend_from_slice(whether.to_string().as_bytes()),
        Literal::Integer(n) => integer(*n, &mut out),
        Literal::Decimal(units, digits) => decimal(*units, *digits, &mut out),
        Literal::Number(n) => number(*n, &mut out),
        Literal::Date(micros, format) => {
            let mut of = Vec::new();
            date(micros.div_euclid(format.unit()), *format, &mut of);
            match is_text(*format) {
                true => text(&of, &mut out),
                false => out = of,
            }
        }
        Literal::Text(value) => text(value.as_bytes(), &mut out),
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_json() {
        let day = 19_723 * hoap_data::DAY_MICROS + 3_723_004_000;
        for (value, expected) in [
            (Literal::Integer(i64::MIN), "-9223372036854775808"),
            (Literal::Decimal(-5, 2), "-0.05"),
            (Literal::Decimal(1999, 2), "19.99"),
            (Literal::Decimal(7, 0), "7"),
            (Literal::Number(0.1), "0.1"),
            (Literal::Date(day, DateFormat::Iso), "\"2024-01-01T01:02:03.004Z\""),
            (Literal::Date(day, DateFormat::Date), "\"2024-01-01\""),
            (Literal::Date(day, DateFormat::Space), "\"2024-01-01 01:02:03.004\""),
            (Literal::Date(day, DateFormat::Seconds), "1704070923"),
            (Literal::Text("a\"b\\c\nä\u{1}".into()), "\"a\\\"b\\\\c\\nä\\u0001\""),
        ] {
            assert_eq!(String::from_utf8(literal(&value).into()).unwrap(), expected);
        }
    }
}
