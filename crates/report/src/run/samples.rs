//! `samples.csv` in bounded memory: neighbouring ticks of a long run are added up as they are read.

use std::collections::HashMap;
use std::path::Path;

use hoap_record::folder::each_sample;
use hoap_record::{Result, Sample};

/// From this number of rows on, the ticks of each step, phase and kind are added up in pairs, and
/// in pairs of pairs. A day of two kinds in ticks of a second has fewer rows.
const MOST: usize = 1 << 18;

/// The rows of a run in the order of the file.
#[derive(Clone, Debug)]
pub struct Samples {
    /// Fewer than 2^18, where each has a neighbour to be added to.
    pub rows: Vec<Sample>,
    /// The most ticks that one of them is the sum of.
    pub each: usize,
}

impl Samples {
    /// Reads them.
    ///
    /// # Errors
    /// `Invalid`, where the file is missing or broken.
    pub fn read(folder: &Path) -> Result<Samples> {
        let mut thinned = Thinned::new(MOST);
        each_sample(folder, |row| thinned.push(row))?;
        Ok(thinned.finish())
    }
}

impl Default for Samples {
    fn default() -> Self {
        Samples { rows: Vec::new(), each: 1 }
    }
}

struct Thinned {
    rows: Vec<Sample>,
    /// Of each row, the number of ticks in it.
    ticks: Vec<usize>,
    each: usize,
    /// Of each step, phase and kind, where the next tick goes.
    open: Vec<Open>,
    known: HashMap<(usize, String, String), usize>,
    /// Where in `open` the tick before went.
    last: usize,
    most: usize,
}

struct Open {
    /// The row to which the next tick is added.
    row: usize,
    /// What followed in `open` the last time. The kinds of a tick come in the same order as those
    /// of the one before, so this spares a look into `known`.
    next: usize,
}

impl Thinned {
    fn new(most: usize) -> Thinned {
        Thinned {
            rows: Vec::new(),
            ticks: Vec::new(),
            each: 1,
            open: Vec::new(),
            known: HashMap::new(),
            last: 0,
            most,
        }
    }

    fn finish(self) -> Samples {
        Samples { rows: self.rows, each: self.each }
    }

    fn push(&mut self, row: &Sample) {
        self.add(row, 1);
        if self.rows.len() < self.most {
            return;
        }
        self.each *= 2;
        self.open.clear();
        self.known.clear();
        let (rows, ticks) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.ticks));
        rows.into_iter().zip(ticks).for_each(|(row, ticks)| self.add(&row, ticks));
        // Rows that have no neighbours, as of a file that is no time series, remain.
        if self.rows.len() > self.most / 4 * 3 {
            self.most *= 2;
        }
    }

    fn add(&mut self, row: &Sample, ticks: usize) {
        if self.each > 1 {
            let next = self.rows.len();
            if let Some(open) = self.open_for(row) {
                let at = open.row;
                if self.ticks[at] + ticks <= self.each {
                    self.ticks[at] += ticks;
                    return sum(&mut self.rows[at], row);
                }
                self.open[self.last].row = next;
            }
        }
        self.rows.push(row.clone());
        self.ticks.push(ticks);
    }

    /// Where a row goes, which is the last one from now on. `None` of the first of its step, phase
    /// and kind, which goes behind all rows.
    fn open_for(&mut self, row: &Sample) -> Option<&Open> {
        let is_like = |open: &Open| {
            let other = &self.rows[open.row];
            other.step == row.step && other.kind == row.kind && other.phase == row.phase
        };
        let next = self.open.get(self.last).map(|open| open.next);
        if let Some(next) = next.filter(|next| self.open.get(*next).is_some_and(is_like)) {
            self.last = next;
            return Some(&self.open[next]);
        }
        let key = (row.step, row.phase.clone(), row.kind.clone());
        let end = self.open.len();
        let place = *self.known.entry(key).or_insert(end);
        if let Some(before) = self.open.get_mut(self.last) {
            before.next = place;
        }
        self.last = place;
        if place == end {
            self.open.push(Open { row: self.rows.len(), next: 0 });
            return None;
        }
        Some(&self.open[place])
    }
}

