//! Tables of published figures. No row has a published number and one of a run.

use crate::format::number::Unit;
use crate::format::table::{Cell, Sheet, Table};
use crate::published::{PublishedFigure, PublishedMetric, PublishedSetting, Study};

/// A study with its figures of one benchmark.
pub fn of_benchmark<'a>(
    studies: &[&'a Study],
    benchmark: &str,
) -> Vec<(&'a Study, Vec<&'a PublishedFigure>)> {
    // The reports ran E with updates, which is a benchmark of its own here.
    let of = |study: &'a Study| study.values.iter().filter(|f| f.workload == benchmark).collect();
    let all = studies.iter().map(|study| (*study, of(study)));
    let says = |study: &Study| claims(study, benchmark).next().is_some();
    all.filter(|(study, figures): &(_, Vec<_>)| !figures.is_empty() || says(study)).collect()
}

/// What a study says of a benchmark in words, with the section.
pub fn claims<'a>(study: &'a Study, benchmark: &'a str) -> impl Iterator<Item = String> + 'a {
    let of = study.claims.iter().filter(move |claim| claim.workload == benchmark);
    of.map(|claim| format!("{}, {}: {}", study.name, claim.section, claim.says))
}

/// How these studies' systems were set, as their texts say it.
pub fn published_settings(studies: &[(&Study, Vec<&PublishedFigure>)]) -> Table {
    Sheet::new("published-settings", "Settings of the published figures")
        .text("study", |(study, _): &(&Study, &PublishedSetting)| study.name)
        .text("section", |(_, s)| s.section.clone())
        .text("of", |(_, s)| s.of.clone())
        .text("setting", |(_, s)| s.setting.clone())
        .text("value", |(_, s)| s.value.clone())
        .rows(studies.iter().flat_map(|(study, _)| study.settings.iter().map(|s| (*study, s))))
}

/// Every figure of these studies of one benchmark, as the text gives it.
pub fn published(figures: &[(&Study, Vec<&PublishedFigure>)]) -> Table {
    let all = || figures.iter().flat_map(|(_, figures)| figures);
    let (nodes, settings, notes) = (
        all().any(|f| f.nodes.is_some()),
        all().any(|f| f.setting.is_some()),
        all().any(|f| f.note.is_some()),
    );
    Sheet::new("published", "Published figures: measured by others, elsewhere")
        .text("study", |(study, _): &(&Study, &PublishedFigure)| study.name)
        .text("section", |(_, f)| f.section.clone())
        .text("system", |(_, f)| f.system.clone())
        .when(nodes, |s| {
            s.cells("nodes", Some(Unit::Count), |(_, f)| Cell::maybe(f.nodes.map(f64::from)))
        })
        .text("what", |(_, f)| f.metric.name())
        .text("value", |(_, f)| f.words())
        .text("unit", |(_, f)| f.unit.clone())
        .when(settings, |s| s.text("setting", |(_, f)| f.setting.clone().unwrap_or_default()))
        .when(notes, |s| s.text("note", |(_, f)| f.note.clone().unwrap_or_default()))
        .rows(figures.iter().flat_map(|(study, figures)| figures.iter().map(|f| (*study, *f))))
}

/// Figures of this metric that belong to a cluster of so many nodes, for a chart.
pub fn by_nodes<'a>(
    figures: &[(&'a Study, Vec<&'a PublishedFigure>)],
    metric: PublishedMetric,
) -> Vec<(&'a Study, &'a PublishedFigure, u32)> {
    let all = figures.iter().flat_map(|(study, figures)| figures.iter().map(move |f| (*study, *f)));
    all.filter(|(_, f)| f.metric == metric && f.to.is_none())
        .filter_map(|(study, f)| Some((study, f, f.nodes?)))
        .collect()
}
