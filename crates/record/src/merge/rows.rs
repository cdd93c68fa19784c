//! The rows of all drivers, added up as they are read: what they take grows with the merged rows,
//! not with the drivers.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::grid::{Grid, Key, PHASES, key};
use super::machine::Machine;
use crate::error::{Error, ErrorKind, Result};
use crate::folder::{each_sample, micros};
use crate::hlog::MOST_TAGS;
use crate::rows::Sample;

/// The merged rows of a run.
pub struct Rows {
    /// Kinds of operations, in the order in which they came.
    kinds: Vec<String>,
    phases: BTreeMap<Key, Phase>,
    /// Whether there are more kinds than any run has.
    too_many: bool,
}

/// Those of one phase of a step.
struct Phase {
    grid: Grid,
    cells: BTreeMap<i64, Cell>,
}

/// What all drivers did in one tick.
struct Cell {
    seconds: f64,
    /// By the place of their kind.
    rows: Vec<(usize, Row)>,
}

/// What all drivers did of one kind in one tick.
#[derive(Clone, Copy, Default)]
struct Row {
    count: u64,
    failed: u64,
    retries: u64,
    /// Of the response times.
    sum_us: f64,
    p50_us: u64,
    p99_us: u64,
    max_us: u64,
}

impl Row {
    fn add(&mut self, row: &Sample) {
        self.count = self.count.saturating_add(row.count);
        self.failed = self.failed.saturating_add(row.failed);
        self.retries = self.retries.saturating_add(row.retries);
        self.sum_us += row.mean_us * row.count as f64;
        self.p50_us = self.p50_us.max(row.p50_us);
        self.p99_us = self.p99_us.max(row.p99_us);
        self.max_us = self.max_us.max(row.max_us);
    }
}

/// The response times of a kind of all drivers in one tick.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// How many there are.
    pub number: u64,
    /// Their mean, microseconds.
    pub mean_us: f64,
    /// Their median.
    pub p50_us: u64,
    /// Their 99th percentile.
    pub p99_us: u64,
}

impl Rows {
    /// Reads those of all drivers.
    pub fn read(drivers: &[Machine], base: Timestamp) -> Result<Rows> {
        let mut rows = Rows { kinds: Vec::new(), phases: BTreeMap::new(), too_many: false };
        // The grid of a phase is that of the earliest driver that has ticks in it.
        let mut earliest: Vec<&Machine> = drivers.iter().collect();
        earliest.sort_by_key(|driver| driver.started);
        // All drivers have the same steps.
        let steps: BTreeSet<usize> = drivers[0].run.steps.iter().map(|s| s.number).collect();
        for driver in earliest {
            for key in driver.extents.keys().filter(|(step, _)| steps.contains(step)) {
                if let Some(grid) = driver.extents.grid(key, driver.offset(base)) {
                    let cells = BTreeMap::new();
                    rows.phases.entry(key).or_insert(Phase { grid, cells });
                }
            }
        }
        for driver in drivers {
            let offset = driver.offset(base);
            each_sample(&driver.folder, |row| rows.add(row, offset))?;
            if rows.too_many {
                let tried = format!("read samples.csv of {}", driver.name);
                let answer = format!("with it there are more than {MOST_TAGS} kinds of operations");
                return Err(Error::new(ErrorKind::Invalid, tried, answer));
            }
        }
        Ok(rows)
    }

    fn add(&mut self, row: &Sample, offset: f64) {
        let Some(phase) = key(row).and_then(|key| self.phases.get_mut(&key)) else { return };
        let grid = phase.grid;
        let cell = grid.cell(row.at_seconds - row.seconds + offset, row.seconds);
        let cell = phase.cells.entry(cell).or_insert(Cell { seconds: 0.0, rows: Vec::new() });
        let most = if grid.whole { f64::INFINITY } else { grid.tick };
        cell.seconds = cell.seconds.max(row.seconds.min(most));
        let known = self.kinds.iter().position(|kind| *kind == row.kind);
        let kind = known.unwrap_or(self.kinds.len());
        if known.is_none() {
            self.too_many |= kind == MOST_TAGS;
            if self.too_many {
                return;
            }
            self.kinds.push(row.kind.clone());
        }
        match cell.rows.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, sum)) => sum.add(row),
            None => {
                let mut sum = Row::default();
                sum.add(row);
                cell.rows.push((kind, sum));
            }
        }
    }

    /// The grid of a phase of a step, if it has rows.
    pub fn grid(&mut self, key: Key) -> Option<&mut Grid> {
        self.phases.get_mut(&key).map(|phase| &mut phase.grid)
    }

    /// The length of a tick, if it has rows.
    pub fn seconds(&self, key: Key, cell: i64) -> Option<f64> {
        Some(self.phases.get(&key)?.cells.get(&cell)?.seconds)
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
    pub fn cell(
        &mut self,
        (step, phase): Key,
        at: i64,
        times: impl Fn(&str) -> Option<Times>,
        mut take: impl FnMut(Sample) -> Result<()>,
    ) -> Result<()> {
        let Some(of_phase) = self.phases.get_mut(&(step, phase)) else { return Ok(()) };
        let Some(Cell { seconds, mut rows }) = of_phase.cells.remove(&at) else { return Ok(()) };
        let at_seconds = micros(of_phase.grid.start_of(at) + seconds);
        rows.sort_by_key(|(kind, _)| &self.kinds[*kind]);
        for (kind, row) in rows {
            let kind = &self.kinds[kind];
            let new = Sample {
                step,
                phase: PHASES[phase].to_owned(),
                at_seconds,
                seconds,
                kind: kind.clone(),
                ..Sample::default()
            };
            take(row.finish(times(kind), new))?;
        }
        Ok(())
    }
}

impl Row {
    /// Percentiles are those of the added histogram. If there is none, in the warm-up and for
    /// queries, they are the highest of the parts, which no percentile of the whole exceeds.
    fn finish(self, times: Option<Times>, new: Sample) -> Sample {
        let Row { count, failed, retries, sum_us, max_us, .. } = self;
        let quantile = |of: fn(&Times) -> u64, highest: u64| match &times {
            Some(times) => of(times).min(max_us),
            None => highest,
        };
        Sample {
            count,
            failed,
            retries,
            mean_us: match &times {
                // A backlog has no response times.
                Some(times) if times.number != count => times.mean_us,
                _ if count > 0 => (sum_us / count as f64 * 1e3).round() / 1e3,
                _ => 0.0,
            },
            p50_us: quantile(|times| times.p50_us, self.p50_us),
            p99_us: quantile(|times| times.p99_us, self.p99_us),
            max_us,
            ..new
        }
    }
}
