//! Bounds that a candidate must keep: `tpm<-5%`, `p99[NewOrder]>1.2x:sure`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use hoap_record::words::counted;
use hoap_record::{Error, ErrorKind, Result};

use super::change::{Notation, change, with_interval};
use super::line::{ComparedLine, Scope};
use super::metric::Metric;
use crate::statistics::Ratio;

/// What fails a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// As it was written.
    text: String,
    subject: Subject,
    /// The kind of operation or the query; all where none is named.
    kind: Option<String>,
    /// Whether it fails below the bound, not above it.
    below: bool,
    /// The bound of candidate ÷ baseline.
    bound: f64,
    proof: Proof,
}

/// What a gate looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Subject {
    /// A quantity of each step.
    Metric(Metric),
    /// The geometric mean of the headline over the steps.
    Overall,
}

/// When a bound counts as crossed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Proof {
    /// Broken if the ratio lies beyond the bound and the difference between the sides is real; held
    /// if no part of the interval lies beyond it; else not proven.
    Real,
    /// The ratio lies beyond the bound, chance or not.
    Point,
    /// The whole interval lies beyond the bound.
    Sure,
    /// Any of the interval lies beyond the bound: the candidate must prove that it holds.
    Strict,
}

const PROOFS: [(&str, Proof); 3] =
    [("point", Proof::Point), ("sure", Proof::Sure), ("strict", Proof::Strict)];

/// The result of a gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The gate.
    pub gate: Gate,
    /// How many lines it looked at.
    pub looked_at: usize,
    /// Where it was broken.
    pub broken: Vec<Reason>,
    /// Where it is not proven to hold.
    pub unproven: Vec<Reason>,
}

/// What came of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds everywhere: no interval reaches the bound.
    Holds,
    /// It is broken somewhere.
    Broken,
    /// Somewhere what was measured can neither hold nor break it.
    NotProven,
}

impl Outcome {
    /// Its words.
    pub fn words(self) -> &'static str {
        match self {
            Outcome::Holds => "holds",
            Outcome::Broken => "broken",
            Outcome::NotProven => "not proven",
        }
    }
}

impl Judged {
    /// The worst of its lines.
    pub fn outcome(&self) -> Outcome {
        match (self.broken.is_empty(), self.unproven.is_empty()) {
            (false, _) => Outcome::Broken,
            (true, false) => Outcome::NotProven,
            (true, true) => Outcome::Holds,
        }
    }
}

/// Where and why a gate was broken, or is not proven to hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// Which candidate, from 0.
    pub candidate: usize,
    /// "4 tx, 1 query: NewOrder p99", or the folder of a run.
    pub what: String,
    /// "+12 % (+4.1 … +21 %)".
    pub why: String,
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn subjects() -> Vec<(&'static str, Subject)> {
    Metric::all()
        .map(|metric| (metric.name(), Subject::Metric(metric)))
        .chain([("overall", Subject::Overall)])
        .collect()
}

impl FromStr for Gate {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let all = subjects();
        let wrong = |what: String| {
            format!(
                "{what}; a bound is METRIC[KIND]<BOUND or METRIC[KIND]>BOUND, such as tpm<-5% or p99[NewOrder]>1.2x"
            )
        };
        let text = text.trim();
        let at = text.find(['<', '>']).ok_or_else(|| wrong(format!("no < or > in {text:?}")))?;
        let (left, right) = (text[..at].trim(), text[at + 1..].trim());
        let (name, kind) = match left.split_once('[') {
            None => (left, None),
            Some((name, kind)) => {
                let kind = kind.strip_suffix(']').filter(|kind| !kind.is_empty());
                let kind =
                    kind.ok_or_else(|| wrong(format!("no kind between [ and ] in {left:?}")))?;
                (name.trim(), Some(kind.to_owned()))
            }
        };
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        let subject = all
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, subject)| *subject)
            .ok_or_else(|| wrong(format!("no metric {name:?}, there are {}", names.join(", "))))?;
        let takes_kind = matches!(
            subject,
            Subject::Metric(Metric::Percentile(_) | Metric::Query | Metric::Failures)
        );
        if kind.is_some() && !takes_kind {
            return Err(wrong(format!("{name} has no kinds")));
        }
        let (bound, proof) = match right.split_once(':') {
            None => (right, Proof::Real),
            Some((bound, word)) => {
                let known = PROOFS.iter().find(|(name, _)| *name == word.trim());
                let proof = known.map(|(_, proof)| *proof);
                let names = PROOFS.map(|(name, _)| name).join(", ");
                (
                    bound,
                    proof.ok_or_else(|| wrong(format!("no proof {word:?}, there are {names}")))?,
                )
            }
        };
        let number = |digits: &str| digits.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        let bound = if let Some(percent) = bound.trim().strip_suffix('%') {
            number(percent).map(|percent| 1.0 + percent / 100.0)
        } else {
            bound.trim().strip_suffix('x').and_then(number)
        };
        let bound = bound.filter(|ratio| *ratio > 0.0).ok_or_else(|| {
            wrong(format!("no change above -100% and no factor above 0x in {right:?}"))
        })?;
        let below = text[at..].starts_with('<');
        Ok(Gate { text: text.to_owned(), subject, kind, below, bound, proof })
    }
}

