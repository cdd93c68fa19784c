//! The time series of a merged step.

use std::time::Duration;

use jiff::Timestamp;

use super::log::{CellInterval, window_end};
use super::logs::Logs;
use super::machine::Machine;
use super::rows::Rows;
use crate::error::{Error, ErrorKind, Result};
use crate::folder::RunFolder;
use crate::hlog::Hlog;

/// Writes the rows and the log of the steps at this place of the drivers' records, cell by cell;
/// returns the logs, which have the sums of all times from then on.
pub fn write<'a>(
    drivers: &'a [Machine],
    number: usize,
    base: Timestamp,
    rows: &mut Rows,
    folder: &mut RunFolder,
) -> Result<Logs<'a>> {
    let step = drivers[0].run.steps[number].number;
    let mut hlog = Hlog::create(folder.path(), step, folder.started_at())?;
    // Their places in `grid::PHASES`.
    let [warmup, measured, grace] = [0, 1, 2].map(|phase: usize| (step, phase));
    rows.before(warmup, None, |row| folder.add_sample(&row))?;
    let ends = drivers.iter().map(|driver| window_end(driver, number, base));
    if let Some(grid) = rows.grid(grace) {
        grid.start = ends.fold(grid.start, f64::max);
    }
    let keys = [measured, grace];
    let grids = keys.map(|key| rows.grid(key).copied());
    let mut logs = Logs::open(drivers, number, base, grids)?;
    logs.each(|CellInterval { late, cell }, added| {
        let (key, grid) = (keys[usize::from(late)], grids[usize::from(late)]);
        let Some(grid) = grid else { return Ok(()) };
        if late {
            rows.before(measured, None, |row| folder.add_sample(&row))?;
        }
        rows.before(key, Some(cell), |row| folder.add_sample(&row))?;
        let (start, length) = (time(grid.start_of(cell))?, time(grid.seconds_of(cell))?);
        added.iter().try_for_each(|(tag, times)| hlog.add(tag, times, start, length))?;
        hlog.flush()?;
        rows.cell(key, cell, |kind| added.get(kind), |row| folder.add_sample(&row))
    })?;
    for key in keys {
        rows.before(key, None, |row| folder.add_sample(&row))?;
    }
    hlog.flush()?;
    Ok(logs)
}

/// A time of a log. A broken file may hold any number.
fn time(seconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|e| {
        Error::new(ErrorKind::Invalid, "merge samples.csv", format!("{seconds} s: {e}"))
    })
}
