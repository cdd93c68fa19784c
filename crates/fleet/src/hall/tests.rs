//! What the hall decides.

use super::*;

const SECOND: i64 = 1_000_000_000;

fn here(part: u64, state: State) -> Here {
    Here {
        id: format!("p{part}"),
        part,
        of: 2,
        hoap: "1".into(),
        command: vec!["run".into(), "ycsb-a".into()],
        clock: Some(Clock { ahead_ns: part as i64 * SECOND, error_ns: 1 }),
        state,
    }
}

fn hall() -> (Hall, Instant) {
    let now = Instant::now();
    (Hall::new(2, Duration::from_secs(60), "1", now), now)
}

#[test]
fn every_step_begins_when_all_are_ready_by_the_clock_of_each() {
    let (mut hall, now) = hall();
    assert_eq!(hall.here(here(1, State::Ready(1)), now, 5).start, None);
    assert_eq!(hall.here(here(2, State::Preparing), now, 6).start, None);
    let lead = LEAD.as_nanos() as i64;
    let word = hall.here(here(2, State::Ready(1)), now, 7);
    assert_eq!(word.start, Some((1, 7 + lead + 2 * SECOND)));
    // It stays what it is, however often one asks.
    let word = hall.here(here(1, State::Ready(1)), now, 9);
    assert_eq!((word.start, word.now_ns), (Some((1, 7 + lead + SECOND)), 9));
    assert_eq!(hall.here(here(1, State::Ready(2)), now, 10).start.unwrap().0, 1);
    assert_eq!(hall.here(here(2, State::Ready(2)), now, 11).start.unwrap().0, 2);
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
        (other(|h| h.state = State::Ready(2)), "step 1 and for step 2"),
        (other(|h| h.state = State::Ended(Vec::new())), "has a step 1"),
    ] {
        let (mut hall, now) = hall();
        hall.here(here(1, State::Ready(1)), now, 0);
        let word = hall.here(one, now, 0);
        let why = word.over.expect(says);
        assert!(why.contains(says), "{says}: {why}");
        assert_eq!(hall.here(here(1, State::Ready(1)), now, 0).over, Some(why));
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
        hall.here(here(1, State::Ready(1)), now, 0);
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
    assert_eq!(late(State::Ready(1)), None, "a step may last");
    let (mut hall, now) = self::hall();
    hall.look(now + Duration::from_secs(61));
    assert!(hall.over().unwrap().starts_with("part 1/2, part 2/2 did not come"));
}