impl Gate {
    /// Whether it looks at this quantity.
    pub fn is_about(&self, metric: Metric) -> bool {
        self.subject == Subject::Metric(metric)
    }

    fn looks_at(&self, line: &ComparedLine) -> bool {
        let overall = matches!(line.place, Scope::Overall(_));
        let subject = match self.subject {
            Subject::Overall => overall && line.metric != Metric::Power,
            Subject::Metric(metric) => !overall && line.metric == metric,
        };
        let kind =
            |name: &String| line.kind.as_ref().is_some_and(|kind| kind.eq_ignore_ascii_case(name));
        subject && self.kind.as_ref().is_none_or(kind)
    }

    fn crossed(&self, ratio: f64) -> bool {
        if self.below { ratio < self.bound } else { ratio > self.bound }
    }

    /// What came of a line that does not hold it, and why. A line that cannot be judged breaks it,
    /// because a gate must be able to fail. `runs` are those of the side that has fewer.
    fn finding(&self, line: &ComparedLine, runs: usize) -> Option<(Outcome, String)> {
        if let (Some(stopped), Some(nothing)) = (line.stopped, line.nothing()) {
            let crossed = match stopped {
                Ordering::Less => self.crossed(0.0),
                Ordering::Greater => self.crossed(f64::INFINITY),
                Ordering::Equal => {
                    return Some((Outcome::Broken, format!("cannot be judged: {nothing}")));
                }
            };
            return crossed.then(|| (Outcome::Broken, nothing.to_owned()));
        }
        let Some(ratio) = line.ratio else {
            let why = |side: &str, value: &std::result::Result<_, String>| {
                let why = value.as_ref().err()?;
                Some((Outcome::Broken, format!("cannot be judged: {side}: {why}")))
            };
            return why("candidate", &line.candidate_value)
                .or_else(|| why("baseline", &line.baseline));
        };
        let point = self.crossed(ratio.value);
        let interval = line.interval();
        let outcome = match (self.proof, interval.map(|(interval, _)| interval)) {
            (Proof::Point, _) => holds_unless(point),
            (Proof::Real, _) if line.finding.real && point => Outcome::Broken,
            (Proof::Real, Some((low, high))) => match line.interval() {
                Some((_, false)) if !self.crossed(low) && !self.crossed(high) => Outcome::Holds,
                _ => Outcome::NotProven,
            },
            (Proof::Real, None) => Outcome::NotProven,
            (Proof::Sure, Some((low, high))) => {
                holds_unless(self.crossed(low) && self.crossed(high))
            }
            (Proof::Strict, Some((low, high))) => {
                holds_unless(self.crossed(low) || self.crossed(high))
            }
            (Proof::Strict, None) => {
                return Some((Outcome::Broken, "cannot be judged: no interval".into()));
            }
            (Proof::Sure, None) => holds_unless(point),
        };
        let why = match outcome {
            Outcome::Holds => return None,
            Outcome::Broken => self.shown(ratio.value, interval),
            Outcome::NotProven => {
                let shown = self.shown(ratio.value, interval);
                format!("{shown}: {}", self.missing(&ratio, interval, runs))
            }
        };
        Some((outcome, why))
    }

    /// "−28.4 % (−56.9 … +18.8 %)".
    fn shown(&self, ratio: f64, interval: Option<((f64, f64), bool)>) -> String {
        let unsure = match (interval, self.proof) {
            (None, Proof::Sure) => ", and chance cannot be excluded: no interval",
            _ => "",
        };
        format!("{}{unsure}", with_interval(ratio, interval))
    }

