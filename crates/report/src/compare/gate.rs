//! Bounds that a candidate must keep: `tpm<-5%`, `p99[NewOrder]>1.2x:sure`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use hoap_record::{Error, ErrorKind, Result};

use super::change::{change, span};
use super::line::{ComparedLine, Scope};
use super::metric::Metric;
use crate::statistics::FALSE_VERDICTS;

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
    /// The ratio lies beyond the bound, and the difference between the sides is real.
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
    pub broken: Vec<Broken>,
}

/// Where a gate was broken.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// Which candidate, from 0.
    pub candidate: usize,
    /// "4 tx, 1 query: NewOrder p99".
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
    let plain = [
        Metric::Tpm,
        Metric::Ops,
        Metric::Power,
        Metric::Qph,
        Metric::Query,
        Metric::Failures,
        Metric::Freshness,
    ];
    plain
        .into_iter()
        .chain(Metric::percentiles())
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
        let takes_kind = matches!(subject, Subject::Metric(Metric::Percentile(_) | Metric::Query));
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

    /// Why a line breaks it. A line that cannot be judged breaks it too, because a gate must be
    /// able to fail.
    fn breach(&self, line: &ComparedLine) -> Option<String> {
        if let (Some(stopped), Some(nothing)) = (line.stopped, line.nothing()) {
            let crossed = match stopped {
                Ordering::Less => self.crossed(0.0),
                Ordering::Greater => self.crossed(f64::INFINITY),
                Ordering::Equal => return Some(format!("cannot be judged: {nothing}")),
            };
            return crossed.then(|| nothing.to_owned());
        }
        let Some(ratio) = line.ratio else {
            let why = |side: &str, value: &std::result::Result<_, String>| {
                value.as_ref().err().map(|why| format!("cannot be judged: {side}: {why}"))
            };
            return why("candidate", &line.candidate_value)
                .or_else(|| why("baseline", &line.baseline));
        };
        let point = self.crossed(ratio.value);
        let interval = ratio.interval(1.0 - FALSE_VERDICTS);
        let broken = match (self.proof, interval) {
            (Proof::Point, _) => point,
            (Proof::Real, Some(_)) => point && line.finding.real,
            (Proof::Sure, Some((low, high))) => self.crossed(low) && self.crossed(high),
            (Proof::Strict, Some((low, high))) => self.crossed(low) || self.crossed(high),
            (Proof::Strict, None) => return Some("cannot be judged: no interval".into()),
            (Proof::Real | Proof::Sure, None) if point => {
                let change = change(ratio.value);
                return Some(format!("{change}, and chance cannot be excluded: no interval"));
            }
            (Proof::Real | Proof::Sure, None) => false,
        };
        broken.then(|| match interval {
            Some((low, high)) => format!("{} ({})", change(ratio.value), span(low, high)),
            None => change(ratio.value),
        })
    }
}

/// Holds the lines against the gates.
///
/// # Errors
/// Returns `Invalid` where a gate looks at nothing.
pub fn judge(lines: &[ComparedLine], gates: Vec<Gate>) -> Result<Vec<Judged>> {
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
            let broken: Vec<Broken> = lines
                .iter()
                .filter_map(|line| {
                    let why = gate.breach(line)?;
                    let what = match &line.place {
                        Scope::Overall(_) => format!("all steps: {}", line.title()),
                        Scope::Step(step) => format!("{step}: {}", line.title()),
                    };
                    Some(Broken { candidate: line.candidate, what, why })
                })
                .collect();
            Ok(Judged { gate, looked_at: lines.len(), broken })
        })
        .collect()
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
