//! The end of a load: durability, as far as the server has any.

use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use redis::Value;

use super::connection::ClientConnection;
use super::layout;

/// The time limit for syncing the append-only file, milliseconds.
const SYNC_MS: u32 = 30_000;

/// Waits until the append-only file is on the disk, on a server that has one and the command to
/// wait for it (WAITAOF: Redis 7.2, Valkey). Any other server keeps a load in memory, and its
/// description says so. A cluster's nodes are not asked: each would need a write and a wait.
pub(super) async fn durable(connection: &mut ClientConnection) -> Done<()> {
    if connection.server().cluster.is_some() {
        return Ok(());
    }
    let notes = layout::notes(&connection.server().options.prefix);
    // The command waits for the writes of its own connection, and so for all before them.
    let mut write = redis::cmd("HSET");
    write.arg(notes).arg(layout::SETTLED).arg("");
    connection.write(&write).await?;
    let mut wait = redis::cmd("WAITAOF");
    // Half the limit for answers, so that the server answers first.
    let milliseconds =
        SYNC_MS.min(connection.server().options.response_timeout.as_millis() as u32 / 2);
    wait.arg(1).arg(0).arg(milliseconds);
    match connection.send(&wait).await {
        Ok(Value::Array(synced)) if synced.first() == Some(&Value::Int(0)) => Err(Failure::of(
            ErrorKind::Timeout,
            format!("it was not on the disk after {milliseconds} ms"),
            "look at its disk, and go on with --resume",
        )),
        // An older server, or one without the file, answers with an error.
        Err(e) if e.code.is_empty() => Err(e),
        _ => Ok(()),
    }
}
