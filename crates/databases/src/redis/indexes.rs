//! Indexes: for each value of a field a sorted set of the keys of the documents that have it.
//!
//! They are made when a load settles, from the documents that are there, and nothing keeps them in
//! step with later writes: the workloads that use them only read. Strings are indexed, other values
//! are not. An index on several fields is left out: nothing here would read it, since documents are
//! found by their key without one.

use hoap_workload::Result;
use hoap_workload::capability::Index;
use redis::Value;
use serde::{Deserialize, Serialize};

use super::connection::Line;
use super::document::Path;
use super::documents::read_notes;
use super::error::{Doing, Done, Failure};
use super::layout;
use super::pages::{PAGE, pages};

/// What the notes say of an index.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Made {
    pub collection: String,
    pub field: String,
    /// Whether every document is in it.
    pub whole: bool,
}

/// Makes an index, unless it is whole already.
pub(super) async fn make(line: &mut Line, index: &Index) -> Result<()> {
    let [field] = index.fields[..] else { return Ok(()) };
    let tried = format!("make index {} in {}", index.name, line.server().url);
    layout::collection(index.collection)?;
    let name = layout::collection(index.name)?;
    let path = Path::new(field)?;
    let made = async {
        let wanted = Made { collection: index.collection.into(), field: field.into(), whole: true };
        let there = read_notes(line, &layout::index_field(name)).await?;
        let there = there.and_then(|text| serde_json::from_str::<Made>(&text).ok());
        if there.as_ref() == Some(&wanted) {
            return Ok(());
        }
        // Who drops the collection must find the index, whole or not.
        note(line, name, &Made { whole: false, ..wanted }).await?;
        fill(line, name, index.collection, &path).await?;
        let wanted = Made { collection: index.collection.into(), field: field.into(), whole: true };
        note(line, name, &wanted).await
    };
    made.await.map_err(|e: Failure| e.into_error(Doing::Write, tried))
}

async fn note(line: &mut Line, name: &str, made: &Made) -> Done<()> {
    let text = serde_json::to_string(made).map_err(|e| Failure::Broken(e.to_string()))?;
    let mut command = redis::cmd("HSET");
    command.arg(layout::notes(&line.server().options.prefix));
    command.arg(layout::index_field(name)).arg(text);
    line.write(&command).await.map(drop)
}

async fn fill(line: &mut Line, name: &str, collection: &str, path: &Path) -> Done<()> {
    let prefix = line.server().options.prefix.clone();
    let before = layout::index(&prefix, name);
    let mut next = pages(&prefix, collection);
    while let Some(keys) = next.page(line).await? {
        let answers = next.read(line, &keys, &path.fields).await?;
        let (mut values, mut entries) = (redis::cmd("SADD"), Vec::new());
        values.arg(layout::values(&prefix, name));
        for (key, answer) in keys.iter().zip(&answers) {
            let Value::Array(answers) = answer else { continue };
            let serde_json::Value::String(value) = path.value(answers)? else { continue };
            let mut entry = redis::cmd("ZADD");
            entry.arg(format!("{before}{value}")).arg(0).arg(key);
            entries.push(entry);
            values.arg(value);
        }
        if !entries.is_empty() {
            // The values first: by them the entries are found again.
            line.write(&values).await?;
            line.send_all(entries).await?;
        }
    }
    Ok(())
}

/// Removes what there is of an index, and its note last.
pub(super) async fn remove(line: &mut Line, name: &str) -> Done<()> {
    let prefix = line.server().options.prefix.clone();
    let (before, values) = (layout::index(&prefix, name), layout::values(&prefix, name));
    let mut all = redis::cmd("SMEMBERS");
    all.arg(&values);
    let there = match line.send(&all).await? {
        // The newer protocol has sets of their own.
        Value::Set(members) => Value::Array(members),
        other => other,
    };
    for some in super::texts(there)?.chunks(PAGE) {
        let remove = |value: &String| {
            let mut command = redis::cmd("UNLINK");
            command.arg(format!("{before}{value}"));
            command
        };
        line.send_all(some.iter().map(remove).collect()).await?;
    }
    let mut remove = redis::cmd("UNLINK");
    remove.arg(&values);
    line.send(&remove).await?;
    let mut forget = redis::cmd("HDEL");
    forget.arg(layout::notes(&prefix)).arg(layout::index_field(name));
    line.write(&forget).await.map(drop)
}
