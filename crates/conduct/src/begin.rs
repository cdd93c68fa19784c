//! What the record of every run says before its first step.

use std::path::{Path, PathBuf};
use std::{fs, io};

use hoap_database::Database;
use hoap_databases::url::redact;
use hoap_record::{FORMAT, Load, Run, output};
use hoap_workload::note::Note;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::flags::Settings;

/// What the data is, and what is drawn from it.
pub struct Basis<'a> {
    /// What the database says of its load.
    pub note: Option<&'a Note>,
    /// The data set.
    pub data: Value,
    /// Constants and seeds.
    pub constants: Value,
}

/// The words of this process's command line, without secrets. What is not UTF-8 in the name of a
/// file is shown as `�`.
pub fn command_line() -> Vec<String> {
    std::env::args_os().map(|word| redact(&word.to_string_lossy())).collect()
}

/// The record of a run that begins now: of this benchmark, by its name and as people write that.
pub fn begin(
    (benchmark, title): (&str, &str),
    target: &Database,
    basis: Basis<'_>,
    settings: Settings,
) -> Run {
    let Basis { note, data, constants } = basis;
    let alone = settings.get("part").is_none_or(Value::is_null);
    Run {
        format: FORMAT,
        hoap: env!("CARGO_PKG_VERSION").into(),
        benchmark: benchmark.into(),
        title: (title != benchmark).then(|| title.into()),
        headline: None,
        command: command_line(),
        labels: Default::default(),
        started: hoap_drive::now(),
        seconds: 0.0,
        partial: None,
        remarks: Vec::new(),
        configuration: settings.into_iter().collect(),
        data,
        constants,
        operational: Some(target.description()),
        analytical: None,
        round_trip_us: Default::default(),
        host: hoap_drive::host(),
        query_set: None,
        load: note.map(|note| Load {
            documents: note.load.documents,
            bytes: note.load.bytes,
            seconds: if note.load.untimed { 0.0 } else { note.load.seconds },
            clients: note.load.clients,
            runs_before: alone.then_some(note.runs),
            ingestion: note.load.ingestion.clone(),
            stored: note.load.stored.clone(),
        }),
        steps: Vec::new(),
        checks: Vec::new(),
        checks_read: Vec::new(),
        ledger: None,
        audit: Vec::new(),
        witness: None,
        search: None,
        events: Vec::new(),
        observed: Vec::new(),
        catch_up: None,
        stopped_by: None,
        repetition: None,
        clock: None,
        drivers: Vec::new(),
    }
}

/// The name of a benchmark without what a custom workload does, which follows ": ".
pub fn kind_of(benchmark: &str) -> &str {
    benchmark.split(':').next().unwrap_or_default()
}

/// Makes `runs/<benchmark>-<time>`, where the user names no folder: with a number where others have
/// begun in the same second.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] where it cannot be made.
pub fn default_folder(benchmark: &str) -> Result<PathBuf> {
    let time: String =
        hoap_drive::now().chars().take(19).filter(|c| !matches!(c, '-' | ':')).collect();
    fresh_folder(Path::new("runs"), &format!("{}-{time}", kind_of(benchmark)))
}

/// Makes a folder that was not there, of this name or with a number behind it.
fn fresh_folder(place: &Path, name: &str) -> Result<PathBuf> {
    output::folder(place)?;
    let mut path = place.join(name);
    for number in 2.. {
        match fs::create_dir(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                path = place.join(format!("{name}-{number}"));
            }
            Err(e) => {
                let tried = format!("create run folder {}", path.display());
                return Err(Error::new(ErrorKind::Unavailable, tried, e)
                    .advise("name another folder with --out"));
            }
            Ok(()) => break,
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_begin_at_the_same_time_have_folders_of_their_own() {
        let place = tempfile::tempdir().unwrap();
        let runs = place.path().join("runs");
        let made: Vec<_> = std::thread::scope(|scope| {
            let each = || scope.spawn(|| fresh_folder(&runs, "ch2pp-20260131T120000").unwrap());
            let all: Vec<_> = (0..20).map(|_| each()).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let names: std::collections::BTreeSet<_> = made.iter().collect();
        assert_eq!(names.len(), 20, "{made:?}");
        assert!(names.contains(&runs.join("ch2pp-20260131T120000")));
        assert!(names.contains(&runs.join("ch2pp-20260131T120000-20")));
    }
}
