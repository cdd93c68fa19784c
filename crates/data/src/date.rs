//! Days and instants of the proleptic Gregorian calendar, years 1 to 9999.

use std::fmt;
use std::str::FromStr;

use crate::SpecError;
use crate::error::quoted;
use crate::number::TWO_DIGITS;

/// Microseconds of a day.
pub const DAY_MICROS: i64 = 86_400 * 1_000_000;

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;
/// Days of four hundred years.
const ERA: i64 = 146_097;

/// A calendar day, years 1 to 9999. Arithmetic saturates at the first and the last day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(
    /// Days since 1970-01-01.
    i32,
);

impl Date {
    /// 0001-01-01.
    pub const MIN: Date = Date(days(1, 1, 1) as i32);
    /// 9999-12-31.
    pub const MAX: Date = Date(days(9999, 12, 31) as i32);

    /// 2021-01-01: the RUN_DATE (CH2 paper 3.2, which states no value) to which the dates of the
    /// published query texts belong.
    pub const RUN_DATE: Date = Date(days(2021, 1, 1) as i32);

    /// The day of this year, month (1 to 12) and day of the month, or `None` where it does not
    /// exist.
    pub fn new(year: i32, month: u32, day: u32) -> Option<Date> {
        let valid = (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=days_in_month(year, month)).contains(&day);
        valid.then(|| Date(days(i64::from(year), i64::from(month), i64::from(day)) as i32))
    }

    /// Days since 1970-01-01; negative before.
    pub fn days_since_1970(self) -> i64 {
        i64::from(self.0)
    }

    /// The year.
    pub fn year(self) -> i32 {
        self.civil().0
    }

    /// The month, 1 to 12.
    pub fn month(self) -> u32 {
        self.civil().1
    }

    /// The day of the month, from 1.
    pub fn day(self) -> u32 {
        self.civil().2
    }

    /// This many days later, or earlier where negative.
    #[must_use]
    pub fn add_days(self, n: i64) -> Date {
        let days = self.days_since_1970().saturating_add(n);
        Date(days.clamp(i64::from(Date::MIN.0), i64::from(Date::MAX.0)) as i32)
    }

    /// This many months later, or earlier where negative; the last day of the month where the month
    /// is too short.
    #[must_use]
    pub fn add_months(self, n: i32) -> Date {
        let (year, month, day) = self.civil();
        let months = i64::from(year) * 12 + i64::from(month) - 1 + i64::from(n);
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) as u32 + 1);
        match year {
            ..1 => Date::MIN,
            10_000.. => Date::MAX,
            _ => {
                let day = day.min(days_in_month(year as i32, month));
                Date(days(year, i64::from(month), i64::from(day)) as i32)
            }
        }
    }

    /// This many years later, or earlier where negative; 28 February where there is no 29th.
    #[must_use]
    pub fn add_years(self, n: i32) -> Date {
        self.add_months(n.saturating_mul(12))
    }

    /// Year, month and day, by multiplications that are exact in these ranges (Neri and Schneider,
    /// "Euclidean affine functions and their application to calendar algorithms", Software:
    /// Practice and Experience 53, 2023).
    #[inline(always)]
    fn civil(self) -> (i32, u32, u32) {
        // Years begin in March, so that the leap day is their last day.
        let quarters = 4 * (self.0 + EPOCH as i32) as u32 + 3;
        let (century, of_century) = (quarters / ERA as u32, quarters % ERA as u32 / 4);
        // A year is 1461 quarters of a day; 2^32 / 1461 rounded up.
        let years = u64::from(4 * of_century + 3) * 2_939_745;
        let (year, of_year) = (100 * century + (years >> 32) as u32, years as u32 / 2_939_745 / 4);
        // A month is 30.6 days: in units of 2^-16, and 3 for March.
        let months = 2141 * of_year + 197_913;
        let (month, day) = (months >> 16, months as u16 / 2141 + 1);
        let next_year = of_year >= 306;
        let month = if next_year { month - 12 } else { month };
        ((year + u32::from(next_year)) as i32, month, day.into())
    }
}

/// Days from 1970-01-01 to a valid day.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = if month <= 2 { month + 9 } else { month - 3 };
    year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - EPOCH
}

/// Days of a month, 1 to 12.
pub fn days_in_month(year: i32, month: u32) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Date {
    type Err = SpecError;

    fn from_str(s: &str) -> Result<Date, SpecError> {
        parse_date(s.as_bytes()).ok_or_else(|| {
            SpecError::new(format!("date {} is not a day: write YYYY-MM-DD", quoted(s)))
        })
    }
}

