//! A step in the lines that YCSB prints, for programs that read these.

use std::path::Path;

use hoap_record::hlog::{self, SERVICE};
use hoap_record::{Error, ErrorKind, Latency, Operation, Result, Run, Step};

use crate::run::measure::{Measure, operations_per_second};
use crate::run::void;

/// The step as YCSB 0.17's `TextMeasurementsExporter` writes a run with `measurement.interval=op`,
/// and as with `both` where the step is an open loop: `[READ]` has the times from when an operation
/// began, `[Intended-READ]` those from when it was due. Times are microseconds.
///
/// What differs: throughput is that of the successes, the percentiles are 50, 95 and 99, and no line
/// is about a garbage collector.
///
/// # Errors
/// Fails where the run is void, has transactions beside queries, or its folder lacks the step's log.
pub fn ycsb(run: &Run, folder: &Path, step: &Step) -> Result<String> {
    let tried = || format!("print step {} of {} as YCSB does", step.number, folder.display());
    void::refuse(run, tried)?;
    if Measure::of_step(step) != Measure::Plain {
        let why = "it has transactions and queries, for which YCSB has no lines";
        return Err(Error::new(ErrorKind::Invalid, tried(), why).advise("take another format"));
    }
    let times = hlog::read(folder, step.number)?;
    let least = |tag: &str| times.get(tag).map_or(0, |histogram| histogram.min());
    let mut out = Lines(String::new());
    out.line("OVERALL", "RunTime(ms)", (step.seconds * 1e3).round());
    out.line("OVERALL", "Throughput(ops/sec)", format!("{:?}", operations_per_second(step)));
    let ran = || step.transactions.iter().filter(|o| o.timed > 0 || !o.failures.is_empty());
    for operation in ran() {
        let kind = &operation.kind;
        match &operation.service {
            Some(service) => {
                out.operation(kind, operation, service, least(&format!("{kind}{SERVICE}")));
            }
            None => out.operation(kind, operation, &operation.latency, least(kind)),
        }
    }
    for operation in ran().filter(|operation| operation.service.is_some()) {
        let name = format!("Intended-{}", operation.kind);
        out.times(&name, operation.timed, &operation.latency, least(&operation.kind));
    }
    Ok(out.0)
}

struct Lines(String);

impl Lines {
    fn line(&mut self, metric: &str, measurement: &str, value: impl std::fmt::Display) {
        self.0.push_str(&format!("[{metric}], {measurement}, {value}\n"));
    }

    fn times(&mut self, metric: &str, count: u64, latency: &Latency, least: u64) {
        self.line(metric, "Operations", count);
        self.line(metric, "AverageLatency(us)", format!("{:?}", latency.mean_us));
        self.line(metric, "MinLatency(us)", least);
        self.line(metric, "MaxLatency(us)", latency.max_us);
        self.line(metric, "50thPercentileLatency(us)", latency.p50_us);
        self.line(metric, "95thPercentileLatency(us)", latency.p95_us);
        self.line(metric, "99thPercentileLatency(us)", latency.p99_us);
    }

    fn operation(&mut self, kind: &str, operation: &Operation, latency: &Latency, least: u64) {
        self.times(kind, operation.timed, latency, least);
        self.line(kind, "Return=OK", operation.count);
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
