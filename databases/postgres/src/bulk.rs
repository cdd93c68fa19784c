//! Bulk loading: `COPY`, in PostgreSQL's binary format.
//!
//! The format needs no escapes: it carries any text and key. A document is made where its line is
//! sent from, after seven bytes for what comes before it; its key, which is known then, is the
//! column after it.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::future::try_join;
use futures_util::{SinkExt, pin_mut};
use hoap_database::engine::Bulk;
use hoap_database::failure::{Done, Failure};
use hoap_database::{Batch, Texts};
use hoap_record::ErrorKind;
use memchr::memmem;
use tokio_postgres::types::ToSql;
use tokio_postgres::{CopyInSink, Error};

use super::error;
use super::link::{Link, Pools};
use super::types::JSONB_VERSION;
use crate::error::OrFail;

const SAVE: &str = "INSERT INTO hoap_load (part, collection, position) VALUES ($1, $2, $3)
    ON CONFLICT (part, collection) DO UPDATE SET position = excluded.position";

const POSITIONS: &str = "SELECT collection, position FROM hoap_load WHERE part = $1";

/// Documents and progress are lost together or not at all; settling makes both durable.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off";

/// The beginning of the file of a binary COPY: signature, flags, length of the extension.
const HEADER: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// The end of the file.
const TRAILER: [u8; 2] = (-1i16).to_be_bytes();
/// The begin of a line: two columns, the length of the first one, and what jsonb begins with.
const LINE: [u8; 7] = [0, 2, 0, 0, 0, 0, JSONB_VERSION];

/// Bytes of JSON text after which a transaction ends.
const BATCH: usize = 4 << 20;
/// Bytes that are sent at a time: few enough for the processor's cache, where they are made.
const PIECE: usize = 256 << 10;

/// Writes the batches of one part of a load, each in one transaction with its progress.
pub struct BatchWriter {
    link: Link,
    part: String,
    /// The saved progress of the collections, as long as nothing was written since.
    positions: Option<HashMap<String, u64>>,
}

impl BatchWriter {
    pub(super) async fn new(pools: Arc<Pools>, part: &str) -> Done<Self> {
        let link = Link::of_writer(pools).await?;
        Ok(BatchWriter { link, part: part.to_owned(), positions: None })
    }

    /// Reads the progress of all collections: most parts have many of them.
    async fn read_positions(&mut self) -> Done<HashMap<String, u64>> {
        let mut held = self.link.hold().await?;
        let read = async {
            let statement = held.prepared(POSITIONS).await?;
            let rows = held.client.query(&statement, &[&self.part]).await?;
            let position = |row: &tokio_postgres::Row| {
                let position = u64::try_from(row.try_get::<_, i64>(1)?).unwrap_or(0);
                Ok::<_, Error>((row.try_get(0)?, position))
            };
            rows.iter().map(position).collect::<Result<_, _>>()
        };
        let read = read.await;
        held.answered(read.map_err(error::failure))
    }
}

/// The next writer of the load goes on with the connection.
impl Drop for BatchWriter {
    fn drop(&mut self) {
        self.link.leave();
    }
}

