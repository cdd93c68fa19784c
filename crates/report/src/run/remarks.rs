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
pub fn lines(joint: &[Remark], entries: &[Entry<'_>]) -> Vec<String> {
    let mut all: Vec<(Severity, String, Vec<&str>)> =
        joint.iter().map(|remark| (remark.severity(), line(remark, &[]), Vec::new())).collect();
    let mut places = HashMap::new();
    for entry in entries {
        for remark in of(entry.run) {
            let (severity, line) = (remark.severity(), line(&remark, &entry.run.steps));
            let place = *places.entry((severity, line.clone())).or_insert(all.len());
            match all.get_mut(place) {
                Some((.., names)) => names.push(entry.name),
                None => all.push((severity, line, vec![entry.name])),
            }
        }
    }
    all.sort_by_key(|(severity, ..)| *severity);
    let named = |(_, line, of): (Severity, String, Vec<&str>)| match of.len() {
        0 => line,
        _ if entries.len() == 1 => line,
        all if all == entries.len() => format!("all {all} runs: {line}"),
        _ => format!("{}: {line}", names(&of)),
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
}
