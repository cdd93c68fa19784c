//! `hoap audit`: what holds of a bundle, without a network.

use std::collections::BTreeMap;
use std::io::BufReader;

use hoap_audit::Audit as Audited;
use hoap_audit::finding::{Division, Finding};
use hoap_record::words::counted;
use hoap_record::{benchmark_title, input};
use hoap_report::text::paragraph;
use serde_json::json;

use super::context::Context;
use crate::args::Audit;
use crate::failure::Failure;

/// Audits a bundle, and fails where it is void.
pub fn audit(context: &Context, args: &Audit) -> Result<(), Failure> {
    let name = args.file.display();
    let file = input::open(&args.file).map_err(|e| Failure::usage(format!("read {name}: {e}")))?;
    let audited = hoap_audit::audit(BufReader::new(file))
        .map_err(|e| Failure::from(e).because(&name.to_string()))?;
    context.result(&result(&audited), || text(&audited));
    let division = audited.division();
    match division {
        Division::Void => {
            let of = |finding: &&Finding| finding.division == division;
            let found = audited.findings.list.iter().filter(of).count();
            let first = audited.findings.list.iter().find(of);
            let first = first.map_or(String::new(), |of| format!("; {}: {}", of.place, of.text));
            let found = counted(found, "finding", "findings");
            Err(Failure::check(format!("{name} is void, by {found}{first}")))
        }
        _ => {
            context.console.say(format!("verdict: {}", division.name()));
            Ok(())
        }
    }
}

fn result(audited: &Audited) -> serde_json::Value {
    let runs = audited.runs.iter().map(|(at, name, run)| {
        let titled = run.as_ref().map(|run| benchmark_title(&run.benchmark));
        json!({ "at": at, "name": name, "benchmark": titled,
            "division": audited.findings.division(at) })
    });
    json!({ "format": 1, "division": audited.division(), "manifest": audited.manifest,
        "runs": runs.collect::<Vec<_>>(), "made_again": audited.findings.made_again,
        "findings": audited.findings.list, "left_out": audited.findings.left_out })
}

/// A line for each run, then what was found, the worst first, those of one text as one.
fn text(audited: &Audited) -> String {
    let findings = &audited.findings;
    let mut out = format!(
        "{}, {}, made by hoap {}; {} made again\n\n",
        counted(audited.runs.len(), "run", "runs"),
        counted(audited.manifest.files.len(), "file", "files"),
        audited.manifest.program.version,
        counted(findings.made_again as usize, "number", "numbers"),
    );
    for (at, name, run) in &audited.runs {
        let what = run.as_ref().map_or("no run".to_owned(), |run| {
            let databases = run.operational.iter().chain(&run.analytical);
            let databases: Vec<_> =
                databases.map(|of| format!("{} {}", of.name, of.version)).collect();
            format!("{} on {}", benchmark_title(&run.benchmark), databases.join(" and "))
        });
        out += &format!("{at}  {:<9}  {name}: {what}\n", findings.division(at).name());
    }
    for division in [Division::Void, Division::Rehearsal, Division::Tuned, Division::Standard] {
        let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for of in findings.list.iter().filter(|of| of.division == division) {
            places.entry(&of.text).or_default().push(&of.place);
        }
        if !places.is_empty() {
            let name = if division == Division::Standard { "to be known" } else { division.name() };
            out += &format!("\n{name}\n");
        }
        let mut lines: Vec<(Vec<&str>, &str)> = places.into_iter().map(|(t, p)| (p, t)).collect();
        lines.sort();
        for (places, text) in lines {
            let more = match places.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            out += &paragraph("  ", &format!("{}{more}: {text}", places[0]));
        }
    }
    if findings.left_out > 0 {
        out +=
            &format!("\n{} left out\n", counted(findings.left_out as usize, "finding", "findings"));
    }
    out
}