#[async_trait]
impl Bulk for BatchWriter {
    async fn position(&mut self, collection: &str) -> Done<u64> {
        if self.positions.is_none() {
            self.positions = Some(self.read_positions().await?);
        }
        let known = self.positions.as_ref().and_then(|all| all.get(collection));
        Ok(known.copied().unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        let mut left = batch.iter();
        let mut append = |_, key: &mut String, text: &mut Vec<u8>| {
            if let Some(next) = left.next() {
                key.push_str(next.0);
                text.extend_from_slice(next.1);
            }
        };
        let mut documents = Texts::new(&mut append, 0, batch.len() as u64);
        // A caller may name any position.
        let before = position.wrapping_sub(batch.len() as u64);
        self.write_transaction(collection, &mut documents, before, usize::MAX).await.map(drop)
    }

    fn takes_texts(&self) -> bool {
        true
    }

    async fn write_texts(
        &mut self,
        collection: &str,
        documents: &mut Texts<'_>,
        before: u64,
    ) -> Done<u64> {
        self.write_transaction(collection, documents, before, BATCH).await
    }

    fn abandon(&mut self) -> bool {
        self.link.abandon()
    }
}

impl BatchWriter {
    /// Writes documents until so many bytes are written, and then their progress.
    async fn write_transaction(
        &mut self,
        collection: &str,
        documents: &mut Texts<'_>,
        before: u64,
        limit: usize,
    ) -> Done<u64> {
        self.positions = None;
        let copy = format!("COPY \"{collection}\" (doc, key) FROM STDIN (FORMAT binary)");
        let all = documents.len();
        let mut held = self.link.hold().await?;
        let written = async {
            let copy = held.prepared(&copy).await.or_fail()?;
            let save = held.prepared(SAVE).await.or_fail()?;
            let begin = held.client.batch_execute(BEGIN);
            let bytes = match documents.is_empty() {
                true => begin.await.map(|()| 0).or_fail()?,
                false => {
                    // One after the other, sent together.
                    let ((), sink) = try_join(begin, held.client.copy_in(&copy)).await.or_fail()?;
                    send(sink, documents, limit).await?
                }
            };
            let position = before.wrapping_add(all - documents.len());
            let position = i64::try_from(position).unwrap_or(i64::MAX);
            let progress: [&(dyn ToSql + Sync); 3] = [&self.part, &collection, &position];
            held.client.execute(&save, &progress).await.map(|_| bytes).or_fail()
        };
        let bytes = match written.await {
            Ok(bytes) => bytes,
            Err(e) => {
                held.roll_back_later();
                return held.answered(Err(e));
            }
        };
        let committed = held.client.batch_execute("COMMIT").await.or_fail();
        held.answered(committed.map(|()| bytes))
    }
}

/// Sends documents as the lines of a COPY, until so many bytes are sent. Returns their bytes as
/// JSON text. What was sent is undone where a document is refused: its end is missing.
async fn send(sink: CopyInSink<Bytes>, documents: &mut Texts<'_>, limit: usize) -> Done<u64> {
    pin_mut!(sink);
    let (mut key, mut bytes) = (String::new(), 0);
    let mut piece = HEADER.to_vec();
    while !documents.is_empty() && bytes < limit {
        // Room for the last document, which is larger than what is left.
        piece.reserve(PIECE + (PIECE >> 2));
        while piece.len() < PIECE && bytes < limit && !documents.is_empty() {
            bytes += line(documents, &mut key, &mut piece)?;
        }
        if piece.len() >= PIECE {
            sink.feed(std::mem::take(&mut piece).into()).await.or_fail()?;
        }
    }
    piece.extend_from_slice(&TRAILER);
    sink.feed(piece.into()).await.or_fail()?;
    sink.finish().await.or_fail()?;
    Ok(bytes as u64)
}

/// Makes the next document and its line. Returns the document's bytes.
///
/// The server would name a document with U+0000 by the number of its line alone.
fn line(documents: &mut Texts<'_>, key: &mut String, out: &mut Vec<u8>) -> Done<usize> {
    key.clear();
    let start = out.len() + LINE.len();
    out.extend_from_slice(&LINE);
    documents.append_next(key, out);
    let bytes = out.len() - start;
    if key.contains('\0') || holds_nul(&out[start..]) {
        let answer = format!("document {key:?} has a string with U+0000");
        return Err(Failure::of(ErrorKind::Invalid, answer, error::NO_NUL));
    }
    let with_version = length(bytes + 1);
    out[start - 5..start - 1].copy_from_slice(&with_version);
    out.extend_from_slice(&length(key.len()));
    out.extend_from_slice(key.as_bytes());
    Ok(bytes)
}

/// Whether a JSON text has U+0000, which it can only have as the escape `\u0000`.
pub(super) fn holds_nul(json: &[u8]) -> bool {
    // Most texts have no escape at all, which one byte tells.
    let Some(first) = memchr::memchr(b'\\', json) else { return false };
    memmem::find_iter(&json[first..], b"\\u0000").any(|at| {
        let before = json[first..first + at].iter().rev();
        // A backslash that is escaped itself begins no escape.
        before.take_while(|byte| **byte == b'\\').count() % 2 == 0
    })
}

/// A length in the format. The server refuses more than 2 GiB: a value has at most 1 GiB.
fn length(bytes: usize) -> [u8; 4] {
    i32::try_from(bytes).unwrap_or(i32::MAX).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_escape_of_u_0000_is_one() {
        for (json, nul) in [
            (r#"{}"#, false),
            (r#"{"a":"\n\u0001 u0000"}"#, false),
            (r#"{"a":"\u0000"}"#, true),
            (r#"{"\u0000":1}"#, true),
            (r#"{"a":"\\u0000"}"#, false),
            (r#"{"a":"\\\u0000"}"#, true),
            (r#"{"a":"\\u0000 \u0000"}"#, true),
            (r#"\u000"#, false),
        ] {
            assert_eq!(holds_nul(json.as_bytes()), nul, "{json}");
        }
    }
}
