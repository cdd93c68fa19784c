//! `hoap run`.

use hoap_conduct::begin::command_line;
use std::path::PathBuf;

use hoap_conduct::Chosen;
use hoap_conduct::flags::Conduct;
use hoap_conduct::repeat::{Done, Entrant, repeat};
use hoap_conduct::values::PartArg;
use hoap_fleet::driver::{Join, Meeting};
use hoap_fleet::message;
use hoap_record::Run;
use hoap_report::compare::{Side, plain, repeated};
use hoap_report::run::void;
use hoap_report::text::shell;
use hoap_report::{Style, places, verdict_line};
use serde_json::json;

use super::context::Context;
use super::show;
use crate::args::Export;
use crate::failure::Failure;

/// Runs, beside other drivers where these meet, prints the summary, and fails where a check failed.
pub async fn run(context: &Context, mut chosen: Chosen, exports: &[Export]) -> Result<(), Failure> {
    let Conduct { meet, insecure_without_tls, tls_ca, part, .. } = &chosen.common().conduct;
    let (Some(address), Some(PartArg { part, .. })) = (meet, part) else {
        return alone(context, chosen, exports, &mut None).await;
    };
    let command: Vec<_> = command_line();
    let join = Join {
        address: address.clone(),
        part: (part.part, part.of),
        hoap: env!("CARGO_PKG_VERSION").into(),
        command: message::shared(&command),
        run: context.run.clone(),
        insecure: *insecure_without_tls,
        authorities: tls_ca.clone(),
    };
    context.console.say(format!("joining the drivers at {address}"));
    let joined = Meeting::join(join, context.stop.clone(), hoap_database::stop_waiting)?;
    let meeting = context.meeting.get_or_init(|| joined);
    let mut folder = None;
    let end = alone(context, chosen, exports, &mut folder).await;
    let over = meeting.over();
    match (end, folder) {
        (Ok(()), Some(folder)) => {
            context.console.say("sending the folder to where the drivers meet");
            Ok(meeting.end(&folder).await?)
        }
        (Ok(()), None) => Ok(()),
        (Err(failure), _) => {
            meeting.fail(failure.message(), failure.is_interruption()).await;
            // Why the other drivers ended is told before what that did to this run.
            Err(match over {
                Some(why) => why.into(),
                None => failure,
            })
        }
    }
}

/// Runs as often as was asked for, prints the summary, and fails where a check failed. `whole` gets
/// the folder.
async fn alone(
    context: &Context,
    chosen: Chosen,
    exports: &[Export],
    whole: &mut Option<PathBuf>,
) -> Result<(), Failure> {
    let goes_on = |run: &Run| verdict(context, run).is_ok();
    let only = vec![Entrant { name: String::new(), chosen }];
    let Done { folder: all, runs, repeated: several } = repeat(context, only, &goes_on).await?;
    let Some((folder, run)) = runs.last() else { return Ok(()) };
    *whole = Some(folder.clone());
    if !several {
        let shown = folder.display().to_string();
        context.result(&json!({ "folder": shown, "run": run }), || {
            let style = Style { folder: Some(&shown), ..context.console.style() };
            hoap_report::summary(run, style)
        });
        show::export(context, folder, exports)?;
        return last(context, run);
    }
    let each: Vec<_> = runs
        .iter()
        .map(|(dir, run)| json!({ "folder": dir.display().to_string(), "run": run }))
        .collect();
    let result = json!({ "folder": all.display().to_string(), "runs": each });
    let end = verdict(context, run);
    if end.is_err() {
        context.result(&result, || hoap_report::summary(run, context.console.style()));
        return end;
    }
    crate::interrupt::at_once();
    show::export(context, &all, exports)?;
    let side = Side::open(&all)?;
    context.result(&result, || {
        let folder = all.display().to_string();
        let more = format!("hoap report {folder} -o report.html; hoap compare BASELINE {folder}");
        let places = places(&folder, None, &shell(&command_line()), &more);
        format!("{}{}", plain(&repeated(&side)), places.trim_end())
    });
    context.console.say(verdict_line(&runs.iter().map(|(_, run)| run).collect::<Vec<_>>()));
    Ok(())
}

/// [`verdict`], the last line that is printed.
pub fn last(context: &Context, run: &Run) -> Result<(), Failure> {
    verdict(context, run)?;
    context.console.say(verdict_line(&[run]));
    Ok(())
}

/// The exit of a run: a failed check before all else, then an error that ended it, then an
/// interruption.
pub fn verdict(context: &Context, run: &Run) -> Result<(), Failure> {
    match void::marked(run).zip(void::cause(run)) {
        Some(((void::VOID, _), cause)) => {
            let what = format!("{cause}: the run is {}, it has no numbers", void::VOID);
            return Err(Failure::check(what));
        }
        Some(((mark, check), cause)) => {
            let found = check.detail.as_deref().unwrap_or(&check.compares);
            return Err(Failure::check(format!("the run {mark}: {cause}: {found}")));
        }
        None => {}
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
