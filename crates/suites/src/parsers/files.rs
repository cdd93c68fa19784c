//! Run folders and folders of documents, whole and file by file.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hoap_record::folder::{read_machine, read_queries, read_run, read_samples};
use hoap_record::hlog::{self, Hlog};
use hoap_record::merge::Merge;
use hoap_report::compare::{Comparison, Question, Side, document, json, junit, markdown, plain};
use hoap_report::{Loaded, Style, html, summary};

use hoap_testing::fuzz::{told, told_with};

/// A folder that is removed at the end.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Writes a file and gives the folder back.
fn holding(name: &str, bytes: &[u8]) -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join(name), bytes).unwrap();
    folder
}

/// `run.json`.
pub fn run_json(input: &[u8]) {
    let folder = holding("run.json", input);
    match read_run(folder.path()) {
        Ok(run) => {
            let written = serde_json::to_vec(&run).unwrap();
            let again = holding("run.json", &written);
            assert_eq!(read_run(again.path()).unwrap(), run);
            summary(&run, Style { colour: true, folder: Some("run"), full: true });
        }
        Err(e) => told_with(e, &["run.json"]),
    }
}

/// `samples.csv`, `machine.csv` and `queries.csv`: rows come back, also those of a file that was
/// cut off.
pub fn rows(input: &[u8]) {
    let folder = holding("samples.csv", input);
    fs::write(folder.path().join("queries.csv"), input).unwrap();
    match read_samples(folder.path()) {
        Ok(samples) => {
            let again = holding("samples.csv", &csv(&samples));
            assert_eq!(told_samples(again.path()), format!("{samples:?}"));
        }
        Err(e) => told_with(e, &["samples.csv"]),
    }
    fs::write(folder.path().join("machine.csv"), input).unwrap();
    match read_machine(folder.path()) {
        Ok(rows) => {
            let again = holding("machine.csv", &csv(&rows));
            let read = read_machine(again.path()).unwrap();
            assert_eq!(format!("{read:?}"), format!("{rows:?}"));
        }
        Err(e) => told_with(e, &["machine.csv"]),
    }
    match read_queries(folder.path()) {
        Ok(executions) => {
            let again = holding("queries.csv", &csv(&executions));
            let read = read_queries(again.path()).unwrap();
            assert_eq!(format!("{read:?}"), format!("{executions:?}"));
        }
        Err(e) => told_with(e, &["queries.csv"]),
    }
}

/// In words: a mean may be no number.
fn told_samples(folder: &Path) -> String {
    format!("{:?}", read_samples(folder).unwrap())
}

fn csv<T: serde::Serialize>(rows: &[T]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().for_each(|row| writer.serialize(row).unwrap());
    writer.into_inner().unwrap()
}

/// The log of a step.
pub fn hlog(input: &[u8]) {
    let folder = holding("step-01.hlog", input);
    let read = match hlog::read(folder.path(), 1) {
        Ok(read) => read,
        Err(e) => return told_with(e, &["step-01.hlog", "line "]),
    };
    let mut log = Hlog::create(folder.path(), 1, SystemTime::UNIX_EPOCH).unwrap();
    for (tag, histogram) in &read {
        let second = Duration::from_secs(1);
        if let Err(e) = log.add(tag, histogram, second, second) {
            // A tag with a space is read, but no log may have it.
            return told_with(e, &["cannot be a tag"]);
        }
    }
    log.flush().unwrap();
    assert!(hlog::read(folder.path(), 1).unwrap() == read, "a log does not come back");
}

/// One histogram of a log: the input is what base64 and the line around it hide.
pub fn histogram(input: &[u8]) {
    hlog(format!("Tag=A,1.000,1.000,1.000,{}\n", BASE64_STANDARD.encode(input)).as_bytes());
}

/// What stands before each file of a folder that is one input.
const NAME: &str = "=== ";

/// A run folder as a whole: its page, its summary, its comparison and its merging with itself.
pub fn run_folder(input: &[u8]) {
    let folder = folder();
    let paths = ["a", "b", "out"].map(|name| folder.path().join(name));
    let [a, b, out] = &paths;
    for path in [a, b] {
        fs::create_dir(path).unwrap();
        unpack(path, input);
    }
    match Loaded::open(a) {
        Ok(loaded) => {
            let page = html(std::slice::from_ref(&loaded));
            assert!(page.contains("</html>"), "the page is cut off");
            summary(&loaded.run, Style { full: true, ..Style::default() });
        }
        Err(e) => told_with(e, &[&a.display().to_string()]),
    }
    compared(a, b);
    match Merge::open(&[a.clone(), b.clone()]) {
        Ok(merge) => match merge.write(out, vec!["hoap".into(), "merge".into()], None) {
            Ok(run) => assert_eq!(read_run(out).unwrap(), run),
            Err(e) => drop(told(e)),
        },
        Err(e) => drop(told(e)),
    }
}

/// A run against itself, in every form.
fn compared(a: &Path, b: &Path) {
    let mut sides = match [a, b].map(Side::open).into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(sides) => sides,
        Err(e) => return drop(told(e)),
    };
    let gates = ["tpm<-5%", "ops<-5%:point", "p99>1.2x:sure", "p50>2x:strict", "overall<-1%"];
    let gates = gates.map(|gate| gate.parse().unwrap()).to_vec();
    let baseline = sides.remove(0);
    let question = Question { gates, relevant: 0.01, details: true };
    match Comparison::new(baseline, sides, question) {
        Ok(comparison) => {
            let blocks = document(&comparison);
            assert!(!plain(&blocks).is_empty() && !markdown(&blocks).is_empty());
            assert!(junit(&comparison).contains("testsuite") && json(&comparison).is_object());
        }
        Err(e) => drop(told(e)),
    }
}

/// Writes the files: after a line with [`NAME`] and one of the names of a run folder, its bytes.
fn unpack(folder: &Path, input: &[u8]) {
    let mut file: Option<String> = None;
    let mut bytes: Vec<u8> = Vec::new();
    for line in input.split_inclusive(|b| *b == b'\n') {
        let name = std::str::from_utf8(line).ok().and_then(|l| l.strip_prefix(NAME));
        let known = |name: &&str| {
            ["run.json", "samples.csv", "queries.csv", "step-01.hlog", "step-02.hlog"]
                .contains(name)
        };
        match name.map(str::trim_end).filter(known) {
            Some(name) => {
                if let Some(file) = file.replace(name.to_owned()) {
                    fs::write(folder.join(file), std::mem::take(&mut bytes)).unwrap();
                }
            }
            None => bytes.extend_from_slice(line),
        }
    }
    if let Some(file) = file {
        fs::write(folder.join(file), bytes).unwrap();
    }
}

/// The manifest of a folder of documents.
pub fn manifest(input: &[u8]) {
    let folder = holding("manifest.json", input);
    let mut progress = |_| ();
    let watch = hoap_files::FilesWatch {
        stop: &|| false,
        progress: &mut progress,
        known: &crate::benchmarks::known,
    };
    let checked = match hoap_files::check(folder.path(), 1, watch) {
        Ok(checked) => checked,
        Err(e) => return told_with(e, &[&folder.path().display().to_string()]),
    };
    checked.problems.iter().for_each(|problem| drop(told(problem)));
    // There are no files beside it, so that whatever it promises is missing.
    assert!(checked.files == 0 || !checked.problems.is_empty());
    if let Ok(manifest) = serde_json::from_slice::<hoap_files::Manifest>(input) {
        let written = serde_json::to_string(&manifest).unwrap();
        assert_eq!(serde_json::from_str::<hoap_files::Manifest>(&written).unwrap(), manifest);
    }
}
