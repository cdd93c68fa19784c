//! Who is at work on a database: marks in its note ([`crate::note::Note::at_work`]).
//!
//! Whoever writes marks the database as in use, so that nobody replaces the data meanwhile or takes
//! what another wrote for a loss. A mark ends with its work, with its time, or with its process,
//! if who looks is on the same machine.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::process::{self, Process};
use crate::{Error, ErrorKind, Result};

/// How long work is marked whose end nobody has planned.
pub const OPEN: Duration = Duration::from_secs(3600);

/// What somebody is about to do who writes.
#[derive(Clone, Debug)]
pub struct Work {
    /// The command without `hoap`: "run ch2pp".
    pub what: String,
    /// Which of several processes it is that share the work.
    pub together: Option<Together>,
    /// Whether a scheduler starts it, which starts again what has ended: a mark of the same part is
    /// of an earlier try.
    pub again: bool,
    /// Whether it goes on although others are at work.
    pub beside_others: bool,
}

/// One of several processes that share their work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Together {
    /// Its number, from 1.
    pub part: u64,
    /// How many there are.
    pub of: u64,
    /// What they do, in the same words for all of them.
    pub work: String,
}

/// A mark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AtWork {
    /// Drawn when the work began: no other mark has it.
    pub number: String,
    /// The command without `hoap`.
    pub what: String,
    /// The process.
    #[serde(flatten)]
    pub process: Process,
    /// When the work began, seconds since 1970.
    pub since: i64,
    /// When the mark ends, seconds since 1970.
    pub until: i64,
    /// Which of several processes it is that share the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// Those that were at work at the same time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
}

impl AtWork {
    /// The mark of work of this process that begins now.
    pub fn new(work: &Work) -> AtWork {
        let now = now();
        AtWork {
            number: process::number(),
            what: work.what.clone(),
            process: Process::this(),
            since: now,
            until: after(now, OPEN),
            together: work.together.clone(),
            beside: Vec::new(),
        }
    }

    /// Who does what, since when and until when.
    pub fn words(&self) -> String {
        let AtWork { what, process: Process { user, host, pid, .. }, since, until, .. } = self;
        let [since, until] = [since, until].map(|at| {
            Timestamp::from_second(*at).map_or_else(|_| at.to_string(), |at| at.to_string())
        });
        format!(
            "`hoap {what}` by {user} on {host} (process {pid}), since {since}, until {until} at \
             the latest"
        )
    }

    /// The mark ends after so long from now on.
    pub(crate) fn lasts(&mut self, time: Duration) {
        self.until = after(now(), time);
    }

    /// Why the mark no longer counts, if it does not.
    fn over(&self, now: i64) -> Option<&'static str> {
        match self.until < now {
            true => Some("its time is over"),
            false => self.process.has_ended().then_some("its process has ended"),
        }
    }

    /// The two are parts of the same work; `is` says of their numbers which are meant.
    fn shares(&self, other: &AtWork, is: impl Fn(&u64, &u64) -> bool) -> bool {
        let parts = self.together.as_ref().zip(other.together.as_ref());
        parts.is_some_and(|(a, b)| {
            self.what == other.what && (&a.work, a.of) == (&b.work, b.of) && is(&a.part, &b.part)
        })
    }
}

/// Adds a mark to those of a note. Marks that no longer count are removed, and returned in words.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] with `tried` where another is at work, unless the work may be
/// done beside it: both marks then have the other's words.
pub(crate) fn enter(
    all: &mut Vec<AtWork>,
    mine: &AtWork,
    work: &Work,
    tried: &str,
) -> Result<Vec<String>> {
    let mut ignored = Vec::new();
    all.retain(|other| {
        if let Some(why) = other.over(now()) {
            ignored.push(format!("not in use any more: {}: {why}", other.words()));
            return false;
        }
        let earlier_try = work.again && other.shares(mine, u64::eq);
        other.number != mine.number && !earlier_try
    });
    let mut beside = Vec::new();
    for other in all.iter_mut().filter(|other| !other.shares(mine, u64::ne)) {
        if !work.beside_others {
            let answer = format!("the database is in use: {}", other.words());
            return Err(Error::new(ErrorKind::Unavailable, tried, answer).advise(
                "wait, name another database, or add --beside-others if both may write at once",
            ));
        }
        beside.push(other.words());
        other.beside.push(mine.words());
    }
    all.push(AtWork { beside, ..mine.clone() });
    Ok(ignored)
}

