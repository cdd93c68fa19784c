//! What the hall decides.

use std::collections::BTreeMap;

use super::*;

const SECOND: i64 = 1_000_000_000;

fn here(part: u64, state: State) -> Here {
    Here {
        id: format!("p{part}"),
        part,
        of: 2,
        hoap: "1".into(),
        command: vec!["run".into(), "ycsb-a".into()],
        run: String::new(),
        clock: Some(Clock { ahead_ns: part as i64 * SECOND, error_ns: 1 }),
        state,
        measured: None,
    }
}

fn ready(step: usize) -> State {
    State::Ready(step, "2 clients".into())
}

/// What a driver measured in a step: operations of no kind, at this rate.
fn measured(part: u64, step: usize, rate: f64) -> Here {
    let measured = Step { number: step, rate_achieved: Some(rate), ..Step::default() };
    let measured = Box::new(Measured { step: measured, times: BTreeMap::new() });
    Here { measured: Some(measured), ..here(part, State::Measured(step)) }
}

fn hall() -> (Hall, Instant) {
    let now = Instant::now();
    (Hall::new(2, Duration::from_secs(60), "1", now), now)
}

#[test]
fn every_step_begins_when_all_are_ready_by_the_clock_of_each() {
    let (mut hall, now) = hall();
    assert_eq!(hall.here(here(1, ready(1)), now, 5).start, None);
    assert_eq!(hall.here(here(2, State::Preparing), now, 6).start, None);
    let lead = LEAD.as_nanos() as i64;
    let word = hall.here(here(2, ready(1)), now, 7);
    assert_eq!(word.start, Some((1, 7 + lead + 2 * SECOND)));
    // It stays what it is, however often one asks.
    let word = hall.here(here(1, ready(1)), now, 9);
    assert_eq!((word.start, word.now_ns), (Some((1, 7 + lead + SECOND)), 9));
    assert_eq!(hall.here(here(1, ready(2)), now, 10).start.unwrap().0, 1);
    assert_eq!(hall.here(here(2, ready(2)), now, 11).start.unwrap().0, 2);
    let ended = State::Ended(Vec::new());
    assert!(!hall.here(here(1, ended.clone()), now, 12).done);
    assert!(hall.here(here(2, ended.clone()), now, 12).done && !hall.all_know());
    assert!(hall.here(here(1, ended), now, 12).done && hall.all_know());
    hall.look(now + Duration::from_secs(999));
    hall.end("too late");
    assert_eq!(hall.over(), None);
    // Whoever comes now is told that he is too late.
    let word = hall.here(Here { id: "new".into(), ..here(2, State::Preparing) }, now, 13);
    assert!(word.done && word.over.is_none());
}

#[test]
fn what_is_over_is_not_done() {
    let (mut hall, now) = hall();
    hall.here(here(1, State::Preparing), now, 0);
    hall.end("a full disk");
    let words = [1, 2].map(|part| hall.here(here(part, State::Ended(Vec::new())), now, 0));
    assert!(words.iter().all(|word| !word.done && word.over.as_deref() == Some("a full disk")));
    assert!(!hall.is_done() && hall.all_know());
}

#[test]
fn who_does_not_belong_ends_all_by_name() {
    let other = |change: fn(&mut Here)| {
        let mut other = here(2, State::Preparing);
        change(&mut other);
        other
    };
    for (one, says) in [
        (other(|h| h.hoap = "2".into()), "part 2/2 is hoap 2, not 1"),
        (other(|h| h.of = 3), "part 2/3 came"),
        (other(|h| h.command[1] = "ycsb-b".into()), "\"ycsb-b\", not \"ycsb-a\""),
        (other(|h| h.command.push("x".into())), "3 words, not 2"),
        (other(|h| h.part = 1), "part 1/2 is there twice"),
        (other(|h| h.state = State::Failed("no database".into())), "part 2/2 ended: no database"),
        (
            other(|h| h.state = ready(2)),
            "waits for step 1 (2 clients) and part 2/2 for step 2 (2 clients)",
        ),
        (other(|h| h.state = State::Ready(1, "3 clients".into())), "for step 1 (3 clients)"),
        (other(|h| h.state = State::Measured(1)), "for what all measured in step 1"),
        (
            other(|h| h.state = State::Ended(Vec::new())),
            "part 2/2 has ended and part 1/2 waits for step 1",
        ),
    ] {
        let (mut hall, now) = hall();
        hall.here(here(1, ready(1)), now, 0);
        let word = hall.here(one, now, 0);
        let why = word.over.expect(says);
        assert!(why.contains(says), "{says}: {why}");
        assert_eq!(hall.here(here(1, ready(1)), now, 0).over, Some(why));
        assert!(!hall.has(1, "p1"), "no file is taken any more");
    }
}

