//! What the record of every run says before its first step.

use std::path::{Path, PathBuf};

use hoap_database::Database;
use hoap_databases::url::redact;
use hoap_record::{FORMAT, Load, Run};
use hoap_workload::note::Note;
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

/// The record of a run that begins now.
pub fn begin(benchmark: &str, target: &Database, basis: Basis<'_>, settings: Settings) -> Run {
    let Basis { note, data, constants } = basis;
    Run {
        format: FORMAT,
        hoap: env!("CARGO_PKG_VERSION").into(),
        benchmark: benchmark.into(),
        command: command_line(),
        started: hoap_drive::now(),
        seconds: 0.0,
        partial: None,
        remarks: Vec::new(),
        configuration: settings.into_iter().collect(),
        data,
        constants,
        operational: Some(target.description()),
        analytical: None,
        host: hoap_drive::host(),
        query_set: None,
        load: note.map(|note| Load {
            documents: note.load.documents,
            bytes: note.load.bytes,
            seconds: note.load.seconds,
            clients: note.load.clients,
            ingestion: note.load.ingestion.clone(),
            stored: note.load.stored.clone(),
        }),
        steps: Vec::new(),
        checks: Vec::new(),
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

/// `runs/<benchmark>-<time>`, where the user names no folder.
pub fn default_folder(benchmark: &str) -> PathBuf {
    let time: String =
        hoap_drive::now().chars().take(19).filter(|c| !matches!(c, '-' | ':')).collect();
    Path::new("runs").join(format!("{}-{time}", kind_of(benchmark)))
}
