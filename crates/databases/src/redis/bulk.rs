//! Bulk loading.
//!
//! On one server a batch, its keys and its progress are one script: all of it is there or nothing, and
//! a key that is there already refuses the batch.
//!
//! In a cluster they are on different nodes, and no step covers them. The keys are written first,
//! so that removing the collection finds every document; then the documents, each in the place of
//! whatever was there; then the progress. A load that ended halfway writes its last batch again when it
//! is resumed, which completes it. A key that is there already cannot be told from that: it is
//! overwritten.

use async_trait::async_trait;
use hoap_workload::Result;
use hoap_workload::capability::{Batch, BulkWriter};
use hoap_workload::words::counted;
use redis::{Cmd, Value};

use super::connection::Line;
use super::documents::{expect, read_notes};
use super::error::{Doing, Done, Failure};
use super::pages::PAGE;
use super::{document, layout};

/// Bytes of JSON text after which a batch is written. The server does nothing else while it runs the script
/// of a batch: it is to be ready for others after milliseconds.
const BATCH_BYTES: usize = 256 << 10;

/// Arguments that a command may have: Redis takes 2^20.
const ARGUMENTS: usize = 1_000_000;

/// Writes batches.
pub(super) struct Bulk {
    line: Line,
    part: String,
    /// The collection that was last seen to be there.
    known: String,
    /// Recycled: arguments of a batch, one after the other, and the end of each.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Recycled: for each document the number of its arguments.
    counts: Vec<usize>,
}

impl Bulk {
    pub fn new(line: Line, part: &str) -> Self {
        Bulk {
            line,
            part: part.to_owned(),
            known: String::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Takes the documents apart into names and values.
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
            let count = fields.map_err(|e| Failure::Invalid(format!("document {key}: {e}")))?;
            self.counts.push(count * 2);
        }
        Ok(())
    }

    async fn write_batch(&mut self, name: &str, batch: &Batch, position: u64) -> Done<()> {
        self.take_apart(batch)?;
        let server = self.line.server().clone();
        let prefix = &server.options.prefix;
        let (notes, keys) = (layout::notes(prefix), layout::keys(prefix, name));
        let before = layout::documents(prefix, name);
        let progress = layout::progress_field(&self.part, name);
        if server.cluster.is_some() {
            self.write_apart(batch, &keys, &before).await?;
            let mut save = redis::cmd("HSET");
            save.arg(notes).arg(progress).arg(position);
            return self.line.write(&save).await.map(drop);
        }
        let arguments = 6 + 3 * batch.len() + self.ends.len();
        if arguments > ARGUMENTS {
            return Err(Failure::Invalid(format!(
                "the batch has {arguments} names and values, and a command takes {ARGUMENTS}"
            )));
        }
        let (bytes, ends, counts) = (&self.bytes, &self.ends, &self.counts);
        let fill = |command: &mut Cmd| {
            command.arg(notes).arg(keys);
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
        match self.line.run(|s| &s.batch, 2 + batch.len(), fill).await? {
            Value::Int(0) => Ok(()),
            Value::Int(there) => {
                let at = usize::try_from(there - 1).unwrap_or(0);
                let key = batch.iter().nth(at).map_or("", |(key, _)| key).to_owned();
                Err(Failure::Duplicate(key))
            }
            other => Err(Failure::Broken(format!("the script answered {other:?}"))),
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
            self.line.write(&add).await?;
        }
        let mut at = 0;
        for (keys, counts) in all.chunks(PAGE).zip(self.counts.chunks(PAGE)) {
            let mut commands = Vec::with_capacity(keys.len());
            for (key, &count) in keys.iter().zip(counts) {
                let mut command = redis::cmd("EVAL");
                command.arg(self.line.server().scripts.replace.text).arg(1);
                command.arg([before.as_bytes(), key.as_bytes()].concat());
                for n in at..at + count {
                    command.arg(argument(&self.bytes, &self.ends, n));
                }
                at += count;
                commands.push(command);
            }
            self.line.send_all(commands).await?;
        }
        Ok(())
    }
}

fn argument<'a>(bytes: &'a [u8], ends: &[usize], n: usize) -> &'a [u8] {
    let start = if n == 0 { 0 } else { ends[n - 1] };
    &bytes[start..ends[n]]
}

#[async_trait]
impl BulkWriter for Bulk {
    fn batch_bytes(&self) -> usize {
        BATCH_BYTES
    }

    async fn position(&mut self, collection: &str) -> Result<u64> {
        let field = layout::progress_field(&self.part, layout::collection(collection)?);
        let tried = format!("read the progress of {collection} in {}", self.line.server().url);
        let text = read_notes(&mut self.line, &field).await;
        let text = text.map_err(|e| e.into_error(Doing::Read, tried))?;
        Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Result<()> {
        let name = layout::collection(collection)?;
        if self.known != name {
            expect(&mut self.line, &[name], &[]).await?;
            name.clone_into(&mut self.known);
        }
        let url = &self.line.server().url;
        let documents = counted(batch.len(), "document", "documents");
        let tried = format!("load {documents} into {collection} of {url}");
        let written = self.write_batch(name, batch, position).await;
        written.map_err(|e| e.into_error(Doing::Write, tried))
    }
}
