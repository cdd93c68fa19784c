//! Remarks: what a reader must know before the first number. The table in this file has all of
//! them. Programs go by the [`id`](Remark::id) and its severity, people by the text.

use std::collections::HashMap;

use hoap_data::named;
use serde::{Deserialize, Serialize, Serializer};

/// What a remark says of the numbers, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// They are of no correct database: they are neither compared, averaged nor priced.
    Void,
    /// They stand, and are of a run that broke what it was held to.
    Fails,
    /// They are not, or not only, what their names say.
    Warns,
    /// They stand; what was done beside the benchmark or is shown elsewhere.
    Note,
}

/// The mark of the numbers of a void run.
pub const VOID: &str = "VOID";
/// The mark of the numbers of a run that broke a bound.
pub const FAILED: &str = "FAILED";

macro_rules! remarks {
    ($($(#[$meaning:meta])+ $Id:ident = $name:literal: $severity:ident $($mark:expr)?,)+) => {
        named! {
            /// What a remark is about: a word of this table, with its severity and, of some, a mark.
            #[derive(Hash, Serialize, Deserialize)]
            #[serde(rename_all = "kebab-case")]
            RemarkId, "remark":
            $($(#[$meaning])+ $Id = $name,)+
        }

        impl RemarkId {
            /// What it says of the numbers.
            pub const fn severity(self) -> Severity {
                match self {
                    $(RemarkId::$Id => Severity::$severity,)+
                }
            }

            /// The word that stands before its text, if it has one.
            pub const fn mark(self) -> Option<&'static str> {
                match self {
                    $(RemarkId::$Id => marked(&[$($mark)?]),)+
                }
            }
        }
    };
}

const fn marked(mark: &[&'static str]) -> Option<&'static str> {
    match mark {
        [mark, ..] => Some(mark),
        [] => None,
    }
}

remarks! {
    // What readers find in the other fields of a record.
    /// A check of the data or of answers failed.
    CheckFailed = "check-failed": Void VOID,
    /// The run broke a bound on failures or response times.
    BoundBroken = "bound-broken": Fails FAILED,
    /// The run is not whole.
    Partial = "partial": Warns "partial",
    /// An error ended the run, as `--on-error` says.
    EndedByError = "ended-by-error": Warns,
    /// A step is not whole.
    StepPartial = "step-partial": Warns "partial",
    /// An open loop did not reach its rate.
    RateNotReached = "rate-not-reached": Warns,
    /// More operations or queries failed than `--warn-failures` allows.
    ManyFailures = "many-failures": Warns,
    /// For a time nothing succeeded.
    NothingSucceeded = "nothing-succeeded": Warns,
    /// Operations hung when the window ended.
    OperationsHung = "operations-hung": Warns,
    /// Queries hung when the window ended.
    QueriesHung = "queries-hung": Warns,
    /// Operations or queries found nothing.
    NothingFound = "nothing-found": Warns,
    /// Lines of the audit failed.
    AuditFailed = "audit-failed": Warns,
    /// Files that the record names are not in the run folder.
    FilesMissing = "files-missing": Warns,

    // What a run writes of itself.
    /// Nobody looked at the data (`--check off`).
    Unchecked = "unchecked": Warns "UNCHECKED",
    /// The data was scaled down.
    ScaledDown = "scaled-down": Warns,
    /// The run added so many orders that its steps do not compare.
    OrdersGrew = "orders-grew": Warns,
    /// The database warned of a query.
    DatabaseWarned = "database-warned": Warns,
    /// Throughput was not steady when the window began.
    NotSteady = "not-steady": Warns,
    /// Throughput changed from one level to another within the window.
    LevelChanged = "level-changed": Warns,
    /// Throughput drifted over the window.
    LevelDrifted = "level-drifted": Warns,
    /// Throughput and response times account for another number of clients than there were.
    ClientsUnaccounted = "clients-unaccounted": Warns,
    /// The driver's process did not run for a time.
    StoodStill = "stood-still": Warns,
    /// A CPU limit held the driver back.
    HeldBack = "held-back": Warns,
    /// Other machines on the host took CPU of the driver's machine.
    CpuStolen = "cpu-stolen": Warns,
    /// The driver's machine began operations late.
    BegunLate = "begun-late": Warns,
    /// The driver's process was at its limit.
    DriverBusy = "driver-busy": Warns,
    /// Other processes took the driver's cores.
    CoresTaken = "cores-taken": Warns,
    /// Plans of queries are missing.
    PlansMissing = "plans-missing": Warns,
    /// Answers of queries are missing.
    AnswersMissing = "answers-missing": Warns,
    /// The documents of the witness were not read at the end.
    WitnessNotRead = "witness-not-read": Warns,
    /// The documents of the witness are still in the database.
    WitnessNotRemoved = "witness-not-removed": Warns,
    /// Another wrote to the database at the same time (`--beside-others`).
    BesideOthers = "beside-others": Warns,
    /// The witness ended before the run did.
    WitnessFull = "witness-full": Note,
    /// The clients gave a share of their time to the witness.
    WitnessRan = "witness-ran": Note,
    /// Freshness was measured, which costs writes.
    FreshnessMeasured = "freshness-measured": Note,
    /// The run began on what the repetitions before it left.
    Repeated = "repeated": Note,

    // What a merge writes.
    /// The drivers' windows overlap only mostly.
    WindowsApart = "windows-apart": Warns,
    /// Freshness stands in the drivers' own folders.
    FreshnessNotMerged = "freshness-not-merged": Note,

    // What is said of several runs or campaigns side by side.
    /// They measure freshness otherwise.
    FreshnessDiffers = "freshness-differs": Warns,
    /// They are of different versions of hoap.
    VersionsDiffer = "versions-differ": Warns,
    /// A side of a comparison is a single run.
    SingleRun = "single-run": Warns,
    /// A side of a comparison is two runs, too few to resolve what matters.
    FewRuns = "few-runs": Warns,
    /// An experiment was rehearsed, divided by a number.
    Rehearsal = "rehearsal": Warns "REHEARSAL",
    /// Runs of an experiment are missing.
    ExperimentNotWhole = "experiment-not-whole": Warns,
    /// A run of a campaign of faults ended badly.
    FaultRunBad = "fault-run-bad": Fails,
    /// A campaign of faults is not finished.
    CampaignNotFinished = "campaign-not-finished": Warns,
}

/// Something that a reader must know before the first number.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Remark {
    /// What it is about.
    pub id: RemarkId,
    /// The numbers of the steps that it is about; none where it is about the run.
    #[serde(default)]
    pub steps: Vec<usize>,
    /// Of several runs the names of those that it is about: drivers of a merged run, runs beside
    /// each other. None where it is about all.
    #[serde(default)]
    pub runs: Vec<String>,
    /// A sentence.
    pub text: String,
    /// What the user can do about it.
    #[serde(default)]
    pub advice: Option<String>,
}

impl Remark {
    /// A remark about the run.
    pub fn new(id: RemarkId, text: impl Into<String>) -> Remark {
        let (steps, runs) = (Vec::new(), Vec::new());
        Remark { id, steps, runs, text: text.into(), advice: None }
    }

    /// The same with advice to the user.
    pub fn advise(self, advice: impl Into<String>) -> Remark {
        Remark { advice: Some(advice.into()), ..self }
    }

    /// The same about the step of this number.
    pub fn of_step(self, number: usize) -> Remark {
        Remark { steps: vec![number], ..self }
    }

    /// The same about one of several runs.
    pub fn of_run(self, name: impl Into<String>) -> Remark {
        Remark { runs: vec![name.into()], ..self }
    }

    /// What it says of the numbers.
    pub fn severity(&self) -> Severity {
        self.id.severity()
    }
}

/// With its severity, for readers that do not have the table.
impl Serialize for Remark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            id: RemarkId,
            severity: Severity,
            steps: &'a [usize],
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            runs: &'a [String],
            text: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            advice: Option<&'a str>,
        }
        let Remark { id, steps, runs, text, advice } = self;
        let severity = self.severity();
        Written { id: *id, severity, steps, runs, text, advice: advice.as_deref() }
            .serialize(serializer)
    }
}

/// Each remark once, by severity, else in the order in which they came: those with the same words,
/// of steps or of the whole, join their steps and runs.
pub fn joined(all: impl IntoIterator<Item = Remark>) -> Vec<Remark> {
    let mut places = HashMap::new();
    let mut once: Vec<Remark> = Vec::new();
    for remark in all {
        let of_steps = !remark.steps.is_empty();
        let words = (remark.id, of_steps, remark.text.clone(), remark.advice.clone());
        let place = *places.entry(words).or_insert(once.len());
        match once.get_mut(place) {
            Some(known) => {
                known.steps.extend(remark.steps);
                known.runs.extend(remark.runs);
            }
            None => once.push(remark),
        }
    }
    for Remark { steps, runs, .. } in &mut once {
        steps.sort_unstable();
        steps.dedup();
        let mut seen = std::collections::HashSet::new();
        runs.retain(|name| seen.insert(name.clone()));
    }
    once.sort_by_key(Remark::severity);
    once
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_id_is_written_by_its_name() {
        for id in RemarkId::ALL {
            assert_eq!(json!(id), id.name());
        }
    }

    #[test]
    fn a_remark_is_written_with_the_severity_of_its_id_and_read_without() {
        let remark =
            Remark::new(RemarkId::HeldBack, "a limit held it back").advise("more CPU").of_step(2);
        let written = json!({
            "id": "held-back", "severity": "warns", "steps": [2], "text": "a limit held it back",
            "advice": "more CPU",
        });
        assert_eq!(json!(remark), written);
        let lie = json!({ "id": "held-back", "severity": "void", "steps": [2],
            "text": "a limit held it back", "advice": "more CPU", "news": 1 });
        assert_eq!(serde_json::from_value::<Remark>(lie).unwrap(), remark);
        let unknown = json!({ "id": "what", "text": "" });
        assert!(serde_json::from_value::<Remark>(unknown).is_err());
    }

    #[test]
    fn the_same_words_are_said_once_of_all_their_steps_and_runs_and_the_gravest_first() {
        let of = |id, text: &str, step: usize, run: &str| match step {
            0 => Remark::new(id, text).of_run(run),
            _ => Remark::new(id, text).of_step(step).of_run(run),
        };
        let all = joined([
            of(RemarkId::WitnessRan, "b", 0, "x"),
            of(RemarkId::HeldBack, "a", 3, "x"),
            of(RemarkId::HeldBack, "a", 0, "x"),
            of(RemarkId::CpuStolen, "a", 3, "x"),
            of(RemarkId::HeldBack, "a", 1, "y"),
            of(RemarkId::HeldBack, "a", 3, "y"),
            of(RemarkId::BoundBroken, "c", 0, "y"),
        ]);
        let told = all.iter().map(|r| (r.id, &r.text[..], &r.steps[..], r.runs.len()));
        let told: Vec<_> = told.collect();
        let wanted: [(RemarkId, &str, &[usize], usize); 5] = [
            (RemarkId::BoundBroken, "c", &[], 1),
            (RemarkId::HeldBack, "a", &[1, 3], 2),
            (RemarkId::HeldBack, "a", &[], 1),
            (RemarkId::CpuStolen, "a", &[3], 1),
            (RemarkId::WitnessRan, "b", &[], 1),
        ];
        assert_eq!(told, wanted);
    }
}
