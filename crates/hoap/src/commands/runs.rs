//! `hoap runs`: the run folders in a folder, a line each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hoap_record::Run;
use hoap_record::folder::read_run;
use hoap_report::run::figures::{self, KeyFigure};
use hoap_report::run::title::title;
use hoap_report::tables::{Entry, moment};
use hoap_report::text::{COLUMNS, tame};
use serde_json::json;

use super::context::Context;
use crate::failure::Failure;

/// The most characters of a cell.
const LONGEST: usize = 1000;
/// The columns.
const NAMES: [&str; 5] = ["started", "folder", "result", "checks", "what"];

/// Prints them, the latest last. A folder that is no run is passed over; one that cannot be read says
/// why.
pub fn runs(context: &Context, folder: &Path) -> Result<(), Failure> {
    let mut found = Vec::new();
    for dir in inside(folder)? {
        match dir.join("run.json").exists() {
            true => found.push(dir),
            // The repetitions of a run.
            false => {
                found.extend(inside(&dir)?.into_iter().filter(|d| d.join("run.json").exists()))
            }
        }
    }
    let (mut rows, mut unread) = (Vec::new(), Vec::new());
    for dir in found {
        match read_run(&dir) {
            Ok(run) => rows.push(row(&dir, &run)),
            Err(e) => unread.push(format!("{}: {e}\n", dir.display())),
        }
    }
    rows.sort_by(|a, b| a[0].cmp(&b[0]));
    let objects = rows.iter().map(|row| NAMES.into_iter().zip(row).collect::<BTreeMap<_, _>>());
    let result = json!({ "runs": objects.collect::<Vec<_>>(), "unread": unread });
    context.result(&result, || {
        let width = |at: usize| {
            rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0).min(COLUMNS)
        };
        let widths: [usize; NAMES.len()] = std::array::from_fn(width);
        let line = |row: &[String; NAMES.len()]| {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}  "));
            cells.collect::<String>().trim_end().to_owned() + "\n"
        };
        match rows.is_empty() && unread.is_empty() {
            true => format!("no run in {}\n", folder.display()),
            false => rows.iter().map(line).chain(unread.iter().cloned()).collect(),
        }
    });
    Ok(())
}

/// When, where, what it found, what the checks say, and what ran.
fn row(folder: &Path, run: &Run) -> [String; NAMES.len()] {
    let folder = folder.display().to_string();
    let what = title(&[Entry { name: &folder, run }]);
    let result = figures::of_run(run).first().map(KeyFigure::number).unwrap_or_default();
    let started = moment(&run.started).trim_end_matches(" UTC").to_owned();
    // A record may have any text in the place of each.
    [started, folder, result, figures::checks(run).value, what]
        .map(|cell| tame(&cell).chars().take(LONGEST).collect())
}

/// The folders in a folder, by name.
fn inside(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |e| Failure::usage(format!("list the runs in {}: {e}", folder.display()));
    let all = std::fs::read_dir(folder).map_err(failed)?;
    let mut all: Vec<PathBuf> = all.filter_map(|entry| Some(entry.ok()?.path())).collect();
    all.retain(|path| path.is_dir());
    all.sort();
    Ok(all)
}
