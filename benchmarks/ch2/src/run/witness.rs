//! The witness of a run, and its verdict.

use std::sync::Arc;

use hoap_conduct::caller::Setting;
use hoap_database::Database;
use hoap_isolation::judge;
use hoap_record::{Check, Level, Remark, RemarkId, Run, RunFolder, Verdict, Witness};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};

use super::flags::Flags;
use crate::terminal::Terminals;
use crate::witness::Witnesses;

/// What a reader must know of a run with a witness.
pub fn cost() -> Remark {
    let text = "the transaction clients gave a share of their time to --witness";
    Remark::new(RemarkId::WitnessRan, text)
}

/// The witness of a run.
pub struct Judge {
    pub witnesses: Arc<Witnesses>,
    target: Database,
    keep: bool,
}

impl Judge {
    /// The witness beside these terminals, where one was asked for.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where there are no terminals.
    pub fn new(
        setting: &Setting<'_>,
        flags: &Flags,
        target: &Database,
        terminals: Option<&Terminals>,
    ) -> Result<Option<Judge>> {
        let Some(share) = flags.witness else { return Ok(None) };
        let Some(terminals) = terminals else {
            let answer = "--witness wants --tx-clients above 0";
            return Err(Error::new(ErrorKind::Invalid, "plan the run", answer));
        };
        let witnesses = Witnesses::new(terminals.mark(), setting.common.own_seed(), share.0);
        Ok(Some(Judge { witnesses, target: target.clone(), keep: flags.keep_witness }))
    }

    /// Makes the documents.
    ///
    /// # Errors
    /// Returns the errors of the database.
    pub async fn before(&self, setting: &Setting<'_>) -> Result<()> {
        self.witnesses.prepare(&self.target, setting.common.conduct.shares()).await
    }

    /// Reads the documents once more, judges all that was read and writes it into the folder. Then
    /// removes the documents.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where the folder cannot be written.
    pub async fn end(
        &self,
        setting: &Setting<'_>,
        folder: &RunFolder,
        record: &mut Run,
    ) -> Result<Vec<Check>> {
        setting.say("judging the isolation");
        let history = self.witnesses.history(&self.target).await.unwrap_or_else(|e| {
            let text = format!("the documents of the witness were not read at the end: {e}");
            record.remarks.push(Remark::new(RemarkId::WitnessNotRead, text));
            self.witnesses.so_far()
        });
        folder.write_history(&history)?;
        if !self.keep
            && let Err(e) = self.witnesses.remove(&self.target).await
        {
            let text = format!("the documents of the witness were not removed: {e}");
            record.remarks.push(Remark::new(RemarkId::WitnessNotRemoved, text));
        }
        if let Some(after) = self.witnesses.full_after() {
            let text = format!("the witness was full and ended after {} s", after.as_secs());
            record.remarks.push(Remark::new(RemarkId::WitnessFull, text));
        }
        let promised = self.target.transactions().ok().and_then(|of| of.isolation());
        let witness = judge(&history, promised)
            .map_err(|e| Error::new(ErrorKind::Broken, "judge the isolation", e))?;
        let check = check(&witness);
        record.witness = Some(witness);
        Ok(vec![check])
    }
}

/// Whether the history keeps the promise.
fn check(witness: &Witness) -> Check {
    let Witness { committed, promised, .. } = witness;
    let worst = witness.anomalies.first().map(|anomaly| {
        let times = counted(anomaly.count as usize, "time", "times");
        format!("{}, {times}: {}", anomaly.name, anomaly.example.words.join(" "))
    });
    let found = witness.found.map_or("not even read uncommitted", Level::name);
    let (verdict, detail) = match promised {
        _ if *committed == 0 => {
            (Verdict::Skip, Some("no transaction of the witness committed".to_owned()))
        }
        None => {
            let worst = worst.unwrap_or_else(|| "no anomaly was met".into());
            (Verdict::Skip, Some(format!("none is promised; seen: {found}; {worst}")))
        }
        Some(_) if witness.broken() => {
            (Verdict::Fail, Some(format!("seen: {found}; {}", worst.unwrap_or_default())))
        }
        Some(_) => (Verdict::Pass, None),
    };
    Check {
        when: "during the run".into(),
        name: "isolation".into(),
        compares: match promised {
            Some(level) => format!("what transactions on shared lists read with {level}"),
            None => "what transactions on shared lists read with the levels of isolation".into(),
        },
        verdict,
        checked: *committed,
        detail,
    }
}

#[cfg(test)]
mod tests {
    use hoap_record::history::{Attempt, Did, End};

    use super::*;

    fn attempt(did: Vec<Did>) -> Attempt {
        Attempt { client: 0, from_ns: 0, to_ns: 1, end: End::Committed, did }
    }

    fn verdict(history: &[Attempt], promised: Option<Level>) -> (Verdict, String) {
        let check = check(&judge(history, promised).unwrap());
        (check.verdict, check.detail.unwrap_or_default())
    }

    #[test]
    fn less_than_the_promise_fails_and_more_or_none_does_not() {
        let lost = [1, 2].map(|v| attempt(vec![Did::Read(0, Vec::new()), Did::Write(0, v)]));
        let (failed, detail) = verdict(&lost, Some(Level::Snapshot));
        assert_eq!(failed, Verdict::Fail);
        let says =
            "seen: read committed; lost update (P4), 1 time: T1 read document 0 without T2's";
        assert!(detail.starts_with(says), "{detail}");
        assert_eq!(verdict(&lost, Some(Level::ReadCommitted)), (Verdict::Pass, String::new()));
        let (skipped, detail) = verdict(&lost, None);
        assert_eq!(skipped, Verdict::Skip);
        assert!(detail.starts_with("none is promised; seen: read committed; lost"), "{detail}");
        let (skipped, detail) = verdict(&lost[..1], None);
        assert_eq!(skipped, Verdict::Skip);
        assert!(detail.ends_with("seen: strict serializable; no anomaly was met"), "{detail}");
        let nothing = [attempt(vec![Did::Read(0, vec![9])])];
        let (failed, detail) = verdict(&nothing, Some(Level::ReadUncommitted));
        assert!(failed == Verdict::Fail && detail.contains("not even"), "{detail}");
    }

    #[test]
    fn where_nothing_committed_nothing_is_known() {
        let (skipped, detail) = verdict(&[], Some(Level::Serializable));
        assert_eq!((skipped, &*detail), (Verdict::Skip, "no transaction of the witness committed"));
    }
}
