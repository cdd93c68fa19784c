//! The time of day, and lengths of time as users write them.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use jiff::{SignedDuration, Timestamp};

/// The time by this machine's clock. One set beyond the year 9999 is at its end.
pub fn now() -> Timestamp {
    Timestamp::try_from(SystemTime::now()).unwrap_or(Timestamp::MAX)
}

/// A length of time: `250ms`, `60s`, `5m`, `1h30m`; not negative.
///
/// It is read as [`SignedDuration`] reads it: numbers, each with a unit from hours to nanoseconds.
/// At most [`Time::MOST`], so that every one can be written in nanoseconds and added to a point in
/// time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub Duration);

impl Time {
    /// The longest: 2⁶³ ns, about 292 years.
    pub const MOST: Duration = Duration::from_nanos(i64::MAX as u64);
}

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let time = text.parse::<SignedDuration>().ok().and_then(|t| Duration::try_from(t).ok());
        time.filter(|t| *t <= Time::MOST).map(Time).ok_or_else(|| {
            "a time is a number with a unit, h, m, s, ms or us, such as 60s or 1h30m, up to 292 years"
                .into()
        })
    }
}

/// In one unit: the largest, from seconds down, in which it is a whole number.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_nanos() {
            ns if ns % 1_000_000_000 == 0 => write!(f, "{}s", ns / 1_000_000_000),
            ns if ns % 1_000_000 == 0 => write!(f, "{}ms", ns / 1_000_000),
            ns if ns % 1000 == 0 => write!(f, "{}us", ns / 1000),
            ns => write!(f, "{ns}ns"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_units_and_written_so_that_they_are_read_again() {
        for (text, micros, written) in [
            ("250ms", 250_000, "250ms"),
            ("30s", 30_000_000, "30s"),
            ("5m", 300_000_000, "300s"),
            ("1h", 3_600_000_000, "3600s"),
            ("1h30m", 5_400_000_000, "5400s"),
            ("1.5s", 1_500_000, "1500ms"),
            ("250us", 250, "250us"),
            ("250µs", 250, "250us"),
            ("2 ms", 2_000, "2ms"),
            ("0s", 0, "0s"),
        ] {
            let time: Time = text.parse().unwrap();
            assert_eq!((time.0, time.to_string()), (Duration::from_micros(micros), written.into()));
            assert_eq!(written.parse(), Ok(time));
        }
        assert_eq!(Time(Duration::from_nanos(1)).to_string(), "1ns");
        let most = Time(Time::MOST);
        assert_eq!(most.to_string().parse(), Ok(most));
    }

    #[test]
    fn what_is_no_time_is_refused_and_the_answer_says_what_one_is() {
        let wrong = ["", "s", "5", "-5s", "5s ago", "5d", "1e3ms", ".5s", "inf", "5M", "1h30"];
        let long = ["99999999999999999999h", "9223372036854775807.5s", "9223372037s"];
        for text in wrong.into_iter().chain(long) {
            let answer = text.parse::<Time>().unwrap_err();
            assert!(answer.contains("such as 60s"), "{text}: {answer}");
        }
    }
}
