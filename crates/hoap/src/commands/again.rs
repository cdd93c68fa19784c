//! Runs of a bundle that repeat others: whether the intervals of their numbers overlap.
//!
//! Nothing of it is in the bundle but the runs, so that it is made of them each time.

use std::cmp::Ordering;
use std::fs::DirBuilder;
use std::io::{self, BufReader};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use hoap_audit::manifest::{BundledRun, Manifest, Repeats};
use hoap_audit::open::unpack;
use hoap_record::folder::read_run;
use hoap_record::whole::Unfinished;
use hoap_record::words::counted;
use hoap_record::{Host, Run, input};
use hoap_report::compare::{
    ComparedLine, Comparison, Question, RELEVANT, Scope, Shown, Side, SideRun,
};
use hoap_report::text::paragraph;
use serde_json::{Value, json};

use crate::failure::Failure;

/// By how much a headline, and any other number, may differ from what it repeats where their
/// intervals lie apart.
const HEADLINE: f64 = 1.1;
const DETAIL: f64 = 1.5;
/// Of every interval.
const CONFIDENCE: f64 = 0.95;

/// How a number stands to the one that it repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    /// The intervals overlap.
    Overlaps,
    /// They lie apart, or one has none, and the numbers differ by little.
    Near,
    /// They lie apart, or one has none, and the numbers differ by much.
    Differs,
    /// One of them is not there, or a detail without an interval differs.
    Open,
}

/// A run that repeats others.
pub struct Again {
    /// Where it is: "runs/02".
    pub at: String,
    repeats: Repeats,
    run: Run,
    lines: Vec<(ComparedLine, Stands)>,
    left_out: Vec<String>,
}

