//! The page of campaigns: faults, outages, what was lost and who noticed.

use hoap_record::remark::{Remark, RemarkId, joined};
use hoap_record::words::counted;
use hoap_report::number::{Unit, duration};
use hoap_report::page::{Body, Figure, Frame, KeyFigure, Page, Shares, SharesOf, escape};
use hoap_report::run::remarks as words;
use hoap_report::tables::moment;

use crate::plan::Kind;
use crate::result::{FaultOutcome, Verdict};
use crate::summary::Summary;
use crate::tables::{self, Campaign};

/// The tick of a campaign's runs, seconds: outages that are shorter are recorded as 0.
const TICK: f64 = 0.1;
/// The charts of more campaigns are folded.
const OPEN: usize = 3;
/// Bad runs that are told above the page.
const TOLD: usize = 10;

/// The page of these campaigns.
pub fn page(campaigns: &[Campaign]) -> Page {
    let mut body = Body::default();
    let all = Summary::of(campaigns.iter().flat_map(|c| &c.outcome.runs));
    let remarks = remarks(campaigns);
    let lines = words::lines(&remarks, &[]);
    result(&mut body, campaigns, &all, &lines);
    faults(&mut body, campaigns, &all);
    losses(&mut body, campaigns);
    for (number, campaign) in campaigns.iter().enumerate() {
        of_one(&mut body, campaign, number, campaigns.len());
    }
    body.open("setup-section", "Setup", "Setup");
    body.filled(&tables::setup(campaigns));
    body.close();
    let title = match campaigns {
        [one] => format!("Faults on purpose: {}", one.outcome.title),
        _ => "Campaigns of faults".to_owned(),
    };
    let from = "the campaigns' torture.json";
    let about = about(campaigns, &all);
    let words = lines.iter().map(|line| &line.words).chain(&about);
    let description = &words.map(String::as_str).collect::<Vec<_>>().join("; ");
    let frame = Frame { title: &title, description, about: &about, from };
    Page { html: frame.around(&body), tables: body.tables, remarks }
}

/// What a reader must know of the numbers.
fn remarks(campaigns: &[Campaign]) -> Vec<Remark> {
    let unfinished = campaigns.iter().filter(|c| c.outcome.done() < c.outcome.faults).map(|c| {
        let (name, done, planned) = (&c.name, c.outcome.done(), c.outcome.faults);
        let text = format!("{name}: not finished: {done} of {planned} faults");
        Remark::new(RemarkId::CampaignNotFinished, text)
    });
    let bad = tables::bad(campaigns);
    let more = bad.len().saturating_sub(TOLD);
    let more = (more > 0).then(|| format!("{more} more runs ended badly: see the runs"));
    let bad = bad.into_iter().take(TOLD).chain(more);
    joined(bad.map(|text| Remark::new(RemarkId::FaultRunBad, text)).chain(unfinished))
}

fn about(campaigns: &[Campaign], all: &Summary) -> Vec<String> {
    let runs: usize = campaigns.iter().map(|c| c.outcome.runs.len()).sum();
    let what = format!("{} in {}", counted(all.faults, "fault", "faults"), tables::of_runs(runs));
    match campaigns {
        [one] => {
            let of = &one.outcome;
            let (took, started) = (duration(of.seconds), moment(&of.started));
            vec![format!("{what}, started {started}, took {took}, hoap {}", of.hoap)]
        }
        _ => vec![format!("{what} of {}", counted(campaigns.len(), "campaign", "campaigns"))],
    }
}

fn figure(label: &'static str, value: u64, note: String) -> KeyFigure {
    KeyFigure { label, value: Unit::Count.show(value as f64), unit: "", note, bad: false }
}

