//! `hoap run --repeat N`, and runs of one driver among several.

use std::time::Duration;

use hoap_record::{Repetition, Run};
use hoap_report::compare::{Side, plain, repeated};
use jiff::Timestamp;
use serde_json::json;

use super::Context;
use super::record::default_folder;
use super::run;
use crate::args::{Conduct, RunBenchmark};
use crate::failure::Failure;

/// How often a wait looks at the clock and at Ctrl-C.
const LOOK: Duration = Duration::from_millis(5);

/// Runs as often as was asked for.
///
/// Repetition k has the seed of the first one plus k − 1, so that what clients happen to draw is among what
/// differs between the runs. It ends at the first failed check, whose numbers are void, and at Ctrl-C.
pub async fn conduct(context: &Context, mut benchmark: RunBenchmark) -> Result<(), Failure> {
    let name = benchmark.name();
    let changed = benchmark.changed();
    if let Some(start) = changed.conduct.start_at
        && start <= Timestamp::now()
    {
        return Err(Failure::usage(format!(
            "wait for --start-at {start}: it has passed; name a time that leaves every driver time to connect"
        )));
    }
    if let Some(part) = changed.conduct.part {
        // Each driver draws keys of its own.
        let of_part = (part.0.part - 1) << 32;
        *changed.run_seed = changed.run_seed.wrapping_add(of_part);
    }
    let of = changed.conduct.repeat as usize;
    if of == 1 {
        return run::run(context, &benchmark).await;
    }
    let all = changed.out.clone().unwrap_or_else(|| default_folder(name));
    if std::fs::read_dir(&all).is_ok_and(|mut there| there.next().is_some()) {
        return Err(Failure::usage(format!(
            "create run folders in {}: it is not empty; name another folder, or remove this one",
            all.display()
        )));
    }
    let first_seed = *changed.run_seed;
    let mut runs = Vec::new();
    for number in 1..=of {
        let changed = benchmark.changed();
        *changed.out = Some(all.join(format!("{number:02}")));
        *changed.run_seed = first_seed.wrapping_add(number as u64 - 1);
        context.console.say(format!("run {number} of {of}"));
        let context = &Context {
            console: context.console,
            json: context.json,
            stop: context.stop.clone(),
            live: context.live.clone(),
            repetition: Some(Repetition { number, of }),
        };
        let (folder, run) = run::recorded(context, &benchmark).await?;
        let end = run::verdict(context, &run);
        runs.push(json!({ "folder": folder, "run": run }));
        if end.is_err() {
            context.result(&json!({ "folder": all, "runs": runs }), || {
                hoap_report::summary(&run, context.console.style())
            });
            return end;
        }
    }
    let side = Side::open(&all)?;
    context.result(&json!({ "folder": all, "runs": runs }), || {
        let folder = all.display();
        format!("{}\nCompare it with: hoap compare BASELINE {folder}", plain(&repeated(&side)))
    });
    Ok(())
}

impl Context {
    /// Notes in the record which repetition it is.
    pub fn mark(&self, record: &mut Run) {
        record.repetition = self.repetition;
        if let Some(Repetition { number: 2.., .. }) = record.repetition
            && record.benchmark.starts_with("ch2")
        {
            record.warnings.push(
                "a repetition: it began on the data that the repetitions before it left, with their orders"
                    .into(),
            );
        }
    }

    /// Waits for the time at which the drivers begin. Says so where it came too late.
    pub fn wait_for_start(&self, conduct: &Conduct) -> Option<String> {
        let start = conduct.start_at?;
        let late = Timestamp::now().duration_since(start).as_secs_f64();
        if late > 0.0 {
            return Some(format!("it was ready {late:.1} s after --start-at {start}"));
        }
        self.console.say(format!("waiting until {start}"));
        while !self.stop.is_set() {
            let left = start.duration_since(Timestamp::now());
            match Duration::try_from(left) {
                Ok(left) if !left.is_zero() => std::thread::sleep(left.min(LOOK)),
                _ => break,
            }
        }
        None
    }
}

/// A workload that inserts needs a table that was just loaded.
pub fn refuse_inserts(name: &str, inserts: bool, conduct: &Conduct) -> Result<(), Failure> {
    match inserts && conduct.repeat > 1 {
        false => Ok(()),
        true => Err(Failure::usage(format!(
            "repeat {name}: it inserts, so each run needs a table that was just loaded; load and run in turn, \
             into folders DIR/01, DIR/02, …"
        ))),
    }
}
