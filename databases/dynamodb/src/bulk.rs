//! Bulk loading.
//!
//! BatchWriteItem takes 25 documents, has no conditions and is not atomic; a transaction takes 100
//! documents at twice the price. So a batch and its progress are not atomic: the documents are
//! written first, replacing existing items, and the progress after them. A load that was
//! interrupted writes its last batch again when it is resumed, which completes it. An existing key
//! cannot be told from that: it is overwritten.
//!
//! Unprocessed items are sent again with growing pauses, as the service's documentation asks: a
//! load is no measurement.

use std::sync::Arc;

use async_trait::async_trait;
use aws_sdk_dynamodb::types::{PutRequest, ReturnConsumedCapacity, WriteRequest};
use futures_util::{StreamExt, TryStreamExt, stream};
use hoap_database::Batch;
use hoap_database::engine::Bulk;
use hoap_database::failure::{Done, Failure};
use hoap_database::patience::Patience;
use hoap_record::ErrorKind;

use super::counters::Units;
use super::layout::{self, KEY};
use super::reading::Driver;
use super::server::Server;
use super::tables::NoteIs;
use super::value::{self, Item};
use crate::error::OrFail;

/// Items that one BatchWriteItem takes.
const ITEMS: usize = 25;

/// Writes the batches of one part of a load.
pub struct BatchWriter {
    server: Arc<Server>,
    driver: Arc<Driver>,
    part: String,
    /// The last collection that was found to have a table.
    known: String,
}

impl BatchWriter {
    pub(super) fn new(server: Arc<Server>, part: &str) -> BatchWriter {
        let driver = server.driver();
        BatchWriter { server, driver, part: part.to_owned(), known: String::new() }
    }
}

#[async_trait]
impl Bulk for BatchWriter {
    // Each request has its limit, and refused items are tried again for as long as some go through.
    fn is_patient(&self) -> bool {
        true
    }

    async fn position(&mut self, collection: &str) -> Done<u64> {
        let name = layout::progress(&self.part, collection);
        let text = self.server.note(&self.driver, &name).await?;
        Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        let (server, driver) = (&self.server, &self.driver);
        if self.known != collection {
            server.expect(driver, collection).await?;
            collection.clone_into(&mut self.known);
        }
        let table = layout::table(&server.options.prefix, collection);
        let items = batch.iter().map(|(key, text)| item(key, text)).collect::<Done<Vec<_>>>()?;
        put_all(server, driver, &table, items).await?;
        let progress = layout::progress(&self.part, collection);
        server.put_note(driver, &progress, &position.to_string(), NoteIs::Anything).await.map(drop)
    }
}

/// A document as an item.
fn item(key: &str, text: &[u8]) -> Done<Item> {
    let mut item = value::parse(text)
        .map_err(|e| Failure::invalid(format!("document {key}: {}", e.answer)))?;
    item.insert(KEY.to_owned(), aws_sdk_dynamodb::types::AttributeValue::S(key.to_owned()));
    Ok(item)
}

/// Puts items, several requests at a time.
pub(super) async fn put_all(
    server: &Server,
    driver: &Driver,
    table: &str,
    items: Vec<Item>,
) -> Done<()> {
    let mut requests = Vec::with_capacity(items.len().div_ceil(ITEMS));
    let mut items = items.into_iter().peekable();
    while items.peek().is_some() {
        let mut puts = Vec::with_capacity(ITEMS);
        for item in items.by_ref().take(ITEMS) {
            let put = PutRequest::builder().set_item(Some(item)).build();
            puts.push(WriteRequest::builder().put_request(put.or_fail()?).build());
        }
        requests.push(put_some(server, driver, table, puts));
    }
    let at_a_time = server.options.load_requests as usize;
    stream::iter(requests).buffer_unordered(at_a_time).try_collect().await
}

/// Puts at most 25 items; puts unprocessed ones again.
async fn put_some(
    server: &Server,
    driver: &Driver,
    table: &str,
    mut left: Vec<WriteRequest>,
) -> Done<()> {
    let mut patience = Patience::default();
    loop {
        let asked = left.len();
        let request = driver
            .batch_write_item()
            .request_items(table, left.clone())
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let refused = match server.send(request.send()).await {
            Ok(answer) => {
                server.counters.consumed(Units::Write, answer.consumed_capacity());
                let unprocessed = answer.unprocessed_items.into_iter();
                left = unprocessed.flat_map(|tables| tables.into_values()).flatten().collect();
                if left.is_empty() {
                    return Ok(());
                }
                server.counters.unprocessed(left.len());
                let answer = format!("{} of {asked} items were left undone", left.len());
                Failure::new(ErrorKind::Throttled, answer)
            }
            Err(e) if e.kind == ErrorKind::Throttled => e,
            Err(e) => return Err(e),
        };
        if left.len() < asked {
            patience.progressed();
        }
        patience.rest(refused).await?;
    }
}