#[test]
fn who_is_gone_or_does_not_come_ends_all_by_name() {
    let (mut hall, now) = hall();
    hall.here(here(1, State::Preparing), now, 0);
    assert!(hall.has(1, "p1") && !hall.has(1, "p2") && !hall.has(2, "p2"));
    hall.look(now + GONE);
    assert_eq!(hall.over(), None);
    hall.look(now + GONE + Duration::from_millis(1));
    assert!(hall.over().unwrap().contains("part 1/2 is gone"));
    assert!(hall.all_know(), "who is gone is not waited for");

    let late = |state: State| {
        let (mut hall, now) = self::hall();
        hall.here(here(1, ready(1)), now, 0);
        hall.here(here(2, state), now, 0);
        for second in 0..=61 {
            let now = now + Duration::from_secs(second);
            hall.seats.values_mut().for_each(|seat| seat.heard = now);
            hall.look(now);
        }
        hall.over().map(String::from)
    };
    let why = late(State::Preparing).unwrap();
    assert!(why.starts_with("part 2/2 did not come within 60"), "{why}");
    assert_eq!(late(ready(1)), None, "a step may last");
    let (mut hall, now) = self::hall();
    hall.look(now + Duration::from_secs(61));
    assert!(hall.over().unwrap().starts_with("part 1/2, part 2/2 did not come"));
}

#[test]
fn all_hear_what_they_measured_together_before_the_next_step() {
    let (mut hall, now) = hall();
    for part in [1, 2] {
        hall.here(here(part, ready(1)), now, 0);
    }
    assert_eq!(hall.here(measured(1, 1, 30.0), now, 1).joint, None);
    // Heard again, as the answer was lost; it counts once.
    assert_eq!(hall.here(measured(1, 1, 30.0), now, 2).joint, None);
    let word = hall.here(measured(2, 1, 12.0), now, 3);
    let sum = word.joint.unwrap();
    assert_eq!((sum.number, sum.rate_achieved), (1, Some(42.0)));
    assert_eq!(hall.here(here(1, State::Measured(1)), now, 4).joint, Some(sum.clone()));
    assert_eq!(hall.here(measured(2, 1, 12.0), now, 5).joint, Some(sum));
    // One decides otherwise than the other.
    assert_eq!(hall.here(here(1, State::Ready(2, "at 21/s".into())), now, 6).joint, None);
    let why = hall.here(here(2, State::Ready(2, "at 22/s".into())), now, 7).over.unwrap();
    assert!(why.contains("part 1/2 waits for step 2 (at 21/s) and part 2/2 for"), "{why}");
}

#[test]
fn a_measurement_that_is_none_or_missing_ends_all() {
    let (mut hall, now) = hall();
    let why = hall.here(measured(1, 1, -3.0), now, 0).over.unwrap();
    assert!(why.starts_with("part 1/2 sent no measurement of step 1: "), "{why}");
    let (mut hall, now) = self::hall();
    hall.here(measured(1, 1, 3.0), now, 0);
    let why = hall.here(here(2, State::Measured(1)), now, 0).over.unwrap();
    assert!(why.contains("step 1: some drivers sent no measurement"), "{why}");
    // Who does not say it is waited for.
    let (mut hall, now) = self::hall();
    for part in [1, 2] {
        hall.here(here(part, ready(1)), now, 0);
    }
    hall.here(measured(1, 1, 3.0), now, 0);
    hall.seats.values_mut().for_each(|seat| seat.heard = now + Duration::from_secs(61));
    hall.look(now + Duration::from_secs(61));
    assert!(hall.over().unwrap().starts_with("part 2/2 did not come within 60"));
}

/// Kubernetes ends all drivers of a Job when one of them was killed.
#[test]
fn who_is_gone_is_named_before_those_that_were_ended_for_it() {
    let second = Duration::from_secs(1);
    let begin = || {
        let (mut hall, now) = hall();
        hall.here(here(1, ready(1)), now, 0);
        hall.here(here(2, ready(1)), now, 0);
        (hall, now)
    };
    let interrupted = || here(2, State::Interrupted("interrupted".into()));
    let (mut hall, now) = begin();
    assert_eq!(hall.here(interrupted(), now + 2 * second, 0).over, None);
    hall.look(now + 3 * second);
    assert_eq!(hall.over(), None, "part 1 was not heard since then");
    hall.look(now + 4 * second + Duration::from_millis(1));
    assert!(hall.over().unwrap().starts_with("part 1/2 is gone"), "{:?}", hall.over());
    assert!(hall.all_know(), "neither hears of it");

    let (mut hall, now) = begin();
    hall.here(interrupted(), now + 2 * second, 0);
    assert_eq!(hall.here(here(1, ready(1)), now + 2 * second + second / 4, 0).over, None);
    hall.look(now + 2 * second + second / 4);
    assert_eq!(hall.over(), Some("part 2/2 ended: interrupted"), "nobody is silent");
    // What failed by itself is the cause at once.
    let (mut hall, now) = begin();
    hall.here(interrupted(), now + second, 0);
    let word = hall.here(here(1, State::Failed("a full disk".into())), now + second, 0);
    assert_eq!(word.over.as_deref(), Some("part 1/2 ended: a full disk"));
}
