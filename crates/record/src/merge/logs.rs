//! The logs of all drivers in a step, tick by tick.
//!
//! A log of a driver has millions of intervals where a run is long, and a fleet has many drivers:
//! only the lines of a few ticks are in memory at a time. A piece of work is those of some ticks, of
//! all drivers; threads decode and add up, and the sums come in the order of time.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use hdrhistogram::Histogram;
use hoap_data::words::counted;
use jiff::Timestamp;

use super::grid::{Grid, part};
use super::log::{Log, Place};
use super::machine::Machine;
use super::rows::Times;
use crate::buckets::Sum;
use crate::decoder::Decoder;
use crate::error::{Error, ErrorKind, Result};
use crate::histogram::histogram;
use crate::histogram_encoder::HistogramEncoder;
use crate::hlog::{self, MOST_TAGS};
use crate::interval::Encoded;
use crate::limits;
use crate::lines;
use crate::parallel::in_order;
use crate::step::Step;

/// The logs of a step.
pub struct Logs<'a> {
    drivers: Vec<Log<'a>>,
    /// The grids of the measured window, and of what ended after it.
    grids: [Option<Grid>; 2],
    /// All response times by tag.
    totals: BTreeMap<String, Histogram<u64>>,
}

/// The times of one tag of all drivers in a tick.
pub struct Added {
    /// Where they belong.
    pub place: Place,
    /// As in [`hlog::Interval`].
    pub tag: String,
    /// What a row says of them.
    pub times: Times,
    /// Their histogram as the log has it.
    pub text: String,
    counts: Vec<(u64, u64)>,
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

    /// Passes the sums of all intervals to `take`, those of a tick together, in the order of their
    /// places and tags.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`], naming the file, where a log is broken or does not hold what
    /// the record of its step counts.
    pub fn each(&mut self, mut take: impl FnMut(&[Added]) -> Result<()>) -> Result<()> {
        let Logs { drivers, grids, totals } = self;
        let mut counts: Vec<Counts<'_>> = drivers.iter().map(Counts::of).collect();
        let steps: Vec<&Step> = drivers.iter().map(|log| log.step).collect();
        in_order(
            || piece(drivers, grids),
            |worker: &mut Worker, piece: Piece| worker.sum(&piece, &steps),
            |summed: Summed| {
                for (line, kind, count) in summed.lines {
                    counts[line.driver].add(line.number, kind, count)?;
                }
                if let Some((line, what)) = summed.broken {
                    return Err(lines::broken(&counts[line.driver].path, line.number, what));
                }
                for of_tick in summed.added.chunk_by(|a, b| a.place == b.place) {
                    of_tick.iter().for_each(|added| added.add_to(totals));
                    take(of_tick)?;
                }
                few(totals)
            },
        )?;
        counts.iter().try_for_each(Counts::check)
    }

    /// The sum of all histograms of a tag.
    pub fn total(&self, tag: &str) -> Histogram<u64> {
        self.totals.get(tag).cloned().unwrap_or_else(histogram)
    }
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