fn parse_date(s: &[u8]) -> Option<Date> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *s else { return None };
    let year = number(&[y1, y2, y3, y4])?;
    Date::new(year as i32, number(&[m1, m2])?, number(&[d1, d2])?)
}

/// The number in these digits.
fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |n, d| d.is_ascii_digit().then(|| n * 10 + u32::from(d - b'0')))
}

/// An instant of the benchmark's clock, to the microsecond, without a time zone. Arithmetic
/// saturates at the first and the last instant of the years 1 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(
    /// Microseconds since 1970-01-01 00:00:00.
    i64,
);

impl Timestamp {
    /// Bytes of the written form, `YYYY-MM-DD HH:MM:SS.ffffff`.
    pub const LEN: usize = 26;

    const MIN: i64 = Date::MIN.0 as i64 * DAY_MICROS;
    const MAX: i64 = (Date::MAX.0 as i64 + 1) * DAY_MICROS - 1;

    /// The instant this many microseconds after 1970-01-01 00:00:00, or before it where negative.
    #[inline]
    pub fn from_micros(micros: i64) -> Timestamp {
        Timestamp(micros.clamp(Self::MIN, Self::MAX))
    }

    /// Microseconds since 1970-01-01 00:00:00; negative before.
    #[inline]
    pub fn micros(self) -> i64 {
        self.0
    }

    /// This many microseconds later, or earlier where negative.
    #[must_use]
    #[inline]
    pub fn add_micros(self, n: i64) -> Timestamp {
        Timestamp::from_micros(self.0.saturating_add(n))
    }

    /// This many days later, or earlier where negative.
    #[must_use]
    #[inline]
    pub fn add_days(self, n: i64) -> Timestamp {
        self.add_micros(n.saturating_mul(DAY_MICROS))
    }

    /// The day of the instant.
    #[inline]
    pub fn date(self) -> Date {
        Date(self.0.div_euclid(DAY_MICROS) as i32)
    }

    /// The written form, `YYYY-MM-DD HH:MM:SS.ffffff`. Its width is fixed, so the order of the
    /// strings is the order in time.
    #[inline(always)]
    pub fn to_bytes(self) -> [u8; Timestamp::LEN] {
        // Counted from a day before all others, so that all quotients are of positive numbers.
        let micros = (self.0 + EPOCH * DAY_MICROS) as u64;
        let (day, of_day) = (micros / DAY_MICROS as u64, micros % DAY_MICROS as u64);
        let (year, month, day) = Date((day as i64 - EPOCH) as i32).civil();
        let (seconds, micros) = ((of_day / 1_000_000) as u32, (of_day % 1_000_000) as u32);
        let (hour, of_hour) = (seconds / 3600, seconds % 3600);
        let mut out = *b"....-..-.. ..:..:.........";
        let mut put = |at: usize, n: u32| {
            out[at..at + 2].copy_from_slice(&TWO_DIGITS[n as usize % TWO_DIGITS.len()]);
        };
        put(0, year as u32 / 100);
        put(2, year as u32 % 100);
        put(5, month);
        put(8, day);
        put(11, hour);
        put(14, of_hour / 60);
        put(17, of_hour % 60);
        put(20, micros / 10_000);
        put(22, micros / 100 % 100);
        put(24, micros % 100);
        out
    }
}

impl From<Date> for Timestamp {
    /// 00:00:00 of the day.
    fn from(date: Date) -> Timestamp {
        Timestamp(date.days_since_1970() * DAY_MICROS)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.to_bytes();
        bytes.iter().try_for_each(|&b| fmt::Write::write_char(f, char::from(b)))
    }
}

impl FromStr for Timestamp {
    type Err = SpecError;

    fn from_str(s: &str) -> Result<Timestamp, SpecError> {
        parse_timestamp(s.as_bytes()).ok_or_else(|| {
            let form = "write YYYY-MM-DD HH:MM:SS.ffffff";
            SpecError::new(format!("timestamp {} is not an instant: {form}", quoted(s)))
        })
    }
}

fn parse_timestamp(s: &[u8]) -> Option<Timestamp> {
    let (date, time) = s.split_at_checked(10)?;
    let [b' ', h1, h2, b':', m1, m2, b':', s1, s2, b'.', micros @ ..] = time else { return None };
    let (hour, minute) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?);
    let second = number(&[*s1, *s2])?;
    if hour > 23 || minute > 59 || second > 59 || micros.len() != 6 {
        return None;
    }
    let seconds = i64::from(hour * 3600 + minute * 60 + second);
    let of_day = seconds * 1_000_000 + i64::from(number(micros)?);
    Some(Timestamp::from(parse_date(date)?).add_micros(of_day))
}
