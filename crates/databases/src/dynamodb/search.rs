//! Searches by an index inside a transaction.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use hoap_workload::capability::{Index, Intent, Order, Row};
use serde_json::Value;

use super::counters::Units;
use super::error::{Doing, Done, Failure};
use super::held::Fate;
use super::index;
use super::layout::{self, KEY, PARTITION, SORT};
use super::open::Open;
use super::reading::Wanted;
use super::value::{self, Item};
use crate::entries::{self, Made, Place};

/// Keys and fields of the documents whose first index fields have these values.
pub(super) async fn find(
    tx: &mut Open<'_>,
    index: &Index,
    prefix: &[Value],
    (order, limit): (Order, Option<usize>),
    fields: &[&str],
    intent: Intent,
) -> Done<Vec<(String, Row)>> {
    let Some(made) = tx.index(index.name).filter(|made| made.collection == index.collection) else {
        return Err(Failure::missing(format!("no such index: {}", index.name)));
    };
    if let Some(why) = entries::misfit(made, index, prefix) {
        return Err(Failure::invalid(why));
    }
    if limit == Some(0) {
        return Ok(Vec::new());
    }
    let from = (!prefix.is_empty()).then(|| entries::place(prefix.iter().map(Some)));
    let found = places(tx, made, from.as_ref(), order, limit).await?;

    let keys: Vec<&str> = found.iter().map(|(_, key)| key.as_str()).collect();
    // With the index's own fields, to see that entry and document belong together.
    let mut wanted = fields.to_vec();
    wanted.extend(made.fields.iter().map(String::as_str));
    let parts = tx.read(index.collection, &keys, &wanted, intent).await?;
    let mut rows = Vec::with_capacity(found.len());
    for (place, key) in &found {
        let held = tx.documents.get(&(index.collection.to_owned(), key.clone()));
        let document = held
            .filter(|held| held.is_there())
            .and_then(|held| held.whole.as_ref().or_else(|| parts.get(key)));
        if document.is_none_or(|document| made.place(key, document) != *place) {
            let answer = format!("{} {key} was changed while it was looked for", index.collection);
            return tx.conflict(answer);
        }
        let row = tx.row(index.collection, key, fields, &parts);
        rows.push((key.clone(), row.unwrap_or_default()));
    }
    Ok(rows)
}

/// Where the documents are, and their keys, in their order: those in the database, but for those that the
/// transaction has written, and those as it has written them.
async fn places(
    tx: &mut Open<'_>,
    made: &Made,
    from: Option<&Place>,
    order: Order,
    limit: Option<usize>,
) -> Done<Vec<(Place, String)>> {
    let written = tx
        .documents
        .iter()
        .filter(|((collection, _), held)| *collection == made.collection && held.fate != Fate::Same)
        .count();
    let enough = limit.map_or(usize::MAX, |limit| limit.saturating_add(written));
    let entries = match from {
        Some(from) => query(tx, made, from, order, enough).await?,
        None => scan(tx, made).await?,
    };
    let mut found = Vec::with_capacity(entries.len());
    for entry in &entries {
        let key = value::text(entry, KEY)?;
        let ours = tx.documents.get(&(made.collection.clone(), key.to_owned()));
        if ours.is_none_or(|held| held.fate == Fate::Same) {
            found.push((index::place_of(entry)?, key.to_owned()));
        }
    }
    for ((collection, key), held) in &tx.documents {
        let (true, Some(document)) = (*collection == made.collection, &held.whole) else {
            continue;
        };
        let place = made.place(key, document);
        let fits = from.is_none_or(|from| {
            place.partition == from.partition && place.sort.starts_with(&from.sort)
        });
        if held.fate != Fate::Same && fits {
            found.push((place, key.clone()));
        }
    }
    found.sort();
    if order == Order::Descending {
        found.reverse();
    }
    found.truncate(limit.unwrap_or(usize::MAX));
    Ok(found)
}

/// The first entries of a partition whose sort keys begin so.
async fn query(
    tx: &mut Open<'_>,
    made: &Made,
    from: &Place,
    order: Order,
    enough: usize,
) -> Done<Vec<Item>> {
    let (server, driver) = (tx.server(), tx.driver());
    let table = layout::index(&server.options.prefix, &made.name);
    let bytes = |bytes: &[u8]| AttributeValue::B(Blob::new(bytes));
    let (mut entries, mut after) = (Vec::new(), None);
    loop {
        let limit = i32::try_from(enough - entries.len()).ok();
        let mut request = driver
            .query()
            .table_name(&table)
            .consistent_read(true)
            .scan_index_forward(order == Order::Ascending)
            .set_limit(limit)
            .set_exclusive_start_key(after)
            .expression_attribute_names("#p", PARTITION)
            .expression_attribute_values(":p", bytes(&from.partition))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        request = match from.sort.is_empty() {
            true => request.key_condition_expression("#p = :p"),
            false => request
                .key_condition_expression("#p = :p AND begins_with(#s, :s)")
                .expression_attribute_names("#s", SORT)
                .expression_attribute_values(":s", bytes(&from.sort)),
        };
        tx.count_read();
        let answer = server.send(Doing::Read, request.send()).await?;
        server.counters.consumed(Units::Read, &answer.consumed_capacity);
        entries.extend(answer.items.unwrap_or_default());
        match answer.last_evaluated_key {
            Some(next) if entries.len() < enough => after = Some(next),
            _ => return Ok(entries),
        }
    }
}

/// All entries: partitions have no order among them.
async fn scan(tx: &mut Open<'_>, made: &Made) -> Done<Vec<Item>> {
    let (server, driver) = (tx.server(), tx.driver());
    let table = layout::index(&server.options.prefix, &made.name);
    let (mut entries, mut after) = (Vec::new(), None);
    let wanted = Wanted::default();
    loop {
        tx.count_read();
        let (items, next) = server.page(driver, &table, after, None, &wanted, true).await?;
        entries.extend(items);
        match next {
            Some(_) => after = next,
            None => return Ok(entries),
        }
    }
}
