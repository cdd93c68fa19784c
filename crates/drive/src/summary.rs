//! From what was measured in a window to the numbers of a [`hoap_record::Step`].

use std::collections::BTreeMap;
use std::time::Duration;

use hoap_record::{Operation, Query};
use hoap_workload::client::Outcome;

use crate::clients::{Class, QueryEnd};
use crate::measure::KindSet;
use crate::timing::{Timing, micros};

/// The line of a kind of transaction over a window of this many seconds, and what ended after it.
pub(crate) fn operation(kind: &str, window: &KindSet, after: &KindSet, seconds: f64) -> Operation {
    let mut all = KindSet::new();
    all.absorb(window);
    all.absorb(after);
    let latency = |timing: Option<&Timing>| timing.map(Timing::latency);
    let split = all.split.as_deref();
    let by_error = || all.failures.iter().map(|f| (f.kind.name().to_owned(), f));
    Operation {
        kind: kind.to_owned(),
        count: window.count(),
        per_second: rate(window.count(), seconds),
        timed: all.response.count(),
        at_least: all.at_least,
        unfinished: all.unfinished,
        oldest_us: micros(all.oldest),
        longest_ended_us: window.response.latency().max_us,
        rolled_back: window.rolled_back,
        retries: all.retries,
        failures: by_error().map(|(name, f)| (name, f.count)).collect(),
        first_errors: by_error()
            .map(|(name, f)| (name, f.first.clone()))
            .collect::<BTreeMap<_, _>>(),
        latency: all.response.latency(),
        service: latency(split.map(|s| &s.service)),
        wait: latency(split.map(|s| &s.wait)),
    }
}

/// Per second; 0 over no time.
pub(crate) fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}

/// What happened to one query in the measured window.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueryTotal {
    count: u64,
    sum: Duration,
    shortest: Duration,
    longest: Duration,
    failed: u64,
    first_error: Option<String>,
    /// Executions that the end of the step cut off, or that did not count.
    uncounted: u64,
    /// How old each execution was that the end of the window found in flight, and how long it ran.
    unfinished: Vec<(Duration, Duration)>,
}

impl QueryTotal {
    /// Adds an execution, as far as it counts.
    pub fn add(&mut self, end: &QueryEnd) {
        match (end.class, &end.completion.outcome) {
            (Class::Cancelled | Class::Extra, _) => self.uncounted += 1,
            (Class::Unfinished { age }, _) => self.unfinished.push((age, end.took)),
            (Class::Measured, Outcome::Failed(e)) => {
                self.failed += 1;
                self.first_error.get_or_insert_with(|| e.to_string());
            }
            (Class::Measured, _) => {
                self.shortest =
                    if self.count == 0 { end.took } else { self.shortest.min(end.took) };
                self.longest = self.longest.max(end.took);
                self.count += 1;
                self.sum += end.took;
            }
            (Class::Warmup, _) => {}
        }
    }

    /// The times that unfinished executions ran, of those that ran longer than the slowest that
    /// succeeded: what else is in flight at the end says nothing that is not known.
    fn at_least(&self) -> impl Iterator<Item = Duration> {
        let known = self.count > 0;
        self.unfinished.iter().map(|(_, ran)| *ran).filter(move |ran| known && *ran > self.longest)
    }

    fn mean_seconds(&self) -> Option<f64> {
        let (number, sum) =
            self.at_least().fold((self.count, self.sum), |(n, s), t| (n + 1, s + t));
        (self.count > 0).then(|| sum.as_secs_f64() / number as f64)
    }

    /// The line of this query.
    pub fn query(&self, kind: &str) -> Query {
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
            failed: self.failed,
            error: self.first_error.clone(),
        }
    }

    /// Why there is no mean to build on, if there is none.
    fn gap(&self) -> Option<Gap> {
        match self {
            QueryTotal { failed: 1.., .. } => Some(Gap::Failed(self.failed)),
            QueryTotal { count: 1.., .. } => None,
            QueryTotal { uncounted: 0, unfinished, .. } if unfinished.is_empty() => {
                Some(Gap::Unreached)
            }
            _ => Some(Gap::Unfinished),
        }
    }
}

/// Why a query has no mean response time.
enum Gap {
    Failed(u64),
    Unfinished,
    Unreached,
}

/// Most queries that are named with what became of them: a database that went away fails all 22.
const NAMED: usize = 3;

/// Power and queries per hour, or why there are none.
#[derive(Debug, PartialEq)]
pub(crate) enum Score {
    Complete { power_seconds: f64, queries_per_hour: f64 },
    Incomplete(String),
}