/// Adds a later row. A percentile of both is that of neither: the higher one is kept.
fn sum(row: &mut Sample, later: &Sample) {
    let (before, after) = (row.count as f64, later.count as f64);
    if after > 0.0 {
        row.mean_us = (row.mean_us * before + later.mean_us * after) / (before + after);
    }
    row.at_seconds = later.at_seconds;
    row.seconds += later.seconds;
    row.count = row.count.saturating_add(later.count);
    row.failed = row.failed.saturating_add(later.failed);
    row.retries = row.retries.saturating_add(later.retries);
    row.p50_us = row.p50_us.max(later.p50_us);
    row.p99_us = row.p99_us.max(later.p99_us);
    row.max_us = row.max_us.max(later.max_us);
}

#[cfg(test)]
impl Samples {
    /// Those of a file of these rows, in fewer than `most`.
    pub(super) fn within(most: usize, rows: &[Sample]) -> Samples {
        let mut thinned = Thinned::new(most);
        rows.iter().for_each(|row| thinned.push(row));
        thinned.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(at: usize, phase: &str, kind: &str, count: u64) -> Sample {
        Sample {
            step: 1,
            phase: phase.into(),
            at_seconds: at as f64,
            seconds: 1.0,
            kind: kind.into(),
            count,
            failed: 1,
            retries: 2,
            mean_us: count as f64,
            p50_us: 3,
            p99_us: at as u64,
            max_us: at as u64,
        }
    }

    #[test]
    fn a_long_series_is_added_up_and_loses_nothing() {
        let mut thinned = Thinned::new(64);
        for at in 1..=1000 {
            let phase = if at <= 100 { "warmup" } else { "measured" };
            thinned.push(&row(at, phase, "READ", at as u64));
            thinned.push(&row(at, phase, "UPDATE", 1));
        }
        assert!(thinned.rows.len() < 64, "{}", thinned.rows.len());
        assert!(thinned.ticks.iter().all(|n| *n <= thinned.each));
        for (phase, ticks, reads) in [("warmup", 100, 5050), ("measured", 900, 500_500 - 5050)] {
            let of = |kind: &str| -> Vec<&Sample> {
                thinned.rows.iter().filter(|r| r.phase == phase && r.kind == kind).collect()
            };
            let (read, update) = (of("READ"), of("UPDATE"));
            assert_eq!(read.iter().map(|r| r.count).sum::<u64>(), reads);
            assert_eq!(read.iter().map(|r| r.seconds).sum::<f64>(), f64::from(ticks));
            let square: f64 = read.iter().map(|r| r.mean_us * r.count as f64).sum();
            assert!(square > reads as f64, "means are weighted by counts");
            assert_eq!(update.iter().map(|r| r.failed + r.retries).sum::<u64>(), 3 * ticks as u64);
            // The kinds end at the same times, each with the highest of its ticks.
            let ends = |rows: &[&Sample]| rows.iter().map(|r| r.at_seconds).collect::<Vec<_>>();
            assert_eq!(ends(&read), ends(&update));
            assert!(read.iter().all(|r| r.p99_us as f64 == r.at_seconds));
        }
    }

    #[test]
    fn rows_without_neighbours_remain_and_cost_no_more_than_once() {
        let mut thinned = Thinned::new(8);
        (0..1000).for_each(|n| thinned.push(&row(n, "measured", &n.to_string(), 1)));
        assert_eq!(thinned.rows.len(), 1000);
        let mut short = Thinned::new(8);
        (0..7).for_each(|n| short.push(&row(n, "measured", "READ", 1)));
        assert_eq!((short.rows.len(), short.each), (7, 1), "a short series is as it was");
    }
}