    /// What is missing for a decision, and how to get it.
    fn missing(&self, ratio: &Ratio, interval: Option<((f64, f64), bool)>, runs: usize) -> String {
        let Some(((low, high), within)) = interval else {
            return "no interval; repeat both sides".into();
        };
        if within {
            return "one run a side does not show what differs from run to run; repeat both sides, \
                    by turns"
                .into();
        }
        let notation = Notation::of([ratio.value, low, high]);
        let worst = notation.change(if self.below { low } else { high });
        let possible = format!("{worst} is possible");
        match ratio.runs_that_resolve(self.bound, runs) {
            Some(enough) => {
                let more = counted(enough - runs, "more run", "more runs");
                format!("{possible}; about {more} a side resolve {}", change(self.bound))
            }
            None => possible,
        }
    }
}

fn holds_unless(broken: bool) -> Outcome {
    if broken { Outcome::Broken } else { Outcome::Holds }
}

/// Holds the lines of a comparison of these sides against the gates. `runs` has, for each candidate,
/// the number of runs of it or of the baseline, whichever is less.
///
/// # Errors
/// Returns `Invalid` where a gate looks at nothing.
pub fn judge(lines: &[ComparedLine], gates: Vec<Gate>, runs: &[usize]) -> Result<Vec<Judged>> {
    gates
        .into_iter()
        .map(|gate| {
            let lines: Vec<&ComparedLine> =
                lines.iter().filter(|line| gate.looks_at(line)).collect();
            if lines.is_empty() {
                let tried = format!("hold --fail-if {gate}");
                return Err(Error::new(ErrorKind::Invalid, tried, "these runs have nothing of it")
                    .advise("name what the comparison shows"));
            }
            let looked_at = lines.len();
            let mut judged = Judged { gate, looked_at, broken: Vec::new(), unproven: Vec::new() };
            for line in lines {
                let found = judged.gate.finding(line, runs[line.candidate]);
                let Some((outcome, why)) = found else { continue };
                let what = match &line.place {
                    Scope::Overall(_) => format!("all steps: {}", line.title()),
                    Scope::Step(step) => format!("{step}: {}", line.title()),
                };
                let reason = Reason { candidate: line.candidate, what, why };
                match outcome {
                    Outcome::NotProven => judged.unproven.push(reason),
                    _ => judged.broken.push(reason),
                }
            }
            Ok(judged)
        })
        .collect()
}

/// Breaks every gate by these reasons.
pub fn break_all(gates: Vec<Gate>, reasons: &[Reason]) -> Vec<Judged> {
    let broken =
        |gate| Judged { gate, looked_at: 0, broken: reasons.to_vec(), unproven: Vec::new() };
    gates.into_iter().map(broken).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_written_with_its_point() {
        let gate = |text: &str| text.parse::<Gate>();
        let about = gate("p99.9>1.2x").unwrap();
        assert!(about.is_about(Metric::Percentile(hoap_record::Percentile::P999)));
        gate("p999>1.2x").unwrap_err();
        let names = gate("p98>1.2x").unwrap_err();
        assert!(names.contains("p99, p99.9") && !names.contains("max"), "{names}");
    }

    #[test]
    fn bounds_read_what_users_type() {
        let gate: Gate = "tpm<-5%".parse().unwrap();
        assert_eq!((gate.subject, gate.below), (Subject::Metric(Metric::Tpm), true));
        assert!((gate.bound - 0.95).abs() < 1e-12);
        let gate: Gate = " p99[NewOrder] > 1.2x:sure ".parse().unwrap();
        assert_eq!(gate.kind.as_deref(), Some("NewOrder"));
        assert_eq!((gate.bound, gate.proof, gate.below), (1.2, Proof::Sure, false));
        let gate: Gate = "query[q07]>+50%:strict".parse().unwrap();
        assert_eq!((gate.bound, gate.proof), (1.5, Proof::Strict));
        assert_eq!("overall<-3%".parse::<Gate>().unwrap().subject, Subject::Overall);
    }

    #[test]
    fn bounds_that_mean_nothing_are_refused_with_what_would() {
        for wrong in [
            "",
            "tpm",
            "tpm<",
            "tpm<5",
            "tpm<-100%",
            "tpm<-200%",
            "tpm>0x",
            "tpm>-1x",
            "tps<-5%",
            "<5%",
            "tpm[NewOrder]<-5%",
            "p99[]>5%",
            "p99[x>5%",
            "p99>5%:maybe",
            "p99>NaN%",
            "p99>infx",
            "p42>5%",
        ] {
            let error = wrong.parse::<Gate>().unwrap_err();
            assert!(error.contains("such as"), "{wrong}: {error}");
        }
    }
}
