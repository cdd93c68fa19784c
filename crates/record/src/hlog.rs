//! `step-NN.hlog`: HdrHistogram interval logs (V2, compressed), which the HdrHistogram tools can
//! read.
//!
//! A log has an interval for each tick of the measured window and each kind of operation, also if
//! no operation ended. A last interval begins at the end of the window and has the operations that
//! ended after it ([`GRACE`](crate::GRACE)). Each interval is tagged with the kind, or with
//! [`FRESHNESS`](crate::FRESHNESS). Times count from the run's start; values
//! are microseconds, those above an hour as an hour.
//!
//! In an open loop each kind has two more tags, with [`SERVICE`] and [`WAIT`] appended: the parts
//! of the response times.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

use crate::decoder::Decoder;
use crate::error::{Error, ErrorKind, Result};
use crate::histogram::histogram;
use crate::interval::Encoded;
use crate::limits::{self, MOST_KINDS, MOST_READ};
use crate::lines::Lines;
use crate::whole;

/// Suffix of the tag of service times: from the actual start of an operation to its end.
pub const SERVICE: &str = ":service";
/// Suffix of the tag of waits: from the scheduled start of an operation to its actual start.
pub const WAIT: &str = ":wait";

/// The path of the log of a step.
pub fn path(folder: &Path, step: usize) -> PathBuf {
    folder.join(format!("step-{step:02}.hlog"))
}

/// Whether an interval that begins then has what ended after a window with this end. The log keeps
/// milliseconds, `run.json` microseconds.
pub fn is_late(start_seconds: f64, window_end: f64) -> bool {
    start_seconds > window_end - 1e-3
}

/// One interval of a log: the times of one tag in one tick.
#[derive(Clone, Copy, Debug)]
pub struct Interval<'a> {
    /// Kind of operation, in an open loop also with [`SERVICE`] or [`WAIT`] appended.
    pub tag: &'a str,
    /// Seconds from the run's start to its start.
    pub start_seconds: f64,
    /// Its length.
    pub seconds: f64,
    /// Rising times in microseconds, each the lowest of its histogram's bucket, with their counts.
    pub times: &'a [(u64, u64)],
}

impl Interval<'_> {
    /// Adds the times to a histogram.
    pub fn add_to(&self, histogram: &mut Histogram<u64>) -> std::result::Result<(), String> {
        let mut times = self.times.iter();
        times
            .try_for_each(|(time, count)| histogram.record_n(*time, *count))
            .map_err(|e| e.to_string())
    }
}

/// All response times of a step by tag, microseconds.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where there is no log, or it is broken.
pub fn read(folder: &Path, step: usize) -> Result<BTreeMap<String, Histogram<u64>>> {
    read_with(folder, step, |_| Ok(()))
}

/// The same, and shows every interval to `see`, which may refuse it, in the order of the log.
///
/// # Errors
/// Those of [`read`].
pub fn read_with(
    folder: &Path,
    step: usize,
    mut see: impl FnMut(&Interval<'_>) -> std::result::Result<(), String>,
) -> Result<BTreeMap<String, Histogram<u64>>> {
    let mut kinds: BTreeMap<String, Histogram<u64>> = BTreeMap::new();
    let take = |interval: Interval<'_>| {
        see(&interval)?;
        if let Some(whole) = kinds.get_mut(interval.tag) {
            return interval.add_to(whole);
        }
        if kinds.len() == MOST_TAGS {
            return Err(format!("it has more than {MOST_TAGS} tags"));
        }
        interval.add_to(kinds.entry(interval.tag.to_owned()).or_insert_with(histogram))
    };
    each(folder, step, |_| true, take)?;
    Ok(kinds)
}

/// The most tags of a log: those of each kind of transaction, and freshness.
pub const MOST_TAGS: usize = 3 * MOST_KINDS + 1;
/// The most intervals of a log.
const MOST_INTERVALS: usize = MOST_READ * MOST_TAGS;