fn result(body: &mut Body, campaigns: &[Campaign], all: &Summary, remarks: &[words::Line]) {
    body.open("result", "Result", "Result");
    let of = |durable: bool| {
        let those = campaigns.iter().filter(move |c| c.outcome.durable == durable);
        Summary::of(those.flat_map(|c| &c.outcome.runs))
    };
    let bad = campaigns.iter().map(|c| c.bad().count()).sum::<usize>() as u64;
    let runs = tables::of_runs(campaigns.iter().map(|c| c.outcome.runs.len()).sum());
    let mut figures = vec![
        figure("Faults", all.faults, format!("in {runs}")),
        KeyFigure {
            bad: bad > 0,
            ..figure("Runs that ended badly", bad, "hoap was wrong, or a promise broken".into())
        },
    ];
    let (promised, not) = (of(true), of(false));
    if promised.acknowledged > 0 {
        let looked = Unit::Count.show(promised.acknowledged as f64);
        let note = format!("of {looked} acknowledged writes that were to survive");
        let lost = figure("Lost against the promise", promised.lost, note);
        figures.push(KeyFigure { bad: promised.lost > 0, ..lost });
    }
    if not.acknowledged > 0 {
        let (with, found) = not.losses();
        let lost = Unit::Count.show(not.lost as f64);
        let note = format!(
            "of {} with loss; {lost} writes lost where they may be",
            tables::of_runs(with as usize)
        );
        let losses = figure("Losses on purpose found", found, note);
        figures.push(KeyFigure { bad: found < with, ..losses });
    }
    let alarms = all.runs(Verdict::FalseAlarm);
    let note = "a check failed and nothing was lost".into();
    figures.push(KeyFigure { bad: alarms > 0, ..figure("False alarms", alarms, note) });
    let unnoticed = all.runs(Verdict::LossUnnoticed);
    let note = "runs with a loss in which every check held".into();
    figures.push(KeyFigure { bad: unnoticed > 0, ..figure("Losses unnoticed", unnoticed, note) });
    body.figures(&figures);
    body.remarks(remarks);
    body.filled(&tables::campaigns(campaigns));
    body.close();
}

fn faults(body: &mut Body, campaigns: &[Campaign], all: &Summary) {
    if all.kinds.is_empty() {
        return;
    }
    body.open("faults", "Faults and outages", "Faults");
    body.paragraph(
        "An outage is the longest time without a success that began in a fault or within two seconds of \
         it; the recovery is the part of it after the fault's end. Both are exact to 100 ms. They are of \
         the faults after which something succeeded again before the next fault or the run's end; the \
         others are in “no success after”, and the lines of a chart end below 100 % by as many. A driver \
         that stands still does not see its own outage. The recovery from a kill includes the time in \
         which the plan's commands start the server.",
    );
    let table = tables::kinds("kinds", &all.kinds);
    if campaigns.len() > 1 {
        let mixed = "The table and the first charts are over all campaigns, whatever their server: \
                     compare servers by the charts with a line for each campaign, and their sections.";
        body.paragraph(mixed);
    }
    body.filled(&table);
    let kinds: Vec<String> = all.kinds.iter().map(|of| of.kind.name().to_owned()).collect();
    let names: Vec<&str> = campaigns.iter().map(|c| c.name.as_str()).collect();
    let several = names.len() > 1;
    let mut parts = Vec::new();
    for (row, of) in all.kinds.iter().enumerate() {
        for (series, campaign) in campaigns.iter().enumerate() {
            let count = of_kind(std::slice::from_ref(campaign), of.kind).count() as u64;
            parts.extend((count > 0).then_some((row, series, count)));
        }
    }
    let caption = "Faults by kind";
    let label = "Bar chart of the number of faults of each kind. Its numbers are in the table.";
    let bars = Figure { name: "counts", caption, label, table: &table.id };
    body.counts(&bars, (&kinds, if several { &names } else { &[""] }), &parts, "faults");
    distributions(body, campaigns, all, ("outages", &table.id));
    if several {
        let caption = "Outages by kind of fault, a line for each campaign";
        let label = format!("{caption}: the share that was over within a time");
        let name = "outages-by-campaign";
        let figure = Figure { name, caption, label: &label, table: &table.id };
        let line = |c: &Campaign, kind| {
            let seconds = |f: &FaultOutcome| f.outage_seconds;
            line(&c.name, of_kind(std::slice::from_ref(c), kind), seconds)
        };
        let plots = plots(all, |kind| campaigns.iter().map(|c| line(c, kind)).collect());
        body.shares(&figure, &plots, TICK);
    }
    body.close();
}

