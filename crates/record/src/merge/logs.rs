//! The logs of all drivers in a step, cell by cell: only the lines of a cell are in memory at a time.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hdrhistogram::Histogram;
use hoap_data::words::counted;
use jiff::Timestamp;

use super::grid::{Grid, part};
use super::log::{CellInterval, Log, ShareOfLine};
use super::machine::Machine;
use crate::decoder::Decoder;
use crate::error::{Error, ErrorKind, Result};
use crate::histogram::histogram;
use crate::hlog::{self, MOST_TAGS};
use crate::interval::Encoded;
use crate::limits;
use crate::lines;
use crate::step::Step;

/// The times of all drivers in a cell, by tag.
pub type Added = BTreeMap<String, Histogram<u64>>;

/// The logs of a step.
pub struct Logs<'a> {
    drivers: Vec<Log<'a>>,
    /// The grids of the measured window, and of what ended after it.
    grids: [Option<Grid>; 2],
    /// All response times by tag.
    totals: Added,
}

impl<'a> Logs<'a> {
    /// Opens those of the steps at this place of the records. The grids are those of the measured
    /// window, and of what ended after it.
    pub fn open(
        drivers: &'a [Machine],
        number: usize,
        base: Timestamp,
        grids: [Option<Grid>; 2],
    ) -> Result<Logs<'a>> {
        let open = |driver| Log::open(driver, number, base, &grids);
        let drivers = drivers.iter().map(open).collect::<Result<_>>()?;
        Ok(Logs { drivers, grids, totals: BTreeMap::new() })
    }

    /// Passes the sums of all intervals to `take`, those of a cell together, in the order of their
    /// places.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`], naming the file, where a log is broken or does not hold what
    /// the record of its step counts.
    pub fn each(&mut self, mut take: impl FnMut(CellInterval, &Added) -> Result<()>) -> Result<()> {
        let Logs { drivers, grids, totals } = self;
        let mut counts: Vec<Counts<'_>> = drivers.iter().map(Counts::of).collect();
        let mut decoder = Decoder::default();
        while let Some(place) = drivers.iter().filter_map(Log::place).min() {
            let mut added = Added::new();
            for (log, counts) in drivers.iter_mut().zip(&mut counts) {
                log.take(place, grids, |line| {
                    let count = add(&line, &mut decoder, &mut added);
                    let count = count.and_then(|of| of.map_or(Ok(()), |of| counts.add(of)));
                    count.map_err(|what| lines::broken(&counts.path, line.number, what))
                })?;
            }
            for (tag, times) in &added {
                let total = totals.entry(tag.clone()).or_insert_with(histogram);
                total.add(times).expect("the histogram resizes");
            }
            few(totals)?;
            take(place, &added)?;
        }
        counts.iter().try_for_each(Counts::check)
    }

    /// The sum of all histograms of a tag.
    pub fn total(&self, tag: &str) -> Histogram<u64> {
        self.totals.get(tag).cloned().unwrap_or_else(histogram)
    }
}

/// Adds the part of a line that a cell has to the sum of its tag; returns the tag, and the count of
/// the times.
fn add<'l>(
    line: &ShareOfLine<'l>,
    decoder: &mut Decoder,
    added: &mut Added,
) -> std::result::Result<Option<(&'l str, u64)>, String> {
    let Some(Encoded { tag, histogram: text, .. }) = Encoded::read(line.text)? else {
        return Ok(None);
    };
    let times = decoder.decode(text).map_err(|e| hlog::of_tag(tag, e))?;
    if !added.contains_key(tag) {
        if added.len() == MOST_TAGS {
            return Err(format!("with it the cell has more than {MOST_TAGS} tags"));
        }
        added.insert(tag.to_owned(), histogram());
    }
    let Some(sum) = added.get_mut(tag) else { return Ok(None) };
    let mut count = 0u64;
    for (at, (time, number)) in times.iter().enumerate() {
        let number = part(*number, &line.part, at);
        if number > 0 {
            sum.record_n(*time, number).map_err(|e| hlog::of_tag(tag, e.to_string()))?;
        }
        count = count.saturating_add(number);
    }
    Ok(Some((tag, count)))
}

/// Refuses more tags than the log of any run has.
fn few(totals: &BTreeMap<String, Histogram<u64>>) -> Result<()> {
    if totals.len() <= MOST_TAGS {
        return Ok(());
    }
    let answer = format!("all together have more than {MOST_TAGS} tags");
    Err(Error::new(ErrorKind::Invalid, "merge the logs of a step", answer))
}

/// What the log of a driver has so far.
struct Counts<'a> {
    path: PathBuf,
    step: &'a Step,
    all: u64,
    /// Of each kind of operation of the step.
    of_kinds: Vec<u64>,
}

impl<'a> Counts<'a> {
    fn of(log: &Log<'a>) -> Counts<'a> {
        let of_kinds = vec![0; log.step.transactions.len()];
        Counts { path: log.path.clone(), step: log.step, all: 0, of_kinds }
    }

    /// Adds the times of a line of this tag.
    fn add(&mut self, (tag, count): (&str, u64)) -> std::result::Result<(), String> {
        self.all = self.all.saturating_add(count);
        limits::count("the count of all lines so far", self.all)?;
        if let Some(kind) = self.step.transactions.iter().position(|o| o.kind == tag) {
            self.of_kinds[kind] += count;
        }
        Ok(())
    }

    /// Holds them against the record of the step.
    fn check(&self) -> Result<()> {
        for (operation, there) in self.step.transactions.iter().zip(&self.of_kinds) {
            if *there != operation.timed {
                let answer = format!(
                    "it has {} of {}, run.json counts {}",
                    counted(*there, "time", "times"),
                    operation.kind,
                    operation.timed
                );
                let tried = format!("read {}", self.path.display());
                return Err(Error::new(ErrorKind::Invalid, tried, answer)
                    .advise("copy the whole folder from the driver machine"));
            }
        }
        Ok(())
    }
}
