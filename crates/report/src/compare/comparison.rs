//! A comparison of candidates with a baseline.

use hoap_record::remark::joined;
use hoap_record::{Remark, RemarkId, Result};

use super::change::Notation;
use super::comparable::{self, Difference};
use super::gate::{self, Gate, Judged, Outcome, Reason};
use super::line::ComparedLine;
use super::lines::{self, Asked, ComparedLines};
use super::side::{Side, SideRun};
use crate::run::measure::Measure;
use crate::run::remarks::line;
use crate::run::void::{self, refuse};

/// The least relative difference that matters where nobody says otherwise.
pub const RELEVANT: f64 = 0.01;

/// The relative difference that a pair of sides should be able to show.
const RESOLVED: f64 = 0.05;

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
    /// Returns `Broken` where a run is void and there is no gate that it breaks; `Invalid` where the sides do not compare, a log is
    /// broken, no step is the same, or a gate is about something that is not there.
    pub fn new(baseline: Side, candidates: Vec<Side>, question: Question) -> Result<Comparison> {
        let all: Vec<&Side> = std::iter::once(&baseline).chain(&candidates).collect();
        let Question { gates, relevant, details } = question;
        let runs = || all.iter().flat_map(|side| &side.runs);
        for SideRun { folder, run } in runs().filter(|_| gates.is_empty()) {
            refuse(run, || format!("compare {}", folder.display()))?;
        }
        let differences = comparable::differences(&all)?;
        let measure = Measure::of(baseline.first());
        let void = runs().any(|of| void::void(&of.run).is_some());
        // The numbers of a void run are none.
        let found = match void {
            true => ComparedLines::default(),
            false => {
                let asked = Asked { measure, gates: &gates, details };
                lines::lines(&baseline, &candidates, &asked, relevant)?
            }
        };
        let fewest = |candidate: &Side| candidate.runs.len().min(baseline.runs.len());
        let fewest: Vec<usize> = candidates.iter().map(fewest).collect();
        let marked = marked(&all);
        let gates = match marked.is_empty() {
            true => gate::judge(&found.lines, gates, &fewest)?,
            false => gate::break_all(gates, &marked),
        };
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
    pub fn remarks(&self) -> Vec<Remark> {
        let sides = std::iter::once(&self.baseline).chain(&self.candidates);
        let mut remarks: Vec<Remark> = sides.flat_map(Side::remarks).collect();
        if self.differences.iter().any(|d| d.name == "hoap") {
            let text = "the runs are of different versions of hoap";
            remarks.push(Remark::new(RemarkId::VersionsDiffer, text));
        }
        let single = |side: &Side| side.runs.len() == 1;
        if single(&self.baseline) && self.candidates.iter().any(single) {
            let text = "one run a side decides nothing: runs differ by more than its intervals say";
            let advice = "repeat both sides, by turns";
            remarks.push(Remark::new(RemarkId::SingleRun, text).advise(advice));
        }
        remarks.extend(self.too_few());
        joined(remarks)
    }

    /// What two runs a side leave open, and how many would decide it.
    fn too_few(&self) -> Option<Remark> {
        let few = |side: &Side| side.runs.len() == 2;
        let two = |line: &&ComparedLine| {
            line.headline && (few(&self.baseline) || few(&self.candidates[line.candidate]))
        };
        let widest = self.lines.iter().filter(two).filter_map(|line| {
            let enough = line.ratio?.runs_that_resolve(1.0 - RESOLVED, 2)?;
            Some((enough, line))
        });
        let (enough, line) = widest.max_by_key(|(enough, _)| *enough)?;
        let ((low, high), _) = line.interval()?;
        let notation = Notation::of([low, high]);
        let text = format!(
            "two runs a side are too few: the interval of {} is {}",
            line.title(),
            notation.span((low, high))
        );
        let advice =
            format!("about {enough} runs a side tell a difference of {} %", RESOLVED * 100.0);
        Some(Remark::new(RemarkId::FewRuns, text).advise(advice))
    }

    /// The lines of a candidate, by its place among the candidates.
    pub fn of(&self, candidate: usize) -> impl Iterator<Item = &ComparedLine> {
        self.lines.iter().filter(move |line| line.candidate == candidate)
    }

    /// How many gates came out so.
    pub fn gates_that(&self, outcome: Outcome) -> usize {
        self.gates.iter().filter(|gate| gate.outcome() == outcome).count()
    }
}

/// The runs that are void or failed, each a reason that breaks every gate: what they measured is no
/// evidence that a bound holds. A run of the baseline stands with the first candidate.
fn marked(all: &[&Side]) -> Vec<Reason> {
    let of_side = |(number, side): (usize, &&Side)| -> Vec<Reason> {
        let reason = |of: &SideRun| {
            let (what, why) = (of.folder.display().to_string(), void::remark(&of.run)?);
            Some(Reason { candidate: number.saturating_sub(1), what, why: line(&why, &[]) })
        };
        side.runs.iter().filter_map(reason).collect()
    };
    all.iter().enumerate().flat_map(of_side).collect()
}
