//! The time series of a merged step.
//!
//! A driver's ticks follow each other without gaps; the ticks of two drivers begin at different
//! times. Each tick is added to the cell of a grid that contains its middle. So no tick is split or
//! counted twice, and with ticks of equal length every cell has one tick of each driver.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use hoap_data::words::counted;
use jiff::Timestamp;

use super::machine::Machine;
use crate::error::{Error, ErrorKind, Result};
use crate::folder::micros;
use crate::histogram::histogram;
use crate::hlog;
use crate::rows::{GRACE, Sample};

/// The times of one tag in one tick.
pub struct Interval {
    /// As in [`hlog::Interval`].
    pub tag: String,
    /// Seconds from the merged run's start to its start.
    pub start_seconds: f64,
    /// Its length.
    pub seconds: f64,
    /// Microseconds.
    pub times: Histogram<u64>,
}

/// A driver's log of a step, its times counted from the merged run's start.
pub struct Log {
    intervals: Vec<Interval>,
    /// The end of the measured window. The interval that begins then has the operations that ended
    /// later.
    window_end: f64,
}

impl Log {
    /// Reads the log and checks its counts against `run.json`.
    pub fn read(driver: &Machine, number: usize, base: Timestamp) -> Result<Log> {
        let step = &driver.run.steps[number];
        let offset = driver.offset(base);
        let mut intervals = Vec::new();
        hlog::each(
            &driver.folder,
            step.number,
            |_| true,
            |interval| {
                let mut times = histogram();
                interval.add_to(&mut times)?;
                intervals.push(Interval {
                    tag: interval.tag.to_owned(),
                    start_seconds: interval.start_seconds + offset,
                    seconds: interval.seconds,
                    times,
                });
                Ok(())
            },
        )?;
        for operation in &step.transactions {
            let of_kind = intervals.iter().filter(|i| i.tag == operation.kind);
            let there: u64 = of_kind.map(|i| i.times.len()).sum();
            if there != operation.timed {
                let path = hlog::path(&driver.folder, step.number);
                let answer = format!(
                    "it has {} of {}, run.json counts {}",
                    counted(there, "time", "times"),
                    operation.kind,
                    operation.timed
                );
                return Err(Error::new(
                    ErrorKind::Invalid,
                    format!("read {}", path.display()),
                    answer,
                )
                .advise("copy the whole folder from the driver machine"));
            }
        }
        let window_end = offset + step.start_seconds + step.seconds;
        Ok(Log { intervals, window_end })
    }
}

/// The sum of all histograms of a tag.
pub fn total(logs: &[Log], tag: &str) -> Histogram<u64> {
    let mut sum = histogram();
    for interval in logs.iter().flat_map(|log| &log.intervals).filter(|i| i.tag == tag) {
        sum.add(&interval.times).expect("the histogram resizes");
    }
    sum
}

/// A step's merged time series.
pub struct Merged {
    /// Rows of `samples.csv`.
    pub rows: Vec<Sample>,
    /// Intervals of the step's log.
    pub intervals: Vec<Interval>,
}

/// The cells of one phase.
struct Grid {
    start: f64,
    tick: f64,
    /// Whether the grid has only one cell.
    whole: bool,
}

impl Grid {
    /// The grid of the earliest driver that has ticks in this phase. Operations that ended after
    /// the windows are one cell.
    fn of(drivers: &[Machine], step: usize, phase: &str, base: Timestamp) -> Option<Grid> {
        let whole = phase == GRACE;
        let mut drivers: Vec<&Machine> = drivers.iter().collect();
        drivers.sort_by_key(|driver| driver.started);
        drivers.iter().find_map(|driver| {
            let rows = driver.samples.iter().filter(|s| s.step == step && s.phase == phase);
            let rows: Vec<&Sample> = rows.filter(|s| s.seconds > 0.0).collect();
            let tick = rows.iter().map(|s| s.seconds).reduce(f64::max)?;
            let start = rows.iter().map(|s| s.at_seconds - s.seconds).reduce(f64::min)?;
            Some(Grid { start: start + driver.offset(base), tick, whole })
        })
    }

