//! Poolers that give each transaction another session of the server.
//!
//! A session is set once: schema, isolation, limits. Its statements are prepared
//! by name. With a pooler in *transaction mode* the next transaction is in another session, which
//! lacks both, and what is set stays with sessions that other programs use. Without names and with
//! the settings in each transaction something else would be measured. So nothing is set in such a
//! session.
//!
//! A pooler shows in the number of the process that serves the connection: the one that it named
//! when it let the client in is its own. Then a second connection shows what is shared.

use std::time::Duration;

use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use tokio_postgres::{Client, Error, SimpleQueryMessage};

/// How long the second connection may wait for a session: a pooler that shares none may have no
/// other one.
const PATIENCE: Duration = Duration::from_secs(3);

const ADVICE: &str = "name the server itself, or a database of the pooler with pool_mode=session; \
                      pool=N in the URL has Hoap's clients share N connections";

/// Refuses a server behind a pooler that shares its sessions. Nothing was set on the connection of
/// `client`, which the server said process `named` serves; `other` makes another.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] with the words *transaction pooling* and what to do.
pub(super) async fn refuse(
    client: &Client,
    named: Option<i32>,
    other: impl Future<Output = Done<Client>>,
) -> Done<()> {
    let Ok(Some(first)) = process(client).await else { return Ok(()) };
    if named == Some(first) {
        return Ok(());
    }
    // The server may have no other connection to give.
    let Ok(other) = other.await else { return Ok(()) };
    let shared = shares(client, &other, first);
    match tokio::time::timeout(PATIENCE, shared).await {
        Ok(Ok(true)) => Err(Failure::of(
            ErrorKind::Unavailable,
            "a pooler in front of the server gives each transaction another session (transaction \
             pooling), which loses what Hoap sets and prepares in one",
            ADVICE,
        )),
        Ok(Err(e)) if e.as_db_error().is_some_and(|e| e.message().contains("pooling mode")) => {
            Err(Failure::of(ErrorKind::Unavailable, super::error::connect(&e).answer, ADVICE))
        }
        _ => Ok(()),
    }
}

/// Whether two connections are served by one session, or one of them by several.
async fn shares(one: &Client, other: &Client, first: i32) -> Result<bool, Error> {
    // Twice: a pooler that takes its sessions in turns gives back the first only then.
    let second = process(one).await?;
    other.batch_execute("BEGIN").await?;
    let held = process(other).await?;
    let shared = second != Some(first) || held == second || process(one).await? != second;
    other.batch_execute("ROLLBACK").await?;
    Ok(shared)
}

/// The number of the process that serves a connection now; `None` where it does not say.
async fn process(client: &Client) -> Result<Option<i32>, Error> {
    let answer = client.simple_query("SELECT pg_backend_pid()").await?;
    Ok(answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).and_then(|number| number.parse().ok()),
        _ => None,
    }))
}
