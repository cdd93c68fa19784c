//! What went wrong in a step: failures, times without a success, and operations that hung when its
//! window ended.

use hoap_record::{Description, Operation, Remark, RemarkId, Run, Step};

use serde_json::Value;

use crate::format::number::{Unit, duration};
use crate::run::measure::{Measure, failed};

/// A larger share of failures is reported where the run's configuration has no `warn-failures`.
const FAILURES: f64 = 0.001;
/// Only longer gaps are reported, seconds.
const GAP: f64 = 1.0;
/// Only gaps are reported that are longer than so many mean distances between successes: with think
/// times, successes are seconds apart.
const DISTANCES: f64 = 10.0;

/// A remark for each thing that went wrong in this step of the run.
pub fn of_step(run: &Run, step: &Step) -> Vec<Remark> {
    let told = [
        (RemarkId::ManyFailures, failures(run, step)),
        (RemarkId::NothingSucceeded, gap(step)),
        (RemarkId::OperationsHung, hung(step)),
        (RemarkId::QueriesHung, hung_queries(step)),
        (RemarkId::NothingFound, nothing_found(run, step)),
    ];
    let remark =
        |(id, text): (_, Option<String>)| Some(Remark::new(id, text?).of_step(step.number));
    told.into_iter().filter_map(remark).collect()
}

fn failures(run: &Run, step: &Step) -> Option<String> {
    let most = run.configuration.get("warn-failures").and_then(Value::as_f64);
    let most = most.unwrap_or(FAILURES);
    let sum = |of: fn(&Operation) -> u64| step.transactions.iter().map(of).sum::<u64>();
    let queries = |of: fn(&hoap_record::Query) -> u64| step.queries.iter().map(of).sum::<u64>();
    let sides = [
        (Measure::of_step(step).operations_word(), failed(step), sum(|o| o.count)),
        ("queries", queries(|q| q.failed), queries(|q| q.count)),
    ];
    let told = sides.into_iter().filter_map(|(what, failed, succeeded)| {
        let all = failed.saturating_add(succeeded);
        let share = failed as f64 / all.max(1) as f64;
        (share > most).then(|| {
            let count = |n: u64| Unit::Count.show(n as f64);
            let share = Unit::Share.show(share);
            format!("{} of {} {what} failed ({share})", count(failed), count(all))
        })
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join(", "))
}

fn gap(step: &Step) -> Option<String> {
    let gap = step.longest_gap?;
    let succeeded: u64 = step.transactions.iter().map(|o| o.count).sum();
    if succeeded == 0 {
        return Some(format!("nothing succeeded in its window of {}", duration(step.seconds)));
    }
    let distance = (step.seconds - gap.seconds).max(0.0) / succeeded as f64;
    (gap.seconds > GAP.max(DISTANCES * distance)).then(|| {
        let from = (gap.from_seconds - step.start_seconds).max(0.0);
        let end = gap.from_seconds + gap.seconds;
        let within = step.standstills.iter().map(|still| {
            let common = end.min(still.from_seconds + still.seconds);
            (common - still.from_seconds.max(gap.from_seconds)).max(0.0)
        });
        let own = within.fold(0.0, |sum, seconds| sum + seconds);
        let own = match own > 0.0 {
            true => format!("; for {} of it a driver did not run", duration(own)),
            false => String::new(),
        };
        format!(
            "nothing succeeded for {}, from second {from:.1} of its window of {}{own}",
            duration(gap.seconds),
            duration(step.seconds)
        )
    })
}

fn hung(step: &Step) -> Option<String> {
    let oldest = step.transactions.iter().max_by_key(|o| o.oldest_us)?;
    let longest = step.transactions.iter().map(|o| o.longest_ended_us).max()?;
    let unfinished: u64 = step.transactions.iter().map(|o| o.unfinished).sum();
    let time = |us: u64| duration(us as f64 / 1e6);
    (unfinished > 0 && oldest.oldest_us > longest).then(|| {
        let beside = match longest {
            0 if step.rate_intended.is_some() => "none that was due in it ended in it".to_string(),
            0 => "none ended in it".to_string(),
            longest => format!("the longest that ended took {}", time(longest)),
        };
        format!(
            "{unfinished} in flight when its window ended, the oldest ({}) for {}; {beside}",
            oldest.kind,
            time(oldest.oldest_us)
        )
    })
}

fn hung_queries(step: &Step) -> Option<String> {
    let longer =
        step.queries.iter().filter(|q| q.at_least > 0 || (q.count == 0 && q.unfinished > 0));
    let names: Vec<String> = longer
        .filter_map(|q| Some(format!("{} for {}", q.kind, duration(q.oldest_seconds?))))
        .collect();
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!(
            "in flight when its window ended, for longer than any execution that ended: {names}"
        )
    })
}

