//! Bundles of the golden run folders: honest ones hold, and no tampering goes unseen but what
//! `docs/audit.md` names.

mod doctored;
mod hostile;
mod tampered;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::finding::{Division, Findings};
use crate::manifest::{BundledRun, Program};
use crate::open::Folder;
use crate::pack::{self, Content, Parts};
use crate::{Audit, audit, of_folder};

/// The golden run folders that have all their files.
const FOLDERS: &[&str] = &[
    "folders/driver-1",
    "folders/driver-2",
    "folders/hybrid-1",
    "folders/hybrid-2",
    "folders/open",
    "folders/repeated-1/01",
    "folders/repeated-2/02",
    "folders/search",
    "expected/merge",
];

/// The files of a run folder by name.
type Files = BTreeMap<String, Vec<u8>>;

fn files(folder: &str) -> Files {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../hoap/tests/cli/golden");
    let folder = PathBuf::from(golden).join(folder);
    let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let ours = entries.filter(|path| name(path) != "printed.txt");
    ours.map(|path| (name(&path), std::fs::read(&path).unwrap())).collect()
}

fn parts(files: &Files) -> Parts {
    let content = |(name, bytes): (&String, &Vec<u8>)| {
        (format!("runs/01/{name}"), Content::Bytes(bytes.clone()))
    };
    Parts {
        program: Program { version: "0.1.0".into(), sha256: "0".repeat(64) },
        runs: vec![BundledRun { at: "runs/01".into(), name: "run".into(), repeats: None }],
        reasons: BTreeMap::new(),
        files: files.iter().map(content).collect(),
    }
}

fn packed(parts: &Parts) -> Vec<u8> {
    let mut bytes = Vec::new();
    pack::write(&mut bytes, parts).unwrap();
    bytes
}

fn audited(files: &Files) -> Audit {
    audit(packed(&parts(files)).as_slice(), &()).unwrap()
}

/// The files as an audit has them; what does not read is found.
fn read(files: &Files, findings: &mut Findings) -> Folder {
    let mut folder = Folder { at: "runs/01".into(), ..Folder::default() };
    for (name, bytes) in files {
        if let Err(what) = folder.take(name, bytes) {
            findings.void(&format!("runs/01/{name}"), what);
        }
    }
    folder
}

/// The same of files that read.
fn taken(files: &Files) -> Folder {
    let mut findings = Findings::default();
    let folder = read(files, &mut findings);
    assert_eq!(voids(&findings), Vec::<String>::new());
    folder
}

/// What is found in the files alone, as if the digests had been made again.
fn found(files: &Files) -> Findings {
    let mut findings = Findings::default();
    let folder = read(files, &mut findings);
    if folder.run.is_none() {
        findings.void("runs/01", "no run");
    }
    of_folder(&folder, &BTreeMap::new(), &mut findings);
    findings
}

fn voids(findings: &Findings) -> Vec<String> {
    let of = findings.list.iter().filter(|finding| finding.division == Division::Void);
    of.map(|finding| format!("{}: {}", finding.place, finding.text)).collect()
}

#[test]
fn every_number_of_an_honest_run_is_made_again() {
    for folder in FOLDERS {
        let audit = audited(&files(folder));
        assert_eq!(voids(&audit.findings), Vec::<String>::new(), "{folder}");
        assert!(audit.findings.made_again > 50, "{folder}: {}", audit.findings.made_again);
        // They are of a second each, on null: or scaled down.
        assert_eq!(audit.division(), Division::Rehearsal, "{folder}");
    }
}

#[test]
fn two_bundles_of_a_folder_are_equal_byte_for_byte() {
    let files = files("folders/hybrid-1");
    let (one, two) = (packed(&parts(&files)), packed(&parts(&files)));
    assert!(one == two && one.starts_with(pack::BEGIN));
    let mut other = files.clone();
    other.get_mut("run.json").unwrap().push(b' ');
    assert_ne!(one, packed(&parts(&other)));
}

/// A run of a benchmark as it is by default, and what lowers its division.
#[test]
fn the_division_is_the_lowest_that_anything_leaves() {
    let run = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut files = files("folders/open");
        let mut run: serde_json::Value = serde_json::from_slice(&files["run.json"]).unwrap();
        run["steps"] = serde_json::json!([]);
        run["operational"] = serde_json::json!({ "url": "postgres://db/d", "name": "PostgreSQL",
            "version": "18.1", "settings": { "fsync": "on", "shared_buffers": "128MB" } });
        run["checks"] = ["record count", "nothing changed"]
            .map(|name| {
                serde_json::json!(
            { "when": "after the run", "name": name, "compares": "", "verdict": "pass",
                "checked": 1, "detail": null })
            })
            .into();
        change(&mut run);
        files.retain(|name, _| name == "run.json");
        files.insert("run.json".into(), serde_json::to_vec(&run).unwrap());
        let audit = audited(&files);
        (audit.division(), audit.findings.list.iter().map(|f| f.text.clone()).collect::<String>())
    };
    type Change = fn(&mut serde_json::Value);
    let rows: [(Division, &str, Change); 9] = [
        (Division::Standard, "", |_| {}),
        (Division::Tuned, "fsync: off weakens", |r| {
            r["operational"]["settings"]["fsync"] = "off".into();
        }),
        (Division::Tuned, "shared_buffers: 4GB, by default 128MB; no reason given", |r| {
            r["operational"]["settings"]["shared_buffers"] = "4GB".into();
        }),
        (Division::Tuned, "isolation: read uncommitted (weakens", |r| {
            r["operational"]["settings"]["isolation"] = "read uncommitted".into();
        }),
        (Division::Tuned, "durability: none", |r| {
            r["operational"]["settings"]["durability"] = "none: lost at a crash".into();
        }),
        (Division::Tuned, "jit: off, set by the URL", |r| {
            r["operational"]["url"] = "postgres://db/d?schema=a&jit=off".into();
        }),
        (Division::Rehearsal, "did not pass after the run: record count", |r| {
            r["checks"][0]["verdict"] = "skip".into();
        }),
        (Division::Rehearsal, "no database behind null:", |r| {
            r["operational"]["url"] = "null:".into();
        }),
        (Division::Void, "failed: nothing changed", |r| {
            r["checks"][1]["verdict"] = "fail".into();
        }),
    ];
    for (wanted, says, change) in rows {
        let (division, texts) = run(&change);
        assert!(division == wanted && texts.contains(says), "{says}: {division:?}, {texts}");
    }
}
