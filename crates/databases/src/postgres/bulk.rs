//! Bulk loading: `COPY`, in PostgreSQL's binary format.
//!
//! The format needs no escapes: it carries any text and key.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::{BufMut, Bytes, BytesMut};
use futures_util::{SinkExt, pin_mut};
use hoap_workload::capability::{Batch, BulkWriter};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};

use super::connection::Connection;
use super::link::{Link, Pools};
use super::server::Role;
use super::types::JSONB_VERSION;
use super::{error, nul, sql};

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
pub(super) struct BatchWriter {
    link: Link,
    part: String,
    /// Recycled.
    buffer: BytesMut,
}

impl BatchWriter {
    pub async fn new(pools: Arc<Pools>, part: &str) -> Result<Self> {
        let link = Link::new(pools, Role::Maintenance).await?;
        Ok(BatchWriter { link, part: part.to_owned(), buffer: BytesMut::new() })
    }
}

#[async_trait]
impl BulkWriter for BatchWriter {
    async fn position(&mut self, collection: &str) -> Result<u64> {
        let tried = format!("read the progress of {collection} in {}", self.link.url());
        let name = sql::name(collection)?;
        let part = self.part.clone();
        let mut held = self.link.hold().await?;
        let text = "SELECT position FROM hoap_load WHERE part = $1 AND collection = $2";
        let row = held.client.query_opt(text, &[&part, &name]).await;
        match row {
            Ok(Some(row)) => {
                let position: i64 = row.try_get(0).map_err(|e| error::postgres(&e, tried))?;
                Ok(u64::try_from(position).unwrap_or(0))
            }
            Ok(None) => Ok(0),
            Err(e) => {
                held.look_at(&e);
                Err(error::postgres(&e, tried))
            }
        }
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Result<()> {
        let tried = format!(
            "load {} into {collection} of {}",
            counted(batch.len(), "document", "documents"),
            self.link.url()
        );
        let name = sql::name(collection)?;
        let position = i64::try_from(position).unwrap_or(i64::MAX);
        let copy = format!("COPY \"{name}\" (key, doc) FROM STDIN (FORMAT binary)");
        let mut held = self.link.hold().await?;
        let written = async {
            held.client.batch_execute(BEGIN).await?;
            if !batch.is_empty() {
                send(&held, &copy, batch, &mut self.buffer).await?;
            }
            let save = held.prepared(SAVE).await?;
            held.client.execute(&save, &[&self.part, &name, &position]).await
        };
        if let Err(e) = written.await {
            held.look_at(&e);
            held.roll_back_later();
            return Err(error::postgres(&e, tried));
        }
        held.client.batch_execute("COMMIT").await.map_err(|e| {
            held.look_at(&e);
            let error = error::commit(&e, tried);
            // The load resumes from the saved progress, which is right in either case.
            match error.kind {
                ErrorKind::Ambiguous => Error { kind: ErrorKind::Unavailable, ..error },
                _ => error,
            }
        })
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
