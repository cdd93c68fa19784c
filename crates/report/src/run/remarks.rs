//! What a reader must know of a run before its first number: what the run wrote of itself, and what
//! follows from its record.

use std::collections::{HashMap, HashSet};

use hoap_record::remark::{RemarkId, Severity, joined};
use hoap_record::words::counted;
use hoap_record::{Remark, Run, Step, Verdict};

use super::measure::{exceeded, shortfall};
use super::{Entry, trouble, void};

/// Steps, or runs, that a line names. The others it counts.
const NAMED: usize = 3;

/// A remark of one step that is longer is shown as what all of its kind have in common.
const ROOM: usize = 150;

/// A remark in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it says of the numbers.
    pub severity: Severity,
    /// The line.
    pub words: String,
    /// All that is known, a sentence a step, where the line is shorter than that.
    pub behind: Vec<String>,
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

/// The remarks of a run as they are shown: those of one kind about several steps are one line.
pub fn shown(run: &Run) -> Vec<Line> {
    let mut kinds: Vec<(Remark, Vec<String>)> = Vec::new();
    for remark in of(run) {
        let full = line(&remark, &run.steps);
        let is_same = |(other, _): &&mut (Remark, Vec<String>)| {
            let of_steps = !other.steps.is_empty() && !remark.steps.is_empty();
            of_steps && other.id == remark.id && other.runs.is_empty() == remark.runs.is_empty()
        };
        match kinds.iter_mut().find(is_same) {
            None => kinds.push((remark, vec![full])),
            Some((first, behind)) => {
                first.steps.extend(remark.steps);
                first.runs.extend(remark.runs);
                behind.push(full);
            }
        }
    }
    let said = |(remark, mut behind): (Remark, Vec<String>)| {
        let words = short(remark.clone(), &run.steps);
        behind.retain(|full| *full != words);
        Line { severity: remark.severity(), words, behind }
    };
    kinds.into_iter().map(said).collect()
}

/// A remark in short: without its advice, and of several steps what they have in common.
fn short(mut remark: Remark, steps: &[Step]) -> String {
    remark.advice = None;
    let mut seen = HashSet::new();
    remark.runs.retain(|name| seen.insert(name.clone()));
    remark.steps.sort_unstable();
    remark.steps.dedup();
    if remark.steps.is_empty() || remark.steps.len() == 1 && remark.text.len() <= ROOM {
        return line(&remark, steps);
    }
    let place = match remark.steps.as_slice() {
        [_] if steps.len() == 1 => String::new(),
        [one] => format!(" (step {one} of {})", steps.len()),
        several => format!(" ({} of {} steps)", several.len(), steps.len()),
    };
    let text = format!("{}{place}", in_common(remark.id));
    line(&Remark { text, steps: Vec::new(), ..remark }, steps)
}

/// What the remarks of a kind about several steps, or runs, have in common.
pub fn in_common(id: RemarkId) -> &'static str {
    match id {
        RemarkId::StepPartial => "it is not whole",
        RemarkId::RateNotReached => "it did not reach its rate",
        RemarkId::ManyFailures => "more failed than --warn-failures allows",
        RemarkId::NothingSucceeded => "for a time nothing succeeded",
        RemarkId::OperationsHung => "operations hung, in flight when its window ended",
        RemarkId::QueriesHung => "queries hung, in flight when its window ended",
        RemarkId::NothingFound => "answers held nothing",
        RemarkId::NotSteady => "throughput did not become steady before the window began",
        RemarkId::LevelChanged => "throughput changed its level: its mean is of neither",
        RemarkId::LevelDrifted => "throughput drifted: its mean is of no level",
        RemarkId::StoodStill => "this driver's process stood still: response times contain that",
        RemarkId::HeldBack => "a CPU limit held this driver's process back",
        RemarkId::CpuStolen => "other guests took CPU of this driver's machine",
        RemarkId::BegunLate => {
            "this driver's machine began operations late: response times contain that"
        }
        RemarkId::DriverBusy => "this driver's process was at its limit: the database may do more",
        RemarkId::CoresTaken => "a core of the driver was busy: response times contain waiting",
        RemarkId::WindowsApart => "the drivers' windows overlap only mostly",
        other => other.name(),
    }
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
    let whole = |remark: &Remark| Line {
        severity: remark.severity(),
        words: line(remark, &[]),
        behind: Vec::new(),
    };
    let mut all: Vec<(Line, Vec<&str>)> = joint.iter().map(|r| (whole(r), Vec::new())).collect();
    let mut places = HashMap::new();
    for entry in entries {
        for mut line in shown(entry.run) {
            if entries.len() > 1 {
                line.behind.iter_mut().for_each(|full| *full = format!("{}: {full}", entry.name));
            }
            let place = *places.entry((line.severity, line.words.clone())).or_insert(all.len());
            match all.get_mut(place) {
                Some((known, names)) => {
                    known.behind.extend(line.behind);
                    names.push(entry.name);
                }
                None => all.push((line, vec![entry.name])),
            }
        }
    }
    all.sort_by_key(|(line, _)| line.severity);
    let named = |(line, of): (Line, Vec<&str>)| {
        let words = match of.len() {
            0 => line.words,
            _ if entries.len() == 1 => line.words,
            2 if entries.len() == 2 => format!("both runs: {}", line.words),
            all if all == entries.len() => format!("all {all} runs: {}", line.words),
            _ => format!("{}: {}", names(&of), line.words),
        };
        Line { words, ..line }
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

    /// A kind of remark about steps is one line, with what each step has behind it; one about the run
    /// stands apart.
    #[test]
    fn remarks_of_one_kind_about_several_steps_are_one_line() {
        let of = |id, text: &str, step| Remark::new(id, text).advise("rest").of_step(step);
        let steps = [1, 2, 3].map(|number| Step { number, ..Step::default() });
        let run = serde_json::json!({
            "format": 3, "hoap": "1", "benchmark": "ycsb", "command": [], "started": "",
            "seconds": 1, "configuration": {}, "data": {}, "constants": {},
            "host": { "system": "", "processor": "", "cores": 1, "memory_bytes": 1 },
            "checks": [], "audit": [], "steps": steps, "remarks": [
                of(RemarkId::DriverBusy, "91 %", 3),
                of(RemarkId::HeldBack, "2 s", 2),
                of(RemarkId::DriverBusy, "95 %", 1),
                Remark::new(RemarkId::DriverBusy, "99 %"),
                of(RemarkId::DriverBusy, "93 %", 3),
            ],
        });
        let run: Run = serde_json::from_value(run).unwrap();
        assert_eq!(super::of(&run).len(), 5);
        let busy =
            "this driver's process was at its limit: the database may do more (2 of 3 steps)";
        let of_each = ["step 3 (): 91 %: rest", "step 1 (): 95 %: rest", "step 3 (): 93 %: rest"];
        let wanted: [(&str, &[&str]); 3] =
            [(busy, &of_each), ("step 2 (): 2 s", &["step 2 (): 2 s: rest"]), ("99 %", &[])];
        let lines = shown(&run);
        let lines: Vec<_> = lines.iter().map(|l| (&*l.words, &l.behind[..])).collect();
        assert_eq!(lines.len(), wanted.len());
        for ((words, behind), (of, each)) in lines.iter().zip(wanted) {
            assert_eq!(
                (*words, *behind),
                (of, &each.iter().map(|s| s.to_string()).collect::<Vec<_>>()[..])
            );
        }
    }
}
