//! `hoap answers compare`: the answers in two folders beside each other.

use hoap_workload::answers::{AnswerFolder, Verdict, compare_folders};
use hoap_workload::words::counted;

use super::context::Context;
use crate::args::CompareAnswers;
use crate::built_in;
use crate::failure::Failure;

mod matrix;
mod pair;

/// Compares all folders with the first, prints a line for each query, and fails where an answer is
/// not equal. Three and more make a table too.
pub fn compare(context: &Context, args: &CompareAnswers) -> Result<(), Failure> {
    let known = built_in::questions();
    let first = AnswerFolder::read(&args.first, &known)?;
    let others = args.others.iter().map(|path| AnswerFolder::read(path, &known));
    let others = others.collect::<Result<Vec<_>, _>>()?;
    let pairs = others.iter().map(|other| compare_folders([&first, other]));
    let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
    match &pairs[..] {
        [only] => context.result(&pair::json_of([&first, &others[0]], only), || {
            pair::text_of(&pair::names([&first, &others[0]]), only)
        }),
        _ => context.result(&matrix::json_of(&first, &others, &pairs), || {
            matrix::text_of(&first, &others, &pairs)
        }),
    }

    let verdicts = || pairs.iter().flatten();
    let count = |of: fn(&Verdict) -> bool| verdicts().filter(|(_, v)| of(v)).count();
    let all = counted(verdicts().count(), "answer", "answers");
    let asked_otherwise = count(|v| matches!(v, Verdict::OtherParameters(_)));
    if asked_otherwise > 0 {
        return Err(Failure::usage(format!(
            "{asked_otherwise} of {all} cannot be compared: they were asked with other \
             parameters; run both with the same --params and --params-seed on the same data"
        )));
    }
    match count(|v| !matches!(v, Verdict::Equal { .. })) {
        0 => Ok(()),
        unequal => Err(Failure::check(format!("{unequal} of {all} not equal"))),
    }
}
