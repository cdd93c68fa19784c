//! Bulk loading.
//!
//! On one server a batch, its keys and its progress are one script, which is atomic; an existing
//! key refuses the batch.
//!
//! In a cluster they are on different nodes, and are not atomic. The keys are written first, so
//! that a drop of the collection finds every document; then the documents, replacing existing ones;
//! then the progress. A load that was interrupted writes its last batch again when it is resumed,
//! which completes it. An existing key cannot be told from that: it is overwritten.

use std::time::{Duration, Instant};

use hoap_workload::capability::Batch;
use redis::{Cmd, Value};

use super::connection::ClientConnection;
use super::error::Doing;
use super::pages::PAGE;
use super::{document, layout, notes};
use crate::failure::{Done, Failure};
use crate::front::engine::{Abandon, Bulk};

/// Bytes of JSON text after which a batch is written, and its most documents. The server does
/// nothing else while it runs the script of a batch, which should take milliseconds: 3 µs a
/// document and 0.4 µs a field, several times as much on a busy machine.
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

/// The limit for the arguments of a command: Redis takes 2^20.
const ARGUMENTS: usize = 1_000_000;

/// Writes the batches of one part of a load.
pub struct BatchWriter {
    connection: ClientConnection,
    part: String,
    /// The last collection that was found to exist.
    known: String,
    pace: Pace,
    /// Recycled: arguments of a batch, one after the other, and the end of each.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Recycled: for each document the number of its arguments.
    counts: Vec<usize>,
}

impl BatchWriter {
    pub(super) fn new(connection: ClientConnection, part: &str) -> Self {
        BatchWriter {
            connection,
            part: part.to_owned(),
            known: String::new(),
            pace: Pace::FULL,
            bytes: Vec::new(),
            ends: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Splits the documents into names and values.
    fn take_apart(&mut self, batch: &Batch) -> Done<()> {
        self.bytes.clear();
        self.ends.clear();
        self.counts.clear();
        for (key, text) in batch.iter() {
            let fields = document::fields(text, |name, value| {
                for part in [name.as_bytes(), value] {
                    self.bytes.extend_from_slice(part);
                    self.ends.push(self.bytes.len());
                }
            });
            let count = fields.map_err(|e| Failure::invalid(format!("document {key}: {e}")))?;
            self.counts.push(count * 2);
        }
        Ok(())
    }

    async fn write_batch(&mut self, name: &str, batch: &Batch, position: u64) -> Done<()> {
        self.take_apart(batch)?;
        let server = self.connection.server().clone();
        let prefix = &server.options.prefix;
        let (hash, keys) = (layout::notes(prefix), layout::keys(prefix, name));
        let before = layout::documents(prefix, name);
        let progress = layout::progress_field(&self.part, name);
        if server.cluster.is_some() {
            self.write_apart(batch, &keys, &before).await?;
            let mut save = redis::cmd("HSET");
            save.arg(hash).arg(progress).arg(position);
            return self.connection.write(&save).await.map(drop);
        }
        let arguments = 6 + 3 * batch.len() + self.ends.len();
        if arguments > ARGUMENTS {
            return Err(Failure::invalid(format!(
                "the batch has {arguments} names and values, and a command takes {ARGUMENTS}"
            )));
        }
        let (bytes, ends, counts) = (&self.bytes, &self.ends, &self.counts);
        let fill = |command: &mut Cmd| {
            command.arg(hash).arg(keys);
            for (key, _) in batch.iter() {
                command.arg([before.as_bytes(), key.as_bytes()].concat());
            }
            command.arg(progress).arg(position);
            let mut at = 0;
            for ((key, _), &count) in batch.iter().zip(counts) {
                command.arg(key).arg(count);
                for n in at..at + count {
                    command.arg(argument(bytes, ends, n));
                }
                at += count;
            }
        };
        let written = self.connection.run(|s| &s.batch, 2 + batch.len(), fill).await?;
        match written.by_replicas()? {
            Value::Int(0) => Ok(()),
            Value::Int(there) => {
                let at = usize::try_from(there - 1).unwrap_or(0);
                Err(Failure::duplicate(batch.iter().nth(at).map_or("", |(key, _)| key)))
            }
            other => Err(Failure::broken(format!("the script answered {other:?}"))),
        }
    }

    async fn write_apart(&mut self, batch: &Batch, keys: &str, before: &str) -> Done<()> {
        let all: Vec<&str> = batch.iter().map(|(key, _)| key).collect();
        for some in all.chunks(PAGE) {
            let mut add = redis::cmd("ZADD");
            add.arg(keys);
            for key in some {
                add.arg(0).arg(key);
            }
            self.connection.write(&add).await?;
        }
        let mut at = 0;
        for (keys, counts) in all.chunks(PAGE).zip(self.counts.chunks(PAGE)) {
            let mut commands = Vec::with_capacity(keys.len());
            for (key, &count) in keys.iter().zip(counts) {
                let mut command = redis::cmd("EVAL");
                command.arg(self.connection.server().scripts.replace.text).arg(1);
                command.arg([before.as_bytes(), key.as_bytes()].concat());
                for n in at..at + count {
                    command.arg(argument(&self.bytes, &self.ends, n));
                }
                at += count;
                commands.push(command);
            }
            self.connection.send_all(commands, Doing::Write).await?;
        }
        Ok(())
    }
}

fn argument<'a>(bytes: &'a [u8], ends: &[usize], n: usize) -> &'a [u8] {
    let start = if n == 0 { 0 } else { ends[n - 1] };
    &bytes[start..ends[n]]
}

impl Abandon for BatchWriter {}

impl Bulk for BatchWriter {
    fn batch_bytes(&self) -> usize {
        self.pace.of(BATCH_BYTES)
    }

    fn batch_documents(&self) -> usize {
        self.pace.of(BATCH_DOCUMENTS)
    }

    async fn position(&mut self, collection: &str) -> Done<u64> {
        let field = layout::progress_field(&self.part, collection);
        let asked = Instant::now();
        let text = notes::read(&mut self.connection, &field).await?;
        self.pace.round_trip = self.pace.round_trip.min(asked.elapsed());
        Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        if self.known != collection {
            notes::expect(&mut self.connection, &[collection], &[]).await?;
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
