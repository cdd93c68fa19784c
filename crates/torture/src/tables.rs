//! The tables of campaigns, for the terminal and for the page.

use std::collections::BTreeMap;

use hoap_record::words::counted;
use hoap_report::number::Unit;
use hoap_report::table::{Cell, Sheet, Table};

use crate::outcome::Outcome;
use crate::plan::Kind;
use crate::result::{Checked, FaultOutcome, Recounted, RunOutcome, Verdict};
use crate::summary::{OfKind, Spread, Summary};

/// A campaign under the name that it has among others.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Unique among those of a page.
    pub name: String,
    /// What came of it.
    pub outcome: Outcome,
}

impl Campaign {
    /// The runs with a bad verdict.
    pub fn bad(&self) -> impl Iterator<Item = &RunOutcome> {
        self.outcome.runs.iter().filter(|run| run.verdict.is_bad(self.outcome.durable))
    }
}

const SECONDS: Option<Unit> = Some(Unit::Seconds);

/// The faults by kind, with the distributions of outages and recoveries that ended.
pub fn kinds(id: &str, kinds: &[OfKind]) -> Table {
    let of = |spread: Option<Spread>, take: fn(Spread) -> f64| Cell::maybe(spread.map(take));
    Sheet::<&OfKind>::new(id, "Faults, and the times of outages that ended")
        .text("fault", |k| k.kind.name())
        .number("count", Unit::Count, |k| k.count as f64)
        .number("no success after", Unit::Count, |k| k.no_success_after as f64)
        .cells("outage p50", SECONDS, move |k| of(k.outage, |s| s.p50))
        .cells("p95", SECONDS, move |k| of(k.outage, |s| s.p95))
        .cells("max", SECONDS, move |k| of(k.outage, |s| s.max))
        .cells("recovery p50", SECONDS, move |k| of(k.recovery, |s| s.p50))
        .cells("p95", SECONDS, move |k| of(k.recovery, |s| s.p95))
        .cells("max", SECONDS, move |k| of(k.recovery, |s| s.max))
        .number("failed operations", Unit::Count, |k| k.failed as f64)
        .rows(kinds)
}

/// The runs by verdict.
pub fn verdicts(of: &BTreeMap<Verdict, u64>) -> Table {
    Sheet::<(&Verdict, &u64)>::new("verdicts", "Runs")
        .text("runs that ended", |(verdict, _)| verdict.name())
        .number("count", Unit::Count, |(_, count)| **count as f64)
        .rows(of)
}

/// Campaigns, a row each: what was done and how it ended.
pub fn campaigns(campaigns: &[Campaign]) -> Table {
    let verdicts = |c: &&Campaign| {
        let each = c.outcome.summary.verdicts.iter();
        each.map(|(verdict, count)| format!("{count} {}", verdict.name())).collect::<Vec<_>>()
    };
    Sheet::<&Campaign>::new("campaigns", "Campaigns")
        .text("campaign", |c| c.name.as_str())
        .text("what", |c| c.outcome.title.as_str())
        .number("faults", Unit::Count, |c| c.outcome.summary.faults as f64)
        .number("planned", Unit::Count, |c| c.outcome.faults as f64)
        .number("runs", Unit::Count, |c| c.outcome.runs.len() as f64)
        .text("verdicts", move |c| verdicts(c).join(", "))
        .number("operations", Unit::Count, |c| c.outcome.summary.operations as f64)
        .number("failed", Unit::Count, |c| c.outcome.summary.failed as f64)
        .number("took", Unit::Seconds, |c| c.outcome.seconds)
        .rows(campaigns)
}

/// What became of the writes, a row for each campaign with a recount, and one of each for all.
pub fn writes(campaigns: &[Campaign]) -> Table {
    let counted = |s: &Summary| s.acknowledged + s.ambiguous > 0;
    let whole = Summary::of(campaigns.iter().flat_map(|c| &c.outcome.runs));
    let promise = |durable: bool| if durable { "survive" } else { "may be lost" };
    let each = campaigns
        .iter()
        .map(|c| (c.name.as_str(), promise(c.outcome.durable), c.outcome.summary.clone()));
    let all = (campaigns.len() > 1).then_some(("all", "", whole));
    type Row<'a> = (&'a str, &'a str, Summary);
    Sheet::<Row<'_>>::new("writes", "Writes that another client looked for")
        .text("campaign", |r| r.0)
        .text("acknowledged ones are to", |r| r.1)
        .number("acknowledged", Unit::Count, |r| r.2.acknowledged as f64)
        .number("lost", Unit::Count, |r| r.2.lost as f64)
        .number("added", Unit::Count, |r| r.2.added as f64)
        .number("runs with loss", Unit::Count, |r| r.2.losses().0 as f64)
        .number("found by hoap", Unit::Count, |r| r.2.losses().1 as f64)
        .number("false alarms", Unit::Count, |r| r.2.runs(Verdict::FalseAlarm) as f64)
        .number("of unknown outcome", Unit::Count, |r| r.2.ambiguous as f64)
        .number("present", Unit::Count, |r| r.2.present as f64)
        .number("absent or replaced", Unit::Count, |r| r.2.absent as f64)
        .rows(each.chain(all).filter(|row| counted(&row.2)))
}

