//! What the record of every run says before its first step.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hoap_databases::url::scrub;
use hoap_record::{FORMAT, Load, Run};
use hoap_workload::capability::Target;
use hoap_workload::note::Note;
use serde_json::Value;

/// The record of a run that begins now. `note` is what the database says of its load.
pub fn begin(
    benchmark: &str,
    target: &dyn Target,
    note: Option<&Note>,
    data: Value,
    constants: Value,
    configuration: Value,
) -> Run {
    Run {
        format: FORMAT,
        hoap: env!("CARGO_PKG_VERSION").into(),
        benchmark: benchmark.into(),
        command: std::env::args().map(|word| scrub(&word)).collect(),
        started: hoap_drive::now(),
        seconds: 0.0,
        partial: None,
        warnings: Vec::new(),
        configuration: match configuration {
            Value::Object(map) => map.into_iter().collect(),
            _ => BTreeMap::new(),
        },
        data,
        constants,
        operational: Some(target.description()),
        analytical: None,
        non_transactional: None,
        host: hoap_drive::host(),
        query_set: None,
        load: note.map(|note| Load {
            documents: note.load.documents,
            bytes: note.load.bytes,
            seconds: note.load.seconds,
        }),
        steps: Vec::new(),
        checks: Vec::new(),
        audit: Vec::new(),
        search: None,
        events: Vec::new(),
        catch_up: None,
        stopped_by: None,
        repetition: None,
        drivers: Vec::new(),
    }
}

/// `runs/<benchmark>-<time>`, where the user names no folder; of a custom workload without what it does.
pub fn default_folder(benchmark: &str) -> PathBuf {
    let benchmark = benchmark.split(':').next().unwrap_or_default();
    let time: String =
        hoap_drive::now().chars().take(19).filter(|c| !matches!(c, '-' | ':')).collect();
    Path::new("runs").join(format!("{benchmark}-{time}"))
}
