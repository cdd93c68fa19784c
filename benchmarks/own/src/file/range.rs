//! Ranges, lengths of time and dates, as texts of the file.

use hoap_data::Date;

use super::keys::{Read, Value};

/// A closed range of integers, or of decimals without their point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The lowest.
    pub low: i64,
    /// The highest.
    pub high: i64,
}

/// The ends of `low..high`, twice the same of a text without dots.
fn ends(text: &str) -> (&str, &str) {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    (low.trim(), high.trim())
}

/// Both ends, read by `read`, the lower first.
fn both<T: PartialOrd>(
    value: Value<'_>,
    text: &str,
    what: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Read<(T, T)> {
    let (low, high) = ends(text);
    let read = |end: &str| {
        read(end)
            .ok_or_else(|| value.wrong(format!("{end:?} is no {what}: a range is \"low..high\"")))
    };
    let (low, high) = (read(low)?, read(high)?);
    match low <= high {
        true => Ok((low, high)),
        false => Err(value.wrong(format!("{text:?} is empty: a range is \"low..high\""))),
    }
}

/// Integers: a text, or one integer.
pub fn integers(value: Value<'_>) -> Read<Range> {
    if let Some(n) = value.as_integer() {
        return Ok(Range { low: n, high: n });
    }
    let read = |end: &str| end.replace('_', "").parse::<i64>().ok();
    let (low, high) = both(value, value.text()?, "integer", read)?;
    Ok(Range { low, high })
}

/// Integers that are lengths or counts, up to `most`.
pub fn lengths(value: Value<'_>, most: i64) -> Read<Range> {
    let range = integers(value)?;
    match range.low >= 0 && range.high <= most {
        true => Ok(range),
        false => Err(value.wrong(format!("this is from 0 to {most}"))),
    }
}

/// Numbers.
pub fn numbers(value: Value<'_>) -> Read<(f64, f64)> {
    let read = |end: &str| end.parse::<f64>().ok().filter(|n| n.is_finite());
    both(value, value.text()?, "number", read)
}

/// Decimals, and how many digits they have behind their point: as many as the longer of the ends.
pub fn decimals(value: Value<'_>) -> Read<(Range, u8)> {
    let text = value.text()?;
    let (low, high) = ends(text);
    let digits = |end: &str| end.split_once('.').map_or(0, |(_, behind)| behind.len());
    let digits = digits(low).max(digits(high));
    if digits > 15 {
        return Err(value.wrong("a decimal has at most 15 digits behind its point"));
    }
    let (low, high) =
        both(value, text, "decimal of at most 18 digits", |end| decimal(end, digits))?;
    Ok((Range { low, high }, digits as u8))
}

/// A decimal in units of its last digit.
fn decimal(text: &str, digits: usize) -> Option<i64> {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, behind) = text.split_once('.').unwrap_or((text, ""));
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !plain(whole) || !plain(behind) || whole.len() + digits > 18 {
        return None;
    }
    Some(sign * format!("{whole}{behind:0<digits$}").parse::<i64>().ok()?)
}

/// The microseconds of a length of time, such as "1h", with its unit: ms, s, m, h or d.
pub fn time(text: &str) -> Option<i64> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '-')?;
    let unit = match &text[split..] {
        "ms" => 1_000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => hoap_data::DAY_MICROS,
        _ => return None,
    };
    text[..split].parse::<i64>().ok()?.checked_mul(unit)
}

/// Lengths of time, in microseconds; `None` if it is a range of something else.
pub fn times(value: Value<'_>) -> Read<Option<Range>> {
    let text = match value.as_text() {
        Some(text) if time(ends(text).0).is_some() => text,
        _ => return Ok(None),
    };
    let (low, high) = both(value, text, "length of time, such as \"90s\" or \"2h\"", time)?;
    Ok(Some(Range { low, high }))
}

/// One length of time that is not negative, in microseconds.
pub fn duration(value: Value<'_>) -> Read<i64> {
    let text = value.text()?;
    time(text).filter(|time| *time >= 0).ok_or_else(|| {
        value
            .wrong(format!("{text:?} is no length of time, such as \"10s\", with ms, s, m, h or d"))
    })
}

/// What `date` says: the days of a range, or one day with which a series begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Days {
    /// Both included.
    Range(Date, Date),
    /// The first one.
    From(Date),
}

/// Days: "2023-01-01..2024-12-31", or one.
pub fn days(value: Value<'_>) -> Read<Days> {
    let read = |end: &str| end.parse::<Date>().ok();
    if let Some(date) = value.as_date() {
        let day = read(&date.to_string())
            .ok_or_else(|| value.wrong("a series begins with a day, such as \"2024-01-01\""))?;
        return Ok(Days::From(day));
    }
    let text = value.text()?;
    let (first, last) = both(value, text, "day, such as 2024-01-31", read)?;
    Ok(if text.contains("..") { Days::Range(first, last) } else { Days::From(first) })
}
