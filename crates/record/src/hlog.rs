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
use hdrhistogram::serialization::interval_log::{
    IntervalLogIterator, IntervalLogWriterBuilder, LogEntry, Tag,
};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};

use crate::error::{Error, ErrorKind, Result};
use crate::folder::{read_text, whole_lines};
use crate::histogram::histogram;

/// Suffix of the tag of service times: from the actual start of an operation to its end.
pub const SERVICE: &str = ":service";
/// Suffix of the tag of waits: from the scheduled start of an operation to its actual start.
pub const WAIT: &str = ":wait";

/// The path of the log of a step.
pub fn path(folder: &Path, step: usize) -> PathBuf {
    folder.join(format!("step-{step:02}.hlog"))
}

/// One interval of a log: the times of one tag in one tick.
#[derive(Clone, Debug)]
pub struct Interval {
    /// Kind of operation, in an open loop also with [`SERVICE`] or [`WAIT`] appended.
    pub tag: String,
    /// Seconds from the run's start to its start.
    pub start_seconds: f64,
    /// Its length.
    pub seconds: f64,
    /// Microseconds.
    pub times: Histogram<u64>,
}

/// All response times of a step by tag, microseconds.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where there is no log, or it is broken.
pub fn read(folder: &Path, step: usize) -> Result<BTreeMap<String, Histogram<u64>>> {
    let mut kinds: BTreeMap<String, Histogram<u64>> = BTreeMap::new();
    each(
        folder,
        step,
        |_| true,
        |interval| {
            let whole = kinds.entry(interval.tag).or_insert_with(histogram);
            whole.add(&interval.times).map_err(|e| e.to_string())
        },
    )?;
    Ok(kinds)
}

/// Passes every interval of a step whose tag is wanted to `take`, in the order of the log, which is
/// the order of time. An incomplete last line, which a killed writer leaves, is ignored.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`], naming the file, where it is missing or broken, or `take` refuses.
pub fn each(
    folder: &Path,
    step: usize,
    wanted: impl Fn(&str) -> bool,
    mut take: impl FnMut(Interval) -> std::result::Result<(), String>,
) -> Result<()> {
    let path = path(folder, step);
    let broken =
        |answer: String| Error::new(ErrorKind::Invalid, format!("read {}", path.display()), answer);
    let text = read_text(&path)?;
    let mut deserializer = Deserializer::new();
    for entry in IntervalLogIterator::new(whole_lines(&text).as_bytes()) {
        let LogEntry::Interval(interval) =
            entry.map_err(|e| broken(format!("not an interval log: {e:?}")))?
        else {
            continue;
        };
        let tag = interval.tag().ok_or_else(|| broken("an interval without a tag".into()))?;
        let tag = tag.as_str();
        if !wanted(tag) {
            continue;
        }
        let of_tag = |e: &dyn std::fmt::Display| broken(format!("a histogram of {tag}: {e}"));
        let bytes = BASE64_STANDARD.decode(interval.encoded_histogram()).map_err(|e| of_tag(&e))?;
        let times = deserializer.deserialize(&mut bytes.as_slice()).map_err(|e| of_tag(&e))?;
        take(Interval {
            tag: tag.to_owned(),
            start_seconds: interval.start_timestamp().as_secs_f64(),
            seconds: interval.duration().as_secs_f64(),
            times,
        })
        .map_err(|e| of_tag(&e))?;
    }
    Ok(())
}

/// The writer of the log of a step.
pub struct Hlog {
    file: File,
    path: PathBuf,
    serializer: V2DeflateSerializer,
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
            serializer: V2DeflateSerializer::new(),
            buffer: Vec::new(),
        };
        IntervalLogWriterBuilder::new()
            .add_comment("[Times of the measured window in microseconds]")
            .with_start_time(started)
            .with_base_time(started)
            .begin_log_with(&mut hlog.buffer, &mut hlog.serializer)
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
            .begin_log_with(&mut self.buffer, &mut self.serializer)
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