/// The distributions of outages and recoveries, a plot for each kind.
fn distributions(body: &mut Body, of: &[Campaign], all: &Summary, (name, table): (&str, &str)) {
    let lines = |kind| {
        let outage = line("outage", of_kind(of, kind), |f| f.outage_seconds);
        vec![outage, line("recovery", of_kind(of, kind), |f| f.recovery_seconds)]
    };
    let plots = plots(all, lines);
    if plots.is_empty() {
        return;
    }
    let caption = "Outages and recoveries by kind of fault: the share that was over within a time";
    let label = format!("{caption}. Median, 95th percentile and maximum are in the table.");
    body.shares(&Figure { name, caption, label: &label, table }, &plots, TICK);
}

/// A plot for each kind of fault that has an outage.
fn plots(all: &Summary, lines: impl Fn(Kind) -> Vec<Shares>) -> Vec<SharesOf> {
    let seen = all.kinds.iter().filter(|of| of.outage.is_some());
    seen.map(|of| SharesOf { name: of.kind.name().to_owned(), lines: lines(of.kind) }).collect()
}

fn of_kind(campaigns: &[Campaign], kind: Kind) -> impl Iterator<Item = &FaultOutcome> {
    let faults = campaigns.iter().flat_map(|c| &c.outcome.runs).flat_map(|run| &run.faults);
    faults.filter(move |fault| fault.kind == kind)
}

fn line<'a>(
    name: &str,
    faults: impl Iterator<Item = &'a FaultOutcome>,
    seconds: impl Fn(&FaultOutcome) -> Option<f64>,
) -> Shares {
    let all: Vec<Option<f64>> = faults.map(seconds).collect();
    let (count, name) = (all.len(), name.to_owned());
    Shares { name, count, seconds: all.into_iter().flatten().collect() }
}

fn losses(body: &mut Body, campaigns: &[Campaign]) {
    body.open("losses", "What became of the writes", "Writes");
    body.paragraph(
        "After each run another client of the database looks for what was acknowledged. Where \
         acknowledged writes may be lost, durability is off on purpose, and hoap's checks must find \
         each loss. A write of unknown outcome may be there or not: both are right.",
    );
    let table = tables::writes(campaigns);
    if table.rows.is_empty() {
        body.paragraph("Nobody recounted the writes of these runs.");
    }
    body.filled(&table);
    body.list(&tables::bad(campaigns));
    body.close();
}

/// The section of a campaign.
fn of_one(body: &mut Body, campaign: &Campaign, number: usize, of: usize) {
    let (outcome, n) = (&campaign.outcome, number + 1);
    let (heading, link) = match of {
        1 => ("Runs".to_owned(), "Runs"),
        _ => (format!("{}: {}", campaign.name, outcome.title), campaign.name.as_str()),
    };
    body.open(&format!("campaign-{n}"), &heading, link);
    if of > 1 {
        let table = tables::kinds(&format!("kinds-{n}"), &outcome.summary.kinds);
        let one = std::slice::from_ref(campaign);
        let name = format!("outages-{n}");
        body.filled(&table);
        let charts = |body: &mut Body| {
            distributions(body, one, &outcome.summary, (&name, &table.id));
        };
        if of > OPEN { body.behind("Outages and recoveries", charts) } else { charts(body) }
    }
    for (kind, why) in &outcome.left_out {
        body.paragraph(&escape(&format!("Left out: {kind}: {why}.")));
    }
    let runs = tables::runs(&format!("runs-{n}"), outcome);
    body.folded("Every run", &runs, &runs.id);
    let faults = tables::faults(&format!("faults-{n}"), outcome);
    body.folded("Every fault", &faults, &faults.id);
    body.close();
}
