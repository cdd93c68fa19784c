//! The title of runs.

use hoap_record::{RemarkId, Run};

use super::Entry;
use super::void::mark;

/// What ran on what, with the mark of numbers that do not stand. What runs have in common is said
/// once: "YCSB A on PostgreSQL, Redis".
pub fn title(entries: &[Entry<'_>]) -> String {
    let mut parts: Vec<(String, Vec<String>, String)> = Vec::new();
    for Entry { run, .. } in entries {
        let mut on: Vec<&str> = Vec::new();
        for database in [&run.operational, &run.analytical].into_iter().flatten() {
            if !on.contains(&database.name.as_str()) {
                on.push(&database.name);
            }
        }
        let (benchmark, on) = (run.title().to_owned(), on.join(" and "));
        let mark = mark(run).map(|mark| format!(", {mark}")).unwrap_or_default();
        let behind = format!("{mark}{}", scaled(run));
        let alike = |(of, _, rest): &&mut (String, Vec<String>, String)| {
            *of == benchmark && *rest == behind
        };
        match parts.iter_mut().find(alike) {
            Some((_, all, _)) if all.contains(&on) => {}
            Some((_, all, _)) => all.push(on),
            None => parts.push((benchmark, vec![on], behind)),
        }
    }
    let words = |(benchmark, mut on, behind): (String, Vec<String>, String)| {
        on.retain(|names| !names.is_empty());
        let pairs = on.iter().any(|names| names.contains(" and "));
        let on = on.join(if pairs { "; " } else { ", " });
        let on = if on.is_empty() { on } else { format!(" on {on}") };
        format!("{benchmark}{on}{behind}")
    };
    let parts: Vec<String> = parts.into_iter().map(words).collect();
    if parts.is_empty() { "No runs".to_string() } else { parts.join("; ") }
}

/// ", scaled down by 20": whoever sees no more than the title must know.
pub fn scaled(run: &Run) -> String {
    let scaled = run.remarks.iter().find(|remark| remark.id == RemarkId::ScaledDown);
    let scaled = scaled.and_then(|remark| remark.text.split(':').next());
    scaled.map(|scaled| format!(", {scaled}")).unwrap_or_default()
}
