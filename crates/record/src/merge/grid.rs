//! The cells of a merged step.
//!
//! The ticks of two drivers begin at different times, and a driver that was held up has longer
//! ones. So a fleet has cells of its own: the time from the first tick of any driver to the end of
//! the last one, in equal parts about as long as a tick, and in no more parts than a step of one
//! driver has. What a driver did in a tick is shared
//! among the cells that the tick overlaps, in proportion.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::folder::micros;
use crate::limits::MOST_CELLS;
use crate::rows::{GRACE, Sample};

/// The phases of a step, in the order in which their rows are written.
pub const PHASES: [&str; 3] = ["warmup", "measured", GRACE];

/// The number of a step, and the place of a phase in [`PHASES`].
pub type Key = (usize, usize);

/// That of a row; `None` of another phase.
pub fn key(row: &Sample) -> Option<Key> {
    Some((row.step, PHASES.iter().position(|phase| *phase == row.phase)?))
}

/// Where the ticks of one driver lie, by step and phase.
#[derive(Default)]
pub struct Extents(BTreeMap<Key, Extent>);

impl Extents {
    /// Adds a row of the driver.
    pub fn add(&mut self, row: &Sample) {
        let Some(key) = key(row).filter(|_| row.seconds > 0.0) else { return };
        self.0.entry(key).or_insert_with(|| Extent::new(row)).add(row);
    }

    /// Each phase in which the driver has ticks, where these begin `offset` later.
    pub fn each(&self, offset: f64) -> impl Iterator<Item = (Key, Extent)> {
        self.0.iter().map(move |(key, extent)| {
            let (start, end) = (extent.start + offset, extent.end + offset);
            (*key, Extent { start, end, tick: extent.typical(), ..*extent })
        })
    }
}

/// Where the ticks of a phase lie, of one driver or several.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    start: f64,
    end: f64,
    /// The length of a tick: of the last one that was added, or of a typical one.
    tick: f64,
    /// The number of ticks before the last one, and their length.
    before: (u32, f64),
    /// When the last one ended.
    last: f64,
}

impl Extent {
    fn new(row: &Sample) -> Extent {
        let (end, tick) = (row.at_seconds, row.seconds);
        Extent { start: end - tick, end, tick, before: (0, 0.0), last: end }
    }

    fn add(&mut self, row: &Sample) {
        if row.at_seconds != self.last {
            self.before = (self.before.0.saturating_add(1), self.before.1 + self.tick);
            (self.tick, self.last) = (row.seconds, row.at_seconds);
        }
        self.start = self.start.min(row.at_seconds - row.seconds);
        self.end = self.end.max(row.at_seconds);
    }

    /// The length of a tick. The last one of a phase may be shorter.
    fn typical(&self) -> f64 {
        match self.before {
            (0, _) => self.tick,
            (number, length) => length / f64::from(number),
        }
    }

    /// That of these and other ticks. The driver that was held up least has ticks of the length
    /// that was asked for.
    pub fn join(&mut self, other: &Extent) {
        self.start = self.start.min(other.start);
        self.end = self.end.max(other.end);
        self.tick = self.tick.min(other.tick);
    }

    /// The cells of a phase. What ended after the windows has one.
    pub fn grid(&self, phase: usize) -> Grid {
        let length = self.end - self.start;
        let cells = match PHASES[phase] == GRACE {
            true => 1.0,
            false => (length / self.tick).round().clamp(1.0, MOST_CELLS as f64),
        };
        Grid { start: self.start, cell: length / cells, cells: cells as i64 }
    }
}

/// The cells of one phase.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Where the first one begins, seconds since the run's start.
    pub start: f64,
    /// The length of each.
    cell: f64,
    /// How many there are.
    cells: i64,
}

/// Rows have microseconds.
pub const OF_ROWS: f64 = 2e-6;
/// Logs have milliseconds.
pub const OF_LOGS: f64 = 2e-3;

impl Grid {
    /// The shares of the cells in a tick, whose edges are known up to `precision`.
    pub fn shares(&self, start: f64, length: f64, precision: f64) -> Shares {
        let place = |time: f64| ((time - self.start) / self.cell).clamp(0.0, self.cells as f64);
        let (from, to) = (place(start), place(start + length));
        let precision = (precision / self.cell).min(0.5);
        let next = ((from + precision).floor() as i64).min(self.cells - 1);
        let last = ((to - precision).ceil() as i64 - 1).max(next);
        Shares { from, to, next, last, done: 0.0 }
    }

    /// Where a cell begins.
    pub fn start_of(&self, cell: i64) -> f64 {
        micros((self.start + cell as f64 * self.cell).max(0.0))
    }

    /// Where it ends.
    pub fn end_of(&self, cell: i64) -> f64 {
        self.start_of(cell + 1)
    }

    /// How long it is. All of them add up to the time that they cover.
    pub fn seconds_of(&self, cell: i64) -> f64 {
        micros(self.end_of(cell) - self.start_of(cell))
    }
}

/// The cells that overlap a tick, each with its part of it: the range from 0 to 1 between the
/// shares of the cells before it, and its own with them.
#[derive(Clone, Debug)]
pub struct Shares {
    from: f64,
    to: f64,
    /// The next cell, and the last one.
    next: i64,
    last: i64,
    done: f64,
}

impl Shares {
    /// All of a tick to one cell.
    pub fn whole(cell: i64) -> Shares {
        Shares { from: 0.0, to: 1.0, next: cell, last: cell, done: 0.0 }
    }

