//! `hoap audit`: what holds of a bundle, without a network unless its runs are to be repeated.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;

use hoap_audit::Audit as Audited;
use hoap_audit::answers::Known;
use hoap_audit::finding::{Division, Finding};
use hoap_conduct::offer::KnownAnswers;
use hoap_conduct::registry::of_run;
use hoap_record::words::counted;
use hoap_record::{Run, input};
use hoap_report::text::paragraph;
use hoap_workload::answers::{AnswerFile, difference};
use serde_json::json;

use super::again::{self, Again};
use super::context::Context;
use super::rerun;
use crate::args::Audit;
use crate::built_in;
use crate::failure::Failure;

/// Audits a bundle, repeats its runs if that was asked for, and fails where it is void or was not
/// reproduced.
pub async fn audit(context: &Context, args: &Audit) -> Result<(), Failure> {
    let mut audited = read(&args.file)?;
    let mut added = None;
    if let Some(url) = args.rerun.as_ref().filter(|_| audited.division() != Division::Void) {
        added = Some(rerun::rerun(context, &args.file, &audited, url).await?);
        audited = read(&args.file)?;
    }
    let again = match audited.division() {
        Division::Void => Vec::new(),
        _ => again::all(&args.file, &audited.manifest)?,
    };
    context.result(&result(&audited, &again), || text(&audited, &again));
    let division = audited.division();
    if division == Division::Void {
        return Err(void(&args.file, &audited));
    }
    if let Some(of) = again.iter().find(|of| added.as_ref() == Some(&of.at) && !of.reproduced()) {
        let name = args.file.display();
        return Err(Failure::check(format!("{name} is not reproduced: {}", of.differs())));
    }
    context.console.say(format!("verdict: {}", division.name()));
    Ok(())
}

fn read(path: &Path) -> Result<Audited, Failure> {
    let name = path.display();
    let file = input::open(path).map_err(|e| Failure::usage(format!("read {name}: {e}")))?;
    hoap_audit::audit(BufReader::new(file), &OnRecord)
        .map_err(|e| Failure::from(e).because(&name.to_string()))
}

fn void(path: &Path, audited: &Audited) -> Failure {
    let of = |finding: &&Finding| finding.division == Division::Void;
    let found = audited.findings.list.iter().filter(of).count();
    let first = audited.findings.list.iter().find(of);
    let first = first.map_or(String::new(), |of| format!("; {}: {}", of.place, of.text));
    let found = counted(found, "finding", "findings");
    Failure::check(format!("{} is void, by {found}{first}", path.display()))
}

/// What the benchmarks know of answers.
struct OnRecord;

impl OnRecord {
    fn of(run: &Run) -> Option<Box<dyn KnownAnswers>> {
        of_run(built_in::runs(), &run.benchmark)?.known(run)
    }
}

impl Known for OnRecord {
    fn rows(&self, run: &Run, query: &str) -> Option<u64> {
        OnRecord::of(run)?.rows(query)
    }

    fn wrong(&self, run: &Run, answer: &[u8]) -> Option<String> {
        match AnswerFile::parse(answer) {
            Err(e) => Some(format!("it is no answer: {e}")),
            Ok(answer) => Some(OnRecord::of(run)?.check(&answer).err()?.to_string()),
        }
    }

    fn differ(&self, run: &Run, answers: [&[u8]; 2]) -> Option<String> {
        let questions = of_run(built_in::runs(), &run.benchmark)?.questions()?;
        let [one, other] = answers.map(AnswerFile::parse);
        let (Ok(one), Ok(other)) = (one, other) else { return None };
        let query = questions.get(one.query)?;
        if one.parameters != other.parameters {
            return Some("it was asked with other parameters".to_owned());
        }
        let answers = [&one.answer(), &other.answer()];
        let difference = difference(questions.benchmark, query, answers)?;
        Some(difference.words(["there", "here"]))
    }
}

fn result(audited: &Audited, again: &[Again]) -> serde_json::Value {
    let runs = audited.runs.iter().map(|(at, name, run)| {
        let titled = run.as_ref().map(Run::title);
        json!({ "at": at, "name": name, "benchmark": titled,
            "division": audited.findings.division(at) })
    });
    json!({ "format": 1, "division": audited.division(), "manifest": audited.manifest,
        "runs": runs.collect::<Vec<_>>(), "made_again": audited.findings.made_again,
        "findings": audited.findings.list, "left_out": audited.findings.left_out,
        "reproduced": again.iter().map(Again::json).collect::<Vec<_>>() })
}

/// A line for each run, then what was found, the worst first, those of one text as one.
fn text(audited: &Audited, again: &[Again]) -> String {
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
            format!("{} on {}", run.title(), databases.join(" and "))
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
    out + &again.iter().map(Again::text).collect::<String>()
}
