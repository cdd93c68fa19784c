//! The rows of all drivers, added up as they are read: what they take grows with the merged rows,
//! not with the drivers.

use std::collections::{BTreeMap, BTreeSet};

use hdrhistogram::Histogram;
use jiff::Timestamp;

use super::grid::{Extent, Grid, Key, OF_ROWS, PHASES, key};
use super::machine::Machine;
use crate::error::{Error, ErrorKind, Result};
use crate::folder::{each_sample, micros};
use crate::hlog::MOST_TAGS;
use crate::rows::Sample;
use crate::step::Gap;

/// The merged rows of a run.
pub struct Rows {
    /// Kinds of operations, in the order in which they came.
    kinds: Vec<String>,
    phases: BTreeMap<Key, Phase>,
    /// Whether there are more kinds than any run has.
    too_many: bool,
    /// How many rows there were, and among how many cells they were shared.
    read: u64,
    shared: u64,
}

/// A driver's ticks follow each other, so its rows have a share each in one cell more than it has
/// ticks, or in every cell. So many more than rows are of ticks that overlap.
const MOST_SHARES: u64 = 1 << 24;

/// Those of one phase of a step.
struct Phase {
    grid: Grid,
    /// What all drivers did in each cell, by the place of its kind.
    cells: BTreeMap<i64, Vec<(usize, Row)>>,
    /// What was taken of each kind: counts, failures, retries.
    taken: Vec<[f64; 3]>,
}

/// What all drivers did of one kind in one cell: their shares of its ticks.
#[derive(Clone, Copy, Default)]
struct Row {
    count: f64,
    failed: f64,
    retries: f64,
    /// Of the response times.
    sum_us: f64,
    p50_us: u64,
    p99_us: u64,
    max_us: u64,
}

impl Row {
    fn add(&mut self, row: &Sample, share: f64) {
        self.count += row.count as f64 * share;
        self.failed += row.failed as f64 * share;
        self.retries += row.retries as f64 * share;
        self.sum_us += row.mean_us * row.count as f64 * share;
        self.p50_us = self.p50_us.max(row.p50_us);
        self.p99_us = self.p99_us.max(row.p99_us);
        self.max_us = self.max_us.max(row.max_us);
    }
}

impl Rows {
    /// Reads those of all drivers.
    pub fn read(drivers: &[Machine], base: Timestamp) -> Result<Rows> {
        // All drivers have the same steps.
        let steps: BTreeSet<usize> = drivers[0].run.steps.iter().map(|s| s.number).collect();
        let mut extents: BTreeMap<Key, Extent> = BTreeMap::new();
        for driver in drivers {
            for (key, extent) in driver.extents.each(driver.offset(base)) {
                extents.entry(key).or_insert(extent).join(&extent);
            }
        }
        extents.retain(|(step, _), _| steps.contains(step));
        let phase = |(key, extent): (Key, Extent)| {
            let (grid, cells) = (extent.grid(key.1), BTreeMap::new());
            (key, Phase { grid, cells, taken: Vec::new() })
        };
        let phases = extents.into_iter().map(phase).collect();
        let mut rows = Rows { kinds: Vec::new(), phases, too_many: false, read: 0, shared: 0 };
        for driver in drivers {
            let offset = driver.offset(base);
            each_sample(&driver.folder, |row| rows.add(&row, offset))?;
            if rows.too_many {
                let tried = format!("read samples.csv of {}", driver.name);
                let answer = format!("with it there are more than {MOST_TAGS} kinds of operations");
                return Err(Error::new(ErrorKind::Invalid, tried, answer));
            }
            if rows.shared > rows.most_shares() {
                let tried = format!("read samples.csv of {}", driver.name);
                return Err(Error::new(ErrorKind::Invalid, tried, "its ticks overlap each other"));
            }
        }
        Ok(rows)
    }

    fn most_shares(&self) -> u64 {
        MOST_SHARES + 16 * self.read
    }

    fn add(&mut self, row: &Sample, offset: f64) {
        self.read += 1;
        let Some(kind) = self.kind(&row.kind).filter(|_| self.shared <= self.most_shares()) else {
            return;
        };
        let most = self.most_shares();
        let Some(phase) = key(row).and_then(|key| self.phases.get_mut(&key)) else { return };
        let start = row.at_seconds - row.seconds + offset;
        for (cell, part) in phase.grid.shares(start, row.seconds, OF_ROWS) {
            self.shared += 1;
            if self.shared > most {
                return;
            }
            let rows = phase.cells.entry(cell).or_default();
            let at = rows.iter().position(|(other, _)| *other == kind).unwrap_or_else(|| {
                rows.push((kind, Row::default()));
                rows.len() - 1
            });
            rows[at].1.add(row, part.end - part.start);
        }
    }

