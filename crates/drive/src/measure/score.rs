//! Power and queries per hour.

use hoap_record::Score;

use super::queries::QueryTotal;

/// Why a query has no mean response time.
enum MissingMean {
    Failed(u64),
    Unfinished,
    Unreached,
}

impl MissingMean {
    /// `None` if the query has a mean and no failure.
    fn of(total: &QueryTotal) -> Option<MissingMean> {
        match total {
            QueryTotal { failed: 1.., .. } => Some(MissingMean::Failed(total.failed)),
            QueryTotal { count: 1.., .. } => None,
            QueryTotal { uncounted: 0, unfinished, .. } if unfinished.is_empty() => {
                Some(MissingMean::Unreached)
            }
            _ => Some(MissingMean::Unfinished),
        }
    }
}

/// The maximum number of queries that the reason names: a database that is down fails all 22.
const NAMED: usize = 3;

/// The score of the queries' mean response times, or why there is none: it needs every query, and
/// one may have failed or never ended.
pub(crate) fn score(queries: &[(&str, &QueryTotal)], streams: usize) -> Result<Score, String> {
    let mut reasons = Vec::new();
    let mut unreached = Vec::new();
    for (kind, total) in queries {
        match MissingMean::of(total) {
            None => {}
            Some(MissingMean::Failed(1)) => reasons.push(format!("{kind} failed 1 time")),
            Some(MissingMean::Failed(n)) => reasons.push(format!("{kind} failed {n} times")),
            Some(MissingMean::Unfinished) => reasons.push(format!("{kind} did not finish")),
            Some(MissingMean::Unreached) => unreached.push(*kind),
        }
    }
    if let Some(more) = reasons.len().checked_sub(NAMED).filter(|more| *more > 1) {
        reasons.truncate(NAMED);
        reasons.push(format!("and {more} more failed or did not finish"));
    }
    if !unreached.is_empty() {
        reasons.push(format!("not reached: {}", unreached.join(" ")));
    }
    let means: Vec<f64> = queries.iter().filter_map(|(_, total)| total.mean_seconds()).collect();
    match Score::of(&means, streams) {
        Some(score) if reasons.is_empty() => Ok(score),
        _ => Err(reasons.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
    fn power_and_queries_per_hour_of_three_queries() {
        let (a, b, c) = (total(&[0.5, 1.5], 0, 1), total(&[2.0], 0, 0), total(&[4.0], 0, 0));
        let queries = [("Q01", &a), ("Q02", &b), ("Q03", &c)];
        for streams in [1, 3] {
            let Score { power_seconds, queries_per_hour } = score(&queries, streams).unwrap();
            assert!((power_seconds - 2.0).abs() < 1e-12);
            let expected = 3.0 * 3600.0 / 7.0 * streams as f64;
            assert!((queries_per_hour - expected).abs() < 1e-9);
        }
    }

    /// Two executions took 1 s and 3 s. An unfinished one that ran for 2 s changes nothing; one
    /// that ran for 8 s makes the mean at least 4 s.
    #[test]
    fn an_unfinished_execution_longer_than_all_others_is_part_of_mean_and_maximum() {
        let seconds = Duration::from_secs;
        let mut query = QueryTotal { longest: seconds(3), ..total(&[1.0, 3.0], 0, 0) };
        query.unfinished = vec![(seconds(1), seconds(2))];
        let line = query.record("Q01");
        assert_eq!((line.mean_seconds, line.max_seconds), (Some(2.0), Some(3.0)));
        assert_eq!((line.unfinished, line.oldest_seconds, line.at_least), (1, Some(1.0), 0));
        query.unfinished.push((seconds(7), seconds(8)));
        let line = query.record("Q01");
        assert_eq!((line.mean_seconds, line.max_seconds), (Some(4.0), Some(8.0)));
        assert_eq!((line.unfinished, line.oldest_seconds, line.at_least), (2, Some(7.0), 1));
        let Score { power_seconds, .. } = score(&[("Q01", &query)], 1).unwrap();
        assert!((power_seconds - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_query_without_a_mean_makes_both_scores_incomplete_and_is_named() {
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
            Err("Q05 failed 1 time, Q06 failed 3 times, Q07 did not finish, \
                 not reached: Q08 Q09"
                .into())
        );
        let queries = [("Q01", &failing), ("Q02", &failing), ("Q03", &failing), ("Q04", &cut)];
        let four = score(&queries, 1).unwrap_err();
        assert!(four.ends_with("Q03 failed 3 times, Q04 did not finish"), "{four}");
        let queries = [queries.as_slice(), &[("Q05", &failing)]].concat();
        let five = score(&queries, 1).unwrap_err();
        assert!(
            five.ends_with("Q03 failed 3 times, and 2 more failed or did not finish"),
            "{five}"
        );
    }
}