/// Passes every interval of a step whose tag is wanted to `take`, in the order of the log, which is
/// the order of time. An incomplete last line, which a killed writer leaves, is ignored.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`], naming the file and the line, where it is missing or broken, or
/// `take` refuses.
pub fn each(
    folder: &Path,
    step: usize,
    wanted: impl Fn(&str) -> bool,
    mut take: impl FnMut(Interval<'_>) -> std::result::Result<(), String>,
) -> Result<()> {
    let mut lines = Lines::open(&path(folder, step))?;
    let (mut decoder, mut intervals, mut all) = (Decoder::default(), 0, 0u64);
    while lines.next()?.is_some() {
        let mut one = || {
            let Some(of) = Encoded::read(lines.last())?.filter(|of| wanted(of.tag)) else {
                return Ok(());
            };
            let Encoded { tag, start_seconds, seconds, histogram } = of;
            let times = decoder.decode(histogram).map_err(|e| of_tag(tag, e))?;
            all = times.iter().fold(all, |sum, (_, count)| sum.saturating_add(*count));
            limits::count("the count of all lines so far", all)?;
            intervals += 1;
            if intervals > MOST_INTERVALS {
                return Err(format!("it has more than {MOST_INTERVALS} intervals"));
            }
            let interval = Interval { tag, start_seconds, seconds, times };
            take(interval).map_err(|e| of_tag(tag, e))
        };
        one().map_err(|what| lines.broken(what))?;
    }
    Ok(())
}

/// What is wrong with a histogram.
pub(crate) fn of_tag(tag: &str, what: String) -> String {
    format!("a histogram of {tag}: {what}")
}

/// The writer of the log of a step.
pub struct Hlog {
    folder: PathBuf,
    step: usize,
    file: File,
    path: PathBuf,
    encoder: V2DeflateSerializer,
    /// Bytes of the file before the first interval.
    head: u64,
    buffer: Vec<u8>,
}

/// The median and the 99th percentile of each tag in an interval, microseconds.
pub(crate) type Percentiles = BTreeMap<String, (u64, u64)>;

impl Hlog {
    /// Begins the log of a step of a run that started at `started`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where the file cannot be written.
    pub fn create(folder: &Path, step: usize, started: SystemTime) -> Result<Self> {
        let path = path(folder, step);
        let mut hlog = Hlog {
            folder: folder.to_owned(),
            step,
            file: File::create(&path).map_err(|e| io_error(&path, e))?,
            path,
            encoder: V2DeflateSerializer::new(),
            head: 0,
            buffer: Vec::new(),
        };
        IntervalLogWriterBuilder::new()
            .add_comment("[Times of the measured window in microseconds]")
            .with_start_time(started)
            .with_base_time(started)
            .begin_log_with(&mut hlog.buffer, &mut hlog.encoder)
            .map_err(|e| io_error(&hlog.path, e))?;
        hlog.head = hlog.buffer.len() as u64;
        hlog.flush()?;
        Ok(hlog)
    }

    /// Adds an interval to the buffer. `start` counts from the run's start.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where the tag or the histogram cannot be written.
    pub fn add(
        &mut self,
        kind: &str,
        times: &Histogram<u64>,
        start: Duration,
        length: Duration,
    ) -> Result<()> {
        Tag::new(kind).ok_or_else(|| io_error(&self.path, format!("{kind:?} cannot be a tag")))?;
        let text = text(&mut self.encoder, times).map_err(|e| io_error(&self.path, e))?;
        let (start, length) = (start.as_secs_f64(), length.as_secs_f64());
        let longest = times.max() as f64;
        writeln!(self.buffer, "Tag={kind},{start:.3},{length:.3},{longest:.3},{text}")
            .map_err(|e| io_error(&self.path, e))
    }

    /// Joins neighbouring cells in pairs: the intervals of a tag that begin with the first and the
    /// second cell, with the third and the fourth, and so on. Returns the percentiles of the joined
    /// cells in the order of time.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where the file cannot be written again.
    pub(crate) fn halve(&mut self) -> Result<Vec<Percentiles>> {
        self.flush()?;
        let mut joined: Vec<(Duration, Duration, BTreeMap<String, Histogram<u64>>)> = Vec::new();
        let mut cells = 0;
        let mut last = None;
        each(
            &self.folder,
            self.step,
            |_| true,
            |interval| {
                let time = |seconds: f64| Duration::from_secs_f64(seconds);
                let (start, length) = (time(interval.start_seconds), time(interval.seconds));
                if last.replace(start) != Some(start) {
                    match joined.last_mut().filter(|_| cells % 2 == 1) {
                        Some(pair) => pair.1 = start + length - pair.0,
                        None => joined.push((start, length, BTreeMap::new())),
                    }
                    cells += 1;
                }
                let Some((.., tags)) = joined.last_mut() else { return Ok(()) };
                interval.add_to(tags.entry(interval.tag.to_owned()).or_insert_with(histogram))
            },
        )?;
        let mut percentiles = Vec::new();
        for (start, length, tags) in joined {
            tags.iter().try_for_each(|(tag, times)| self.add(tag, times, start, length))?;
            let of =
                |times: &Histogram<u64>| [0.5, 0.99].map(|q| times.value_at_quantile(q)).into();
            percentiles.push(tags.iter().map(|(tag, times)| (tag.clone(), of(times))).collect());
        }
        let mut text = std::fs::read(&self.path).map_err(|e| io_error(&self.path, e))?;
        text.truncate(self.head as usize);
        text.append(&mut self.buffer);
        whole::write(&self.path, &text).map_err(|e| io_error(&self.path, e))?;
        let appended = File::options().append(true).open(&self.path);
        self.file = appended.map_err(|e| io_error(&self.path, e))?;
        Ok(percentiles)
    }

    /// Writes the buffer to the file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written.
    pub fn flush(&mut self) -> Result<()> {
        self.file.write_all(&self.buffer).map_err(|e| io_error(&self.path, e))?;
        self.buffer.clear();
        Ok(())
    }
}

/// A histogram as a line of a log has it: V2, compressed, in Base64.
pub(crate) fn text(
    encoder: &mut V2DeflateSerializer,
    times: &Histogram<u64>,
) -> std::result::Result<String, String> {
    let mut bytes = Vec::new();
    encoder.serialize(times, &mut bytes).map_err(|e| e.to_string())?;
    Ok(BASE64_STANDARD.encode(bytes))
}

fn io_error(path: &Path, e: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Unavailable, format!("write {}", path.display()), e)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_at_the_windows_end_is_late_however_its_milliseconds_are_rounded() {
        let place = tempfile::tempdir().unwrap();
        for end in [12.345, 12.345_001, 12.345_499, 12.345_501, 12.345_999] {
            let mut log = Hlog::create(place.path(), 1, SystemTime::UNIX_EPOCH).unwrap();
            let (start, length) = (Duration::from_secs_f64(end), Duration::from_secs(1));
            for start in [start - length, start] {
                log.add("READ", &histogram(), start, length).unwrap();
            }
            log.flush().unwrap();
            let mut late = Vec::new();
            let see = |i: &Interval<'_>| {
                late.push(is_late(i.start_seconds, end));
                Ok(())
            };
            read_with(place.path(), 1, see).unwrap();
            assert_eq!(late, [false, true], "{end}");
        }
    }
}
