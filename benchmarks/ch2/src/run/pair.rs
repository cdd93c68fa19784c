//! Freshness, and the pair of databases that it is measured on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hoap_conduct::caller::Setting;
use hoap_database::Database;
use hoap_record::{CatchUp, Check, Remark, RemarkId, Verdict};
use hoap_workload::note::Note;
use hoap_workload::{Error, ErrorKind};

use super::flags::Flags;
use crate::beside;
use crate::freshness::{self, Board, Probes};
use crate::terminal::Terminals;

/// What a reader must know of a run that measures freshness.
pub fn cost() -> Remark {
    let text = "freshness was measured: every transaction that writes updated one small document \
                more than the benchmark asks for";
    let advice = "what is compared with it needs --freshness on too";
    Remark::new(RemarkId::FreshnessMeasured, text).advise(advice)
}

/// The databases of a hybrid run.
pub struct Pair<'a> {
    flags: &'a Flags,
    operational: Database,
    /// That of the queries, where it is another one.
    follower: Option<Database>,
    board: Option<Arc<Board>>,
}

impl<'a> Pair<'a> {
    /// The pair of a run; `terminals` are those that count for its freshness, if it is measured.
    pub fn new(
        flags: &'a Flags,
        operational: &Database,
        analytical: Option<&Database>,
        terminals: Option<&Terminals>,
    ) -> Self {
        Pair {
            flags,
            operational: operational.clone(),
            follower: analytical.filter(|_| flags.are_two()).cloned(),
            board: terminals
                .filter(|_| flags.freshness_is_measured())
                .map(|t| Board::new(t.mark())),
        }
    }

    /// The board of the counters, where freshness is measured.
    pub fn board(&self) -> Option<&Arc<Board>> {
        self.board.as_ref()
    }

    /// The probes of the run, where freshness is measured.
    pub fn probes(&self) -> Option<Probes> {
        let queried = self.follower.as_ref().unwrap_or(&self.operational);
        let every = self.flags.freshness_every.0;
        self.board.as_ref().map(|board| Probes::new(queried.clone(), board.clone(), every))
    }

    /// Before the first step: makes the counters, and waits until the database of the queries holds
    /// what that of the transactions holds. `None` where they are one.
    ///
    /// # Errors
    /// Fails where the database of the queries holds other data, or not all of it within
    /// `--catch-up-limit`.
    pub async fn begin(
        &self,
        setting: &Setting<'_>,
        loaded: &Note,
    ) -> Result<Option<CatchUp>, Error> {
        let start = Instant::now();
        if let Some(board) = &self.board {
            let shares = setting.common.conduct.shares();
            beside::prepare(&self.operational, freshness::COLLECTION, shares).await?;
            if self.follower.is_some() {
                freshness::mark(&self.operational, board).await?;
            }
        }
        let Some(follower) = &self.follower else { return Ok(None) };
        let url = follower.description().url;
        setting.say(format!("waiting until {url} has caught up"));
        let (limit, stop) = (self.flags.catch_up_limit.0, || setting.is_stopped());
        if follower.documents().is_ok() {
            freshness::same_data(follower, loaded, limit, &stop).await?;
        }
        if let Some(board) = &self.board {
            freshness::caught_up(follower, board, &board.ask(), limit, &stop).await?;
        }
        let before_seconds = seconds(start.elapsed());
        setting.say(format!("  caught up in {before_seconds:.1} s"));
        Ok(Some(CatchUp { before_seconds, after_seconds: None }))
    }

    /// After the last step: waits until the database of the queries shows all that was
    /// acknowledged. `None` where that is not asked.
    pub async fn end(
        &self,
        setting: &Setting<'_>,
        catch_up: Option<&mut CatchUp>,
    ) -> Option<Check> {
        let (Some(follower), Some(board), Some(catch_up)) = (&self.follower, &self.board, catch_up)
        else {
            return None;
        };
        setting.say("waiting until the queries see every transaction");
        let (limit, stop) = (self.flags.catch_up_limit.0, || setting.is_stopped());
        let end = freshness::caught_up(follower, board, &board.ask(), limit, &stop).await;
        let (verdict, detail) = match end {
            Ok(time) => {
                catch_up.after_seconds = Some(seconds(time));
                (Verdict::Pass, None)
            }
            Err(e) if e.kind == ErrorKind::Cancelled => {
                let why = "the run was interrupted before they did";
                (Verdict::Skip, Some(why.to_owned()))
            }
            Err(e) => (Verdict::Fail, Some(e.to_string())),
        };
        Some(Check {
            when: "after the run".into(),
            name: "queries caught up".into(),
            compares: "the last acknowledged transaction of each client with what queries see"
                .into(),
            verdict,
            checked: board.clients() as u64,
            detail,
        })
    }
}

/// Seconds to the millisecond.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}