    /// The place of a kind; `None` where it is one too many.
    fn kind(&mut self, name: &str) -> Option<usize> {
        if let Some(known) = self.kinds.iter().position(|kind| kind == name) {
            return Some(known);
        }
        self.too_many |= self.kinds.len() == MOST_TAGS;
        (!self.too_many).then(|| {
            self.kinds.push(name.to_owned());
            self.kinds.len() - 1
        })
    }

    /// The grid of a phase of a step, if it has rows.
    pub fn grid(&mut self, key: Key) -> Option<&mut Grid> {
        self.phases.get_mut(&key).map(|phase| &mut phase.grid)
    }

    /// The longest time of the measured window of a step in which no driver had a success of these
    /// kinds, as far as ticks tell: its beginning and its length.
    pub fn longest_without(&self, key: Key, kinds: &[&str]) -> Option<Gap> {
        let phase = self.phases.get(&key)?;
        let counts = |rows: &[(usize, Row)]| {
            rows.iter().any(|(kind, row)| row.count > 0.0 && kinds.contains(&&*self.kinds[*kind]))
        };
        let (mut longest, mut first, mut next) = (None::<Gap>, 0, i64::MIN);
        for (cell, _) in phase.cells.iter().filter(|(_, rows)| !counts(rows)) {
            if *cell != next {
                first = *cell;
            }
            next = cell + 1;
            let from_seconds = phase.grid.start_of(first);
            let gap =
                Gap { from_seconds, seconds: micros(phase.grid.end_of(*cell) - from_seconds) };
            if longest.is_none_or(|longest| gap.seconds > longest.seconds) {
                longest = Some(gap);
            }
        }
        longest
    }

    /// Takes the rows of a phase that come before a tick, or all of them, in the order of time and
    /// of the kinds' names. Nothing else is known of their response times.
    pub fn before(
        &mut self,
        key: Key,
        cell: Option<i64>,
        mut take: impl FnMut(Sample) -> Result<()>,
    ) -> Result<()> {
        while let Some(first) = self.first(key).filter(|first| cell.is_none_or(|end| *first < end))
        {
            self.cell(key, first, |_| None, &mut take)?;
        }
        Ok(())
    }

    fn first(&self, key: Key) -> Option<i64> {
        self.phases.get(&key)?.cells.keys().next().copied()
    }

    /// Takes the rows of a tick, whose response times `times` has by kind.
    pub fn cell<'t>(
        &mut self,
        (step, phase): Key,
        at: i64,
        times: impl Fn(&str) -> Option<&'t Histogram<u64>>,
        mut take: impl FnMut(Sample) -> Result<()>,
    ) -> Result<()> {
        let Some(Phase { grid, cells, taken }) = self.phases.get_mut(&(step, phase)) else {
            return Ok(());
        };
        let Some(mut rows) = cells.remove(&at) else { return Ok(()) };
        taken.resize(self.kinds.len(), [0.0; 3]);
        let (at_seconds, seconds) = (grid.end_of(at), grid.seconds_of(at));
        rows.sort_by_key(|(kind, _)| &self.kinds[*kind]);
        for (kind, row) in rows {
            let (name, taken) = (&self.kinds[kind], &mut taken[kind]);
            let [count, failed, retries] = row.counts(taken);
            let new = Sample {
                step,
                phase: PHASES[phase].to_owned(),
                at_seconds,
                seconds,
                kind: name.clone(),
                count,
                failed,
                retries,
                ..Sample::default()
            };
            take(row.finish(times(name), new))?;
        }
        Ok(())
    }
}

impl Row {
    /// The whole numbers of this cell, where so much was taken before: what is rounded in one cell
    /// is made up for in the next.
    fn counts(&self, taken: &mut [f64; 3]) -> [u64; 3] {
        let mut at = 0;
        [self.count, self.failed, self.retries].map(|more| {
            let sum = taken[at] + more;
            let whole = sum.round() as u64 - taken[at].round() as u64;
            taken[at] = sum;
            at += 1;
            whole
        })
    }

    /// Percentiles are those of the added histogram. If there is none, in the warm-up and for
    /// queries, they are the highest of the parts, which no percentile of the whole exceeds.
    fn finish(self, times: Option<&Histogram<u64>>, new: Sample) -> Sample {
        let Row { count, sum_us, max_us, .. } = self;
        let Some(times) = times else {
            let mean_us = if count > 0.0 { (sum_us / count * 1e3).round() / 1e3 } else { 0.0 };
            return Sample { mean_us, p50_us: self.p50_us, p99_us: self.p99_us, max_us, ..new };
        };
        Sample {
            mean_us: times.mean(),
            p50_us: times.value_at_quantile(0.5).min(max_us),
            p99_us: times.value_at_quantile(0.99).min(max_us),
            max_us: times.max().min(max_us),
            ..new
        }
    }
}
