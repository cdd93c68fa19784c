//! What a reader must know of a run before its first number: what the run wrote of itself, and what
//! follows from its record.

use std::collections::HashMap;

use hoap_record::remark::{RemarkId, Severity, joined};
use hoap_record::words::counted;
use hoap_record::{Remark, Run, Step, Verdict};

use super::measure::{exceeded, shortfall};
use super::{Entry, trouble, void};

/// Steps, or runs, that a line names. The others it counts.
const NAMED: usize = 3;

/// A remark in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it says of the numbers.
    pub severity: Severity,
    /// The line.
    pub words: String,
}

/// What a reader must know before the first number: each once, the gravest first.
pub fn of(run: &Run) -> Vec<Remark> {
    let mut all: Vec<Remark> = void::remark(run).into_iter().collect();
    all.extend(run.remarks.iter().cloned());
    all.extend(run.partial.iter().map(|why| Remark::new(RemarkId::Partial, why)));
    all.extend(
        run.stopped_by.iter().map(|why| {
            Remark::new(RemarkId::EndedByError, format!("the error that ended it: {why}"))
        }),
    );
    all.extend(run.steps.iter().filter_map(|step| {
        Some(Remark::new(RemarkId::StepPartial, step.partial.as_ref()?).of_step(step.number))
    }));
    for step in run.planned_steps() {
        all.extend(shortfall(step).map(|short| {
            let what = if exceeded(step) { "exceeded" } else { "did not reach" };
            let text = format!("it {what} its rate: {short}");
            Remark::new(RemarkId::RateNotReached, text).of_step(step.number)
        }));
        all.extend(trouble::of_step(run, step));
    }
    match run.audit.iter().filter(|line| line.verdict == Verdict::Fail).count() {
        0 => {}
        n => {
            let lines = counted(n, "line", "lines");
            let text = format!("{lines} of the audit failed: what ran is not the benchmark");
            all.push(Remark::new(RemarkId::AuditFailed, text));
        }
    }
    joined(all)
}

/// The remarks of a run as they are shown: those of one kind about several steps are one, with the
/// words of the first of these steps. The tables have the numbers of each.
pub fn shown(run: &Run) -> Vec<Remark> {
    let mut all: Vec<(Remark, bool)> = Vec::new();
    for remark in of(run) {
        let is_same = |(other, _): &&mut (Remark, bool)| {
            let of_steps = !other.steps.is_empty() && !remark.steps.is_empty();
            of_steps && (other.id, &other.runs) == (remark.id, &remark.runs)
        };
        match all.iter_mut().find(is_same) {
            None => all.push((remark, false)),
            Some((first, several)) => {
                if remark.steps < first.steps {
                    (first.text, first.advice) = (remark.text, remark.advice);
                }
                first.steps.extend(remark.steps);
                first.steps.sort_unstable();
                *several = true;
            }
        }
    }
    let said = |(mut remark, several): (Remark, bool)| {
        if several {
            remark.text.push_str(&format!(" (in step {})", remark.steps[0]));
        }
        remark
    };
    all.into_iter().map(said).collect()
}

/// A remark as a line; `steps` are those of its run.
pub fn line(remark: &Remark, steps: &[Step]) -> String {
    let Remark { id, runs, text, advice, .. } = remark;
    let mut line = match runs.len() {
        0 => String::new(),
        _ => format!("{}: ", names(runs)),
    };
    line.push_str(&place(&remark.steps, steps));
    for piece in id.mark().into_iter().flat_map(|mark| [mark, ": "]).chain([text.as_str()]) {
        line.push_str(piece);
    }
    for piece in advice.iter().flat_map(|advice| [": ", advice]) {
        line.push_str(piece);
    }
    line
}

/// "step 2 (4 tx, 1 query): ", "steps 1, 2, 4 and 7 more: ".
fn place(numbers: &[usize], steps: &[Step]) -> String {
    match numbers {
        [] => String::new(),
        [one] => match steps.iter().find(|step| step.number == *one) {
            Some(step) => format!("step {one} ({}): ", step.name),
            None => format!("step {one}: "),
        },
        several => {
            let (named, more) = several.split_at(several.len().min(NAMED));
            let named: Vec<String> = named.iter().map(usize::to_string).collect();
            match more.len() {
                0 => format!("steps {}: ", named.join(", ")),
                more => format!("steps {} and {more} more: ", named.join(", ")),
            }
        }
    }
}

