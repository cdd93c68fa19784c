//! What configurations cost, and what one gets for it.

use hoap_record::remark::joined;
use hoap_record::{Remark, Result};

use crate::configurations::{Group, Member, Report, groups};
use crate::format::number::Unit;
use crate::format::table::{Cell, Sheet, Table};
use crate::prices::{Cost, CostLine, Priced, SustainedLoad};
use crate::run::freshness;
use crate::run::measure::Measure;
use crate::run::search::search_bounds;
use crate::run::void::{refuse, remark};

/// The cost of one configuration under the load that it sustains ([`Member::sustained`]).
#[derive(Clone, Debug)]
pub struct Costed<'a> {
    /// The configuration.
    pub label: &'a str,
    /// Its number among those of its benchmark.
    pub number: usize,
    /// Its prices.
    pub priced: &'a Priced,
    /// What a month costs.
    pub cost: Cost,
    /// The step whose load it is.
    pub step: String,
    /// Operations of all kinds per second in it.
    pub per_second: f64,
    /// tpM of a hybrid benchmark, else operations per second.
    pub headline: f64,
    /// Queries per hour, where queries ran.
    pub qph: Option<f64>,
    /// The bounds that the load holds, where it was searched for.
    pub holds: Option<String>,
}

/// The costs of the group's configurations that have prices, the cheapest operation first where all
/// are in one currency.
///
/// # Errors
/// Returns the errors of [`Priced::cost`].
pub fn costs<'a>(
    group: &Group<'_>,
    priced: impl Fn(&str) -> Option<(&'a str, &'a Priced)>,
) -> Result<Vec<Costed<'a>>> {
    let mut out = Vec::new();
    for (number, member) in group.members.iter().enumerate() {
        if let Some((label, priced)) = priced(member.label) {
            out.push(costed((number, member), group.measure, label, priced)?);
        }
    }
    let currency = |c: &Costed<'_>| c.priced.list.currency.clone();
    if out.windows(2).all(|two| currency(&two[0]) == currency(&two[1])) {
        let money = |c: &Costed<'_>| c.cost.per_million(c.per_second).unwrap_or(f64::INFINITY);
        out.sort_by(|a, b| money(a).total_cmp(&money(b)));
    }
    Ok(out)
}

fn costed<'a>(
    (number, member): (usize, &Member<'_>),
    measure: Measure,
    label: &'a str,
    priced: &'a Priced,
) -> Result<Costed<'a>> {
    let best = member.sustained(measure);
    let load = best.as_ref().map(|(place, _)| SustainedLoad::of(&place.steps)).unwrap_or_default();
    let cost = priced.cost(&load)?;
    let power = member.power();
    let qph = power.and_then(|(place, _)| place.spread(|s| s.queries_per_hour)).map(|s| s.mean);
    Ok(Costed {
        label,
        number,
        priced,
        cost,
        step: best.as_ref().map(|(p, _)| p.name.clone()).unwrap_or_default(),
        per_second: load.total(),
        headline: best.map_or(0.0, |(_, value)| value.mean),
        qph,
        holds: member.runs.iter().find_map(|(_, run)| run.run.search.as_ref()).map(search_bounds),
    })
}

/// What configurations cost under one benchmark's load.
#[derive(Clone, Debug)]
pub struct Costs {
    /// The benchmark.
    pub benchmark: String,
    /// As people write it.
    pub title: String,
    /// What a reader must know before the first number.
    pub remarks: Vec<Remark>,
    /// What a month costs and what it does, a row a configuration.
    pub costs: Table,
    /// What that is made of, a row a price.
    pub lines: Table,
    /// Where the prices come from, and what was left out.
    pub notes: Vec<String>,
}