    /// The next cell; `None` at the end.
    pub fn cell(&self) -> Option<i64> {
        (self.next <= self.last).then_some(self.next)
    }
}

impl Iterator for Shares {
    type Item = (i64, Range<f64>);

    fn next(&mut self) -> Option<(i64, Range<f64>)> {
        let cell = self.cell()?;
        let up_to = match cell == self.last {
            true => 1.0,
            false => {
                (((cell + 1) as f64 - self.from) / (self.to - self.from)).clamp(self.done, 1.0)
            }
        };
        self.next += 1;
        Some((cell, std::mem::replace(&mut self.done, up_to)..up_to))
    }
}

/// The part of a count that falls to such a range. The parts of all ranges add up to the count.
/// `at` numbers the counts that are shared alike, so that not all of them are rounded alike.
pub fn part(count: u64, range: &Range<f64>, at: usize) -> u64 {
    /// The golden ratio spreads numbers most evenly.
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let rounding = (at as f64 * GOLDEN).fract();
    let up_to = |share: f64| match share {
        1.0 => count,
        share => ((count as f64 * share + rounding).floor() as u64).min(count),
    };
    up_to(range.end).saturating_sub(up_to(range.start))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of a driver whose ticks end at these times.
    fn ticks(start: f64, ends: &[f64]) -> Extents {
        let mut extents = Extents::default();
        let mut from = start;
        for end in ends {
            for kind in ["READ", "UPDATE"] {
                let (phase, kind) = ("measured".to_owned(), kind.to_owned());
                let row = Sample {
                    step: 1,
                    phase,
                    at_seconds: *end,
                    seconds: end - from,
                    kind,
                    ..Sample::default()
                };
                extents.add(&row);
            }
            from = *end;
        }
        extents
    }

    fn grid(drivers: &[(f64, &[f64])]) -> Grid {
        let all = drivers.iter().map(|(start, ends)| {
            let extents = ticks(*start, ends);
            extents.each(0.0).next().unwrap().1
        });
        let join = |mut a: Extent, b: Extent| {
            a.join(&b);
            a
        };
        all.reduce(join).unwrap().grid(1)
    }

    #[test]
    fn cells_are_equal_and_cover_what_any_driver_measured() {
        let steady: Vec<f64> = (1..=60).map(|s| 2.0 + f64::from(s)).collect();
        // Held up twice, and a short last tick.
        let held = [3.25, 4.25, 8.75, 9.25, 40.0, 41.25, 62.0, 62.3];
        let found = grid(&[(2.0, &steady), (2.25, &held)]);
        assert_eq!(found.cells, 60);
        let sum: f64 = (0..60).map(|cell| found.seconds_of(cell)).sum();
        assert!((sum - 60.3).abs() < 1e-9, "{sum}");
        for cell in 0..60 {
            assert!((found.seconds_of(cell) - 60.3 / 60.0).abs() < 2e-6);
        }
        assert_eq!((found.start_of(0), found.end_of(59)), (2.0, 62.3));
        assert_eq!(grid(&[(1.0, &[1.4])]).cells, 1);
        assert_eq!(grid(&[(0.0, &[1.0, 2.0, 2.5])]).cells, 3);
    }

    #[test]
    fn a_tick_is_shared_by_overlap_and_nothing_is_lost() {
        let ends: Vec<f64> = (1..=10).map(f64::from).collect();
        let found = grid(&[(0.0, &ends)]);
        for (start, length, wanted) in [
            (2.0, 1.0, &[(2, 1.0)][..]),
            (2.000_001, 1.0, &[(2, 1.0)]),
            (1.75, 1.0, &[(1, 0.25), (2, 0.75)]),
            (1.5, 4.0, &[(1, 0.125), (2, 0.25), (3, 0.25), (4, 0.25), (5, 0.125)]),
            (9.5, 4.0, &[(9, 1.0)]),
            (-1.0, 1.5, &[(0, 1.0)]),
            (3.5, 0.0, &[(3, 1.0)]),
            (10.0, 0.0, &[(9, 1.0)]),
        ] {
            let shares: Vec<(i64, Range<f64>)> = found.shares(start, length, OF_ROWS).collect();
            let cells: Vec<(i64, f64)> =
                shares.iter().map(|(c, r)| (*c, r.end - r.start)).collect();
            let near = |(a, b): (&(i64, f64), &(i64, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 1e-5;
            assert!(cells.len() == wanted.len() && cells.iter().zip(wanted).all(near), "{cells:?}");
            for count in [0, 1, 2, 7, 1_000_003, 1 << 53] {
                for at in 0..5 {
                    let parts: Vec<u64> = shares.iter().map(|(_, r)| part(count, r, at)).collect();
                    assert_eq!(parts.iter().sum::<u64>(), count);
                    for (part, (_, range)) in parts.iter().zip(&shares) {
                        let exact = count as f64 * (range.end - range.start);
                        assert!((*part as f64 - exact).abs() <= 1.0 + exact * 1e-9);
                    }
                }
            }
        }
    }

    /// Many counts of one: half of them go to each half.
    #[test]
    fn small_counts_are_not_all_rounded_alike() {
        for share in [0.1, 0.5, 0.9] {
            let first: u64 = (0..1000).map(|at| part(1, &(0.0..share), at)).sum();
            assert!((first as f64 - 1000.0 * share).abs() <= 4.0, "{first} of {share}");
        }
    }
}
