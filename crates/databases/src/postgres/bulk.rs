//! Bulk loading: `COPY`, in PostgreSQL's binary format.
//!
//! The format needs no escapes: it carries any text and key.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::{SinkExt, pin_mut};
use hoap_workload::ErrorKind;
use hoap_workload::capability::Batch;

use super::connection::Connection;
use super::link::{Link, Pools};
use super::server::Role;
use super::types::JSONB_VERSION;
use super::{error, nul};
use crate::failure::{Done, Failure};
use crate::front::engine::{Abandon, Bulk};

const SAVE: &str = "INSERT INTO hoap_load (part, collection, position) VALUES ($1, $2, $3)
    ON CONFLICT (part, collection) DO UPDATE SET position = excluded.position";

/// Documents and progress are lost together or not at all; settling makes both durable.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off";

/// The beginning of the file of a binary COPY: signature, flags, length of the extension.
const HEADER: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// The end of the file.
const TRAILER: i16 = -1;
/// Bytes that are sent at a time.
const CHUNK: usize = 256 << 10;

/// Writes the batches of one part of a load, each in one transaction with its progress.
pub struct BatchWriter {
    link: Link,
    part: String,
    /// Recycled.
    buffer: BytesMut,
}

impl BatchWriter {
    pub(super) async fn new(pools: Arc<Pools>, part: &str) -> Done<Self> {
        let link = Link::new(pools, Role::Maintenance).await?;
        Ok(BatchWriter { link, part: part.to_owned(), buffer: BytesMut::new() })
    }
}

impl Abandon for BatchWriter {
    fn abandon(&mut self) -> bool {
        self.link.abandon()
    }
}

impl Bulk for BatchWriter {
    async fn position(&mut self, collection: &str) -> Done<u64> {
        let mut held = self.link.hold().await?;
        let text = "SELECT position FROM hoap_load WHERE part = $1 AND collection = $2";
        let row = held.client.query_opt(text, &[&self.part, &collection]).await;
        let position = row.and_then(|row| row.map(|row| row.try_get::<_, i64>(0)).transpose());
        let position = held.answered(position.map_err(Failure::from))?;
        Ok(position.and_then(|p| u64::try_from(p).ok()).unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        let position = i64::try_from(position).unwrap_or(i64::MAX);
        let copy = format!("COPY \"{collection}\" (key, doc) FROM STDIN (FORMAT binary)");
        let mut held = self.link.hold().await?;
        let written = async {
            held.client.batch_execute(BEGIN).await?;
            if !batch.is_empty() {
                send(&held, &copy, batch, &mut self.buffer).await?;
            }
            let save = held.prepared(SAVE).await?;
            held.client.execute(&save, &[&self.part, &collection, &position]).await
        };
        if let Err(e) = written.await {
            held.roll_back_later();
            return held.answered(Err(e.into()));
        }
        let committed = held.client.batch_execute("COMMIT").await.map_err(error::commit);
        // The load resumes from the saved progress, which is right in either case.
        held.answered(committed.map_err(|failure| match failure.kind {
            ErrorKind::Ambiguous => Failure { kind: ErrorKind::Unavailable, ..failure },
            _ => failure,
        }))
    }
}

/// Sends a batch as the lines of a COPY.
async fn send(
    connection: &Connection,
    copy: &str,
    batch: &Batch,
    buffer: &mut BytesMut,
) -> std::result::Result<(), tokio_postgres::Error> {
    let sink = connection.client.copy_in::<_, Bytes>(copy).await?;
    pin_mut!(sink);
    buffer.clear();
    buffer.put_slice(HEADER);
    for (key, text) in batch.iter() {
        let (key, text) = (nul::encode(key), nul::encode_json(text));
        buffer.put_i16(2);
        buffer.put_i32(length(key.len()));
        buffer.put_slice(key.as_bytes());
        buffer.put_i32(length(text.len() + 1));
        buffer.put_u8(JSONB_VERSION);
        buffer.put_slice(&text);
        if buffer.len() >= CHUNK {
            sink.feed(buffer.split().freeze()).await?;
            buffer.reserve(CHUNK + (CHUNK >> 2));
        }
    }
    buffer.put_i16(TRAILER);
    sink.feed(buffer.split().freeze()).await?;
    sink.finish().await.map(drop)
}

/// A length in the format. The server refuses more than 2 GiB: a value has at most 1 GiB.
fn length(bytes: usize) -> i32 {
    i32::try_from(bytes).unwrap_or(i32::MAX)
}
