//! The names of the files of a run folder.

use std::path::Path;

pub(crate) const RUN: &str = "run.json";
pub(crate) const SAMPLES: &str = "samples.csv";
pub(crate) const QUERIES: &str = "queries.csv";
pub(crate) const MACHINE: &str = "machine.csv";
/// What the servers did: no driver sends it to others.
pub const OBSERVED: &str = "observed.csv";
pub(crate) const LEDGER: &str = "ledger.json";
pub(crate) const HISTORY: &str = "witness.ndjson";

/// Whether a folder is that of a run.
pub fn is_run(folder: &Path) -> bool {
    folder.join(RUN).exists()
}

/// Whether a run folder has files of this name.
pub fn is_file(name: &str) -> bool {
    let step = name.strip_prefix("step-").and_then(|name| name.strip_suffix(".hlog"));
    let digits =
        |text: &str| (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    [RUN, SAMPLES, QUERIES, MACHINE, OBSERVED, LEDGER, HISTORY].contains(&name)
        || step.is_some_and(digits)
}

/// Whether a path within a run folder is that of a file that Hoap writes there.
pub fn is_ours(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let kept = |ending: &str| {
        let number = name.strip_prefix('q').and_then(|name| name.strip_suffix(ending));
        number.is_some_and(|n| n.len() == 2 && n.bytes().all(|b| b.is_ascii_digit()))
    };
    match path.parent().and_then(Path::to_str) {
        Some("") => is_file(&name),
        Some("plans") => kept(".plan.json"),
        Some("answers") => kept(".json"),
        _ => false,
    }
}
