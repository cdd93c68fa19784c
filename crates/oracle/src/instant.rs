//! Points in time, as documents and parameters write them.

/// Microseconds since 1970-01-01 00:00:00.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(i64);

const MICROS_PER_DAY: i64 = 24 * 60 * 60 * 1_000_000;

impl Instant {
    /// Reads `YYYY-MM-DD HH:MM:SS.ffffff`, the one form of specification section 1.
    ///
    /// # Errors
    /// Any other form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not of the form YYYY-MM-DD HH:MM:SS.ffffff");
        let form = b"0000-00-00 00:00:00.000000";
        let fits = |(&found, &wanted): (&u8, &u8)| match wanted {
            b'0' => found.is_ascii_digit(),
            _ => found == wanted,
        };
        if text.len() != form.len() || !text.as_bytes().iter().zip(form).all(fits) {
            return Err(wrong());
        }
        let number = |from: usize, to: usize| text[from..to].parse::<i64>().map_err(|_| wrong());
        let days = days_since_epoch(number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let seconds = (number(11, 13)? * 60 + number(14, 16)?) * 60 + number(17, 19)?;
        Ok(Instant(days * MICROS_PER_DAY + seconds * 1_000_000 + number(20, 26)?))
    }

    /// So many days of 24 hours later.
    pub fn plus_days(self, days: i64) -> Self {
        Instant(self.0 + days * MICROS_PER_DAY)
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar. Counting the years from March puts the
/// leap day last, and the months' lengths follow 30.6 days a month then.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    let days = 365 * year + leap_days + (306 * month + 5) / 10 + day - 1;
    const EPOCH: i64 = 719_468;
    days - EPOCH
}
