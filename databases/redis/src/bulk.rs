//! Bulk loading.
//!
//! On one server a batch, its keys and its progress are one transaction, all or nothing: the server
//! keeps its commands until the last one, EXEC. That is sent only where none of the documents was
//! there before, and does nothing where somebody else has written one since (WATCH). A script could
//! do the same, but the server would make a Lua string of each value (`bench/load`).
//!
//! In a cluster they are on different nodes, and are not atomic. The keys are written first, so
//! that a drop of the collection finds every document; then the documents, replacing existing ones;
//! then the progress. A load that was interrupted writes its last batch again when it is resumed,
//! which completes it. An existing key cannot be told from that: it is overwritten.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use hoap_database::Batch;
use hoap_database::engine::Bulk;
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use redis::{Cmd, Value};

use super::connection::{ClientConnection, Server};
use super::error;
use super::options::Options;
use super::pages::PAGE;
use super::{answers, document, layout, notes};

/// Bytes of JSON text after which a batch is written, and its most documents. The server does
/// nothing else while it runs the transaction of a batch, which should take milliseconds. WATCH
/// compares each key with all before it.
const BATCH_BYTES: usize = 256 << 10;
const BATCH_DOCUMENTS: usize = 500;

/// An answer that takes longer than this beyond a round trip halves the next batches: so long the
/// server's other clients wait, too, whether for one script or those of several loading clients.
const LONGEST: Duration = Duration::from_millis(50);

/// A batch has so many of [`PARTS`] parts of the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pace {
    parts: usize,
    /// The shortest time of a request that does next to nothing.
    round_trip: Duration,
}

const PARTS: usize = 16;

impl Pace {
    const FULL: Pace = Pace { parts: PARTS, round_trip: Duration::MAX };

    /// Notes how long a batch took.
    fn answered(&mut self, after: Duration) {
        let busy = after.saturating_sub(self.round_trip);
        if busy > LONGEST {
            self.parts = (self.parts / 2).max(1);
        } else if busy < LONGEST / 4 {
            self.parts = (self.parts + 1).min(PARTS);
        }
    }

    fn of(&self, most: usize) -> usize {
        most / PARTS * self.parts
    }
}

/// Writes the batches of one part of a load.
pub struct BatchWriter {
    /// Nobody else uses it: WATCH and MULTI are of a connection.
    connection: ClientConnection,
    /// Whether the connection may be in the middle of a transaction.
    open: bool,
    part: String,
    /// The last collection that was found to exist.
    known: String,
    pace: Pace,
}

impl BatchWriter {
    pub(super) fn new(connection: ClientConnection, part: &str) -> Self {
        BatchWriter {
            connection,
            open: false,
            part: part.to_owned(),
            known: String::new(),
            pace: Pace::FULL,
        }
    }

    /// Replaces a connection that was left in the middle of a transaction, which ends with it.
    async fn close_transaction(&mut self) -> Done<()> {
        if self.open {
            self.connection = self.connection.server().clone().own_connection().await?;
            self.open = false;
        }
        Ok(())
    }

    async fn write_batch(&mut self, name: &str, batch: &Batch, position: u64) -> Done<()> {
        let server = self.connection.server().clone();
        let names = Names {
            keys: layout::keys(&server.options.prefix, name),
            documents: layout::documents(&server.options.prefix, name),
        };
        let mut save = redis::cmd("HSET");
        save.arg(layout::notes(&server.options.prefix));
        save.arg(layout::progress_field(&self.part, name)).arg(position);
        if server.cluster.is_none() && !batch.is_empty() {
            return self.write_whole(&server, &names, batch, save).await;
        }
        self.write_apart(&names, batch).await?;
        self.connection.write(&save).await.map(drop)
    }

    /// Writes a batch with its progress on one server.
    async fn write_whole(
        &mut self,
        server: &Server,
        names: &Names,
        batch: &Batch,
        save: Cmd,
    ) -> Done<()> {
        let mut seen = HashSet::with_capacity(batch.len());
        if let Some((twice, _)) = batch.iter().find(|(key, _)| !seen.insert(*key)) {
            return Err(Failure::duplicate(twice));
        }
        // All of it before anything is sent: a document may be none.
        let mut commands = Vec::with_capacity(batch.len() + 4);
        let mut keys = redis::cmd("ZADD");
        keys.arg(&names.keys);
        for (key, text) in batch.iter() {
            let mut command = Cmd::with_capacity(32, text.len() + 64);
            command.arg("HSET").arg(names.document(key));
            put_fields(&mut command, key, text)?;
            commands.push(command);
            keys.arg(0).arg(key);
        }
        commands.extend([keys, save, redis::cmd("EXEC")]);
        let Options { wait_replicas: wanted, wait_timeout_ms: milliseconds, .. } = server.options;
        if wanted > 0 {
            let mut wait = redis::cmd("WAIT");
            wait.arg(wanted).arg(milliseconds);
            commands.push(wait);
        }
        self.open = true;
        if self.begin(names, batch).await? > 0 {
            self.connection.send_all(vec![redis::cmd("DISCARD")]).await?;
            self.open = false;
            return Err(self.there_already(names, batch).await?);
        }
        // The first command that is refused says why nothing is written.
        let mut answers = self.connection.send_all(commands).await?;
        self.open = false;
        let replicas = if wanted > 0 { answers.pop() } else { None };
        match answers.pop() {
            Some(Value::Nil) => return Err(self.there_already(names, batch).await?),
            Some(executed @ Value::Array(_)) => {
                executed.extract_error().map_err(|e| error::of(&e))?;
            }
            other => return Err(Failure::broken(format!("EXEC answered {other:?}"))),
        }
        match replicas {
            None => Ok(()),
            Some(Value::Int(replicas)) => answers::enough(replicas, wanted, milliseconds),
            Some(other) => Err(Failure::broken(format!("WAIT answered {other:?}"))),
        }
    }

