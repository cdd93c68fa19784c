//! The hash of notes: the benchmark's, collections, indexes, the progress of loads.

use hoap_database::failure::{Done, Failure};
use redis::Value as Answer;
use serde::{Deserialize, Serialize};

use super::connection::ClientConnection;
use super::layout;

/// An index, as the notes describe it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct IndexDefinition {
    pub collection: String,
    pub field: String,
    /// Whether it has every document.
    pub whole: bool,
}

/// Reads a note.
pub(super) async fn read(connection: &mut ClientConnection, field: &str) -> Done<Option<String>> {
    let mut command = redis::cmd("HGET");
    command.arg(layout::notes(&connection.server().options.prefix)).arg(field);
    match connection.send(&command).await? {
        Answer::Nil => Ok(None),
        Answer::BulkString(text) => String::from_utf8(text)
            .map(Some)
            .map_err(|_| Failure::broken(format!("the note `{field}` is not UTF-8"))),
        other => Err(Failure::broken(format!("HGET answered {other:?}"))),
    }
}

/// Refuses a collection that was not made, or an index that is not complete.
pub(super) async fn expect(
    connection: &mut ClientConnection,
    collections: &[&str],
    indexes: &[&str],
) -> Done<()> {
    for name in collections {
        if read(connection, &layout::collection_field(name)).await?.is_none() {
            return Err(Failure::missing(format!("there is no collection {name}")));
        }
    }
    for name in indexes {
        let text = read(connection, &layout::index_field(name)).await?;
        let made = text.and_then(|text| serde_json::from_str::<IndexDefinition>(&text).ok());
        if !made.is_some_and(|made| made.whole) {
            return Err(Failure::missing(format!("the index {name} is missing")));
        }
    }
    Ok(())
}
