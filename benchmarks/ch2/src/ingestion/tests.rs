mod scripted;

use std::time::{Duration, Instant};

use hoap_record::{CURVE, Ingestion};
use hoap_workload::{ErrorKind, Result};
use scripted::{Turn, all, data, note, scripted, wait};

use super::meter::rest;
use super::outcome::{Count, Moments, outcome};
use crate::data::Collection;

/// What a meter makes of a script where the load was settled when it began.
fn measured(turns: impl IntoIterator<Item = Turn>, limit: Duration) -> Result<Ingestion> {
    let (_, progress, mut meter) = scripted(turns);
    wait(async {
        meter.begin().await?;
        progress.settled(note());
        meter.finish(limit).await
    })
}

const AT_ONCE: Duration = Duration::ZERO;
const LONG: Duration = Duration::from_secs(60);

#[test]
fn it_counts_until_nothing_is_missing_and_collections_that_are_not_there_have_nothing() {
    let turns = [
        Turn::Fails(ErrorKind::Missing),
        Turn::Share(10, AT_ONCE),
        Turn::Fails(ErrorKind::Unavailable),
        Turn::Share(50, AT_ONCE),
        Turn::Share(100, AT_ONCE),
    ];
    let start = Instant::now();
    let found = measured(turns, LONG).unwrap();
    assert_eq!((found.analytical.as_str(), found.documents, found.bytes), ("script:", all(), 77));
    assert_eq!((found.documents_at_begin, found.came_in()), (0, all()));
    let tenth: u64 = Collection::ALL.iter().map(|c| data().count(*c) / 10).sum();
    assert_eq!(found.documents_at_written, tenth);
    let seen: Vec<u64> = found.curve.iter().map(|c| c.documents).collect();
    assert_eq!((seen.len(), seen[0], seen[1], seen[3]), (4, 0, tenth, all()), "{seen:?}");
    assert!(found.whole_seconds <= start.elapsed().as_secs_f64(), "{found:?}");
    assert!(found.resolution_seconds > 0.0 && found.resolution_seconds < found.after_seconds);
    // Three counts do not tell the end to a twentieth.
    assert_eq!(found.per_second_after, None);
    match found.per_second {
        Some(per_second) => {
            let rate = all() as f64 / found.whole_seconds;
            assert!((per_second - rate).abs() < 0.1 * rate, "{found:?}");
        }
        None => assert!(found.resolution_seconds > 0.045 * found.whole_seconds, "{found:?}"),
    }
}

#[test]
fn at_the_limit_it_says_which_collections_lack_how_much() {
    let less = |c: &Collection| match c.name() {
        "orders" => (c.name(), data().count(*c) - 7),
        _ => (c.name(), data().count(*c)),
    };
    let rows = || Turn::Rows(Collection::ALL.iter().map(less).collect());
    let orders = data().count(Collection::Orders);
    let turns = (0..200).map(|_| rows());
    let e = measured(turns, Duration::from_millis(600)).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable);
    let says = format!(
        "wait for script: to hold what was loaded: not within 0.6 s: of 11 collections orders \
         lacks 7 of {orders}; see that it follows"
    );
    assert!(e.to_string().starts_with(&says), "{e}");
    assert!(e.to_string().ends_with("measure what is left with --resume"), "{e}");

    let turns = [Turn::Share(0, AT_ONCE), Turn::Fails(ErrorKind::Unavailable)];
    let e = measured(turns, Duration::from_millis(300)).unwrap_err().to_string();
    assert!(e.contains("11 lack documents: warehouse lacks 1 of 1, "), "{e}");
    assert!(e.contains("the last count failed: query script:: it says no"), "{e}");
}

#[test]
fn more_documents_than_the_load_has_or_an_answer_that_is_none_end_it() {
    let many = || Turn::Rows(vec![("warehouse", 2)]);
    for (turn, kind, says) in [
        (many(), ErrorKind::Invalid, "warehouse has 2 documents, and the load 1"),
        (Turn::Rows(vec![("somewhere", 1)]), ErrorKind::Broken, "a row is [\"somewhere\",1]"),
        (Turn::Fails(ErrorKind::Invalid), ErrorKind::Invalid, "it says no"),
    ] {
        let e = measured([Turn::Share(0, AT_ONCE), turn], LONG).unwrap_err();
        assert_eq!(e.kind, kind, "{e}");
        assert!(e.to_string().contains(says), "{e}");
    }
}

/// Counts of this length, one after the other, until one begins at or after the end: within what
/// share of it the end is known, and the share of the time that was spent on counting.
fn counted(took: Duration, end: Duration) -> (f64, f64) {
    let (mut at, mut before, mut counting) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    while at < end {
        (before, counting) = (at, counting + took);
        at += took + rest(took, at + took);
    }
    ((at - before).as_secs_f64() / at.as_secs_f64(), counting.as_secs_f64() / at.as_secs_f64())
}

#[test]
fn the_end_is_known_to_a_twentieth_and_counting_takes_an_eleventh_where_that_is_enough() {
    for took in [0, 1, 5, 40, 300, 2_000].map(Duration::from_millis) {
        for counts in [60, 100, 300, 1_000, 10_000] {
            let end = (took * counts).max(Duration::from_secs(1));
            let (known, share) = counted(took, end);
            assert!(known <= 0.05, "{took:?} {end:?}: {known}");
            assert!(share <= 0.5, "{took:?} {end:?}: {share}");
            assert!(counts < 10_000 || share <= 0.11, "{took:?} {end:?}: {share}");
        }
    }
    assert_eq!(rest(AT_ONCE, Duration::from_secs(60)), Duration::from_millis(250));
    assert_eq!(rest(Duration::from_secs(1), AT_ONCE), Duration::from_secs(1));
}

