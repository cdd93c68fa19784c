//! Executions of queries, and their totals over the measured window.

use std::time::{Duration, Instant};

use hoap_record::Query;

use crate::{Completion, Outcome};

use crate::plan::Phase;

/// An execution of a query that has ended.
pub(crate) struct QueryExecution {
    pub stream: usize,
    /// Loop of the stream, from 0, warm-up loops included.
    pub loop_number: usize,
    pub kind: usize,
    pub class: QueryClass,
    pub start: Instant,
    pub took: Duration,
    pub completion: Completion,
}

/// What an execution of a query counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryClass {
    Warmup,
    Measured,
    /// Nothing: it kept up the load after the measured loops.
    Extra,
    /// It was in flight when the step ended, and would have counted.
    Unfinished {
        /// How long it had run when the step ended.
        age: Duration,
    },
    /// Nothing: the end of the step cancelled it, and it would not have counted.
    Cancelled,
}

impl QueryClass {
    /// The name in `queries.csv`.
    pub fn name(self) -> &'static str {
        match self {
            QueryClass::Warmup => Phase::Warmup.name(),
            QueryClass::Measured => Phase::Measured.name(),
            QueryClass::Extra => "extra",
            QueryClass::Unfinished { .. } => "unfinished",
            QueryClass::Cancelled => "cancelled",
        }
    }
}

/// Totals of one query over the measured window.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueryTotal {
    pub count: u64,
    pub empty: u64,
    pub sum: Duration,
    pub shortest: Duration,
    pub longest: Duration,
    pub failed: u64,
    pub first_error: Option<String>,
    /// Executions that do not count: [`QueryClass::Extra`] and [`QueryClass::Cancelled`].
    pub uncounted: u64,
    /// Executions in flight at the end of the window: how long each had run by then, and how long
    /// it ran in all.
    pub unfinished: Vec<(Duration, Duration)>,
}

impl QueryTotal {
    /// Adds an execution to what it counts for.
    pub fn add(&mut self, end: &QueryExecution) {
        match (end.class, &end.completion.outcome) {
            (QueryClass::Cancelled | QueryClass::Extra, _) => self.uncounted += 1,
            (QueryClass::Unfinished { age }, _) => self.unfinished.push((age, end.took)),
            (QueryClass::Measured, Outcome::Failed(e)) => {
                self.failed += 1;
                self.first_error.get_or_insert_with(|| e.to_string());
            }
            (QueryClass::Measured, _) => {
                self.shortest =
                    if self.count == 0 { end.took } else { self.shortest.min(end.took) };
                self.longest = self.longest.max(end.took);
                self.count += 1;
                self.empty += u64::from(end.completion.rows == 0);
                self.sum += end.took;
            }
            (QueryClass::Warmup, _) => {}
        }
    }

    /// The times of the unfinished executions that ran longer than the slowest success. Shorter
    /// ones tell nothing new.
    fn at_least(&self) -> impl Iterator<Item = Duration> {
        let known = self.count > 0;
        self.unfinished.iter().map(|(_, ran)| *ran).filter(move |ran| known && *ran > self.longest)
    }

    /// The mean over successes and [`at_least`](QueryTotal::at_least); `None` without a success.
    pub fn mean_seconds(&self) -> Option<f64> {
        let (number, sum) =
            self.at_least().fold((self.count, self.sum), |(n, s), t| (n + 1, s + t));
        (self.count > 0).then(|| sum.as_secs_f64() / number as f64)
    }

    /// The record of this query.
    pub fn record(&self, kind: &str) -> Query {
        let if_any = |time: Duration| (self.count > 0).then_some(time.as_secs_f64());
        Query {
            kind: kind.to_owned(),
            count: self.count,
            mean_seconds: self.mean_seconds(),
            min_seconds: if_any(self.shortest),
            max_seconds: if_any(self.at_least().fold(self.longest, Duration::max)),
            unfinished: self.unfinished.len() as u64,
            oldest_seconds: self
                .unfinished
                .iter()
                .map(|(age, _)| age.as_secs_f64())
                .reduce(f64::max),
            at_least: self.at_least().count() as u64,
            empty: self.empty,
            failed: self.failed,
            error: self.first_error.clone(),
        }
    }
}