fn now() -> i64 {
    Timestamp::now().as_second()
}

fn after(now: i64, lasts: Duration) -> i64 {
    now.saturating_add(i64::try_from(lasts.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(what: &str, part: Option<(u64, u64)>) -> Work {
        let together = part.map(|(part, of)| Together { part, of, work: "12:00".into() });
        Work { what: what.into(), together, again: false, beside_others: false }
    }

    /// What becomes of work where another is.
    fn entered(there: AtWork, work: &Work) -> (Result<Vec<String>>, Vec<AtWork>) {
        let (mut all, mine) = (vec![there], AtWork::new(work));
        (enter(&mut all, &mine, work, "work"), all)
    }

    #[test]
    fn who_writes_is_refused_where_another_is_at_work_and_told_who() {
        let run = work("run ch2pp", None);
        let there = AtWork::new(&run);
        let (end, all) = entered(there.clone(), &work("load ch2pp", Some((1, 1))));
        let e = end.unwrap_err();
        let says = [
            "in use: `hoap run ch2pp` by ",
            &format!("(process {})", std::process::id()),
            "since 20",
            "until 20",
            "--beside-others",
        ];
        assert_eq!((e.kind, all), (ErrorKind::Unavailable, vec![there.clone()]));
        says.iter().for_each(|words| assert!(e.to_string().contains(words), "{words}: {e}"));

        let beside = Work { beside_others: true, ..run };
        let (end, all) = entered(there, &beside);
        assert_eq!(end.unwrap(), Vec::<String>::new());
        let [first, second] = &all[..] else { panic!("{all:?}") };
        assert_eq!((&first.beside, &second.beside), (&vec![second.words()], &vec![first.words()]));
    }

    #[test]
    fn parts_of_the_same_work_share_it_and_a_part_is_there_once() {
        let there = work("run ch2pp", Some((1, 3)));
        for (mine, again, is) in [
            (work("run ch2pp", Some((2, 3))), false, Some(2)),
            (work("run ch2pp", Some((1, 3))), false, None),
            // What a scheduler starts it has ended.
            (work("run ch2pp", Some((1, 3))), true, Some(1)),
            (work("run ch2pp", Some((2, 4))), true, None),
            (work("run ycsb-a", Some((2, 3))), true, None),
            (work("run ch2pp", None), true, None),
        ] {
            let mine = Work { again, ..mine };
            let (end, all) = entered(AtWork::new(&there), &mine);
            assert_eq!(end.is_ok().then_some(all.len()), is, "{mine:?}");
        }
        let mut other = work("run ch2pp", Some((2, 3)));
        other.together.as_mut().unwrap().work = "13:00".into();
        assert!(entered(AtWork::new(&there), &other).0.is_err());
    }

    #[test]
    fn a_mark_past_its_time_and_one_of_a_process_that_has_ended_are_ignored_and_said() {
        let run = work("run ch2pp", None);
        let there = AtWork::new(&run);
        let is_known = !there.process.machine.is_empty();
        let gone = Process { started: "0".into(), ..there.process.clone() };
        let away = Process { machine: "another".into(), ..gone.clone() };
        for (mark, why) in [
            (AtWork { until: now() - 1, ..there.clone() }, Some("time is over")),
            (AtWork { process: gone, ..there.clone() }, is_known.then_some("process has ended")),
            (AtWork { process: away, ..there.clone() }, None),
        ] {
            let (end, all) = entered(mark, &run);
            match why {
                Some(why) => {
                    let said = end.unwrap();
                    assert!(said.len() == 1 && said[0].contains(why), "{said:?}");
                    assert_eq!(all.len(), 1);
                }
                None => assert!(end.is_err()),
            }
        }
    }
}
