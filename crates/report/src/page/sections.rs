//! The sections of the page, in the order in which a reader asks.

use super::around::{OfPage, probes};
use super::body::{Body, Panel};
use super::compared::{Compared, costed, unpriced};
use super::markup::escape;
use super::registry::SECTIONS;
use super::{figures, frontier, measured, verdicts};
use crate::configurations::Report;
use crate::configurations::group::{Group, groups};
use crate::run::remarks::Line;
use crate::run::{Entry, Loaded};
use crate::tables;

/// Writes all sections.
///
/// # Errors
/// Returns the errors of the prices.
pub fn write(
    body: &mut Body,
    report: &Report,
    runs: &[Loaded],
    remarks: &[Line],
) -> hoap_record::Result<()> {
    let entries: Vec<Entry<'_>> = runs.iter().map(Loaded::entry).collect();
    let entries = entries.as_slice();
    let panel = |(number, loaded): (usize, &'_ Loaded)| (number, loaded.name.clone());
    let names: Vec<(usize, String)> = runs.iter().enumerate().map(panel).collect();
    let groups = groups(report, runs);
    let panels: Vec<Panel<'_>> = runs
        .iter()
        .zip(&names)
        .map(|(loaded, (number, name))| Panel {
            number: *number,
            loaded,
            name: (runs.len() > 1).then_some(name.as_str()),
            configuration: groups.iter().find_map(|group| group.member(*number)),
        })
        .collect();
    let compared = described(&groups);
    experiment(body, report);
    result(body, &compared, &panels, remarks);
    for each in compared.iter().map(Described::compared) {
        let studies = tables::of_benchmark(&report.published, each.group.benchmark);
        each.configurations(body, &studies);
        let of: Vec<Panel<'_>> = each.group.runs().iter().map(|(n, _)| panels[*n]).collect();
        frontier::write(body, &each);
        measured::write(body, &each, &of);
        each.costs(body, &costed(report, each.group)?, &unpriced(report, each.group));
        each.sizes(body, &studies);
    }
    let groups: Vec<Compared<'_>> = compared.iter().map(Described::compared).collect();
    let page = OfPage { panels: &panels, entries, groups: &groups };
    SECTIONS.iter().for_each(|section| section.write(body, &page));
    Ok(())
}

/// A group with what tells it from others.
struct Described<'a> {
    group: &'a Group<'a>,
    heading: String,
    suffix: String,
}

impl Described<'_> {
    fn compared(&self) -> Compared<'_> {
        Compared { group: self.group, heading: &self.heading, suffix: &self.suffix }
    }
}

fn described<'a>(groups: &'a [Group<'a>]) -> Vec<Described<'a>> {
    let several = groups.len() > 1;
    let name = |g: &Group<'_>| format!("{}: ", g.title);
    groups
        .iter()
        .enumerate()
        .map(|(n, group)| Described {
            group,
            heading: if several { name(group) } else { String::new() },
            suffix: if n == 0 { String::new() } else { format!("-{}", n + 1) },
        })
        .collect()
}

/// What ran where is folded if more runs have a column each: a screen has no room for them.
const WIDE: usize = 3;

const NO_SCRIPT: &str = "<noscript><p>The charts need JavaScript. The tables hold the same \
                         numbers.</p></noscript>\n";

/// What the runs are to show, and what they have otherwise than its source.
fn experiment(body: &mut Body, report: &Report) {
    let Some(experiment) = &report.experiment else { return };
    body.open("experiment", "Experiment", "Experiment");
    if let Some(source) = &experiment.source {
        body.paragraph(&format!("{}. {}", escape(&experiment.name), escape(source)));
    }
    body.paragraph(&escape(&experiment.about));
    if !experiment.differs.is_empty() {
        body.paragraph("Otherwise than there:");
        body.list(&experiment.differs);
    }
    if !experiment.settings.is_empty() {
        body.paragraph(
            "Options of the targets, as the source had them; one that a URL has itself wins:",
        );
        body.list(&experiment.settings);
    }
    body.close();
}

/// What was compared and how it came out, what a reader must know of that, and the chart that shows
/// it.
fn result(body: &mut Body, groups: &[Described<'_>], panels: &[Panel<'_>], remarks: &[Line]) {
    let entries: Vec<Entry<'_>> = panels.iter().map(|panel| panel.loaded.entry()).collect();
    body.open("result", "Result", "Result");
    for group in groups.iter().filter(|g| g.group.compares()) {
        if groups.len() > 1 {
            body.heading(&escape(group.group.title));
        }
        verdicts::write(body, &group.compared());
        if groups.len() > 1 {
            verdicts::behind(body, &group.compared());
        }
    }
    let cards = |body: &mut Body| {
        for entry in &entries {
            if entries.len() > 1 {
                body.heading(&escape(entry.name));
            }
            figures::write(&mut body.html, entry.run);
        }
    };
    match (entries.len(), groups.iter().all(|g| g.group.compares())) {
        (0 | 1, _) => {
            cards(body);
            body.remarks(remarks);
        }
        (_, compared) => {
            body.remarks(remarks);
            if let [group] = groups
                && compared
            {
                verdicts::behind(body, &group.compared());
            }
            if compared { body.behind("Key figures of each run", cards) } else { cards(body) }
        }
    }
    if let ([group], [only]) = (groups, panels) {
        probes(body, only);
        measured::headline(body, &group.compared(), panels);
    }
    body.html.push_str(NO_SCRIPT);
    let overview = tables::overview(&entries);
    match entries.len() > WIDE {
        true => body.folded("What ran where, each run", &overview, &overview.id),
        false => body.filled(&overview),
    }
    body.close();
}
