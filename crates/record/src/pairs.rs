//! The rows of `samples.csv` with neighbouring cells of a step joined in pairs, as they are read.

use std::io::Write;

use crate::hlog::Percentiles;
use crate::rows::Sample;

/// Writes rows, those of one step in pairs of cells of the same phase.
pub(crate) struct Pairs<'a, W: Write> {
    step: usize,
    /// Of each pair of the measured window.
    percentiles: std::slice::Iter<'a, Percentiles>,
    writer: csv::Writer<W>,
    /// The rows of the cell that is read: all end at the same time.
    cell: Vec<Sample>,
    /// The cell before, where it has no other yet.
    first: Vec<Sample>,
}

impl<'a, W: Write> Pairs<'a, W> {
    /// `percentiles` has those of each pair of the measured window, in the order of time.
    pub fn new(step: usize, percentiles: &'a [Percentiles], to: W) -> Self {
        let (percentiles, writer) = (percentiles.iter(), csv::Writer::from_writer(to));
        Pairs { step, percentiles, writer, cell: Vec::new(), first: Vec::new() }
    }

    /// Adds a row.
    pub fn add(&mut self, row: Sample) -> csv::Result<()> {
        if row.step != self.step {
            return self.writer.serialize(row);
        }
        if self.cell.first().is_some_and(|of| of.at_seconds != row.at_seconds) {
            self.end_cell()?;
        }
        self.cell.push(row);
        Ok(())
    }

    fn end_cell(&mut self) -> csv::Result<()> {
        let cell = std::mem::take(&mut self.cell);
        let mut first = std::mem::take(&mut self.first);
        if first.is_empty() {
            self.first = cell;
            return Ok(());
        }
        if is_measured(&first) != is_measured(&cell) {
            self.first = cell;
            return self.write(first);
        }
        let mut whole = first[0].clone();
        whole.join(&cell[0]);
        for row in cell {
            let is_same = |of: &&mut Sample| of.kind == row.kind && of.phase == row.phase;
            match first.iter_mut().find(is_same) {
                Some(of) => of.join(&row),
                None => first.push(row),
            }
        }
        // A row of the warm-up may have no other.
        for row in &mut first {
            (row.at_seconds, row.seconds) = (whole.at_seconds, whole.seconds);
        }
        self.write(first)
    }

    fn write(&mut self, mut rows: Vec<Sample>) -> csv::Result<()> {
        let of_pair = if is_measured(&rows) { self.percentiles.next() } else { None };
        for row in rows.iter_mut().filter(|row| row.phase == "measured") {
            if let Some((p50, p99)) = of_pair.and_then(|of| of.get(&row.kind)) {
                (row.p50_us, row.p99_us) = ((*p50).min(row.max_us), (*p99).min(row.max_us));
            }
        }
        rows.iter().try_for_each(|row| self.writer.serialize(row))
    }

    /// Writes what is left.
    pub fn end(mut self) -> csv::Result<()> {
        self.end_cell()?;
        let last = std::mem::take(&mut self.first);
        self.write(last)?;
        Ok(self.writer.flush()?)
    }
}