/// The runs of a campaign.
pub fn runs(id: &str, outcome: &Outcome) -> Table {
    let count = |run: &RunOutcome, take: fn(&crate::result::Count) -> u64| match &run.recount {
        Recounted::Yes(count) => Cell::count(take(count)),
        Recounted::No { .. } => Cell::Empty,
    };
    let number = Some(Unit::Count);
    Sheet::<&RunOutcome>::new(id, "Runs")
        .number("run", Unit::Count, |r| r.number as f64)
        .text("benchmark", |r| r.benchmark.as_str())
        .text("verdict", |r| r.verdict.name())
        .text("faults", |r| faults_in_words(&r.faults))
        .number("took", Unit::Seconds, |r| r.seconds)
        .number("operations", Unit::Count, |r| r.operations as f64)
        .number("failed", Unit::Count, |r| r.failed as f64)
        .number("exit code", Unit::Count, |r| f64::from(r.exit))
        .cells("acknowledged", number, move |r| count(r, |c| c.acknowledged))
        .cells("lost", number, move |r| count(r, |c| c.lost))
        .cells("added", number, move |r| count(r, |c| c.added))
        .cells("of unknown outcome", number, move |r| count(r, |c| c.ambiguous))
        .cells("present", number, move |r| count(r, |c| c.present))
        .text("what hoap found", |r| r.checked.in_words())
        .text("what the recount found", |r| recounted(&r.recount))
        .rows(&outcome.runs)
}

fn recounted(recount: &Recounted) -> String {
    match recount {
        Recounted::No { why } => format!("not recounted: {why}"),
        Recounted::Yes(count) if count.examples.is_empty() => format!("{}: all right", count.by),
        Recounted::Yes(count) => format!("{}: {}", count.by, count.examples.join("; ")),
    }
}

fn faults_in_words(faults: &[FaultOutcome]) -> String {
    let mut kinds: BTreeMap<Kind, usize> = BTreeMap::new();
    faults.iter().for_each(|fault| *kinds.entry(fault.kind).or_default() += 1);
    let words = kinds.into_iter().map(|(kind, count)| format!("{count} {}", kind.name()));
    words.collect::<Vec<_>>().join(", ")
}

/// Every fault of a campaign.
pub fn faults(id: &str, outcome: &Outcome) -> Table {
    type Row<'a> = (u64, &'a FaultOutcome);
    let all = outcome.runs.iter().flat_map(|run| run.faults.iter().map(|f| (run.number, f)));
    Sheet::<Row<'_>>::new(id, "Every fault")
        .number("run", Unit::Count, |(run, _)| *run as f64)
        .text("fault", |(_, f)| f.kind.name())
        .number("at", Unit::Moment, |(_, f)| f.at_seconds)
        .number("lasted", Unit::Seconds, |(_, f)| f.lasted_seconds)
        .cells("outage", SECONDS, |(_, f)| Cell::maybe(f.outage_seconds))
        .cells("recovery", SECONDS, |(_, f)| Cell::maybe(f.recovery_seconds))
        .number("failed operations", Unit::Count, |(_, f)| f.failed as f64)
        .text("what", |(_, f)| f.detail.as_str())
        .rows(all)
}

/// What was run on what, a row for each campaign.
pub fn setup(campaigns: &[Campaign]) -> Table {
    let database = |c: &&Campaign| match &c.outcome.database {
        Some(database) => format!("{} {}", database.name, database.version),
        None => String::new(),
    };
    let left_out = |c: &&Campaign| {
        let all = c.outcome.left_out.iter().map(|(kind, why)| format!("{kind}: {why}"));
        all.collect::<Vec<_>>().join("; ")
    };
    Sheet::<&Campaign>::new("setup", "Setup")
        .text("campaign", |c| c.name.as_str())
        .text("database", move |c| database(c))
        .text("hoap", |c| c.outcome.hoap.as_str())
        .text("seed", |c| c.outcome.seed.to_string())
        .text("started", |c| hoap_report::tables::moment(&c.outcome.started))
        .text("hoap load", |c| c.outcome.load.as_str())
        .text("hoap run", |c| c.outcome.run.as_str())
        .text("kinds left out", left_out)
        .text("command", |c| c.outcome.command.join(" "))
        .text("SHA-256 of the plan", |c| c.outcome.plan.as_str())
        .rows(campaigns)
}

/// The runs that hoap or the database failed in, a sentence each.
pub fn bad(campaigns: &[Campaign]) -> Vec<String> {
    let sentence = |c: &Campaign, run: &RunOutcome| {
        let told = match &run.checked {
            Checked::Sound => recounted(&run.recount),
            checked => checked.in_words(),
        };
        format!("{}, run {}: {}: {told}", c.name, run.number, run.verdict.name())
    };
    campaigns.iter().flat_map(|c| c.bad().map(move |run| sentence(c, run))).collect()
}

/// "21 runs".
pub fn of_runs(count: usize) -> String {
    counted(count, "run", "runs")
}