/// A folder for a moment. It is removed at the end, also that of an interruption.
pub struct Scratch(PathBuf, #[allow(dead_code, reason = "its end removes the folder")] Unfinished);

impl Scratch {
    /// Makes one that only this user reads.
    pub fn new() -> Result<Scratch, Failure> {
        let named = |n: u32| format!("hoap-audit-{}-{n}", std::process::id());
        for path in (0..).map(|n| std::env::temp_dir().join(named(n))) {
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Scratch(path.clone(), Unfinished::new(&path))),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => {
                    let what = format!("make the folder {}: {e}; set TMPDIR", path.display());
                    return Err(Failure::unavailable(what));
                }
            }
        }
        unreachable!("numbers do not end")
    }

    /// Unpacks files of a bundle there.
    pub fn unpack(
        &self,
        bundle: &Path,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Manifest, Failure> {
        let name = bundle.display();
        let file = input::open(bundle).map_err(|e| Failure::usage(format!("read {name}: {e}")))?;
        let unpacked = unpack(BufReader::new(file), &self.0, wanted);
        unpacked.map_err(|e| Failure::from(e).because(&name.to_string()))
    }

    /// Where a file of the bundle is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

/// All runs of a bundle that repeat others.
pub fn all(bundle: &Path, manifest: &Manifest) -> Result<Vec<Again>, Failure> {
    let repeats = |run: &BundledRun| Some((run.at.clone(), run.repeats.clone()?));
    let all: Vec<_> = manifest.runs.iter().filter_map(repeats).collect();
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let scratch = Scratch::new()?;
    scratch.unpack(bundle, |name| {
        let file = name.rsplit('/').next().unwrap_or_default();
        file.ends_with(".hlog") || ["run.json", "samples.csv", "queries.csv"].contains(&file)
    })?;
    all.into_iter().map(|(at, repeats)| one(&scratch, at, repeats)).collect()
}

fn one(scratch: &Scratch, at: String, repeats: Repeats) -> Result<Again, Failure> {
    let first = match &repeats.of[..] {
        [one] => Side::open(&scratch.path(one))?,
        several => {
            let run = |at: &String| {
                let folder = scratch.path(at);
                Ok(SideRun { run: read_run(&folder)?, folder })
            };
            let runs = several.iter().map(run).collect::<Result<_, Failure>>()?;
            Side { name: String::new(), runs, series: None }
        }
    };
    let first = Side { name: repeats.of.join(", "), ..first };
    let second = Side { name: at.clone(), ..Side::open(&scratch.path(&at))? };
    let run = second.first().clone();
    let question = Question { gates: Vec::new(), relevant: RELEVANT, details: true };
    let comparison = Comparison::new(first, vec![second], question)?;
    let lines = comparison.lines.into_iter().map(|line| (stands(&line), line));
    let lines = lines.map(|(stands, line)| (line, stands)).collect();
    Ok(Again { at, repeats, run, lines, left_out: comparison.left_out })
}

fn stands(line: &ComparedLine) -> Stands {
    let (Ok(there), Ok(again)) = (&line.baseline, &line.candidate_value) else {
        return Stands::Open;
    };
    match line.stopped {
        Some(Ordering::Equal) => return Stands::Open,
        Some(_) => return Stands::Differs,
        None => {}
    }
    let intervals = (there.estimate.interval(CONFIDENCE), again.estimate.interval(CONFIDENCE));
    if let (Some((a, b)), Some((c, d))) = intervals
        && a <= d
        && c <= b
    {
        return Stands::Overlaps;
    }
    let ratio = again.estimate.value / there.estimate.value;
    let most = if line.headline { HEADLINE } else { DETAIL };
    match (1.0 / most..=most).contains(&ratio) {
        true => Stands::Near,
        false if line.headline || intervals.0.and(intervals.1).is_some() => Stands::Differs,
        false => Stands::Open,
    }
}

impl Again {
    /// Whether nothing differs by much.
    pub fn reproduced(&self) -> bool {
        let there = |stands| self.count(stands) > 0;
        !there(Stands::Differs) && (there(Stands::Overlaps) || there(Stands::Near))
    }

    fn count(&self, stands: Stands) -> usize {
        self.lines.iter().filter(|(_, of)| *of == stands).count()
    }

    /// "runs/02 differs by much from runs/01 in 2 of 14 numbers, first 4 clients, ops/s: 1,200 and 400".
    pub fn differs(&self) -> String {
        let of = self.repeats.of.join(", ");
        let first = self.lines.iter().find(|(_, stands)| *stands == Stands::Differs);
        match first {
            None => format!("{} has no number that {of} has", self.at),
            Some((line, _)) => format!(
                "{} differs by much from {of} in {} of {}, first {}",
                self.at,
                self.count(Stands::Differs),
                counted(self.lines.len(), "number", "numbers"),
                numbers(line)
            ),
        }
    }

    /// Who repeated it and how each number stands.
    pub fn text(&self) -> String {
        let Host { processor, cores, .. } = &self.run.host;
        let by = self.run.labels.get("by").map_or(String::new(), |by| format!("by {by}, "));
        let word = if self.reproduced() { "reproduced" } else { "not reproduced" };
        let mut out = format!("\n{word}\n");
        out += &paragraph(
            "  ",
            &format!(
                "{}, {by}on {processor}, {}, with the run seed {}: of {} the intervals of {} overlap, \
                 {} differ by little, {} by much",
                self.at,
                counted(*cores, "core", "cores"),
                self.run.constants.get("run_seed").unwrap_or(&Value::Null),
                counted(self.lines.len(), "number", "numbers"),
                self.count(Stands::Overlaps),
                self.count(Stands::Near),
                self.count(Stands::Differs),
            ),
        );
        for (line, stands) in &self.lines {
            out += &paragraph("  ", &format!("{}: {}", numbers(line), words(*stands)));
        }
        for what in &self.left_out {
            out += &paragraph("  ", what);
        }
        out
    }

    /// All of it.
    pub fn json(&self) -> Value {
        let side = |of: &Result<Shown, String>| match of {
            Err(why) => json!({ "missing": why }),
            Ok(shown) => {
                let interval = shown.estimate.interval(CONFIDENCE).map(|(a, b)| [a, b]);
                json!({ "value": shown.value, "interval": interval })
            }
        };
        let line = |(line, stands): &(ComparedLine, Stands)| {
            json!({ "step": place(line), "metric": line.metric.name(), "kind": line.kind,
                "there": side(&line.baseline), "again": side(&line.candidate_value),
                "overlap": *stands == Stands::Overlaps, "says": words(*stands) })
        };
        json!({ "at": self.at, "of": self.repeats.of, "program": self.repeats.program,
            "reproduced": self.reproduced(), "run_seed": self.run.constants.get("run_seed"),
            "lines": self.lines.iter().map(line).collect::<Vec<_>>(), "left_out": self.left_out })
    }
}

fn words(stands: Stands) -> &'static str {
    match stands {
        Stands::Overlaps => "the intervals overlap",
        Stands::Near => "they differ by little",
        Stands::Differs => "they differ by much",
        Stands::Open => "nothing tells",
    }
}

fn place(line: &ComparedLine) -> String {
    match &line.place {
        Scope::Overall(steps) => format!("all {}", counted(*steps, "step", "steps")),
        Scope::Step(name) => name.clone(),
    }
}

/// "4 clients, READ p99: 1.20 ms (1.10 ms … 1.30 ms) and 1.25 ms (1.15 ms … 1.35 ms)".
fn numbers(line: &ComparedLine) -> String {
    let unit = line.metric.unit();
    let side = |of: &Result<Shown, String>| match of {
        Err(why) => why.clone(),
        Ok(shown) => match shown.estimate.interval(CONFIDENCE) {
            None => unit.show(shown.value),
            Some((a, b)) => {
                format!("{} ({} … {})", unit.show(shown.value), unit.show(a), unit.show(b))
            }
        },
    };
    let (there, again) = (side(&line.baseline), side(&line.candidate_value));
    format!("{}, {}: {there} and {again}", place(line), line.title())
}
