//! The section on the throughput frontier.

use super::body::Body;
use super::chart::frontier as chart;
use super::compared::Compared;
use crate::configurations::group::Member;
use crate::format::number::Unit;
use crate::run::Entry;
use crate::run::frontier::Frontier;
use crate::statistics::Estimate;
use crate::tables;

/// The confidence of the interval of the area ratio.
const CONFIDENCE: f64 = 0.95;

/// Writes the section where a run of the group has a frontier.
pub fn write(body: &mut Body, compared: &Compared<'_>) {
    let group = compared.group;
    let runs = group.members.iter().flat_map(|m| &m.runs);
    let entries: Vec<Entry<'_>> = runs.map(|(_, run)| run.entry()).collect();
    let table = compared.own(tables::frontier(&entries));
    if table.rows.is_empty() {
        return;
    }
    compared.open(body, "frontier-section", "Throughput frontier");
    body.paragraph(
        "Each point is a step: transactions per minute and queries per hour. The line joins the steps that \
         no other one exceeds in both. The area ratio is the part of the box below the line: 1 where \
         neither side costs the other anything, 0.5 where both share one resource, less where they \
         disturb each other. Numbers of clients between those that ran may lie above the line.",
    );
    let sentences: Vec<String> = group.members.iter().filter_map(ratio).collect();
    body.list(&sentences);
    let caption = "Throughput frontier of transactions and queries";
    compared.chart(body, "frontier", caption, &table, chart::frontier(group));
    body.filled(&table);
    let steps = compared.own(tables::frontier_steps(&entries));
    body.folded("Steps of the frontier: the numbers", &steps, &steps.id);
    body.close();
}

/// "4Q+4A: area ratio 0.81, over 5 runs (0.78 to 0.84, 95 %)".
fn ratio(member: &Member<'_>) -> Option<String> {
    let frontiers = member.runs.iter().filter_map(|(_, run)| Frontier::of_run(&run.run));
    let ratios: Vec<f64> = frontiers.map(|f| f.ratio).collect();
    let estimate = Estimate::of_runs(&ratios)?;
    let show = |value: f64| Unit::Ratio.show(value);
    let known = match estimate.interval(CONFIDENCE) {
        Some((low, high)) => format!(
            ", mean of {} runs; 95 % interval {} to {}",
            ratios.len(),
            show(low),
            show(high.min(1.0))
        ),
        None => "; one run, so no interval (--repeat 3 gives one)".to_owned(),
    };
    Some(format!("{}: area ratio {}{known}", member.label, show(estimate.value)))
}
