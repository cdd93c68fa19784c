//! The page: one HTML file that needs no network, for one run or several side by side.
//!
//! Words and tables are made here and stand without JavaScript; the charts are drawn in the reader's
//! browser from one JSON block by the vendored libraries in `assets/vendor`.

mod data;
mod figures;
mod markup;
mod measured;
mod sections;

use std::fmt::Write as _;

use crate::Loaded;
use crate::summary::alerts;
use crate::tables::{Entry, benchmark_title};
use markup::escape;

const STYLE: &str = include_str!("../../assets/page.css");
const SCRIPT: &str = include_str!("../../assets/page.js");
const D3: &str = include_str!("../../assets/vendor/d3.min.js");
const PLOT: &str = include_str!("../../assets/vendor/plot.umd.min.js");
const LICENSES: &str = include_str!("../../assets/vendor/LICENSES.txt");

/// Nothing may be fetched, whatever a run folder smuggles in.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

/// The page of these runs as HTML text.
pub fn html(runs: &[Loaded]) -> String {
    let runs = &unique_names(runs);
    let entries: Vec<Entry<'_>> = runs.iter().map(Loaded::entry).collect();
    let title = title(&entries);
    let mut out = String::with_capacity(1 << 20);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{0}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        escape(&title)
    );
    warnings(&mut out, &entries);
    let _ = write!(out, "<header>\n<h1>{}</h1>\n", escape(&title));
    for entry in &entries {
        let run = entry.run;
        let name = if entries.len() > 1 { format!("{}: ", entry.name) } else { String::new() };
        let _ = writeln!(
            out,
            "<p class=\"meta\">{}</p>",
            escape(&format!(
                "{name}started {}, took {}, hoap {}",
                crate::tables::moment(&run.started),
                crate::number::duration(run.seconds),
                run.hoap
            ))
        );
    }
    let mut body = sections::Body::default();
    sections::write(&mut body, runs, &entries);
    let _ = write!(out, "{}</header>\n<main>\n{}", body.navigation(), body.html);
    let _ = write!(
        out,
        "</main>\n<footer><p>Made by hoap from the run folder alone. Charts drawn with D3 and \
         Observable Plot; their licences are in the source of this page.</p></footer>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n\
         <script>\n/*!\n{LICENSES}*/\n{D3}\n{PLOT}\n</script>\n<script>\n{SCRIPT}</script>\n\
         </body>\n</html>\n",
        data::json(runs)
    );
    out
}

/// What every reader must know comes first of all.
fn warnings(out: &mut String, entries: &[Entry<'_>]) {
    let all: Vec<String> = entries
        .iter()
        .flat_map(|e| {
            let name = if entries.len() > 1 { format!("{}: ", e.name) } else { String::new() };
            alerts(e.run).into_iter().map(move |alert| format!("{name}{alert}"))
        })
        .collect();
    if all.is_empty() {
        return;
    }
    out.push_str("<aside class=\"warnings\" aria-label=\"Warnings\">\n<ul>\n");
    for alert in all {
        let _ = writeln!(out, "<li>{}</li>", escape(&alert));
    }
    out.push_str("</ul>\n</aside>\n");
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
        let part = match on.as_slice() {
            [] => benchmark.clone(),
            names => format!("{benchmark} on {}", names.join(" and ")),
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    if parts.is_empty() { "No runs".to_string() } else { parts.join("; ") }
}

/// The runs, the second and later of one name with their number behind it.
fn unique_names(runs: &[Loaded]) -> Vec<Loaded> {
    let mut out: Vec<Loaded> = Vec::new();
    for run in runs {
        let mut named = run.clone();
        let mut n = 2;
        while out.iter().any(|other| other.name == named.name) {
            named.name = format!("{} ({n})", run.name);
            n += 1;
        }
        out.push(named);
    }
    out
}
