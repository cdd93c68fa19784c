//! The end of a load: what was written is to be durable, as far as the server keeps anything.

use hoap_workload::{Error, ErrorKind, Result};
use redis::Value;

use super::connection::Line;
use super::error::{Doing, Failure};
use super::layout;

/// How long the server may take to sync its append-only file, milliseconds.
const SYNC_MS: u32 = 30_000;

/// Waits until the append-only file is on the disk, on a server that has one and the command to wait
/// for it (WAITAOF: Redis 7.2, Valkey). A server without keeps a load in memory, and
/// its description says so. A cluster's nodes are not asked: each would have to be, after a write.
pub(super) async fn durable(line: &mut Line) -> Result<()> {
    if line.server().cluster.is_some() {
        return Ok(());
    }
    let tried = format!("wait until {} has written its file", line.server().url);
    let notes = layout::notes(&line.server().options.prefix);
    // The command waits for what its own connection wrote, and so for everything before.
    let mut write = redis::cmd("HSET");
    write.arg(notes).arg(layout::SETTLED).arg("");
    line.write(&write).await.map_err(|e| e.into_error(Doing::Write, &tried))?;
    let mut wait = redis::cmd("WAITAOF");
    // Whatever the limit for answers is, it is not for this.
    let milliseconds = SYNC_MS.min(line.server().options.response_timeout.as_millis() as u32 / 2);
    wait.arg(1).arg(0).arg(milliseconds);
    match line.send(&wait).await {
        Ok(Value::Array(synced)) if synced.first() == Some(&Value::Int(0)) => {
            let answer = format!("it was not on the disk after {milliseconds} ms");
            Err(Error::new(ErrorKind::Timeout, tried, answer)
                .advise("look at its disk, and go on with --resume"))
        }
        // An older server, or one without the file, answers with an error.
        Ok(_) => Ok(()),
        Err(Failure::Redis(e)) if e.clone().into_server_errors().is_some() => Ok(()),
        Err(e) => Err(e.into_error(Doing::Read, tried)),
    }
}