    /// Begins a transaction that does nothing where somebody writes one of the documents before its
    /// end. Returns how many of them there are already. MULTI is answered before a document is sent:
    /// without it the server would write each by itself.
    async fn begin(&mut self, names: &Names, batch: &Batch) -> Done<i64> {
        let [mut watch, mut exists] = ["WATCH", "EXISTS"].map(redis::cmd);
        for (key, _) in batch.iter() {
            let document = names.document(key);
            watch.arg(&document);
            exists.arg(document);
        }
        let begin = vec![watch, exists, redis::cmd("MULTI")];
        match &self.connection.send_all(begin).await?[..] {
            [_, Value::Int(there), _] => Ok(*there),
            other => Err(Failure::broken(format!("WATCH, EXISTS and MULTI answered {other:?}"))),
        }
    }

    /// Which of the documents is there already.
    async fn there_already(&mut self, names: &Names, batch: &Batch) -> Done<Failure> {
        let mut asked = Vec::with_capacity(batch.len());
        for (key, _) in batch.iter() {
            let mut exists = redis::cmd("EXISTS");
            exists.arg(names.document(key));
            asked.push(exists);
        }
        let there = self.connection.send_all(asked).await?;
        let found = batch.iter().zip(there).find(|(_, there)| *there != Value::Int(0));
        Ok(match found {
            Some(((key, _), _)) => Failure::duplicate(key),
            None => Failure::of(
                ErrorKind::Conflict,
                "somebody else wrote one of the documents meanwhile",
                "let nobody else use the keys of the prefix",
            ),
        })
    }

    /// Writes a batch in a cluster.
    async fn write_apart(&mut self, names: &Names, batch: &Batch) -> Done<()> {
        let all: Vec<(&str, &[u8])> = batch.iter().collect();
        for some in all.chunks(PAGE) {
            let mut add = redis::cmd("ZADD");
            add.arg(&names.keys);
            for (key, _) in some {
                add.arg(0).arg(key);
            }
            self.connection.write(&add).await?;
        }
        for some in all.chunks(PAGE) {
            let mut commands = Vec::with_capacity(some.len());
            for (key, text) in some {
                let mut command = redis::cmd("EVAL");
                command.arg(self.connection.server().scripts.replace.text).arg(1);
                command.arg(names.document(key));
                put_fields(&mut command, key, text)?;
                commands.push(command);
            }
            self.connection.send_all(commands).await?;
        }
        Ok(())
    }
}

/// The names that a batch is written under.
struct Names {
    /// Of the collection's keys.
    keys: String,
    /// What the documents' begin with.
    documents: String,
}

impl Names {
    fn document(&self, key: &str) -> Vec<u8> {
        [self.documents.as_bytes(), key.as_bytes()].concat()
    }
}

/// Adds the names and values of a document to a command.
fn put_fields(command: &mut Cmd, key: &str, text: &[u8]) -> Done<()> {
    let fields = document::fields(text, |[name, rest], value| {
        match rest {
            [] => command.arg(name),
            rest => command.arg([name, rest].concat()),
        };
        command.arg(value);
    });
    fields.map(drop).map_err(|e| Failure::invalid(format!("document {key}: {e}")))
}

#[async_trait]
impl Bulk for BatchWriter {
    fn batch_bytes(&self) -> usize {
        self.pace.of(BATCH_BYTES)
    }

    fn batch_documents(&self) -> usize {
        self.pace.of(BATCH_DOCUMENTS)
    }

    async fn position(&mut self, collection: &str) -> Done<u64> {
        self.close_transaction().await?;
        let field = layout::progress_field(&self.part, collection);
        let asked = Instant::now();
        let text = notes::read(&mut self.connection, &field).await?;
        self.pace.round_trip = self.pace.round_trip.min(asked.elapsed());
        Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        self.close_transaction().await?;
        if self.known != collection {
            notes::expect(&mut self.connection, &[collection], &[]).await?;
            // EXEC does not undo the other commands where one fails: keys of somebody else's type
            // are refused before.
            let mut keys = redis::cmd("ZCARD");
            keys.arg(layout::keys(&self.connection.server().options.prefix, collection));
            self.connection.send(&keys).await?;
            collection.clone_into(&mut self.known);
        }
        let asked = Instant::now();
        let written = self.write_batch(collection, batch, position).await;
        self.pace.answered(asked.elapsed());
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slow server is given less at a time, and more again as soon as it is fast.
    #[test]
    fn the_next_batch_follows_the_time_of_the_last_answers() {
        let ms = Duration::from_millis;
        let mut pace = Pace { round_trip: ms(100), ..Pace::FULL };
        let sizes = |pace: &Pace| (pace.of(BATCH_BYTES), pace.of(BATCH_DOCUMENTS));
        assert_eq!(sizes(&pace), (256 << 10, 496));
        // The way there is long, the server fast.
        pace.answered(ms(140));
        assert_eq!(sizes(&pace), (256 << 10, 496));
        pace.answered(ms(151));
        assert_eq!(sizes(&pace), (128 << 10, 248));
        for _ in 0..9 {
            pace.answered(ms(900));
        }
        assert_eq!(sizes(&pace), (16 << 10, 31));
        pace.answered(ms(130));
        assert_eq!(pace.parts, 1);
        for _ in 0..20 {
            pace.answered(ms(105));
        }
        assert_eq!(pace.parts, PARTS);
    }
}
