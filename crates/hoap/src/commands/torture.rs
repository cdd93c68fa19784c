//! `hoap torture`.

use std::fmt::Write;
use std::path::Path;

use hoap_record::{Error, ErrorKind};
use hoap_report::number::Unit;
use hoap_report::table::{Cell, Sheet};
use hoap_torture::campaign::Keep;
use hoap_torture::result::Verdict;
use hoap_torture::summary::{OfKind, Spread};
use hoap_torture::{Caller, Campaign, Outcome, Plan};

use super::Context;
use crate::args::{KeepChoice, Torture};
use crate::failure::Failure;

impl Caller for Context {
    fn say(&self, line: &str) {
        self.console.say(line);
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }
}

/// Runs or continues the campaign, prints its tables, and fails where `hoap` was wrong or a promise was
/// broken.
pub async fn torture(context: &Context, args: &Torture) -> Result<(), Failure> {
    let named = Plan::read(&args.plan)?;
    let place = match args.plan.parent() {
        Some(place) if place != Path::new("") => place.to_owned(),
        _ => Path::new(".").to_owned(),
    };
    let itself = |e| Error::new(ErrorKind::Unavailable, "find the program hoap itself", e);
    let campaign = Campaign {
        named,
        place,
        folder: args.out.clone(),
        hoap: std::env::current_exe().map_err(itself)?,
        keep: match args.keep {
            KeepChoice::All => Keep::All,
            KeepChoice::Bad => Keep::Bad,
        },
        caller: context,
    };
    let outcome = campaign.run().await?;
    context.result(&outcome, || text(&outcome));
    let bad: Vec<_> = outcome.runs.iter().filter(|r| r.verdict.is_bad(outcome.durable)).collect();
    let Some(first) = bad.first() else { return Ok(()) };
    let folder = args.out.join(first.folder.as_deref().unwrap_or_default());
    Err(Failure::check(format!(
        "{} of {} runs ended badly; the first, run {}: {}; look into {}",
        bad.len(),
        outcome.runs.len(),
        first.number,
        first.verdict.name(),
        folder.display()
    )))
}

/// The tables of a campaign.
fn text(outcome: &Outcome) -> String {
    let all = &outcome.summary;
    let mut text =
        format!("{}: {} faults in {} runs\n\n", outcome.title, all.faults, outcome.runs.len());
    let of = |spread: Option<Spread>, take: fn(Spread) -> f64| Cell::maybe(spread.map(take));
    let seconds = Some(Unit::Seconds);
    let kinds = Sheet::<&OfKind>::new("kinds", "Faults")
        .text("fault", |k| k.kind.name())
        .number("count", Unit::Count, |k| k.count as f64)
        .cells("outage p50", seconds, move |k| of(k.outage, |s| s.p50))
        .cells("p90", seconds, move |k| of(k.outage, |s| s.p90))
        .cells("max", seconds, move |k| of(k.outage, |s| s.max))
        .cells("recovery p50", seconds, move |k| of(k.recovery, |s| s.p50))
        .cells("p90", seconds, move |k| of(k.recovery, |s| s.p90))
        .cells("max", seconds, move |k| of(k.recovery, |s| s.max))
        .number("no success after", Unit::Count, |k| k.no_success_after as f64)
        .number("failed operations", Unit::Count, |k| k.failed as f64)
        .rows(&all.kinds);
    text += &hoap_report::text::table(&kinds);
    let verdicts = Sheet::<(&Verdict, &u64)>::new("verdicts", "Runs")
        .text("runs that ended", |(verdict, _)| verdict.name())
        .number("count", Unit::Count, |(_, count)| **count as f64)
        .rows(&all.verdicts);
    let _ = write!(text, "\n{}", hoap_report::text::table(&verdicts));
    let _ = write!(
        text,
        "\nacknowledged writes that another client looked for: {}, lost: {}\n\
         writes of unknown outcome: {}, present: {}, absent or replaced: {}; nobody's: {}\n",
        all.acknowledged, all.lost, all.ambiguous, all.present, all.absent, all.added
    );
    let losses = all.runs(Verdict::LossFound) + all.runs(Verdict::LossUnnoticed);
    if losses > 0 {
        let found = all.runs(Verdict::LossFound);
        let _ = writeln!(text, "lost: found in {found} of {losses} runs with loss");
    }
    for (kind, why) in &outcome.left_out {
        let _ = writeln!(text, "left out: {kind}: {why}");
    }
    text
}
