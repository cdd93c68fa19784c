//! The ticks of a merged step.
//!
//! A driver's ticks follow each other without gaps; the ticks of two drivers begin at different
//! times. Each tick is added to the cell of a grid that contains its middle. So no tick is split or
//! counted twice, and with ticks of equal length every cell has one tick of each driver.

use std::collections::BTreeMap;

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
pub struct Extents(BTreeMap<Key, Grid>);

impl Extents {
    /// Adds a row of the driver.
    pub fn add(&mut self, row: &Sample) {
        let Some(key) = key(row).filter(|_| row.seconds > 0.0) else { return };
        let (start, whole) = (row.at_seconds - row.seconds, row.phase == GRACE);
        let new = Grid { start, tick: row.seconds, whole };
        let grid = self.0.entry(key).or_insert(new);
        grid.start = grid.start.min(start);
        grid.tick = grid.tick.max(row.seconds);
    }

    /// The grid of this driver's ticks, which begins `offset` later.
    pub fn grid(&self, key: Key, offset: f64) -> Option<Grid> {
        let grid = self.0.get(&key)?;
        Some(Grid { start: grid.start + offset, ..*grid })
    }

    /// The steps and phases that there are.
    pub fn keys(&self) -> impl Iterator<Item = Key> {
        self.0.keys().copied()
    }
}

/// The cells of one phase.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Where the first one begins, seconds since the run's start.
    pub start: f64,
    /// The length of each.
    pub tick: f64,
    /// Whether the grid has only one cell: operations that ended after the windows.
    pub whole: bool,
}

impl Grid {
    /// The cell that contains the middle of a tick.
    pub fn cell(&self, start: f64, length: f64) -> i64 {
        if self.whole {
            return 0;
        }
        ((start + length / 2.0 - self.start) / self.tick).floor() as i64
    }

    /// Where a cell begins.
    pub fn start_of(&self, cell: i64) -> f64 {
        (self.start + cell as f64 * self.tick).max(0.0)
    }
}