fn names<T: AsRef<str>>(names: &[T]) -> String {
    let (named, more) = names.split_at(names.len().min(NAMED));
    let named: Vec<&str> = named.iter().map(AsRef::as_ref).collect();
    match more.len() {
        0 => named.join(", "),
        more => {
            let more = counted(more, "more run", "more runs");
            format!("{} and {more}", named.join(", "))
        }
    }
}

/// The lines of these runs side by side, the gravest first: those of `joint`, which is about all of
/// them, and those of each run; what several runs have is said once, with their names.
pub fn lines(joint: &[Remark], entries: &[Entry<'_>]) -> Vec<Line> {
    let mut all: Vec<(Severity, String, Vec<&str>)> =
        joint.iter().map(|remark| (remark.severity(), line(remark, &[]), Vec::new())).collect();
    let mut places = HashMap::new();
    for entry in entries {
        for remark in shown(entry.run) {
            let (severity, line) = (remark.severity(), line(&remark, &entry.run.steps));
            let place = *places.entry((severity, line.clone())).or_insert(all.len());
            match all.get_mut(place) {
                Some((.., names)) => names.push(entry.name),
                None => all.push((severity, line, vec![entry.name])),
            }
        }
    }
    all.sort_by_key(|(severity, ..)| *severity);
    let named = |(severity, line, of): (Severity, String, Vec<&str>)| {
        let words = match of.len() {
            0 => line,
            _ if entries.len() == 1 => line,
            all if all == entries.len() => format!("all {all} runs: {line}"),
            _ => format!("{}: {line}", names(&of)),
        };
        Line { severity, words }
    };
    all.into_iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_place_the_mark_and_the_advice() {
        let steps = [1, 2].map(|number| Step { number, name: "2 tx".into(), ..Step::default() });
        let about = |steps: &[usize], runs: &[&str]| Remark {
            steps: steps.to_vec(),
            runs: runs.iter().map(|name| (*name).to_owned()).collect(),
            ..Remark::new(RemarkId::StepPartial, "why").advise("go on")
        };
        for (remark, wanted) in [
            (about(&[], &[]), "partial: why: go on"),
            (about(&[2], &[]), "step 2 (2 tx): partial: why: go on"),
            (about(&[9], &["a"]), "a: step 9: partial: why: go on"),
            (about(&[1, 2], &["a", "b"]), "a, b: steps 1, 2: partial: why: go on"),
            (
                about(&[1, 2, 3, 5, 8], &["a", "b", "c", "d"]),
                "a, b, c and 1 more run: steps 1, 2, 3 and 2 more: partial: why: go on",
            ),
            (Remark::new(RemarkId::ScaledDown, "by 2"), "by 2"),
        ] {
            assert_eq!(line(&remark, &steps), wanted);
        }
    }

    /// A kind of remark is said once, with its steps, whatever the numbers in its words; one about
    /// the run stands apart.
    #[test]
    fn remarks_of_one_kind_about_several_steps_are_one_line() {
        let of = |id, text: &str, step| Remark::new(id, text).advise("rest").of_step(step);
        let run = serde_json::json!({
            "format": 3, "hoap": "1", "benchmark": "ycsb", "command": [], "started": "",
            "seconds": 1, "configuration": {}, "data": {}, "constants": {},
            "host": { "system": "", "processor": "", "cores": 1, "memory_bytes": 1 },
            "checks": [], "audit": [], "steps": [], "remarks": [
                of(RemarkId::DriverBusy, "91 %", 3),
                of(RemarkId::HeldBack, "2 s", 2),
                of(RemarkId::DriverBusy, "95 %", 1),
                Remark::new(RemarkId::DriverBusy, "99 %"),
                of(RemarkId::DriverBusy, "93 %", 2),
            ],
        });
        let run: Run = serde_json::from_value(run).unwrap();
        assert_eq!(super::of(&run).len(), 5);
        let lines: Vec<String> = shown(&run).iter().map(|remark| line(remark, &[])).collect();
        let wanted = ["steps 1, 2, 3: 95 % (in step 1): rest", "step 2: 2 s: rest", "99 %"];
        assert_eq!(lines, wanted);
    }
}