    /// The cell that contains the middle of a tick.
    fn cell(&self, start: f64, length: f64) -> i64 {
        if self.whole {
            return 0;
        }
        ((start + length / 2.0 - self.start) / self.tick).floor() as i64
    }

    fn start_of(&self, cell: i64) -> f64 {
        (self.start + cell as f64 * self.tick).max(0.0)
    }
}

/// Adds up all drivers' rows and intervals of a step.
pub fn merge(drivers: &[Machine], step: usize, base: Timestamp, logs: Vec<Log>) -> Result<Merged> {
    let mut merged = Merged { rows: Vec::new(), intervals: Vec::new() };
    for phase in ["warmup", "measured", GRACE] {
        let Some(mut grid) = Grid::of(drivers, step, phase, base) else { continue };
        if grid.whole {
            grid.start = logs.iter().map(|log| log.window_end).fold(grid.start, f64::max);
        }
        let mut lengths: BTreeMap<i64, f64> = BTreeMap::new();
        let mut rows: BTreeMap<(i64, &str), Vec<&Sample>> = BTreeMap::new();
        for driver in drivers {
            let ours = driver.samples.iter().filter(|s| s.step == step && s.phase == phase);
            for row in ours {
                let start = row.at_seconds - row.seconds + driver.offset(base);
                let cell = grid.cell(start, row.seconds);
                let length = lengths.entry(cell).or_default();
                let most = if grid.whole { f64::INFINITY } else { grid.tick };
                *length = length.max(row.seconds.min(most));
                rows.entry((cell, row.kind.as_str())).or_default().push(row);
            }
        }
        let mut times: BTreeMap<(i64, String), Histogram<u64>> = BTreeMap::new();
        if phase != "warmup" {
            let of_phase = logs.iter().flat_map(|log| {
                // The file has microseconds.
                let late = |i: &Interval| i.start_seconds > log.window_end - 1e-5;
                log.intervals.iter().filter(move |i| late(i) == grid.whole)
            });
            for interval in of_phase {
                let cell = grid.cell(interval.start_seconds, interval.seconds);
                let sum = times.entry((cell, interval.tag.clone())).or_insert_with(histogram);
                sum.add(&interval.times).expect("the histogram resizes");
            }
        }
        for ((cell, kind), parts) in &rows {
            let histogram = times.get(&(*cell, (*kind).to_owned()));
            let seconds = lengths[cell];
            let at_seconds = micros(grid.start_of(*cell) + seconds);
            merged.rows.push(row(parts, histogram, at_seconds, seconds));
        }
        merged.intervals.extend(times.into_iter().map(|((cell, tag), times)| Interval {
            tag,
            start_seconds: grid.start_of(cell),
            seconds: lengths.get(&cell).copied().unwrap_or(grid.tick),
            times,
        }));
    }
    Ok(merged)
}

/// Merges rows of one kind. Percentiles are those of the added histogram. If there is none, in the
/// warm-up and for queries, they are the highest of the parts, which no percentile of the whole
/// exceeds.
fn row(parts: &[&Sample], times: Option<&Histogram<u64>>, at_seconds: f64, seconds: f64) -> Sample {
    let count: u64 = parts.iter().map(|s| s.count).sum();
    let sum: f64 = parts.iter().map(|s| s.mean_us * s.count as f64).sum();
    let highest = |of: fn(&Sample) -> u64| parts.iter().map(|s| of(s)).max().unwrap_or(0);
    let max_us = highest(|s| s.max_us);
    let quantile = |q: f64, of: fn(&Sample) -> u64| match times {
        Some(times) => times.value_at_quantile(q).min(max_us),
        None => highest(of),
    };
    Sample {
        at_seconds,
        seconds,
        count,
        failed: parts.iter().map(|s| s.failed).sum(),
        retries: parts.iter().map(|s| s.retries).sum(),
        mean_us: match times {
            // A backlog has no response times.
            Some(times) if times.len() != count => times.mean(),
            _ if count > 0 => (sum / count as f64 * 1e3).round() / 1e3,
            _ => 0.0,
        },
        p50_us: quantile(0.5, |s| s.p50_us),
        p99_us: quantile(0.99, |s| s.p99_us),
        max_us,
        ..parts[0].clone()
    }
}
