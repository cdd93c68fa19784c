//! The cells of a step's time series: a tick each at first. When a step has as many as a series may
//! have, neighbours are joined in pairs and each cell to come is twice as many ticks.

use std::time::{Duration, Instant};

use hoap_record::Cells;
use hoap_record::limits::MOST_CELLS;

/// How many cells a step has, and how many ticks each is.
pub(crate) struct CellCount {
    most: usize,
    /// Ticks of a cell.
    each: u64,
    /// Cells of the phase so far, and of the phases before.
    number: usize,
    before: usize,
    /// Ticks of the cell that goes on, and when it began.
    ticks: u64,
    began: Instant,
}

impl CellCount {
    pub fn new(began: Instant) -> CellCount {
        CellCount { most: MOST_CELLS, each: 1, number: 0, before: 0, ticks: 0, began }
    }

    /// Begins a phase.
    pub fn begin_phase(&mut self, now: Instant) {
        self.before += std::mem::take(&mut self.number);
        self.began = now;
    }

    /// A tick ended, the last one of its phase or not. Returns when its cell began, if that ends
    /// with it.
    pub fn tick(&mut self, last: bool, now: Instant) -> Option<Instant> {
        self.ticks += 1;
        if self.ticks < self.each && !last {
            return None;
        }
        self.ticks = 0;
        self.number += 1;
        Some(std::mem::replace(&mut self.began, now))
    }

    /// Whether the cells are to be joined in pairs now, none of which is left over in this phase.
    pub fn halves(&mut self) -> bool {
        let full = self.before + self.number >= self.most && self.number.is_multiple_of(2);
        if full {
            self.each *= 2;
            self.number /= 2;
            self.before = self.before.div_ceil(2);
        }
        full
    }

    /// The cells of a step with ticks of this length, where each is several.
    pub fn record(&self, tick: Duration) -> Option<Cells> {
        let seconds = hoap_record::folder::seconds(tick) * self.each as f64;
        (self.each > 1).then_some(Cells { ticks: self.each, seconds })
    }
}

#[cfg(test)]
mod tests {
    use hoap_record::folder::{RunFolder, read_samples};
    use hoap_record::histogram::histogram;
    use hoap_record::hlog;

    use super::super::{Collector, CountsFor, EndedOperation, Recorder, ResponseTime, StatsBuffer};
    use super::*;
    use crate::plan::{End, Phase, StepPlan};
    use crate::{Completion, Outcome};

    /// Five ticks of warm-up and 58 of the window, where a step may have twelve cells: they end as
    /// one and eight, and rows and log have every operation.
    #[test]
    fn a_step_of_many_ticks_has_few_cells_and_they_have_all_its_operations() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("run");
        let run = serde_json::json!({
            "format": 3, "hoap": "1", "benchmark": "ycsb", "command": [], "started": "",
            "seconds": 1, "remarks": [], "configuration": {}, "data": {}, "constants": {},
            "host": { "system": "", "processor": "", "cores": 1, "memory_bytes": 1 },
            "checks": [], "audit": [], "steps": [],
        });
        let run = serde_json::from_value(run).unwrap();
        let mut folder = RunFolder::create(&path, &run).unwrap();
        let mut plan = StepPlan::new(1, 1, 0, End::After(Duration::from_secs(58)));
        plan.tick = Duration::from_secs(1);
        let buffers = [StatsBuffer::new(1)];
        let mut recorder = Recorder::new(&buffers[0], true);
        let mut collector =
            Collector::new(&plan, &mut folder, &buffers, &["READ"], &[], None).unwrap();
        collector.cells.most = 12;
        let start = Instant::now();
        let mut all = histogram();
        for (phase, ticks) in [(Phase::Warmup, 1..=5u32), (Phase::Measured, 6..=63)] {
            let last = *ticks.end();
            collector.begin_phase(start + Duration::from_secs(u64::from(*ticks.start()) - 1));
            for tick in ticks {
                for n in 0..tick % 4 {
                    let us = u64::from(100 + tick * 31 % 900 + n * 400);
                    recorder.add(EndedOperation {
                        kind: 0,
                        counts_for: CountsFor::Phase(phase),
                        time: ResponseTime::closed(us * 1_000),
                        at: u64::from(tick),
                        completion: Completion { outcome: Outcome::Done, retries: 0, rows: 1 },
                    });
                    if phase == Phase::Measured {
                        all.record(us).unwrap();
                    }
                }
                collector.take_buffers();
                let now = start + Duration::from_secs(u64::from(tick));
                let shown = collector.end_tick(phase, now, tick == last).unwrap();
                assert_eq!(shown.samples[0].count, u64::from(tick % 4), "each tick is shown");
            }
        }
        assert_eq!(collector.cells(), Some(Cells { ticks: 8, seconds: 8.0 }));
        assert_eq!(collector.transactions(58.0)[0].count, all.len());
        let rows = read_samples(&path).unwrap();
        let lengths: Vec<f64> = rows.iter().map(|row| row.seconds.round()).collect();
        assert_eq!(lengths, [5.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 2.0]);
        assert_eq!(rows[0].phase, "warmup");
        assert_eq!(hlog::read(&path, 1).unwrap()["READ"], all);
        let mut rows = rows[1..].iter();
        let check = |interval: hlog::Interval<'_>| {
            let (row, mut times) = (rows.next().unwrap(), histogram());
            interval.add_to(&mut times)?;
            assert_eq!((row.phase.as_str(), row.count), ("measured", times.len()));
            assert!((row.at_seconds - interval.start_seconds - interval.seconds).abs() < 2e-3);
            let [p50, p99] = [0.5, 0.99].map(|share| times.value_at_quantile(share));
            assert_eq!((row.p50_us, row.p99_us), (p50.min(row.max_us), p99.min(row.max_us)));
            Ok(())
        };
        hlog::each(&path, 1, |_| true, check).unwrap();
        assert!(rows.next().is_none());
    }
}
