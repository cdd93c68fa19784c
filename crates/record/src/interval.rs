//! A line of an interval log, its histogram still text.

use std::time::Duration;

use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry, Tag};

use crate::limits;

/// An interval, the histogram of which is not decoded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Encoded<'a> {
    /// As in [`crate::hlog::Interval`].
    pub tag: &'a str,
    /// Seconds from the run's start to its start.
    pub start_seconds: f64,
    /// Its length.
    pub seconds: f64,
    /// In Base64.
    pub histogram: &'a str,
}

impl<'a> Encoded<'a> {
    /// Of a line with its end. `None` of one without an interval: a comment, or the log's start.
    /// Times that no run has are refused.
    pub fn read(line: &'a [u8]) -> Result<Option<Encoded<'a>>, String> {
        let read = match Encoded::plain(line) {
            Some(plain) => Some(plain),
            None => Encoded::any(line)?,
        };
        if let Some(interval) = read {
            limits::seconds("the start of the interval", interval.start_seconds)?;
            limits::seconds("the length of the interval", interval.seconds)?;
        }
        Ok(read)
    }

    /// Of a line as Hoap writes it, `Tag=READ,12.000,1.000,4095.000,HISTF…`; `None` of any other.
    /// It takes a tenth of the time of the general reader.
    fn plain(line: &'a [u8]) -> Option<Encoded<'a>> {
        let line = std::str::from_utf8(line.strip_prefix(b"Tag=")?.strip_suffix(b"\n")?).ok()?;
        let mut parts = line.splitn(5, ',');
        let tag = parts.next().filter(|tag| !tag.contains([' ', '\r']))?;
        let start_seconds = decimal(parts.next()?)?;
        let seconds = decimal(parts.next()?)?;
        decimal(parts.next()?)?;
        let histogram = parts.next().filter(|text| !text.ends_with('\r'))?;
        Some(Encoded { tag, start_seconds, seconds, histogram })
    }

    fn any(line: &'a [u8]) -> Result<Option<Encoded<'a>>, String> {
        let interval = match IntervalLogIterator::new(line).next() {
            Some(Ok(LogEntry::Interval(interval))) => interval,
            Some(Err(_)) => return Err("not a line of an interval log".to_owned()),
            _ => return Ok(None),
        };
        let tag = interval.tag().ok_or("an interval without a tag")?.as_str();
        Tag::new(tag).ok_or_else(|| format!("{tag:?} cannot be a tag"))?;
        Ok(Some(Encoded {
            tag,
            start_seconds: interval.start_timestamp().as_secs_f64(),
            seconds: interval.duration().as_secs_f64(),
            histogram: interval.encoded_histogram(),
        }))
    }
}

/// A number such as `12.000`, of at most 18 and 9 digits.
fn decimal(text: &str) -> Option<f64> {
    let (whole, part) = text.split_once('.')?;
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let fits = (1..=18).contains(&whole.len()) && (1..=9).contains(&part.len());
    if !fits || !digits(whole) || !digits(part) {
        return None;
    }
    let nanos = part.parse::<u32>().ok()? * 10u32.pow(9 - part.len() as u32);
    Some(Duration::new(whole.parse().ok()?, nanos).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The general reader says the same of every line that the fast one takes.
    #[test]
    fn lines_as_hoap_writes_them_are_read_as_any_line() {
        for line in [
            "Tag=READ,12.000,1.000,4095.000,HISTFAAA\n",
            "Tag=READ:wait,1234567.891,0.123456789,0.000,x\n",
            "Tag=,0.1,0.0,1.0,\n",
            "Tag=Ä,999999999999999999.9,0.5,1.0,a,b\n",
        ] {
            let plain = Encoded::plain(line.as_bytes());
            assert!(plain.is_some(), "{line}");
            assert_eq!(Encoded::any(line.as_bytes()), Ok(plain), "{line}");
        }
        for line in [
            "Tag=READ,12.000,1.000,4095.000,HISTFAAA",
            "Tag=READ,12.000,1.000,4095.000,HISTFAAA\r\n",
            "Tag=READ,12.000,1.000,4e3,HISTFAAA\n",
            "Tag=READ,12.0000000001,1.000,4095.000,HISTFAAA\n",
            "Tag=READ,12,1.000,4095.000,HISTFAAA\n",
            "Tag=READ,+12.0,1.000,4095.000,HISTFAAA\n",
            "Tag=A B,12.0,1.000,4095.000,HISTFAAA\n",
            "12.000,1.000,4095.000,HISTFAAA\n",
            "#[StartTime: 1.000 (seconds since epoch)]\n",
            "Tag=READ\n",
        ] {
            assert_eq!(Encoded::plain(line.as_bytes()), None, "{line}");
        }
        let odd = Encoded::read(b"Tag=READ,12.0,1.000,4e3,HIST\r\n").unwrap().unwrap();
        assert_eq!((odd.tag, odd.start_seconds, odd.histogram), ("READ", 12.0, "HIST"));
        assert_eq!(Encoded::read(b"# a comment\n"), Ok(None));
        assert!(Encoded::read(b"Tag=A B,12.0,1.0,1.0,H\n").unwrap_err().contains("a tag"));
        assert!(Encoded::read(b"12.0,1.0,1.0,H\n").unwrap_err().contains("without a tag"));
        assert!(Encoded::read(b"Tag=READ\n").unwrap_err().contains("not a line"));
        let late = Encoded::read(b"Tag=READ,1000000000.5,1.0,1.0,H\n").unwrap_err();
        assert!(late.contains("the start of the interval"), "{late}");
    }
}