/// Power, the geometric mean of the queries' mean response times, and queries per hour, the number
/// of queries × 3600 / the sum of their means × streams. Both need every query: where one failed or
/// never ended, there is neither, rather than a flattering one.
pub(crate) fn score(queries: &[(&str, &QueryTotal)], streams: usize) -> Score {
    let mut gaps = Vec::new();
    let mut unreached = Vec::new();
    for (kind, total) in queries {
        match total.gap() {
            None => {}
            Some(Gap::Failed(1)) => gaps.push(format!("{kind} failed 1 time")),
            Some(Gap::Failed(n)) => gaps.push(format!("{kind} failed {n} times")),
            Some(Gap::Unfinished) => gaps.push(format!("{kind} did not finish")),
            Some(Gap::Unreached) => unreached.push(*kind),
        }
    }
    if let Some(more) = gaps.len().checked_sub(NAMED).filter(|more| *more > 1) {
        gaps.truncate(NAMED);
        gaps.push(format!("and {more} more failed or did not finish"));
    }
    if !unreached.is_empty() {
        gaps.push(format!("not reached: {}", unreached.join(" ")));
    }
    let means: Vec<f64> = queries.iter().filter_map(|(_, total)| total.mean_seconds()).collect();
    if !gaps.is_empty() || means.is_empty() {
        return Score::Incomplete(gaps.join(", "));
    }
    let number = means.len() as f64;
    // No query takes no time, but a clock may say so.
    let logarithms: f64 = means.iter().map(|mean| mean.max(1e-9).ln()).sum();
    let sum: f64 = means.iter().sum();
    Score::Complete {
        power_seconds: (logarithms / number).exp(),
        queries_per_hour: number * 3600.0 / sum.max(1e-9) * streams as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(seconds: &[f64], failed: u64, unfinished: u64) -> QueryTotal {
        QueryTotal {
            count: seconds.len() as u64,
            sum: seconds.iter().map(|s| Duration::from_secs_f64(*s)).sum(),
            failed,
            uncounted: unfinished,
            ..QueryTotal::default()
        }
    }

    /// Means of 1, 2 and 4 s: the geometric mean is the cube root of 8; 3 queries in 7 s are
    /// 3 × 3600 / 7 an hour in one stream.
    #[test]
    fn power_and_queries_per_hour_by_hand() {
        let (a, b, c) = (total(&[0.5, 1.5], 0, 1), total(&[2.0], 0, 0), total(&[4.0], 0, 0));
        let queries = [("Q01", &a), ("Q02", &b), ("Q03", &c)];
        for streams in [1, 3] {
            let Score::Complete { power_seconds, queries_per_hour } = score(&queries, streams)
            else {
                panic!("complete");
            };
            assert!((power_seconds - 2.0).abs() < 1e-12);
            let expected = 3.0 * 3600.0 / 7.0 * streams as f64;
            assert!((queries_per_hour - expected).abs() < 1e-9);
        }
    }

    /// Two took 1 s and 3 s. One that ran for 2 s when the window ended says nothing; one that ran for 8 s
    /// makes the mean at least 4 s.
    #[test]
    fn what_hung_longer_than_any_other_is_part_of_mean_and_maximum() {
        let seconds = Duration::from_secs;
        let mut query = QueryTotal { longest: seconds(3), ..total(&[1.0, 3.0], 0, 0) };
        query.unfinished = vec![(seconds(1), seconds(2))];
        let line = query.query("Q01");
        assert_eq!((line.mean_seconds, line.max_seconds), (Some(2.0), Some(3.0)));
        assert_eq!((line.unfinished, line.oldest_seconds, line.at_least), (1, Some(1.0), 0));
        query.unfinished.push((seconds(7), seconds(8)));
        let line = query.query("Q01");
        assert_eq!((line.mean_seconds, line.max_seconds), (Some(4.0), Some(8.0)));
        assert_eq!((line.unfinished, line.oldest_seconds, line.at_least), (2, Some(7.0), 1));
        let Score::Complete { power_seconds, .. } = score(&[("Q01", &query)], 1) else {
            panic!("complete");
        };
        assert!((power_seconds - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_query_without_a_mean_makes_both_incomplete_and_is_named() {
        let good = total(&[1.0], 0, 0);
        let failed = total(&[1.0], 1, 0);
        let failing = total(&[], 3, 0);
        let cut = total(&[], 0, 1);
        let none = total(&[], 0, 0);
        let queries = [
            ("Q01", &good),
            ("Q05", &failed),
            ("Q06", &failing),
            ("Q07", &cut),
            ("Q08", &none),
            ("Q09", &none),
        ];
        assert_eq!(
            score(&queries, 1),
            Score::Incomplete(
                "Q05 failed 1 time, Q06 failed 3 times, Q07 did not finish, \
                 not reached: Q08 Q09"
                    .into()
            )
        );
        let queries = [("Q01", &failing), ("Q02", &failing), ("Q03", &failing), ("Q04", &cut)];
        let Score::Incomplete(four) = score(&queries, 1) else { panic!("incomplete") };
        assert!(four.ends_with("Q03 failed 3 times, Q04 did not finish"), "{four}");
        let queries = [queries.as_slice(), &[("Q05", &failing)]].concat();
        let Score::Incomplete(five) = score(&queries, 1) else { panic!("incomplete") };
        assert!(
            five.ends_with("Q03 failed 3 times, and 2 more failed or did not finish"),
            "{five}"
        );
    }
}