#[test]
fn it_rests_as_long_as_it_counts_but_looks_when_the_load_is_written() {
    let (script, progress, mut meter) =
        scripted([Turn::Share(0, Duration::from_millis(700)), Turn::Share(100, AT_ONCE)]);
    let told = wait(async {
        meter.begin().await.unwrap();
        let counting = meter.finish(LONG);
        tokio::pin!(counting);
        tokio::select! {
            biased;
            _ = &mut counting => panic!("it does not know that the load has settled"),
            () = tokio::time::sleep(Duration::from_millis(200)) => {}
        }
        assert_eq!(script.asked.lock().unwrap().len(), 1, "it rests");
        progress.settled(note());
        let told = Instant::now();
        counting.await.unwrap();
        told
    });
    let asked = script.asked.lock().unwrap();
    assert!(asked[1] - told < Duration::from_millis(300), "{:?}", asked[1] - told);

    let turns =
        [Turn::Share(0, Duration::from_millis(60)), Turn::Share(5, Duration::from_millis(60))];
    let (script, progress, mut meter) =
        scripted(turns.into_iter().chain([Turn::Share(100, AT_ONCE)]));
    wait(async {
        meter.begin().await.unwrap();
        progress.settled(note());
        meter.finish(LONG).await.unwrap();
    });
    let asked = script.asked.lock().unwrap();
    assert!(asked[2] - asked[1] >= Duration::from_millis(120), "{:?}", asked[2] - asked[1]);
}

#[test]
fn it_ends_soon_after_it_is_told_to_in_the_middle_of_a_count_too() {
    for turn in [Turn::Share(1, AT_ONCE), Turn::Hangs] {
        let (_, progress, mut meter) = scripted([Turn::Share(0, AT_ONCE), turn]);
        let (e, took) = wait(async {
            meter.begin().await.unwrap();
            progress.settled(note());
            let counting = meter.finish(LONG);
            tokio::pin!(counting);
            tokio::select! {
                biased;
                _ = &mut counting => panic!("nothing is there"),
                () = tokio::time::sleep(Duration::from_millis(400)) => {}
            }
            let told = Instant::now();
            progress.end();
            (counting.await.unwrap_err(), told.elapsed())
        });
        assert_eq!(e.kind, ErrorKind::Cancelled, "{e}");
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
}

#[test]
fn a_database_that_holds_something_is_waited_for_until_it_is_empty() {
    let (_, _, mut meter) =
        scripted([Turn::Share(100, AT_ONCE), Turn::Share(40, AT_ONCE), Turn::Share(0, AT_ONCE)]);
    wait(meter.emptied(LONG)).unwrap();
    let (_, _, mut meter) = scripted([Turn::Share(100, AT_ONCE)]);
    let e = wait(meter.emptied(Duration::from_millis(300))).unwrap_err();
    assert!(e.to_string().contains("not within 0.3 s: it holds 1 of warehouse, "), "{e}");
}

/// Counts at these seconds since some moment, and when the load was written.
fn of(counts: &[(u64, u64)], written: u64) -> Ingestion {
    let start = Instant::now();
    let at = |s: u64| start + Duration::from_secs(s);
    let counts: Vec<Count> =
        counts.iter().map(|&(s, documents)| Count { at: at(s), documents }).collect();
    outcome(&counts, &Moments { written: at(written), settled: at(written + 1) })
}

#[test]
fn rates_are_of_what_came_in_between_two_counts() {
    let found = of(&[(10, 5), (12, 100), (14, 300), (109, 1000), (114, 1005)], 13);
    assert_eq!((found.documents_at_begin, found.came_in()), (5, 1000));
    assert_eq!((found.written_seconds, found.settled_seconds), (3.0, 4.0));
    assert_eq!((found.whole_seconds, found.after_seconds), (104.0, 101.0));
    assert_eq!((found.documents_at_written, found.resolution_seconds), (300, 5.0));
    assert_eq!(found.per_second, Some(9.6));
    // From the count at 14 to that at 114.
    assert_eq!(found.per_second_after, Some(7.1));
}

#[test]
fn a_time_that_is_shorter_than_counting_can_see_gives_no_rate() {
    // More than a twentieth of the time after the load was written, and of all.
    for (before, per_second) in [(95, Some(2.0)), (94, None)] {
        let found = of(&[(0, 0), (2, 100), (before, 150), (100, 200)], 1);
        assert_eq!((found.per_second_after, found.per_second), (None, per_second));
    }
    // The count that saw everything began before the last acknowledgement.
    let found = of(&[(0, 0), (4, 200)], 5);
    assert_eq!((found.documents_at_written, found.after_seconds), (200, 0.0));
    assert_eq!((found.per_second, found.per_second_after), (None, None));
    // Everything was there.
    let found = of(&[(0, 200)], 0);
    assert_eq!((found.came_in(), found.per_second, found.curve.len()), (0, None, 1));
}

#[test]
fn a_curve_keeps_its_ends_and_no_more_points_than_a_chart_shows() {
    let counts: Vec<(u64, u64)> = (0..5000).map(|n| (n, n * 3)).collect();
    let curve = of(&counts, 4000).curve;
    assert_eq!(curve.len(), CURVE);
    assert_eq!((curve[0].documents, curve[CURVE - 1].documents), (0, 4999 * 3));
    assert!(curve.windows(2).all(|w| w[0].seconds < w[1].seconds));
}
