//! A line of an interval log, its histogram still text.

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
        let interval = match IntervalLogIterator::new(line).next() {
            Some(Ok(LogEntry::Interval(interval))) => interval,
            Some(Err(_)) => return Err("not a line of an interval log".to_owned()),
            _ => return Ok(None),
        };
        let tag = interval.tag().ok_or("an interval without a tag")?.as_str();
        Tag::new(tag).ok_or_else(|| format!("{tag:?} cannot be a tag"))?;
        let start_seconds = interval.start_timestamp().as_secs_f64();
        let seconds = interval.duration().as_secs_f64();
        limits::seconds("the start of the interval", start_seconds)?;
        limits::seconds("the length of the interval", seconds)?;
        let histogram = interval.encoded_histogram();
        Ok(Some(Encoded { tag, start_seconds, seconds, histogram }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_interval_or_none_or_refused() {
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
