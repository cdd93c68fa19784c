//! A step in the lines that YCSB prints, for programs that read these.

use std::path::Path;

use hdrhistogram::Histogram;
use hoap_record::histogram::histogram;
use hoap_record::hlog::{self, SERVICE};
use hoap_record::{Error, ErrorKind, Latency, Operation, Result, Run, Step};

use crate::run::measure::{Measure, operations_per_second};
use crate::run::void;

/// The step as YCSB 0.17's `TextMeasurementsExporter` writes a run with `measurement.interval=op`,
/// and as with `both` where the step is an open loop: `[READ]` has the times from when an operation
/// began, `[Intended-READ]` those from when it was due. Times are microseconds.
///
/// What differs: throughput is that of the successes; operations are those that ended in the window,
/// as YCSB's `Return` counts them, and those in flight at its end stand apart as `[READ-UNFINISHED]`;
/// the percentiles are 50, 95 and 99 unless the run's property `hdrhistogram.percentiles` names
/// others; and no line is about a garbage collector. A kind of operation without a success has no
/// times.
///
/// # Errors
/// Fails where the run is void, has transactions beside queries, or its folder lacks the step's
/// log.
pub fn ycsb(run: &Run, folder: &Path, step: &Step) -> Result<String> {
    let tried = || format!("print step {} of {} as YCSB does", step.number, folder.display());
    void::refuse(run, tried)?;
    if Measure::of_step(step) != Measure::Plain {
        let why = "it has transactions and queries, for which YCSB has no lines";
        return Err(Error::new(ErrorKind::Invalid, tried(), why).advise("take another format"));
    }
    let times = hlog::read(folder, step.number)?;
    let none = histogram();
    let of = |tag: &str| times.get(tag).unwrap_or(&none);
    let mut out = Lines { text: String::new(), percentiles: percentiles(run) };
    out.line("OVERALL", "RunTime(ms)", (step.seconds * 1e3).round());
    out.line("OVERALL", "Throughput(ops/sec)", format!("{:?}", operations_per_second(step)));
    let ran = || step.transactions.iter().filter(|o| o.count > 0 || o.failed() > 0);
    for operation in ran() {
        let kind = &operation.kind;
        match &operation.service {
            Some(service) => out.times(kind, operation, service, of(&format!("{kind}{SERVICE}"))),
            None => out.times(kind, operation, &operation.latency, of(kind)),
        }
        out.returns(operation);
    }
    for operation in ran().filter(|operation| operation.service.is_some()) {
        let name = format!("Intended-{}", operation.kind);
        out.times(&name, operation, &operation.latency, of(&operation.kind));
    }
    for operation in step.transactions.iter().filter(|operation| operation.unfinished > 0) {
        let name = format!("{}-UNFINISHED", operation.kind);
        out.line(&name, "Operations", operation.unfinished);
    }
    Ok(out.text)
}

/// The percentiles of the run's property `hdrhistogram.percentiles`, as it names them.
fn percentiles(run: &Run) -> Vec<f64> {
    let properties = run.configuration.get("properties");
    let given = properties.and_then(|all| all.get("hdrhistogram.percentiles")?.as_str());
    let given = given.into_iter().flat_map(|all| all.split(','));
    given.filter_map(|one| one.trim().parse().ok()).collect()
}

/// A number as YCSB names a percentile: 95th, 99.9.
fn ordinal(percentile: f64) -> String {
    if percentile.fract() != 0.0 {
        return format!("{percentile:?}");
    }
    let number = percentile as u64;
    let suffix = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

struct Lines {
    text: String,
    /// Empty: 50, 95 and 99.
    percentiles: Vec<f64>,
}

impl Lines {
    fn line(&mut self, metric: &str, measurement: &str, value: impl std::fmt::Display) {
        self.text.push_str(&format!("[{metric}], {measurement}, {value}\n"));
    }

    /// The number of operations and, of these of a histogram, the times. A histogram knows a time to
    /// three digits and tells the highest of its class, which may be above the longest of all.
    fn times(&mut self, metric: &str, of: &Operation, latency: &Latency, all: &Histogram<u64>) {
        self.line(metric, "Operations", of.count + of.failed());
        if of.response().is_none() {
            return;
        }
        let time = |of: u64| of.min(latency.max_us);
        let least = time(all.highest_equivalent(all.min()));
        self.line(metric, "AverageLatency(us)", format!("{:?}", latency.mean_us));
        self.line(metric, "MinLatency(us)", least);
        self.line(metric, "MaxLatency(us)", latency.max_us);
        if self.percentiles.is_empty() {
            self.line(metric, "50thPercentileLatency(us)", latency.p50_us);
            self.line(metric, "95thPercentileLatency(us)", latency.p95_us);
            self.line(metric, "99thPercentileLatency(us)", latency.p99_us);
        }
        for percentile in self.percentiles.clone() {
            let name = format!("{}PercentileLatency(us)", ordinal(percentile));
            self.line(metric, &name, time(all.value_at_percentile(percentile)));
        }
    }

    /// How the operations ended.
    fn returns(&mut self, operation: &Operation) {
        let kind = &operation.kind;
        if operation.count > 0 {
            self.line(kind, "Return=OK", operation.count);
        }
        let mut statuses = std::collections::BTreeMap::new();
        for (error, count) in &operation.failures {
            *statuses.entry(status(error)).or_insert(0u64) += count;
        }
        for (status, count) in statuses {
            self.line(kind, &format!("Return={status}"), count);
        }
    }
}

/// YCSB's status for a kind of error.
fn status(error: &str) -> &'static str {
    match error.parse() {
        Ok(ErrorKind::NotFound) => "NOT_FOUND",
        Ok(ErrorKind::Invalid) => "BAD_REQUEST",
        Ok(ErrorKind::Unavailable | ErrorKind::Throttled) => "SERVICE_UNAVAILABLE",
        Ok(ErrorKind::Broken) => "UNEXPECTED_STATE",
        _ => "ERROR",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `OneMeasurementHdrHistogram.ordinal` of YCSB 0.17.
    #[test]
    fn percentiles_have_ycsbs_names() {
        for (percentile, name) in [
            (1.0, "1st"),
            (2.0, "2nd"),
            (3.0, "3rd"),
            (11.0, "11th"),
            (12.0, "12th"),
            (13.0, "13th"),
            (50.0, "50th"),
            (92.0, "92nd"),
            (99.0, "99th"),
            (99.9, "99.9"),
            (99.99, "99.99"),
            (100.0, "100th"),
        ] {
            assert_eq!(ordinal(percentile), name);
        }
    }
}