/// Successes without a record, key or row in the answer. `null:` answers nothing by design, and of
/// data that was scaled down, which is said, much is not there that queries look for.
fn nothing_found(run: &Run, step: &Step) -> Option<String> {
    let answers = |of: Option<&Description>| of.is_none_or(|of| !of.url.starts_with("null:"));
    let queried = run.analytical.as_ref().or(run.operational.as_ref());
    let operations = step.transactions.iter().filter(|_| answers(run.operational.as_ref()));
    let whole = run.data.get("scale_down").and_then(Value::as_u64).is_none_or(|by| by == 1);
    let queries = step.queries.iter().filter(|_| whole && answers(queried));
    let told: Vec<String> = operations
        .map(|o| (&o.kind, o.empty, o.count))
        .chain(queries.map(|q| (&q.kind, q.empty, q.count)))
        .filter(|(_, empty, _)| *empty > 0)
        .map(|(kind, empty, count)| format!("{kind} ({empty} of {count})"))
        .collect();
    (!told.is_empty()).then(|| format!("an answer held nothing: {}", told.join(", ")))
}

#[cfg(test)]
mod tests {
    use hoap_record::Gap;

    use super::*;

    fn step(count: u64) -> Step {
        let read = Operation { kind: "READ".into(), count, timed: count, ..Operation::default() };
        Step {
            number: 1,
            name: "2 clients".into(),
            tx_clients: 2,
            clients: Some(2),
            seconds: 14.0,
            start_seconds: 1.0,
            transactions: vec![read],
            ..Step::default()
        }
    }

    fn gap_of(count: u64, seconds: f64) -> Option<String> {
        gap(&Step { longest_gap: Some(Gap { from_seconds: 6.0, seconds }), ..step(count) })
    }

    #[test]
    fn a_gap_is_told_where_it_is_long_and_far_longer_than_usual() {
        let told = gap_of(740, 9.0).unwrap();
        assert_eq!(told, "nothing succeeded for 9.00 s, from second 5.0 of its window of 14.0 s");
        assert_eq!(gap_of(740, 1.0), None);
        // Five in five seconds, and then nothing: they came a second apart.
        assert_eq!(gap_of(5, 9.0), None);
        assert!(gap_of(20, 9.0).is_some());
        assert_eq!(gap_of(0, 14.0).unwrap(), "nothing succeeded in its window of 14.0 s");
        assert_eq!(gap(&step(9)), None, "none was measured");
        let longest_gap = Some(Gap { from_seconds: 6.0, seconds: 4.0 });
        let standstills = vec![Gap { from_seconds: 5.9, seconds: 3.1 }];
        let own = gap(&Step { longest_gap, standstills, ..step(740) }).unwrap();
        assert!(own.ends_with("of 14.0 s; for 3.00 s of it a driver did not run"), "{own}");
    }

    #[test]
    fn what_hung_at_the_end_is_told_where_it_hung_longer_than_any_that_ended() {
        let with = |oldest_us, longest_ended_us| {
            let mut step = step(740);
            let read = &mut step.transactions[0];
            (read.unfinished, read.oldest_us, read.longest_ended_us) =
                (2, oldest_us, longest_ended_us);
            hung(&step)
        };
        assert_eq!(
            with(9_000_000, 552_000).unwrap(),
            "2 in flight when its window ended, the oldest (READ) for 9.00 s; the longest that ended took 552 ms"
        );
        assert_eq!(with(500, 552_000), None);
    }
}
