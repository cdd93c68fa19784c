//! How many operations took how long in which part of a step, from `step-NN.hlog`.

use std::collections::BTreeMap;

use hoap_record::Step;
use hoap_record::hlog::Interval;

/// Rows of a power of ten of response times: the upper end of a row is 1.47 times its lower end.
const ROWS: f64 = 6.0;
/// Rows of all times that a log can hold, from 1 µs up to 2⁶⁴ µs.
const HEIGHT: usize = 116;
/// Columns of all steps of a run together, as far as each has its fewest.
const MOST: usize = 96;
const FEWEST: usize = 4;

/// The response times of one kind of operation in one step, by time.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// Number of the step.
    pub step: usize,
    /// Kind of operation.
    pub kind: String,
    /// In the order of time.
    pub columns: Vec<HeatColumn>,
}

/// A part of a step: whole intervals of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatColumn {
    /// Begin and end, seconds since the run's start.
    pub from_seconds: f64,
    /// The end.
    pub to_seconds: f64,
    /// Operations by the row of their response time ([`edge`]), without those rows that have none.
    pub counts: BTreeMap<i32, u64>,
}

/// The lower end of a row, which is the upper end of the row before it, seconds.
pub fn edge(row: i32) -> f64 {
    10f64.powf(f64::from(row) / ROWS) / 1e6
}

/// The intervals of a step so far.
pub struct HeatGatherer {
    number: usize,
    start: f64,
    seconds: f64,
    most: usize,
    /// Of a column, seconds; 0 before the first interval.
    width: f64,
    /// Of each kind the cells, column by column.
    counts: BTreeMap<String, Vec<[u64; HEIGHT]>>,
}

/// The row of a time. A power of ten is the lower end of its row.
fn row(time: u64) -> usize {
    ((time.max(1) as f64).log10() * ROWS + 1e-9) as usize
}

impl HeatGatherer {
    /// Of a step of a run of so many steps.
    pub fn new(step: &Step, steps: usize) -> HeatGatherer {
        HeatGatherer {
            number: step.number,
            start: step.start_seconds,
            seconds: step.seconds,
            most: (MOST / steps.max(1)).max(FEWEST),
            width: 0.0,
            counts: BTreeMap::new(),
        }
    }

    /// Adds an interval. What ended after the window hung in its last column.
    pub fn add(&mut self, interval: &Interval<'_>) {
        if self.width == 0.0 {
            let tick = interval.seconds.max(1e-3);
            let merged = (self.seconds / (tick * self.most as f64) - 1e-6).ceil().max(1.0);
            self.width = tick * merged;
        }
        let last = ((self.seconds / self.width - 1e-3).ceil() as usize).saturating_sub(1);
        let at = ((interval.start_seconds - self.start) / self.width + 1e-3).max(0.0);
        let column = (at as usize).min(last);
        if !self.counts.contains_key(interval.tag) {
            self.counts.insert(interval.tag.to_owned(), Vec::new());
        }
        let Some(columns) = self.counts.get_mut(interval.tag) else { return };
        if column >= columns.len() {
            columns.resize(column + 1, [0; HEIGHT]);
        }
        let cells = &mut columns[column];
        for (time, count) in interval.times {
            let cell = &mut cells[row(*time)];
            *cell = cell.saturating_add(*count);
        }
    }

    /// All of them, of the kinds that are wanted.
    pub fn finish(self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = Heat> {
        let (start, end, width) = (self.start, self.start + self.seconds, self.width);
        let step = self.number;
        let all: Vec<_> = self.counts.into_iter().filter(|(kind, _)| wanted(kind)).collect();
        all.into_iter().map(move |(kind, columns)| {
            let columns = columns.into_iter().enumerate().map(|(at, cells)| {
                let from_seconds = start + at as f64 * width;
                let to_seconds = (from_seconds + width).min(end);
                let counts = (0..).zip(cells).filter(|(_, count)| *count > 0).collect();
                HeatColumn { from_seconds, to_seconds, counts }
            });
            let columns = columns.filter(|column| !column.counts.is_empty()).collect();
            Heat { step, kind, columns }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(gatherer: &mut HeatGatherer, start_seconds: f64, times: &[(u64, u64)]) {
        gatherer.add(&Interval { tag: "READ", start_seconds, seconds: 1.0, times });
    }

    #[test]
    fn every_operation_is_in_the_row_of_its_time_and_the_column_of_its_interval() {
        let step = Step { number: 3, start_seconds: 10.0, seconds: 200.5, ..Step::default() };
        let mut gatherer = HeatGatherer::new(&step, 1);
        for n in 0..201 {
            add(&mut gatherer, 10.0 + f64::from(n), &[(1_000, 5), (100_000, 1)]);
        }
        // Ended after the window.
        add(&mut gatherer, 210.5, &[(9_000_000, 2)]);
        let heat: Vec<Heat> = gatherer.finish(|kind| kind == "READ").collect();
        let [heat] = heat.as_slice() else { panic!("{heat:?}") };
        // 201 ticks in at most 96 columns: three a column.
        assert_eq!((heat.step, heat.columns.len()), (3, 67));
        let column = |at: usize| &heat.columns[at];
        assert_eq!((column(1).from_seconds, column(1).to_seconds), (13.0, 16.0));
        assert_eq!(column(1).counts, BTreeMap::from([(18, 15), (30, 3)]));
        assert_eq!(column(66).to_seconds, 210.5);
        assert_eq!(column(66).counts.get(&41), Some(&2));
        let all: u64 = heat.columns.iter().flat_map(|c| c.counts.values()).sum();
        assert_eq!(all, 201 * 6 + 2);
        assert!((edge(18) - 1e-3).abs() < 1e-12 && (edge(30) - 0.1).abs() < 1e-12);
    }
}
