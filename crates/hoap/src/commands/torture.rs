//! `hoap torture`.

use hoap_conduct::begin::command_line;
use std::fmt::Write;
use std::path::Path;

use hoap_record::{Error, ErrorKind};
use hoap_report::Named;
use hoap_torture::campaign::Keep;
use hoap_torture::{Caller, Campaign, Outcome, Plan, gather, tables};
use serde_json::json;

use super::context::Context;
use super::output;
use crate::args::{KeepChoice, ReportTorture, Torture, TortureCommand};
use crate::failure::Failure;

/// The page of a campaign, in its folder.
const PAGE: &str = "page.html";

impl Caller for Context {
    fn say(&self, line: &str) {
        self.console.say(line);
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }
}

/// Runs or continues a campaign, or makes a page of several.
pub async fn torture(context: &Context, args: &Torture) -> Result<(), Failure> {
    match (&args.command, &args.plan, &args.out) {
        (Some(TortureCommand::Report(args)), ..) => page(context, args),
        (None, Some(plan), Some(out)) => run(context, plan, out, args.keep).await,
        _ => Err(Failure::usage("torture: name a plan with --plan and a folder with --out")),
    }
}

/// Runs or continues the campaign, prints its tables, makes its page, and fails where `hoap` was
/// wrong or a promise was broken.
async fn run(
    context: &Context,
    plan: &Path,
    folder: &Path,
    keep: KeepChoice,
) -> Result<(), Failure> {
    let named = Plan::read(plan)?;
    let place = match plan.parent() {
        Some(place) if place != Path::new("") => place.to_owned(),
        _ => Path::new(".").to_owned(),
    };
    let itself = |e| Error::new(ErrorKind::Unavailable, "find the program hoap itself", e);
    let campaign = Campaign {
        named,
        place,
        folder: folder.to_owned(),
        hoap: std::env::current_exe().map_err(itself)?,
        command: command_line(),
        keep: match keep {
            KeepChoice::All => Keep::All,
            KeepChoice::Bad => Keep::Bad,
        },
        caller: context,
    };
    let outcome = campaign.run().await?;
    let out = folder.join(PAGE);
    let one = tables::Campaign { name: gather::name(folder), outcome: outcome.clone() };
    let page = hoap_torture::page(std::slice::from_ref(&one));
    output::write(context, &out, &hoap_report::kinds::PAGE, &page.html)?;
    context.result(&outcome, || format!("{}Page: {}", text(&outcome), out.display()));
    let Some(first) = one.bad().next() else { return Ok(()) };
    let folder = folder.join(first.folder.as_deref().unwrap_or_default());
    Err(Failure::check(format!(
        "{} of {} runs ended badly; the first, run {}: {}; look into {}",
        one.bad().count(),
        outcome.runs.len(),
        first.number,
        first.verdict.name(),
        folder.display()
    )))
}

/// Makes one page of campaigns.
fn page(context: &Context, args: &ReportTorture) -> Result<(), Failure> {
    crate::interrupt::at_once();
    let named = args.campaigns.iter().map(|text| Named::parse(text));
    let campaigns = gather::campaigns(named.map(|named| (named.label, named.path)))?;
    let page = hoap_torture::page(&campaigns);
    let names: Vec<&str> = campaigns.iter().map(|campaign| campaign.name.as_str()).collect();
    let result = json!({ "page": args.out.display().to_string(), "campaigns": names, "remarks": page.remarks });
    output::page(context, &args.out, &page, &result)
}

/// The tables of a campaign.
fn text(outcome: &Outcome) -> String {
    let all = &outcome.summary;
    let mut text =
        format!("{}: {} faults in {} runs\n\n", outcome.title, all.faults, outcome.runs.len());
    text += &hoap_report::text::table(&tables::kinds("kinds", &all.kinds));
    let _ = write!(text, "\n{}", hoap_report::text::table(&tables::verdicts(&all.verdicts)));
    let _ = write!(
        text,
        "\nacknowledged writes that another client looked for: {}, lost: {}\n\
         writes of unknown outcome: {}, present: {}, absent or replaced: {}; unexpected: {}\n",
        all.acknowledged, all.lost, all.ambiguous, all.present, all.absent, all.added
    );
    let (losses, found) = all.losses();
    if losses > 0 {
        let _ = writeln!(text, "lost: found in {found} of {losses} runs with loss");
    }
    for (kind, why) in &outcome.left_out {
        let _ = writeln!(text, "left out: {kind}: {why}");
    }
    text
}
