//! `hoap run`.

use hoap_conduct::Chosen;
use hoap_conduct::repeat::{Done, repeat};
use hoap_record::Run;
use hoap_report::Style;
use hoap_report::compare::{Side, plain, repeated};
use hoap_report::run::void;
use serde_json::json;

use super::Context;
use crate::failure::Failure;

/// Runs as often as was asked for, prints the summary, and fails where a check failed.
pub async fn run(context: &Context, chosen: Chosen) -> Result<(), Failure> {
    let goes_on = |run: &Run| verdict(context, run).is_ok();
    let Done { folder: all, runs, repeated: several } = repeat(context, chosen, goes_on).await?;
    let Some((folder, run)) = runs.last() else { return Ok(()) };
    if !several {
        context.result(&json!({ "folder": folder, "run": run }), || {
            let folder = folder.display().to_string();
            let style = Style { folder: Some(&folder), ..context.console.style() };
            format!(
                "{}\nMake its page with: hoap report {folder} -o report.html",
                hoap_report::summary(run, style)
            )
        });
        return verdict(context, run);
    }
    let each: Vec<_> = runs.iter().map(|(dir, run)| json!({ "folder": dir, "run": run })).collect();
    let result = json!({ "folder": all, "runs": each });
    let end = verdict(context, run);
    if end.is_err() {
        context.result(&result, || hoap_report::summary(run, context.console.style()));
        return end;
    }
    crate::interrupt::at_once();
    let side = Side::open(&all)?;
    context.result(&result, || {
        let folder = all.display();
        format!("{}\nCompare it with: hoap compare BASELINE {folder}", plain(&repeated(&side)))
    });
    Ok(())
}

/// The exit of a run: a failed check before all else, then an error that ended it, then an
/// interruption.
pub fn verdict(context: &Context, run: &Run) -> Result<(), Failure> {
    if let Some(cause) = void::cause(run) {
        return Err(Failure::check(format!(
            "{cause}: the run is {}, it has no numbers",
            void::VOID
        )));
    }
    if let Some(why) = &run.stopped_by {
        return Err(Failure::unavailable(format!("the run ended as --on-error says: {why}")));
    }
    match (context.stop.is_set(), &run.partial) {
        (true, Some(_)) => Err(Failure::interrupted("interrupted; the run is marked partial")),
        (true, None) => {
            Err(Failure::interrupted("interrupted after the last step, which is whole"))
        }
        (false, _) => Ok(()),
    }
}
