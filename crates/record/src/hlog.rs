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
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};

use crate::decoder::Decoder;
use crate::error::{Error, ErrorKind, Result};
use crate::histogram::histogram;
use crate::histogram_encoder::HistogramEncoder;
use crate::interval::Encoded;
use crate::limits::{self, MOST_KINDS};
use crate::lines::{self, Lines};
use crate::parallel::in_order;

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
    read_with(folder, step, |_| {})
}

/// The same, and shows every interval to `see`, in the order of the log.
///
/// # Errors
/// Those of [`read`].
pub fn read_with(
    folder: &Path,
    step: usize,
    mut see: impl FnMut(&Interval<'_>),
) -> Result<BTreeMap<String, Histogram<u64>>> {
    let mut kinds: BTreeMap<String, Histogram<u64>> = BTreeMap::new();
    let take = |interval: Interval<'_>| {
        see(&interval);
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

/// Passes every interval of a step whose tag is wanted to `take`, in the order of the log, which is
/// the order of time. An incomplete last line, which a killed writer leaves, is ignored.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`], naming the file and the line, where it is missing or broken, or
/// `take` refuses.
pub fn each(
    folder: &Path,
    step: usize,
    wanted: impl Fn(&str) -> bool + Sync,
    mut take: impl FnMut(Interval<'_>) -> std::result::Result<(), String>,
) -> Result<()> {
    let path = path(folder, step);
    let mut lines = Lines::open(&path)?;
    let mut all = 0u64;
    in_order(
        || Chunk::read(&mut lines),
        |decoder, chunk: Chunk| chunk.decode(decoder, &wanted),
        |decoded: Decoded| {
            for found in decoded.intervals {
                let Found { start_seconds, seconds, number, .. } = found;
                let (tag, times) = (&decoded.tags[found.tag], &decoded.times[found.times]);
                all = all.saturating_add(found.count);
                let interval = Interval { tag, start_seconds, seconds, times };
                limits::count("the count of all lines so far", all)
                    .and_then(|()| take(interval).map_err(|e| of_tag(tag, e)))
                    .map_err(|what| lines::broken(&path, number, what))?;
            }
            match decoded.broken {
                Some((number, what)) => Err(lines::broken(&path, number, what)),
                None => Ok(()),
            }
        },
    )
}

/// What is wrong with a histogram.
pub(crate) fn of_tag(tag: &str, what: String) -> String {
    format!("a histogram of {tag}: {what}")
}

/// Neighbouring lines of a log.
struct Chunk {
    text: Vec<u8>,
    /// Where each line ends in `text`.
    ends: Vec<usize>,
    /// The number of the first line.
    number: u64,
}

/// An interval, with the place of its times among those of its chunk and the number of its line.
struct Found {
    /// The place of its tag among those of the chunk.
    tag: usize,
    start_seconds: f64,
    seconds: f64,
    times: Range<usize>,
    /// Of all its times.
    count: u64,
    number: u64,
}

/// The intervals of a chunk, up to the first line that is broken.
#[derive(Default)]
struct Decoded {
    intervals: Vec<Found>,
    tags: Vec<String>,
    times: Vec<(u64, u64)>,
    broken: Option<(u64, String)>,
}

impl Chunk {
    /// Lines and bytes from which on a chunk ends. The times of a line take 400 kB at most.
    const LINES: usize = 128;
    const BYTES: usize = 1 << 16;

    fn read(lines: &mut Lines) -> Result<Option<Chunk>> {
        let mut chunk = Chunk { text: Vec::new(), ends: Vec::new(), number: lines.number() + 1 };
        while chunk.ends.len() < Self::LINES && chunk.text.len() < Self::BYTES {
            let Some(line) = lines.next()? else { break };
            chunk.text.extend(line);
            chunk.ends.push(chunk.text.len());
        }
        Ok((!chunk.ends.is_empty()).then_some(chunk))
    }

    fn decode(&self, decoder: &mut Decoder, wanted: &impl Fn(&str) -> bool) -> Decoded {
        let (mut decoded, mut start) = (Decoded::default(), 0);
        for (number, end) in (self.number..).zip(&self.ends) {
            if let Err(what) = decoded.add(&self.text[start..*end], number, decoder, wanted) {
                decoded.broken = Some((number, what));
                break;
            }
            start = *end;
        }
        decoded
    }
}

impl Decoded {
    fn add(
        &mut self,
        line: &[u8],
        number: u64,
        decoder: &mut Decoder,
        wanted: &impl Fn(&str) -> bool,
    ) -> std::result::Result<(), String> {
        let Some(interval) = Encoded::read(line)? else { return Ok(()) };
        if !wanted(interval.tag) {
            return Ok(());
        }
        let Encoded { tag, start_seconds, seconds, histogram } = interval;
        let times = decoder.decode(histogram).map_err(|e| of_tag(tag, e))?;
        let count = times.iter().fold(0, |sum: u64, (_, count)| sum.saturating_add(*count));
        let first = self.times.len();
        self.times.extend(times);
        let times = first..self.times.len();
        // A chunk has few tags.
        let tag = self.tags.iter().position(|known| known == tag).unwrap_or_else(|| {
            self.tags.push(tag.to_owned());
            self.tags.len() - 1
        });
        self.intervals.push(Found { tag, start_seconds, seconds, times, count, number });
        Ok(())
    }
}

/// The writer of the log of a step.
pub struct Hlog {
    file: File,
    path: PathBuf,
    encoder: HistogramEncoder,
    buffer: Vec<u8>,
}

impl Hlog {
    /// Begins the log of a step of a run that started at `started`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where the file cannot be written.
    pub fn create(folder: &Path, step: usize, started: SystemTime) -> Result<Self> {
        let path = path(folder, step);
        let mut hlog = Hlog {
            file: File::create(&path).map_err(|e| io_error(&path, e))?,
            path,
            encoder: HistogramEncoder::default(),
            buffer: Vec::new(),
        };
        IntervalLogWriterBuilder::new()
            .add_comment("[Times of the measured window in microseconds]")
            .with_start_time(started)
            .with_base_time(started)
            .begin_log_with(&mut hlog.buffer, &mut hlog.encoder)
            .map_err(|e| io_error(&hlog.path, e))?;
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
        let text = self.encoder.text(times).map_err(|e| io_error(&self.path, e))?;
        self.add_encoded(kind, times.max(), &text, start, length)
    }

    /// The same of a histogram that is text already, and whose highest time is `longest`.
    pub(crate) fn add_encoded(
        &mut self,
        kind: &str,
        longest: u64,
        text: &str,
        start: Duration,
        length: Duration,
    ) -> Result<()> {
        Tag::new(kind).ok_or_else(|| io_error(&self.path, format!("{kind:?} cannot be a tag")))?;
        let (start, length) = (start.as_secs_f64(), length.as_secs_f64());
        let longest = longest as f64;
        writeln!(self.buffer, "Tag={kind},{start:.3},{length:.3},{longest:.3},{text}")
            .map_err(|e| io_error(&self.path, e))
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
            read_with(place.path(), 1, |i| late.push(is_late(i.start_seconds, end))).unwrap();
            assert_eq!(late, [false, true], "{end}");
        }
    }
}
