//! The log of one driver in a step: its lines, each as often as there are cells that overlap its
//! interval.

use std::mem;
use std::ops::Range;
use std::path::PathBuf;

use jiff::Timestamp;

use super::grid::{Grid, OF_LOGS, Shares};
use super::machine::Machine;
use crate::error::Result;
use crate::hlog::{self, MOST_TAGS};
use crate::interval::Encoded;
use crate::lines::Lines;
use crate::step::Step;

/// Where an interval belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellInterval {
    /// Whether it has what ended after the window.
    pub late: bool,
    /// Its cell of the grid of its phase. Where the phase has no rows, and so no grid, it says
    /// nothing.
    pub cell: i64,
}

/// The log of one driver.
pub struct Log<'a> {
    pub step: &'a Step,
    pub path: PathBuf,
    lines: Lines,
    /// Seconds from the merged run's start to the driver's.
    offset: f64,
    window_end: f64,
    /// Where the line that was read last belongs first; `None` at the end.
    next: Option<Share>,
    /// Lines before it of which cells to come have a share.
    held: Vec<Held>,
}

/// Where the rest of an interval belongs.
#[derive(Clone)]
struct Share {
    late: bool,
    cells: Shares,
}

impl Share {
    fn place(&self) -> Option<CellInterval> {
        Some(CellInterval { late: self.late, cell: self.cells.cell()? })
    }
}

/// The part of a line that a cell has.
pub struct ShareOfLine<'l> {
    pub text: &'l [u8],
    pub number: u64,
    pub part: Range<f64>,
}

/// A line that more than one cell has a share of.
struct Held {
    text: Vec<u8>,
    number: u64,
    share: Share,
}

/// When the measured window of a driver ended, seconds from the merged run's start.
pub fn window_end(driver: &Machine, number: usize, base: Timestamp) -> f64 {
    let step = &driver.run.steps[number];
    driver.offset(base) + step.start_seconds + step.seconds
}

impl<'a> Log<'a> {
    /// Opens that of the step at this place of the driver's record. The grids are those of the
    /// measured window, and of what ended after it.
    pub fn open(
        driver: &'a Machine,
        number: usize,
        base: Timestamp,
        grids: &[Option<Grid>; 2],
    ) -> Result<Log<'a>> {
        let step = &driver.run.steps[number];
        let path = hlog::path(&driver.folder, step.number);
        let lines = Lines::open(&path)?;
        let (offset, window_end) = (driver.offset(base), window_end(driver, number, base));
        let held = Vec::new();
        let mut log = Log { step, path, lines, offset, window_end, next: None, held };
        log.advance(grids)?;
        Ok(log)
    }

    /// Goes to the next interval.
    fn advance(&mut self, grids: &[Option<Grid>; 2]) -> Result<()> {
        let before = self.next.take().and_then(|share| share.place());
        while let Some(line) = self.lines.next()? {
            let read = Encoded::read(line).map(|i| i.map(|i| (i.start_seconds, i.seconds)));
            let Some((start, length)) = read.map_err(|what| self.lines.broken(what))? else {
                continue;
            };
            let start = start + self.offset;
            let late = hlog::is_late(start, self.window_end);
            let cells = match &grids[usize::from(late)] {
                Some(grid) => grid.shares(start, length, OF_LOGS),
                None => Shares::whole(0),
            };
            let share = Share { late, cells };
            if before.is_some_and(|before| share.place() < Some(before)) {
                return Err(self.lines.broken("its interval begins before the one above it"));
            }
            self.next = Some(share);
            break;
        }
        Ok(())
    }

    /// The first place of which a line has a share that was not taken.
    pub fn place(&self) -> Option<CellInterval> {
        let held = self.held.iter().filter_map(|held| held.share.place());
        held.chain(self.next.as_ref().and_then(Share::place)).min()
    }

    /// Passes each line that this place has a share of to `take`.
    pub fn take(
        &mut self,
        place: CellInterval,
        grids: &[Option<Grid>; 2],
        mut take: impl FnMut(ShareOfLine<'_>) -> Result<()>,
    ) -> Result<()> {
        for mut held in mem::take(&mut self.held) {
            if held.share.place() == Some(place)
                && let Some((_, part)) = held.share.cells.next()
            {
                take(ShareOfLine { text: &held.text, number: held.number, part })?;
            }
            if held.share.place().is_some() {
                self.held.push(held);
            }
        }
        while let Some(mut share) = self.next.clone().filter(|next| next.place() == Some(place)) {
            let Some((_, part)) = share.cells.next() else { break };
            let (text, number) = (self.lines.last(), self.lines.number());
            take(ShareOfLine { text, number, part })?;
            if share.place().is_some() {
                // Intervals of two ticks may overlap a cell.
                if self.held.len() > 2 * MOST_TAGS {
                    return Err(self.lines.broken("its interval overlaps those above it"));
                }
                self.held.push(Held { text: self.lines.last().to_vec(), number, share });
            }
            self.advance(grids)?;
        }
        Ok(())
    }
}
