//! Dates that are written as text.

use hoap_data::{Date, Timestamp};

use crate::learn::fit::quantiles;
use crate::learn::sketch::texts::Kept;
use crate::learn::toml::{Toml, leaf, table, text};

/// How a date is written: the format that is nearest, and whether it is just that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spelling {
    /// `date`, `iso` or `space`.
    pub format: &'static str,
    /// Whether it has the same length.
    pub exact: bool,
}

/// Microseconds since 1970 of a date and a time, with or without seconds, a fraction and a zone.
pub fn parse(text: &str) -> Option<(i64, Spelling)> {
    let (day, time) = text.split_at_checked(10)?;
    let day: Date = day.parse().ok()?;
    let midnight = Timestamp::from(day).micros();
    if time.is_empty() {
        return Some((midnight, Spelling { format: "date", exact: true }));
    }
    let format = match time.as_bytes()[0] {
        b'T' => "iso",
        b' ' => "space",
        _ => return None,
    };
    let (clock, zone) = zone(&time[1..]);
    let mut parts = clock.split(':');
    let number = |part: &str, most: u32| {
        let plain = part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
        part.parse::<u32>().ok().filter(|n| plain && *n <= most)
    };
    let hour = number(parts.next()?, 24)?;
    let minute = number(parts.next()?, 59)?;
    let (second, micros) = match parts.next() {
        None => (0, 0),
        Some(seconds) => {
            let (second, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
            let digits = format!("{fraction:0<6}");
            (number(second, 60)?, digits.get(..6)?.parse::<u32>().ok()?)
        }
    };
    let of_day = i64::from(hour * 3600 + minute * 60 + second) * 1_000_000 + i64::from(micros);
    let exact = parts.next().is_none() && text.len() == if format == "iso" { 24 } else { 23 };
    Some((midnight + of_day - zone?, Spelling { format, exact }))
}

/// A time of the day, and how many microseconds its zone is ahead; `None` if that is no zone.
fn zone(time: &str) -> (&str, Option<i64>) {
    if let Some(clock) = time.strip_suffix('Z') {
        return (clock, Some(0));
    }
    let Some(at) = time.rfind(['+', '-']) else { return (time, Some(0)) };
    let digits: String = time[at + 1..].chars().filter(|c| *c != ':').collect();
    let ahead = digits.parse::<i64>().ok().filter(|_| digits.len() == 4);
    let ahead = ahead.map(|n| (n / 100 * 60 + n % 100) * 60_000_000);
    (&time[..at], ahead.map(|n| if time.as_bytes()[at] == b'-' { -n } else { n }))
}

/// The instants of texts that are all dates, and how the most are written.
pub fn instants(sample: &[&Kept]) -> Option<(Vec<i64>, Spelling)> {
    let all: Option<Vec<(i64, Spelling)>> = sample.iter().map(|of| parse(&of.text)).collect();
    let all = all.filter(|all| !all.is_empty())?;
    let mut spellings: Vec<Spelling> = all.iter().map(|(_, spelling)| *spelling).collect();
    spellings.sort_unstable();
    let middle = spellings[spellings.len() / 2];
    Some((all.into_iter().map(|(micros, _)| micros).collect(), middle))
}

/// The generator of dates of these days: a range, or several with their shares.
pub fn generator(mut micros: Vec<i64>, format: &str, values: bool) -> Toml {
    micros.sort_unstable();
    let day = |micros: i64| micros.div_euclid(hoap_data::DAY_MICROS);
    let days: Vec<f64> = micros.iter().map(|micros| day(*micros) as f64).collect();
    let made = |first: f64, last: f64| {
        let of = |days: f64| Timestamp::from_micros(days as i64 * hoap_data::DAY_MICROS).date();
        let (first, last) = (of(first), of(last));
        let range = match values {
            true => format!("{first}..{last}"),
            // Days of the sample are values of it.
            false => format!("{:04}-01-01..{:04}-12-31", first.year(), last.year()),
        };
        match format {
            "iso" => table([("date", text(&range))]),
            _ => table([("date", text(&range)), ("format", text(format))]),
        }
    };
    let pairs = quantiles(&days);
    let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else {
        return made(0.0, 0.0);
    };
    let range = last.1 - first.1;
    // A day has half of the distance to the next on both sides.
    let off = |pair: &(f64, f64)| (pair.1 - (first.1 - 0.5 + (range + 1.0) * pair.0)).abs();
    if !values || pairs.iter().map(off).fold(0.0, f64::max) <= 0.03 * range + 0.5 {
        return made(first.1, last.1);
    }
    let parts = pairs.windows(2).filter(|pair| pair[1].0 - pair[0].0 > 1e-4);
    let part = |pair: &[(f64, f64)]| {
        let share = ((pair[1].0 - pair[0].0) * 1e4).round() / 1e4;
        let Toml::Table(mut entries) = made(pair[0].1, pair[1].1) else { return made(0.0, 0.0) };
        entries.insert(0, ("share".into(), leaf(share)));
        Toml::Table(entries)
    };
    table([("variants", Toml::List(parts.map(part).collect()))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_many_spellings_are_instants() {
        let noon = 19_753 * hoap_data::DAY_MICROS + 12 * 3_600_000_000;
        for (text, micros, format, exact) in [
            ("2024-01-31", noon - 12 * 3_600_000_000, "date", true),
            ("2024-01-31T12:00:00.000Z", noon, "iso", true),
            ("2024-01-31T12:00:00Z", noon, "iso", false),
            ("2024-01-31T14:00:00+02:00", noon, "iso", false),
            ("2024-01-31 12:00:00.000", noon, "space", true),
            ("2024-01-31 12:00", noon, "space", false),
            ("2024-01-31T12:00:00.5-0000", noon + 500_000, "iso", false),
        ] {
            assert_eq!(parse(text), Some((micros, Spelling { format, exact })), "{text}");
        }
        for none in [
            "",
            "2024-01-3",
            "2024-13-01",
            "2024-01-31x",
            "2024-01-31T",
            "2024-01-31T99:00",
            "31/01/2024",
            "2024-01-31T12:00:00+x",
            "2024-01-31T12:00:00.x",
            "2024-01-31T12:0ü",
        ] {
            assert_eq!(parse(none), None, "{none}");
        }
    }
}
