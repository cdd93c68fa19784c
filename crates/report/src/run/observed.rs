//! What the servers did beside the load: `observed.csv` over time, in bounded memory, and what its
//! numbers measure.

use std::collections::HashMap;
use std::path::Path;

use hoap_record::folder::each_observation;
use hoap_record::limits::MOST_SERIES;
use hoap_record::observed::{SHORTEST, growth};
use hoap_record::{Observation, Result, SeriesKind, Step, named};

use crate::format::number::Unit;

/// From this number of readings of a series on, every second one is kept, then every fourth, and so
/// on.
const MOST: usize = 4096;

named! {
    /// What the numbers of a series measure, as its name says: names of metrics end in their units.
    /// The order is that of a report; ids are made of the names.
    Class, "class":
    /// CPU time.
    Cpu = "cpu",
    /// Another time that is counted: waiting, collecting garbage, …
    Time = "time",
    /// Bytes that are counted.
    Transferred = "transferred",
    /// Bytes that are there.
    Held = "held",
    /// Other things that are counted.
    Counted = "counted",
    /// Other values.
    Value = "values",
}

impl Class {
    /// That of a series.
    pub fn of(series: &str, kind: SeriesKind) -> Class {
        let name = series.split('{').next().unwrap_or(series);
        let ends = |unit: &str| {
            let base = name.strip_suffix("_total").unwrap_or(name);
            base.strip_suffix("_sum").unwrap_or(base).ends_with(unit)
        };
        match kind {
            SeriesKind::Counter if ends("cpu_seconds") => Class::Cpu,
            SeriesKind::Counter if ends("_seconds") => Class::Time,
            SeriesKind::Counter if ends("_bytes") => Class::Transferred,
            SeriesKind::Counter => Class::Counted,
            SeriesKind::Gauge if ends("_bytes") => Class::Held,
            SeriesKind::Gauge => Class::Value,
        }
    }

    /// What the servers did, as a heading has it.
    pub fn title(self) -> &'static str {
        match self {
            Class::Cpu => "Servers: CPU",
            Class::Time => "Servers: other time",
            Class::Transferred => "Servers: bytes moved each second",
            Class::Held => "Servers: bytes held",
            Class::Counted => "Servers: other counters",
            Class::Value => "Servers: other values",
        }
    }

    /// The unit of a mean and of a point over time.
    pub fn unit(self) -> Unit {
        match self {
            Class::Cpu => Unit::Rate("cores"),
            Class::Time => Unit::Rate("s/s"),
            Class::Transferred | Class::Held => Unit::Bytes,
            Class::Counted => Unit::Rate("/s"),
            Class::Value => Unit::Count,
        }
    }

    /// The unit of an operation's share. `None` where there is none.
    pub fn each(self) -> Option<Unit> {
        match self {
            Class::Cpu | Class::Time => Some(Unit::Seconds),
            Class::Transferred => Some(Unit::Bytes),
            Class::Counted => Some(Unit::Ratio),
            Class::Held | Class::Value => None,
        }
    }
}

/// How often a second the step's operations succeeded, where it had operations or queries alone:
/// the cost of both together is that of neither.
pub fn operations_per_second(step: &Step) -> Option<f64> {
    let rate = match (step.tx_clients, step.query_clients) {
        (_, 0) => step.transactions.iter().map(|o| o.per_second).sum(),
        (0, _) if step.seconds > 0.0 => {
            step.queries.iter().map(|q| q.count).sum::<u64>() as f64 / step.seconds
        }
        _ => 0.0,
    };
    (rate > 0.0).then_some(rate)
}

/// A series over time, as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name of its source.
    pub source: String,
    /// Its name.
    pub series: String,
    /// What it counts.
    pub kind: SeriesKind,
    /// Moments, seconds since the run's start, and values. Of a counter they are its growth since
    /// the first.
    pub readings: Vec<(f64, f64)>,
    /// Of how many readings one is kept, and how many have come since.
    each: usize,
    since: usize,
    /// The last value of a counter as it was read.
    last: f64,
}

impl Series {
    fn new(row: &Observation) -> Series {
        let Observation { source, series, kind, value, .. } = row.clone();
        Series { source, series, kind, readings: Vec::new(), each: 1, since: 0, last: value }
    }