/// What began in the warm-up and ended in the window has rows of its phase among those of the
/// window.
fn is_measured(cell: &[Sample]) -> bool {
    cell.iter().any(|row| row.phase == "measured")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::folder::{RunFolder, read_samples};
    use crate::histogram::histogram;
    use crate::hlog::{self, Hlog};

    /// Times of a tick that are the same in the row and in the log.
    fn tick(folder: &mut RunFolder, log: &mut Hlog, at: u64, phase: &str, seconds: f64) {
        let mut times = histogram();
        (0..at % 7).for_each(|n| times.record(100 + (at * 37 + n * 911) % 1_900).unwrap());
        let row = Sample {
            step: 2,
            phase: phase.into(),
            at_seconds: at as f64 + seconds,
            seconds,
            kind: "READ".into(),
            count: times.len(),
            failed: at % 2,
            mean_us: times.mean(),
            p50_us: times.value_at_quantile(0.5),
            p99_us: times.value_at_quantile(0.99),
            max_us: times.max(),
            ..Sample::default()
        };
        folder.add_sample(&row).unwrap();
        if phase == "measured" {
            let (start, length) = (Duration::from_secs(at), Duration::from_secs_f64(seconds));
            log.add("READ", &times, start, length).unwrap();
        }
    }

    /// Of 5 cells of warm-up and 8 of the window 3 and 4 remain, then 2 and 2. Sums, times and the
    /// histogram of all stay what they were, percentiles are those of all times, and the step
    /// before keeps its rows.
    #[test]
    fn cells_are_joined_in_pairs_within_their_phase_and_nothing_is_lost() {
        let place = tempfile::tempdir().unwrap();
        let run = serde_json::json!({
            "format": 3, "hoap": "1", "benchmark": "ycsb", "command": [], "started": "",
            "seconds": 1, "remarks": [], "configuration": {}, "data": {}, "constants": {},
            "host": { "system": "", "processor": "", "cores": 1, "memory_bytes": 1 },
            "checks": [], "audit": [], "steps": [],
        });
        let run = serde_json::from_value(run).unwrap();
        let path = place.path().join("run");
        let mut folder = RunFolder::create(&path, &run).unwrap();
        let mut log = Hlog::create(&path, 2, SystemTime::UNIX_EPOCH).unwrap();
        let before = Sample { step: 1, kind: "READ".into(), count: 7, ..Sample::default() };
        folder.add_sample(&before).unwrap();
        (0..5).for_each(|at| tick(&mut folder, &mut log, at, "warmup", 1.0));
        (5..13).for_each(|at| tick(&mut folder, &mut log, at, "measured", 1.0));
        // It began in the warm-up and ended in the window.
        let late = Sample { step: 2, phase: "warmup".into(), kind: "Q01".into(), ..before.clone() };
        folder.add_sample(&Sample { at_seconds: 13.0, seconds: 1.0, ..late }).unwrap();
        folder.flush().unwrap();
        log.flush().unwrap();
        let all = hlog::read(&path, 2).unwrap();
        let sums = |rows: &[Sample]| {
            let sum = |of: fn(&Sample) -> u64| rows.iter().map(of).sum::<u64>();
            (sum(|r| r.count), sum(|r| r.failed), rows.iter().map(|r| r.max_us).max())
        };
        let whole = sums(&read_samples(&path).unwrap());
        for (ends, lengths) in [
            ([2.0, 4.0, 5.0, 7.0, 9.0, 11.0, 13.0].as_slice(), [2.0, 2.0, 1.0, 2.0].as_slice()),
            (&[4.0, 5.0, 9.0, 13.0], &[4.0, 1.0, 4.0]),
        ] {
            folder.halve(&mut log, 2).unwrap();
            let rows = read_samples(&path).unwrap();
            assert_eq!((sums(&rows), &rows[0]), (whole, &before));
            let ours = || rows[1..].iter().filter(|row| row.kind == "READ");
            assert_eq!(ours().map(|row| row.at_seconds).collect::<Vec<_>>(), ends);
            assert!(ours().map(|row| row.seconds).zip(lengths).all(|(a, b)| a == *b));
            let other = rows.iter().find(|row| row.kind == "Q01").unwrap();
            assert_eq!((other.at_seconds, other.seconds), (13.0, *lengths.last().unwrap()));
            assert_eq!(hlog::read(&path, 2).unwrap(), all);
            let mut window = ours().filter(|row| row.phase == "measured");
            let check = |interval: hlog::Interval<'_>| {
                let row = window.next().unwrap();
                let mut times = histogram();
                interval.add_to(&mut times)?;
                assert_eq!(interval.start_seconds + interval.seconds, row.at_seconds);
                assert_eq!((interval.seconds, times.len()), (row.seconds, row.count));
                let [p50, p99] = [0.5, 0.99].map(|share| times.value_at_quantile(share));
                assert_eq!((p50, p99), (row.p50_us, row.p99_us));
                Ok(())
            };
            hlog::each(&path, 2, |_| true, check).unwrap();
            assert!(window.next().is_none());
        }
        // What follows goes on behind.
        tick(&mut folder, &mut log, 13, "measured", 4.0);
        folder.flush().unwrap();
        log.flush().unwrap();
        assert_eq!(read_samples(&path).unwrap().last().unwrap().at_seconds, 17.0);
        assert_eq!(hlog::read(&path, 2).unwrap()["READ"].len(), all["READ"].len() + 6);
    }
}