impl Report {
    /// What the configurations that have prices cost, for each benchmark.
    ///
    /// # Errors
    /// Returns `Broken` where a run is void; returns the errors of [`Priced::cost`].
    pub fn costs(&self) -> Result<Vec<Costs>> {
        let priced = self.configurations.iter().filter(|c| c.priced.is_some());
        for run in priced.flat_map(|c| &c.runs) {
            refuse(&run.run, || format!("price {}", run.name))?;
        }
        let runs = self.named_runs();
        let mut out = Vec::new();
        for group in groups(self, &runs) {
            let costed = costs(&group, |label| {
                let configuration = self.configurations.iter().find(|c| c.label == label)?;
                Some((configuration.label.as_str(), configuration.priced.as_ref()?))
            })?;
            if !costed.is_empty() {
                let entries: Vec<_> = group.runs().iter().map(|(_, run)| run.entry()).collect();
                // None is void.
                let failed = entries.iter().filter_map(|e| Some(remark(e.run)?.of_run(e.name)));
                let remarks = joined(failed.chain(freshness::differences(&entries)));
                out.push(Costs {
                    benchmark: group.benchmark.to_string(),
                    title: group.title.to_string(),
                    remarks,
                    costs: cost_table(group.measure, &costed),
                    lines: cost_lines(&costed),
                    notes: cost_notes(&costed),
                });
            }
        }
        Ok(out)
    }
}

/// What a month costs and what it does, a row a configuration.
pub fn cost_table(measure: Measure, costed: &[Costed<'_>]) -> Table {
    let unit = measure.unit();
    let money = Some(Unit::Price);
    let qph = costed.iter().any(|c| c.qph.is_some());
    Sheet::new(
        "costs",
        "Costs, at the load of each configuration's best step or of the highest rate that held",
    )
    .text("configuration", |c: &&Costed<'_>| c.label)
    .text("price list", |c| c.priced.list.name.clone())
    .wide()
    .text("holds", |c| c.holds.clone().unwrap_or_default())
    .common()
    .cells("nodes", Some(Unit::Count), |c| Cell::maybe(c.priced.nodes.map(f64::from)))
    .text("step", |c| c.step.clone())
    .wide()
    .number(unit, measure.rate(), |c| c.headline)
    .text("currency", |c| c.priced.list.currency.clone())
    .common()
    .number("a month", Unit::Price, |c| c.cost.month)
    .cells("per million operations", money, |c| Cell::maybe(c.cost.per_million(c.per_second)))
    .cells(format!("a month per {unit}"), money, |c| {
        Cell::maybe((c.headline > 0.0).then(|| c.cost.month / c.headline))
    })
    .cells(format!("{unit} per unit a month"), Some(Unit::Ratio), |c| {
        Cell::maybe((c.cost.month > 0.0).then(|| c.headline / c.cost.month))
    })
    .wide()
    .when(qph, |s| {
        s.cells("a month per QpH", money, |c| {
            Cell::maybe(c.qph.filter(|q| *q > 0.0).map(|q| c.cost.month / q))
        })
        .wide()
    })
    .rows(costed)
}

/// What the costs are made of, a row a price.
pub fn cost_lines(costed: &[Costed<'_>]) -> Table {
    Sheet::new("cost-lines", "What the costs are made of")
        .text("configuration", |(c, _): &(&Costed<'_>, &CostLine)| c.label)
        .text("what", |(_, line)| line.what.clone())
        .number("price", Unit::Price, |(_, line)| line.price)
        .text("per", |(_, line)| line.unit.clone())
        .number("amount a month", Unit::Count, |(_, line)| line.amount)
        .number("a month", Unit::Price, |(_, line)| line.month)
        .rows(costed.iter().flat_map(|c| c.cost.lines.iter().map(move |line| (c, line))))
}

/// Where the prices come from, and what was left out, in words.
pub fn cost_notes(costed: &[Costed<'_>]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut add = |note: String| {
        if !notes.contains(&note) {
            notes.push(note);
        }
    };
    for c in costed {
        let list = &c.priced.list;
        let (name, source) = (&list.name, &list.source);
        let (region, date, hours) = (&list.region, &list.date, list.hours_per_month);
        add(format!("{name}: {source}; {region}, {date}; a month of {hours} hours."));
        if let Some(note) = &list.note {
            add(format!("{name}: {note}"));
        }
        if !c.cost.left_out.is_empty() {
            let label = c.label;
            add(format!("{label}: not counted, no amount given: {}.", c.cost.left_out.join("; ")));
        }
    }
    notes
}
