//! The page: one HTML file that needs no network, for one run or several side by side.
//!
//! Words and tables are made here and stand without JavaScript; the charts are drawn in the reader's
//! browser from one JSON block by the vendored libraries in `assets/vendor`.

mod body;
mod chart;
mod compared;
mod data;
mod figures;
mod ingestion;
mod markup;
mod measured;
mod sections;
mod witness;

use std::fmt::Write as _;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hoap_record::benchmark_title;
use hoap_record::words::counted;
use sha2::{Digest, Sha256};

use crate::configurations::{Experiment, Report};
use crate::format::table::Table;
use crate::run::Entry;
use crate::run::Loaded;
use crate::run::alerts::alerts;
use crate::run::freshness;
use crate::run::void::{VOID, void};
use body::Body;
use markup::escape;

const STYLE: &str = include_str!("../../assets/page.css");
/// One script in files: its parts share their names.
const SCRIPT: &str = concat!(
    "(function () {\n\"use strict\";\n",
    include_str!("../../assets/script/1-legend.js"),
    include_str!("../../assets/script/2-plot.js"),
    include_str!("../../assets/script/3-draw.js"),
    include_str!("../../assets/script/4-tables.js"),
    "})();\n"
);
const D3: &str = include_str!("../../assets/vendor/d3.min.js");
const PLOT: &str = include_str!("../../assets/vendor/plot.umd.min.js");
const LICENSES: &str = include_str!("../../assets/vendor/LICENSES.txt");

/// The page fetches nothing and runs no script but `scripts`, whatever a run folder contains. Styles
/// are allowed inline: Observable Plot gives each chart a `style` element and attributes.
fn policy(scripts: &[&str]) -> String {
    let hashes: Vec<_> = scripts
        .iter()
        .map(|script| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script))))
        .collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; base-uri \
         'none'; form-action 'none'",
        hashes.join(" ")
    )
}

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The file.
    pub html: String,
    /// Every table in it, each under an id of its own.
    pub tables: Vec<Table>,
    /// What a reader of these runs side by side must know before the first number. The page begins
    /// with it.
    pub alerts: Vec<String>,
}

/// The page of these runs, each a configuration of its own, as HTML text.
pub fn html(runs: &[Loaded]) -> String {
    let page = page(&Report::of(runs));
    // Only prices can be wrong, and there are none.
    page.map(|page| page.html).unwrap_or_default()
}

/// The page of a report.
///
/// # Errors
/// Returns the errors of [`crate::prices::Priced::cost`].
pub fn page(report: &Report) -> hoap_record::Result<Page> {
    let runs = &report.named_runs();
    let entries: Vec<Entry<'_>> = runs.iter().map(Loaded::entry).collect();
    let title = match &report.experiment {
        Some(experiment) => marked(experiment, &entries),
        None => title(&entries),
    };
    let mut body = Body::new(runs);
    sections::write(&mut body, report, runs)?;
    let mut out = String::with_capacity(1 << 20);
    let libraries = format!("\n/*!\n{LICENSES}*/\n{D3}\n{PLOT}\n");
    let script = format!("\n{SCRIPT}");
    let policy = policy(&[&libraries, &script]);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{0}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the numbers</a>\n",
        escape(&title)
    );
    let experiment = report.experiment.as_ref();
    let mut alerts = experiment.map(Experiment::alerts).unwrap_or_default();
    alerts.extend(freshness::beside(&entries));
    warnings(&mut out, &alerts, &entries);
    let _ = write!(out, "<header>\n<h1>{}</h1>\n", escape(&title));
    origins(&mut out, report, &entries);
    let _ = write!(
        out,
        "{}</header>\n<main id=\"main\" tabindex=\"-1\">\n{}",
        body.navigation(),
        body.html
    );
    let _ = write!(
        out,
        "</main>\n<footer><p>Made by hoap from the run folders alone. Charts drawn with D3 and \
         Observable Plot; their licences are in the source of this page.</p></footer>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n\
         <script>{libraries}</script>\n<script>{script}</script>\n\
         </body>\n</html>\n",
        data::json(&body.charts)
    );
    Ok(Page { html: out, tables: body.tables, alerts })
}

/// When the runs were, in a line each; of many in one line.
fn origins(out: &mut String, report: &Report, entries: &[Entry<'_>]) {
    let moment = crate::tables::moment;
    let mut line = |words: String| {
        let _ = writeln!(out, "<p class=\"meta\">{}</p>", escape(&words));
    };
    if entries.len() > 4 {
        let started = || entries.iter().map(|e| e.run.started.as_str());
        let (first, last) = (started().min().unwrap_or(""), started().max().unwrap_or(""));
        let runs = entries.len();
        let of = counted(report.configurations.len(), "configuration", "configurations");
        let between = format!("started between {} and {}", moment(first), moment(last));
        line(format!("{runs} runs of {of}, {between}"));
        return;
    }
    for entry in entries {
        let run = entry.run;
        let name = if entries.len() > 1 { format!("{}: ", entry.name) } else { String::new() };
        let took = crate::format::number::duration(run.seconds);
        line(format!("{name}started {}, took {took}, hoap {}", moment(&run.started), run.hoap));
    }
}

/// The warnings: those of all runs together, then those of each.
fn warnings(out: &mut String, joint: &[String], entries: &[Entry<'_>]) {
    let mut all: Vec<(bool, String)> = joint.iter().map(|alert| (false, alert.clone())).collect();
    for entry in entries {
        let name = if entries.len() > 1 { format!("{}: ", entry.name) } else { String::new() };
        let mut void = void(entry.run).is_some();
        for alert in alerts(entry.run) {
            // The first one of a void run says that it is.
            all.push((std::mem::take(&mut void), format!("{name}{alert}")));
        }
    }
    if all.is_empty() {
        return;
    }
    all.sort_by_key(|(void, _)| !void);
    out.push_str("<aside class=\"warnings\" aria-label=\"Warnings\">\n<ul>\n");
    for (_, alert) in all {
        let _ = writeln!(out, "<li>{}</li>", escape(&alert));
    }
    out.push_str("</ul>\n</aside>\n");
}

/// The title of an experiment's page, with what it must not be shown without.
fn marked(experiment: &Experiment, entries: &[Entry<'_>]) -> String {
    let rehearsal = experiment.scale_down.map_or("", |_| ", REHEARSAL");
    let unprotected = entries.iter().any(|e| e.run.non_transactional.is_some());
    let mark = if unprotected { ", NON-TRANSACTIONAL" } else { "" };
    format!("{}{mark}{rehearsal}", experiment.title)
}

fn title(entries: &[Entry<'_>]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for entry in entries {
        let run = entry.run;
        let mut on: Vec<&str> = Vec::new();
        for database in [&run.operational, &run.analytical].into_iter().flatten() {
            if !on.contains(&database.name.as_str()) {
                on.push(&database.name);
            }
        }
        let benchmark = benchmark_title(&run.benchmark);
        let mut part = match on.as_slice() {
            [] => benchmark.clone(),
            names => format!("{benchmark} on {}", names.join(" and ")),
        };
        if run.non_transactional.is_some() {
            part.push_str(", NON-TRANSACTIONAL");
        }
        if void(run).is_some() {
            part.push_str(&format!(", {VOID}"));
        }
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    if parts.is_empty() { "No runs".to_string() } else { parts.join("; ") }
}
