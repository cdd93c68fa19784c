//! `--server-facts FILE`: what no server tells of itself, as labels of its runs.

use std::ffi::OsString;

use hoap_report::run::promised::SERVER_FACTS;
use toml::{Table, Value};

use super::file::{of_flag, unread};
use crate::failure::Failure;

/// The labels of the database of this name, as words: what the file says at its top of all, and in
/// a table of its name of one. None if the words name no file.
///
/// # Errors
/// Says what of the file is wrong, or that it says nothing of this database.
pub fn labels(argv: &[OsString], name: &str) -> Result<Vec<OsString>, Failure> {
    let Some(file) = of_flag(argv, "--server-facts") else { return Ok(Vec::new()) };
    let wrong =
        |why: String| Failure::usage(format!("read facts of servers {}: {why}", file.display()));
    let text = hoap_record::input::text(&file).map_err(|e| wrong(e.to_string()))?;
    let table = text.parse::<Table>().map_err(|e| wrong(unread(&text, &e)))?;
    let mut facts = Table::new();
    for (key, value) in &table {
        match value {
            Value::Table(own) if key == name => facts.extend(own.clone()),
            Value::Table(_) => {}
            value => {
                facts.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
    }
    if facts.is_empty() {
        return Err(wrong(format!("it says nothing of {name}: write a table [{name}]")));
    }
    let mut words = Vec::new();
    for (key, value) in facts {
        match value {
            Value::String(value) if SERVER_FACTS.iter().any(|(name, _)| *name == key) => {
                words.push(format!("--label=server.{key}={value}").into());
            }
            _ => {
                let known = SERVER_FACTS.map(|(name, _)| name).join(", ");
                return Err(wrong(format!("{key:?}: a fact is one of {known}, and a text")));
            }
        }
    }
    Ok(words)
}