    /// A reading that is left out does not hide a restart: growth is summed up before.
    fn push(&mut self, at: f64, value: f64, grown: &mut f64) {
        if self.kind == SeriesKind::Counter {
            *grown += growth(self.last, value);
            self.last = value;
        }
        self.since += 1;
        if self.since < self.each && !self.readings.is_empty() {
            return;
        }
        self.since = 0;
        let value = if self.kind == SeriesKind::Counter { *grown } else { value };
        self.readings.push((at, value));
        if self.readings.len() >= MOST {
            self.each = self.each.saturating_mul(2);
            let mut n = 0;
            self.readings.retain(|_| {
                n += 1;
                n % 2 == 1
            });
        }
    }

    /// What its numbers measure.
    pub fn class(&self) -> Class {
        Class::of(&self.series, self.kind)
    }

    /// At most so many points: of a counter its growth per second up to each, of a gauge the
    /// values.
    pub fn points(&self, most: usize) -> Vec<(f64, f64)> {
        let each = self.readings.len().div_ceil(most.max(1)).max(1);
        let kept: Vec<(f64, f64)> = self.readings.iter().step_by(each).copied().collect();
        match self.kind {
            SeriesKind::Gauge => kept,
            SeriesKind::Counter => {
                let mut readings = kept.into_iter();
                let Some(mut before) = readings.next() else { return Vec::new() };
                let rate = |(at, grown): (f64, f64)| {
                    let seconds = at - before.0;
                    (seconds >= SHORTEST).then(|| {
                        let rate = (grown - before.1) / seconds;
                        before = (at, grown);
                        (at, rate)
                    })
                };
                readings.filter_map(rate).collect()
            }
        }
    }
}

/// Reads them, in the order in which they first came. None where nothing was observed.
///
/// # Errors
/// `Invalid`, where the file is broken.
pub fn read(folder: &Path) -> Result<Vec<Series>> {
    let mut all: Vec<(Series, f64)> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    // Every reading of a source has its series in the same order.
    let mut at = 0;
    each_observation(folder, |row| {
        let is = |(s, _): &(Series, f64)| s.source == row.source && s.series == row.series;
        if !all.get(at).is_some_and(is) {
            let names = (row.source.clone(), row.series.clone());
            at = *places.entry(names).or_insert(all.len());
            if at == all.len() {
                if at == MOST_SERIES {
                    return Err(format!("it has more than {MOST_SERIES} series"));
                }
                all.push((Series::new(&row), 0.0));
            }
        }
        let (series, grown) = &mut all[at];
        series.push(row.at_seconds, row.value, grown);
        at += 1;
        Ok(())
    })?;
    Ok(all.into_iter().map(|(series, _)| series).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_its_numbers_measure() {
        use SeriesKind::{Counter, Gauge};
        for (name, kind, class) in [
            ("node_cpu_seconds_total{mode=\"user\"}", Counter, Class::Cpu),
            ("cpu_seconds_total", Counter, Class::Cpu),
            ("rpc_duration_seconds_sum", Counter, Class::Time),
            ("read_bytes_total", Counter, Class::Transferred),
            ("anonymous_bytes", Gauge, Class::Held),
            ("pg_stat_database_xact_commit", Counter, Class::Counted),
            ("threads", Gauge, Class::Value),
        ] {
            assert_eq!(Class::of(name, kind), class, "{name}");
        }
    }

    /// A counter that grows by 7 a second and restarts at 0 once, over three hours.
    #[test]
    fn a_long_series_is_thinned_and_keeps_its_growth() {
        let row = |value| Observation {
            at_seconds: 0.0,
            source: "s".into(),
            series: "c".into(),
            kind: SeriesKind::Counter,
            value,
        };
        let (mut series, mut grown) = (Series::new(&row(100.0)), 0.0);
        for at in 0..10_801u32 {
            let value = if at < 5_001 { 100 + at * 7 } else { (at - 5_000) * 7 };
            series.push(f64::from(at), f64::from(value), &mut grown);
        }
        assert!(series.readings.len() < MOST, "{}", series.readings.len());
        for points in [series.points(MOST), series.points(10)] {
            assert!(points.iter().all(|(_, rate)| (rate - 7.0).abs() < 1e-9), "{points:?}");
        }
        assert!(series.points(10).len() <= 10);
    }
}
