//! A comparison of candidates with a baseline.

use hoap_record::Result;

use super::comparable::{self, Difference};
use super::gate::{self, Gate, Judged};
use super::line::ComparedLine;
use super::lines::{self, Asked};
use super::side::{Side, SideRun};
use crate::run::measure::Measure;
use crate::run::void::refuse;

/// The least relative difference that matters where nobody says otherwise.
pub const RELEVANT: f64 = 0.01;

/// What is asked of a comparison.
#[derive(Clone, Debug)]
pub struct Question {
    /// What must not happen.
    pub gates: Vec<Gate>,
    /// The least relative difference that matters (0.01).
    pub relevant: f64,
    /// Whether the details are asked for, too, or only the headlines. The verdicts on headlines do
    /// not depend on it.
    pub details: bool,
}

/// A baseline and what was held against it.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The baseline.
    pub baseline: Side,
    /// The candidates.
    pub candidates: Vec<Side>,
    /// The least relative difference that matters.
    pub relevant: f64,
    /// What the runs measure.
    pub measure: Measure,
    /// What differs in configuration, versions and machine, a value for each side.
    pub differences: Vec<Difference>,
    /// Steps that only some sides have, and steps that are not whole, in words.
    pub left_out: Vec<String>,
    /// What was compared, candidate by candidate.
    pub lines: Vec<ComparedLine>,
    /// The results of the gates.
    pub gates: Vec<Judged>,
}

impl Comparison {
    /// Compares.
    ///
    /// # Errors
    /// Returns `Broken` where a run is void; `Invalid` where the sides do not compare, a log is
    /// broken, no step is the same, or a gate is about something that is not there.
    pub fn new(baseline: Side, candidates: Vec<Side>, question: Question) -> Result<Comparison> {
        let all: Vec<&Side> = std::iter::once(&baseline).chain(&candidates).collect();
        for SideRun { folder, run } in all.iter().flat_map(|side| &side.runs) {
            refuse(run, || format!("compare {}", folder.display()))?;
        }
        let differences = comparable::differences(&all)?;
        let measure = Measure::of(baseline.first());
        let Question { gates, relevant, details } = question;
        let asked = Asked { measure, gates: &gates, details };
        let found = lines::lines(&baseline, &candidates, &asked, relevant)?;
        let gates = gate::judge(&found.lines, gates)?;
        Ok(Comparison {
            baseline,
            candidates,
            relevant,
            measure,
            differences,
            left_out: found.left_out,
            lines: found.lines,
            gates,
        })
    }

    /// What a reader must know before the first number.
    pub fn alerts(&self) -> Vec<String> {
        let sides = std::iter::once(&self.baseline).chain(&self.candidates);
        let mut alerts: Vec<String> = sides.flat_map(Side::alerts).collect();
        if self.differences.iter().any(|d| d.name == "hoap") {
            alerts.push("the runs are of different versions of hoap".into());
        }
        let single = |side: &Side| side.runs.len() == 1;
        if single(&self.baseline) && self.candidates.iter().any(single) {
            alerts.push(
                "one run a side: intervals come from its time series and do not hold what differs from \
                 run to run; repeat with `hoap run --repeat 5` before you rely on a verdict"
                    .into(),
            );
        }
        alerts
    }

    /// The lines of a candidate, by its place among the candidates.
    pub fn of(&self, candidate: usize) -> impl Iterator<Item = &ComparedLine> {
        self.lines.iter().filter(move |line| line.candidate == candidate)
    }

    /// Gates that were broken.
    pub fn broken(&self) -> usize {
        self.gates.iter().filter(|gate| !gate.broken.is_empty()).count()
    }
}
