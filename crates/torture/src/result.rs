//! What came of a run: the faults, what `hoap` made of the data, and what another client counted.

use hoap_record::named;
use serde::{Deserialize, Serialize};

use crate::plan::Kind;

/// A run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunOutcome {
    /// From 1; the faults are drawn from the seed and this.
    pub number: u64,
    /// Its folder within the campaign's, where it was kept.
    pub folder: Option<String>,
    /// The benchmark, as the run folder has it.
    pub benchmark: String,
    /// Seconds that the run took.
    pub seconds: f64,
    /// Operations that succeeded and failed, warm-up included.
    pub operations: u64,
    #[allow(missing_docs)]
    pub failed: u64,
    /// Exit code of `hoap run`; -1 where a signal ended it.
    pub exit: i32,
    /// What `hoap` itself made of the data.
    pub checked: Checked,
    /// What the other client found.
    pub recount: Recounted,
    /// Both together.
    pub verdict: Verdict,
    /// The faults that occurred.
    pub faults: Vec<FaultOutcome>,
}

/// What `hoap` made of the data after the faults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "found", content = "detail")]
pub enum Checked {
    /// Every check held.
    Sound,
    /// These checks failed, with their details.
    Wrong(Vec<String>),
    /// The database could not be reached.
    Unknown(String),
    /// The command itself failed.
    Broken(String),
}

impl Checked {
    /// In words.
    pub fn in_words(&self) -> String {
        match self {
            Checked::Sound => "every check held".into(),
            Checked::Wrong(checks) => checks.join("; "),
            Checked::Unknown(detail) | Checked::Broken(detail) => detail.clone(),
        }
    }
}

/// What another client found of what was acknowledged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "recounted")]
pub enum Recounted {
    /// It counted.
    Yes(Count),
    /// It did not.
    No {
        /// Why.
        why: String,
    },
}

/// Writes by how they ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// The client's name.
    pub by: String,
    /// Acknowledged writes that were looked for.
    pub acknowledged: u64,
    /// Those of them that are not there.
    pub lost: u64,
    /// Writes of unknown outcome.
    pub ambiguous: u64,
    /// Those of them that are there.
    pub present: u64,
    /// Those that are not, or that a later write replaced.
    pub absent: u64,
    /// Writes that are there although nobody made them.
    pub added: u64,
    /// The first that are lost or added, in words.
    pub examples: Vec<String>,
}

named! {
    /// What `hoap` said, held against the recount.
    #[derive(PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    Verdict, "verdict":
    /// Nothing is lost, and `hoap` said so.
    Sound = "sound",
    /// Something is lost, and `hoap` said so.
    LossFound = "loss, found",
    /// Something is lost, and `hoap` did not notice.
    LossUnnoticed = "LOSS, UNNOTICED",
    /// Nothing is lost, and a check failed.
    FalseAlarm = "FALSE ALARM",
    /// `hoap` said that nothing is lost, and nobody recounted.
    SoundNotRecounted = "sound, not recounted",
    /// `hoap` said that something is wrong, and nobody recounted.
    WrongNotRecounted = "wrong, not recounted",
    /// `hoap` said that it does not know.
    Unknown = "unknown",
    /// `hoap` ended as it must not: a panic, a hang, an error.
    Broken = "BROKEN",
}

impl Verdict {
    /// Holds what `hoap` said against the recount.
    pub fn of(checked: &Checked, recount: &Recounted) -> Verdict {
        let lost = match recount {
            Recounted::Yes(count) => Some(count.lost + count.added > 0),
            Recounted::No { .. } => None,
        };
        match (checked, lost) {
            (Checked::Broken(_), _) => Verdict::Broken,
            (Checked::Unknown(_), _) => Verdict::Unknown,
            (Checked::Sound, Some(false)) => Verdict::Sound,
            (Checked::Sound, Some(true)) => Verdict::LossUnnoticed,
            (Checked::Sound, None) => Verdict::SoundNotRecounted,
            (Checked::Wrong(_), Some(true)) => Verdict::LossFound,
            (Checked::Wrong(_), Some(false)) => Verdict::FalseAlarm,
            (Checked::Wrong(_), None) => Verdict::WrongNotRecounted,
        }
    }

    /// Whether it is a fault of `hoap`, or of a database that promised durability.
    pub fn is_bad(self, durable: bool) -> bool {
        match self {
            Verdict::Sound | Verdict::SoundNotRecounted => false,
            Verdict::LossFound | Verdict::WrongNotRecounted => durable,
            Verdict::LossUnnoticed | Verdict::FalseAlarm | Verdict::Unknown | Verdict::Broken => {
                true
            }
        }
    }
}

/// A fault that occurred.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultOutcome {
    /// What happened.
    pub kind: Kind,
    /// When, seconds since the run's start.
    pub at_seconds: f64,
    /// Until it was lifted: the restart begun, the process continued, the network whole.
    pub lasted_seconds: f64,
    /// What exactly, in words.
    pub detail: String,
    /// The longest time without a success that it caused, seconds, exact to a tick. `None` if none
    /// followed.
    pub outage_seconds: Option<f64>,
    /// The part of that time after the fault's end, seconds.
    pub recovery_seconds: Option<f64>,
    /// Operations that failed until the next fault.
    pub failed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hoaps_word_is_held_against_the_recount() {
        let count = |lost, added| Recounted::Yes(Count { lost, added, ..Count::default() });
        let nobody = Recounted::No { why: "no client".into() };
        let wrong = Checked::Wrong(vec!["nothing lost".into()]);
        let unknown = Checked::Unknown("gone".into());
        for (checked, recount, verdict, bad) in [
            (&Checked::Sound, count(0, 0), Verdict::Sound, [false, false]),
            (&Checked::Sound, count(1, 0), Verdict::LossUnnoticed, [true, true]),
            (&Checked::Sound, count(0, 1), Verdict::LossUnnoticed, [true, true]),
            (&Checked::Sound, nobody.clone(), Verdict::SoundNotRecounted, [false, false]),
            (&wrong, count(3, 0), Verdict::LossFound, [false, true]),
            (&wrong, count(0, 0), Verdict::FalseAlarm, [true, true]),
            (&wrong, nobody.clone(), Verdict::WrongNotRecounted, [false, true]),
            (&unknown, count(0, 0), Verdict::Unknown, [true, true]),
            (&Checked::Broken("panic".into()), nobody, Verdict::Broken, [true, true]),
        ] {
            assert_eq!(Verdict::of(checked, &recount), verdict);
            assert_eq!([verdict.is_bad(false), verdict.is_bad(true)], bad, "{verdict:?}");
        }
    }
}
