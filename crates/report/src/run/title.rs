//! The title of runs.

use hoap_record::RemarkId;

use super::Entry;
use super::void::mark;

/// What ran on what, with the mark of numbers that do not stand.
pub fn title(entries: &[Entry<'_>]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for entry in entries {
        let run = entry.run;
        let mut on: Vec<&str> = Vec::new();
        for database in [&run.operational, &run.analytical].into_iter().flatten() {
            if !on.contains(&database.name.as_str()) {
                on.push(&database.name);
            }
        }
        let benchmark = run.title();
        let mut part = match on.as_slice() {
            [] => benchmark.to_owned(),
            names => format!("{benchmark} on {}", names.join(" and ")),
        };
        part.extend(mark(run).map(|mark| format!(", {mark}")));
        // "scaled down by 20: not a CH2++ result": whoever sees no more than this line must know.
        let scaled = run.remarks.iter().find(|remark| remark.id == RemarkId::ScaledDown);
        let scaled = scaled.and_then(|remark| remark.text.split(':').next());
        part.extend(scaled.map(|scaled| format!(", {scaled}")));
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    if parts.is_empty() { "No runs".to_string() } else { parts.join("; ") }
}
