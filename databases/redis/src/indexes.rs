//! Indexes: for each value of a field a sorted set of the keys of the documents that have it.
//!
//! They are made when a load settles. Later writes do not update them: the workloads that use them
//! only read. Only strings are indexed. An index on several fields is not made: nothing would read
//! it, since documents are found by their keys.

use hoap_database::Index;
use hoap_database::failure::{Done, Failure};
use redis::Value;

use super::answers::texts;
use super::connection::ClientConnection;
use super::document::Path;
use super::notes::IndexDefinition;
use super::pages::{PAGE, pages};
use super::{layout, notes};

/// Makes an index, unless it is complete.
pub(super) async fn make(connection: &mut ClientConnection, index: &Index) -> Done<()> {
    let [field] = &index.fields[..] else { return Ok(()) };
    if is_whole(connection, index).await? == Some(true) {
        return Ok(());
    }
    let definition = |whole| definition(index, field, whole);
    // A drop of the collection must find the index, complete or not.
    note(connection, &index.name, &definition(false)).await?;
    fill(connection, &index.name, &index.collection, &Path::new(field)).await?;
    note(connection, &index.name, &definition(true)).await
}

fn definition(index: &Index, field: &str, whole: bool) -> IndexDefinition {
    IndexDefinition { collection: index.collection.clone(), field: field.into(), whole }
}

/// Whether an index is there: its note says that it is complete, and nobody removed its values.
/// `None` of one that is not made.
pub(super) async fn is_whole(
    connection: &mut ClientConnection,
    index: &Index,
) -> Done<Option<bool>> {
    let [field] = &index.fields[..] else { return Ok(None) };
    let there = notes::read(connection, &layout::index_field(&index.name)).await?;
    let there = there.and_then(|text| serde_json::from_str::<IndexDefinition>(&text).ok());
    if there != Some(definition(index, field, true)) {
        return Ok(Some(false));
    }
    let prefix = &connection.server().options.prefix;
    let keys = [layout::values(prefix, &index.name), layout::keys(prefix, &index.collection)];
    let mut exist = [false; 2];
    for (key, exists) in keys.iter().zip(&mut exist) {
        let mut command = redis::cmd("EXISTS");
        command.arg(key);
        *exists = connection.send(&command).await? == Value::Int(1);
    }
    // Of no document there is no value.
    let [values, documents] = exist;
    Ok(Some(values || !documents))
}

async fn note(
    connection: &mut ClientConnection,
    name: &str,
    definition: &IndexDefinition,
) -> Done<()> {
    let text = serde_json::to_string(definition).map_err(Failure::broken)?;
    let mut command = redis::cmd("HSET");
    command.arg(layout::notes(&connection.server().options.prefix));
    command.arg(layout::index_field(name)).arg(text);
    connection.write(&command).await.map(drop)
}

async fn fill(
    connection: &mut ClientConnection,
    name: &str,
    collection: &str,
    path: &Path,
) -> Done<()> {
    let prefix = connection.server().options.prefix.clone();
    let before = layout::index(&prefix, name);
    let mut next = pages(&prefix, collection);
    while let Some(keys) = next.page(connection).await? {
        let answers = next.read(connection, &keys, &path.fields).await?;
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
            // The values first: a drop finds the entries by them.
            connection.write(&values).await?;
            connection.send_all(entries).await?;
        }
    }
    Ok(())
}

/// Removes an index, and its note last.
pub(super) async fn remove(connection: &mut ClientConnection, name: &str) -> Done<()> {
    let prefix = connection.server().options.prefix.clone();
    let (before, values) = (layout::index(&prefix, name), layout::values(&prefix, name));
    let mut all = redis::cmd("SMEMBERS");
    all.arg(&values);
    let there = match connection.send(&all).await? {
        // The newer protocol has a type for sets.
        Value::Set(members) => Value::Array(members),
        other => other,
    };
    for some in texts(there)?.chunks(PAGE) {
        let remove = |value: &String| {
            let mut command = redis::cmd("UNLINK");
            command.arg(format!("{before}{value}"));
            command
        };
        connection.send_all(some.iter().map(remove).collect()).await?;
    }
    let mut remove = redis::cmd("UNLINK");
    remove.arg(&values);
    connection.send_all(vec![remove]).await?;
    let mut forget = redis::cmd("HDEL");
    forget.arg(layout::notes(&prefix)).arg(layout::index_field(name));
    connection.write(&forget).await.map(drop)
}