    /// Adds the times of a line, which are of this one of the step's kinds.
    fn add(&mut self, line: u64, kind: Option<usize>, count: u64) -> Result<()> {
        self.all = self.all.saturating_add(count);
        limits::count("the count of all lines so far", self.all)
            .map_err(|what| lines::broken(&self.path, line, what))?;
        if let Some(kind) = kind {
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

/// Lines and bytes from which on a piece ends, with the tick that it is in.
const LINES: usize = 256;
const BYTES: usize = 1 << 18;

/// The lines of some ticks, of all drivers.
#[derive(Default)]
struct Piece {
    text: Vec<u8>,
    lines: Vec<Line>,
    ticks: Vec<(Place, Range<usize>)>,
}

/// A line of a piece.
#[derive(Clone)]
struct Line {
    driver: usize,
    number: u64,
    /// Where it ends in the text.
    end: usize,
    /// The part of its interval that the tick has.
    part: Range<f64>,
}

fn piece(drivers: &mut [Log<'_>], grids: &[Option<Grid>; 2]) -> Result<Option<Piece>> {
    let mut piece = Piece::default();
    while piece.lines.len() < LINES && piece.text.len() < BYTES {
        let Some(place) = drivers.iter().filter_map(Log::place).min() else { break };
        let first = piece.lines.len();
        let Piece { text, lines, .. } = &mut piece;
        for (driver, log) in drivers.iter_mut().enumerate() {
            log.take(place, grids, |line, number, part| {
                text.extend(line);
                lines.push(Line { driver, number, end: text.len(), part });
            })?;
        }
        piece.ticks.push((place, first..piece.lines.len()));
    }
    Ok((!piece.ticks.is_empty()).then_some(piece))
}

impl Piece {
    fn text(&self, line: usize) -> &[u8] {
        let start = line.checked_sub(1).map_or(0, |before| self.lines[before].end);
        &self.text[start..self.lines[line].end]
    }
}

/// What a piece adds up to, as far as no line is broken.
#[derive(Default)]
struct Summed {
    added: Vec<Added>,
    /// Each line with the place of its kind in the driver's step, and the count of its times.
    lines: Vec<(Line, Option<usize>, u64)>,
    broken: Option<(Line, String)>,
}

/// What a thread keeps from piece to piece.
#[derive(Default)]
struct Worker {
    decoder: Decoder,
    encoder: HistogramEncoder,
    /// Empty ones, for their room.
    spare: Vec<Sum>,
}

impl Worker {
    /// Adds up a piece of the logs of these steps.
    fn sum(&mut self, piece: &Piece, steps: &[&Step]) -> Summed {
        let mut summed = Summed::default();
        for (place, lines) in &piece.ticks {
            let end = self.tick(*place, piece, lines.clone(), steps, &mut summed);
            summed.broken = end.err();
            if summed.broken.is_some() {
                break;
            }
        }
        summed
    }

    fn tick(
        &mut self,
        place: Place,
        piece: &Piece,
        lines: Range<usize>,
        steps: &[&Step],
        summed: &mut Summed,
    ) -> std::result::Result<(), (Line, String)> {
        let last = &piece.lines[lines.end - 1];
        let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
        for at in lines {
            let line = &piece.lines[at];
            let added = self.add(piece.text(at), &line.part, &mut sums);
            let added = added.map_err(|what| (line.clone(), what))?;
            if let Some((tag, count)) = added {
                let kind = steps[line.driver].transactions.iter().position(|o| o.kind == tag);
                summed.lines.push((line.clone(), kind, count));
            }
        }
        for (tag, mut sum) in sums {
            let added = Added::new(place, tag, sum.take(), &mut self.encoder);
            self.spare.push(sum);
            summed.added.push(added.map_err(|what| (last.clone(), hlog::of_tag(tag, what)))?);
        }
        Ok(())
    }

    /// Adds this part of a line to the sum of its tag; returns the tag, and the count of the times.
    fn add<'p>(
        &mut self,
        text: &'p [u8],
        share: &Range<f64>,
        sums: &mut BTreeMap<&'p str, Sum>,
    ) -> std::result::Result<Option<(&'p str, u64)>, String> {
        let Some(Encoded { tag, histogram, .. }) = Encoded::read(text)? else { return Ok(None) };
        let times = self.decoder.decode(histogram).map_err(|e| hlog::of_tag(tag, e))?;
        let sum = sums.entry(tag).or_insert_with(|| self.spare.pop().unwrap_or_default());
        let mut count = 0u64;
        for (at, (time, number)) in times.iter().enumerate() {
            let number = part(*number, share, at);
            if number > 0 {
                sum.add(*time, number);
            }
            count = count.saturating_add(number);
        }
        match sums.len() <= MOST_TAGS {
            true => Ok(Some((tag, count))),
            false => Err(format!("with it the tick has more than {MOST_TAGS} tags")),
        }
    }
}

impl Added {
    fn new(
        place: Place,
        tag: &str,
        counts: Vec<(u64, u64)>,
        encoder: &mut HistogramEncoder,
    ) -> std::result::Result<Added, String> {
        let mut all = histogram();
        // From the longest on, so that it grows once.
        for (time, count) in counts.iter().rev() {
            all.record_n(*time, *count).map_err(|e| e.to_string())?;
        }
        let number = all.len();
        // As the histogram has it, which would look at every bucket.
        let mean = |(time, count): &(u64, u64)| {
            all.median_equivalent(*time) as f64 * *count as f64 / number as f64
        };
        let times = Times {
            max_us: all.max(),
            mean_us: counts.iter().map(mean).fold(0.0, |sum, part| sum + part),
            p50_us: all.value_at_quantile(0.5),
            p99_us: all.value_at_quantile(0.99),
        };
        let (tag, text) = (tag.to_owned(), encoder.text(&all)?);
        Ok(Added { place, tag, times, text, counts })
    }

    fn add_to(&self, totals: &mut BTreeMap<String, Histogram<u64>>) {
        let total = totals.entry(self.tag.clone()).or_insert_with(histogram);
        for (time, count) in &self.counts {
            total.record_n(*time, *count).expect("the histogram resizes");
        }
    }
}
