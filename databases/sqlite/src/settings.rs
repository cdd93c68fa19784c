//! The settings in force, for the description of a run.

use hoap_database::failure::Done;
use hoap_record::words::counted;

use super::changes;
use super::connection::{Database, Role};
use crate::error;
use crate::error::OrFail;

/// The PRAGMAs among them.
const PRAGMAS: [&str; 9] = [
    "journal_mode",
    "synchronous",
    "page_size",
    "cache_size",
    "mmap_size",
    "wal_autocheckpoint",
    "temp_store",
    "threads",
    "max_page_count",
];

/// The settings of a database, name → value, read from a new connection.
pub(super) fn in_force(database: &Database) -> Done<Vec<(String, String)>> {
    let connection = database.connect(Role::Reader)?;
    let mut settings = Vec::new();
    for pragma in PRAGMAS {
        let value = connection
            .query_row(&format!("PRAGMA {pragma}"), [], |row| {
                row.get::<_, rusqlite::types::Value>(0)
            })
            .map_err(|e| error::failure(e).trying(format!("read {pragma} of {}", database.url)))?;
        settings.push((pragma.to_owned(), shown(pragma, &value)));
    }
    let synchronous = settings.iter().find(|(name, _)| name == "synchronous");
    let durability = match synchronous.map(|(_, value)| value.as_str()) {
        Some("full" | "extra") => "a commit is on disk when it is acknowledged",
        Some("normal") => "the last commits may be lost when the machine stops",
        _ => "commits may be lost and the file broken when the machine stops",
    };
    for (name, value) in
        [("durability", durability), ("isolation", "serializable"), ("replicas", "none")]
    {
        settings.push((name.to_owned(), value.to_owned()));
    }
    // Not a PRAGMA: the connection waits by itself.
    let busy = format!("{} ms", database.options.busy_timeout.as_millis());
    settings.push(("busy_timeout".to_owned(), busy));
    let lost = database.options.lose_commit;
    if lost > 0 {
        let what = format!("number {lost} is acknowledged and rolled back");
        settings.push(("lose_commit".to_owned(), what));
    }
    // Its triggers are a part of every transaction that writes.
    if let Some(follower) = changes::follower(&connection).or_fail()? {
        settings.push(("changes_logged_for".to_owned(), follower));
    }
    Ok(settings)
}

/// A setting in words.
fn shown(pragma: &str, value: &rusqlite::types::Value) -> String {
    use rusqlite::types::Value::{Integer, Text};
    let words: &[&str] = match pragma {
        "synchronous" => &["off", "normal", "full", "extra"],
        "temp_store" => &["default", "file", "memory"],
        _ => &[],
    };
    match value {
        Integer(n) => match (pragma, usize::try_from(*n).ok().and_then(|n| words.get(n))) {
            (_, Some(word)) => (*word).to_owned(),
            ("cache_size", None) if *n <= 0 => format!("{} MiB", -n / 1024),
            ("mmap_size", None) => format!("{} MiB", n >> 20),
            ("page_size", None) => counted(*n, "byte", "bytes"),
            ("wal_autocheckpoint" | "max_page_count", None) => counted(*n, "page", "pages"),
            _ => n.to_string(),
        },
        Text(text) => text.clone(),
        other => format!("{other:?}"),
    }
}
