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
use hdrhistogram::serialization::interval_log::{
    IntervalLogIterator, IntervalLogWriterBuilder, LogEntry, Tag,
};

use crate::decoder::Decoder;
use crate::error::{Error, ErrorKind, Result};
use crate::histogram::histogram;
use crate::histogram_encoder::HistogramEncoder;
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
    let mut all = 0;
    in_order(
        || Chunk::read(&mut lines),
        |decoder, chunk: Chunk| chunk.decode(decoder, &wanted),
        |decoded: Decoded| {
            for Found { tag, start_seconds, seconds, times, number } in decoded.intervals {
                let times = &decoded.times[times];
                all = times.iter().fold(all, |all: u64, (_, count)| all.saturating_add(*count));
                let interval = Interval { tag: &tag, start_seconds, seconds, times };
                limits::count("the count of all lines so far", all)
                    .and_then(|()| take(interval).map_err(|e| of_tag(&tag, e)))
                    .map_err(|what| lines::broken(&path, number, what))?;
            }
            match decoded.broken {
                Some((number, what)) => Err(lines::broken(&path, number, what)),
                None => Ok(()),
            }
        },
    )
}

fn of_tag(tag: &str, what: String) -> String {
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
    tag: String,
    start_seconds: f64,
    seconds: f64,
    times: Range<usize>,
    number: u64,
}

/// The intervals of a chunk, up to the first line that is broken.
#[derive(Default)]
struct Decoded {
    intervals: Vec<Found>,
    times: Vec<(u64, u64)>,
    broken: Option<(u64, String)>,
}

impl Chunk {
    /// Lines and bytes from which on a chunk ends. The times of a line take 400 kB at most.
    const LINES: usize = 64;
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
        let interval = match IntervalLogIterator::new(line).next() {
            Some(Ok(LogEntry::Interval(interval))) => interval,
            Some(Err(_)) => return Err("not a line of an interval log".to_owned()),
            _ => return Ok(()),
        };
        let tag = interval.tag().ok_or("an interval without a tag")?.as_str();
        Tag::new(tag).ok_or_else(|| format!("{tag:?} cannot be a tag"))?;
        if !wanted(tag) {
            return Ok(());
        }
        let (start, length) = (interval.start_timestamp(), interval.duration());
        let (start_seconds, seconds) = (start.as_secs_f64(), length.as_secs_f64());
        limits::seconds("the start of the interval", start_seconds)?;
        limits::seconds("the length of the interval", seconds)?;
        let times = decoder.decode(interval.encoded_histogram()).map_err(|e| of_tag(tag, e))?;
        let first = self.times.len();
        self.times.extend(times);
        let (tag, times) = (tag.to_owned(), first..self.times.len());
        self.intervals.push(Found { tag, start_seconds, seconds, times, number });
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
        let tag = Tag::new(kind)
            .ok_or_else(|| io_error(&self.path, format!("{kind:?} cannot be a tag")))?;
        IntervalLogWriterBuilder::new()
            .begin_log_with(&mut self.buffer, &mut self.encoder)
            .map_err(|e| io_error(&self.path, e))?
            .write_histogram(times, start, length, Some(tag))
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
