//! Series over the measured window of a step.

use std::collections::BTreeMap;

use hoap_record::observed::{SHORTEST, growth};
use hoap_record::{ObservedSeries, SeriesKind};

use crate::reading::Value;

/// The readings of a window so far.
#[derive(Default)]
pub struct Sums(BTreeMap<String, Sum>);

struct Sum {
    kind: SeriesKind,
    /// The moment and the value of the first reading, and of the last.
    first: (f64, f64),
    last: (f64, f64),
    /// Growth of a counter; of a gauge, how far it is from its first value, times the time: the
    /// mean of a value that does not change is that value, to the digit.
    total: f64,
    /// When the span began of whose growth the rate is next, and the growth up to then.
    span: (f64, f64),
    highest: f64,
}

impl Sums {
    /// Adds a reading.
    pub fn add(&mut self, at: f64, values: &[Value]) {
        for Value { series, kind, value } in values {
            let Some(sum) = self.0.get_mut(series) else {
                let highest = if *kind == SeriesKind::Gauge { *value } else { 0.0 };
                let last = (at, *value);
                let span = (at, 0.0);
                let sum = Sum { kind: *kind, first: last, last, total: 0.0, span, highest };
                self.0.insert(series.clone(), sum);
                continue;
            };
            let seconds = at - sum.last.0;
            if seconds <= 0.0 {
                continue;
            }
            match kind {
                SeriesKind::Counter => {
                    sum.total += growth(sum.last.1, *value);
                    let (from, before) = sum.span;
                    if at - from >= SHORTEST {
                        sum.highest = sum.highest.max((sum.total - before) / (at - from));
                        sum.span = (at, sum.total);
                    }
                }
                SeriesKind::Gauge => {
                    let base = sum.first.1;
                    sum.total += seconds * ((sum.last.1 - base) + (value - base)) / 2.0;
                    sum.highest = sum.highest.max(*value);
                }
            }
            sum.last = (at, *value);
        }
    }

    /// The series that were read twice at least.
    pub fn finish(self, source: &str) -> Vec<ObservedSeries> {
        let finish = |(series, sum): (String, Sum)| {
            let seconds = sum.last.0 - sum.first.0;
            (seconds > 0.0).then(|| {
                let (mean, highest) = match sum.kind {
                    // The rest of a window, shorter than a span, may have been the fastest.
                    SeriesKind::Counter => {
                        let rate = sum.total / seconds;
                        (rate, sum.highest.max(rate))
                    }
                    SeriesKind::Gauge => (sum.first.1 + sum.total / seconds, sum.highest),
                };
                let (source, kind) = (source.to_owned(), sum.kind);
                let seconds = hoap_record::folder::micros(seconds);
                ObservedSeries { source, series, kind, seconds, mean, highest }
            })
        };
        self.0.into_iter().filter_map(finish).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_become_rates_across_a_restart_and_gauges_means_over_time() {
        let mut sums = Sums::default();
        let values = |counter: f64, gauge: f64| {
            let value = |series: &str, kind, value| Value { series: series.into(), kind, value };
            [value("c", SeriesKind::Counter, counter), value("g", SeriesKind::Gauge, gauge)]
        };
        for (at, counter, gauge) in [(10.0, 100.0, 4.0), (11.0, 130.0, 8.0), (13.0, 20.0, 0.0)] {
            sums.add(at, &values(counter, gauge));
        }
        let all = sums.finish("s");
        assert_eq!((all[0].mean, all[0].highest, all[0].seconds), (50.0 / 3.0, 30.0, 3.0));
        assert_eq!((all[1].mean, all[1].highest), (14.0 / 3.0, 8.0));
        let mut constant = Sums::default();
        for at in [0.8, 1.8, 2.800001, 3.3] {
            constant.add(at, &values(0.0, 7.1));
        }
        assert_eq!(constant.finish("s")[1].mean, 7.1);
        let mut close = Sums::default();
        for (at, counter) in [(0.0, 0.0), (0.001, 10.0), (1.0, 20.0), (1.01, 30.0)] {
            close.add(at, &values(counter, 0.0));
        }
        let all = close.finish("s");
        assert_eq!(all[0].highest, 30.0 / 1.01, "no rate is of a moment");
        let mut once = Sums::default();
        once.add(1.0, &values(1.0, 1.0));
        assert_eq!(once.finish("s"), []);
    }
}
