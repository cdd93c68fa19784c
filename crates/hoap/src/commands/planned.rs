//! What will run, in words: the steps and the time that they take.

use std::time::Duration;

use hoap_conduct::Chosen;
use hoap_conduct::plan::Plan;
use hoap_conduct::schedule::{Ran, Span};
use hoap_drive::{End, StepPlan, WarmAt};
use hoap_record::Time;
use hoap_report::number::duration;
use hoap_report::text::paragraph;
use hoap_workload::words::counted;
use serde_json::{Value, json};

use super::context::Context;
use crate::failure::Failure;

/// The most steps that are listed.
const LISTED: usize = 20;

/// Says what would run. Nothing is opened.
pub fn dry_run(context: &Context, chosen: &mut Chosen) -> Result<(), Failure> {
    let plan = chosen.planned()?;
    let times = chosen.common().conduct.repeat;
    let all = Span::time_left(&plan, 0, &Ran::default()).times(times);
    let steps = plan.steps.iter().map(|step| {
        let Span { time, open } = match plan.sets_time(step) {
            true => Span { open: true, ..Span::of_warmup(step) },
            false => Span::of(step),
        };
        json!({ "step": step.name(), "seconds": time.as_secs_f64(), "at_least": open })
    });
    let result = json!({
        "steps": steps.collect::<Vec<_>>(), "times": times,
        "seconds": all.time.as_secs_f64(), "at_least": all.open,
    });
    context.result(&result, || {
        format!("{}\nNothing was opened or written.", words(&plan, times as usize))
    });
    Ok(())
}

/// "plan: 5 steps, 5 min 25 s …", and a line for each step where they differ in how long they last.
pub fn words(plan: &Plan, times: usize) -> String {
    let each: Vec<String> = plan.steps.iter().map(|step| lasts(plan, step)).collect();
    let alike = each.iter().all(|words| *words == each[0]);
    let mut what = match &plan.frontier {
        Some(frontier) => {
            let (tx, queries) = (frontier.both.tx_clients, frontier.both.query_clients);
            let step = lasts(plan, &frontier.both);
            format!("a frontier of up to {tx} tx and {queries} queries, in steps of {step}")
        }
        None => counted(plan.steps.len(), "step", "steps"),
    };
    if alike && let Some(words) = each.first() {
        what.push_str(&format!(" of {words}"));
    }
    if let Some(search) = &plan.search {
        let (shortest, longest) = (Time(search.shortest), Time(search.longest));
        what.push_str(&format!(", then probes of {shortest} to {longest} for the highest rate"));
    }
    if times > 1 {
        what.push_str(&format!("; {times} times"));
    }
    let all =
        Span::time_left(plan, 0, &Ran::default()).times(u32::try_from(times).unwrap_or(u32::MAX));
    let time = duration(all.time.as_secs_f64());
    what.push_str(&match (all.open, all.time.is_zero()) {
        (true, true) => String::new(),
        (true, false) => format!("; at least {time} in all"),
        (false, _) if plan.search.is_some() => format!("; about {time} in all"),
        (false, _) => format!("; {time} in all"),
    });
    let mut text = paragraph("plan: ", &format!("{what}, beside connecting and checking"));
    if !alike {
        for (step, words) in plan.steps.iter().zip(&each).take(LISTED) {
            text.push_str(&paragraph(
                &format!("  {:>2}  ", step.number),
                &format!("{}: {words}", step.name()),
            ));
        }
        if let Some(more) = plan.steps.len().checked_sub(LISTED).filter(|more| *more > 0) {
            text.push_str(&format!("      and {more} more\n"));
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// The steps for the page of a run: each with its number, its name and how long it lasts.
pub fn steps(plan: &Plan, times: usize) -> Value {
    let step = |step: &StepPlan| json!([step.number, step.name(), lasts(plan, step)]);
    json!({ "steps": plan.steps.iter().map(step).collect::<Value>(), "words": words(plan, times) })
}

/// "5 s of warm-up and 60 s measured".
fn lasts(plan: &Plan, step: &StepPlan) -> String {
    let seconds = |time: Duration| duration(time.as_secs_f64());
    let loops = |n: usize| counted(n, "loop", "loops");
    let measured = match step.end {
        End::After(_) if plan.sets_time(step) => "as long as the queries alone took".to_owned(),
        End::After(time) => format!("{} measured", seconds(time)),
        End::Operations(n) => counted(n, "operation", "operations"),
        End::Loops { measured, .. } => format!("{} measured", loops(measured)),
    };
    let mut warmup = Vec::new();
    match (step.warmup.is_zero(), step.warm_at) {
        (true, _) => {}
        (false, WarmAt::Time) => warmup.push(seconds(step.warmup)),
        (false, _) => warmup.push(format!("at most {}", seconds(step.warmup))),
    }
    if let End::Loops { warmup: first @ 1.., .. } = step.end {
        warmup.push(loops(first));
    }
    match warmup.is_empty() {
        true => measured,
        false => format!("{} of warm-up and {measured}", warmup.join(" and ")),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::Parser;
    use hoap_conduct::flags::{Common, Pacing};
    use hoap_conduct::plan::{Defaults, Groups, Loops, plan};

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        pacing: Pacing,
        #[command(flatten)]
        common: Common,
    }

    fn told(groups: Groups<'_>, flags: &str, times: usize) -> String {
        let words = std::iter::once("run").chain(flags.split_whitespace());
        let Flags { pacing, common } = Flags::parse_from(words);
        super::words(&plan(groups, &pacing, &common, Defaults::default()).unwrap(), times)
    }

    #[test]
    fn steps_that_last_alike_are_one_line() {
        assert_eq!(
            told(Groups::Clients(&[1, 2]), "--rate 5,10,20", 1),
            "plan: 6 steps of 5.00 s of warm-up and 60.0 s measured; 6 min 30 s in all,\n      \
             beside connecting and checking"
        );
        assert_eq!(
            told(Groups::Clients(&[1]), "--operations 9 --warmup 0s", 3),
            "plan: 1 step of 9 operations; 3 times, beside connecting and checking"
        );
        let search = "--max-rate --sla p99=1s --duration 1s --warmup 0s";
        assert_eq!(
            told(Groups::Clients(&[1]), search, 1),
            "plan: 1 step of 1.00 s measured, then probes of 1s to 10s for the highest rate;\n      \
             about 23.0 s in all, beside connecting and checking"
        );
    }

    #[test]
    fn steps_that_do_not_are_listed() {
        let groups = |clients| Groups::TransactionsAndQueries {
            transactions: clients,
            queries: &[0, 1],
            loops: Some(Loops { warmup: 1, measured: 2, round_up: Duration::from_secs(1) }),
            headline: Some(0),
            frontier: None,
        };
        assert_eq!(
            told(groups(&[4]), "", 1),
            "plan: 3 steps; at least 10.0 s in all, beside connecting and checking\n   \
             1  0 tx, 1 query: 1 loop of warm-up and 2 loops measured\n   \
             2  4 tx, 0 queries: 5.00 s of warm-up and as long as the queries alone took\n   \
             3  4 tx, 1 query: 5.00 s and 1 loop of warm-up and 2 loops measured"
        );
        let many: Vec<usize> = (1..=30).collect();
        let told = told(groups(&many), "--duration 1s", 1);
        assert_eq!(
            (told.lines().count(), told.contains("      and 41 more")),
            (22, true),
            "{told}"
        );
    }
}
