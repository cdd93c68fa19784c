//! Searches by a table of look-ups, within what transactions do here.

use hoap_workload::capability::{Index, Order};
use serde_json::Value;

use super::error::{Done, Failure};
use super::held::{Fate, Held, Open};
use crate::entries::{self, Place};

/// Entries of one request where all are wanted.
const PAGE: usize = 1000;
/// Entries beyond those that are wanted: some may be of documents that have gone.
const SPARE: usize = 4;

/// Keys of the documents whose first index fields have these values, in their order. The transaction has
/// read them then.
pub(super) async fn find(
    tx: &mut Open<'_>,
    index: &Index,
    prefix: &[Value],
    order: Order,
    limit: Option<usize>,
) -> Done<Vec<String>> {
    let lookup = tx.lookup(index.name);
    let Some(lookup) = lookup.filter(|found| found.made.collection == index.collection) else {
        return Err(Failure::Missing(format!("no such index: {}", index.name)));
    };
    let made = &lookup.made;
    if let Some(why) = entries::misfit(made, index, prefix) {
        return Err(Failure::Invalid(why));
    }
    let wanted = limit.unwrap_or(usize::MAX);
    if wanted == 0 {
        return Ok(Vec::new());
    }
    let lane = tx.lane();
    let mut found: Vec<(Place, String)> = Vec::new();
    if prefix.is_empty() {
        let every = lookup.every(&lane).await?;
        keep(tx, index, every, &mut found, &lookup.made).await?;
    } else {
        let from = entries::place(prefix.iter().map(Some));
        // No value's bytes begin with 0xFF, and neither does a key's text.
        let mut range = (from.sort.clone(), [&from.sort[..], &[0xFF]].concat());
        let chunk = wanted.saturating_add(SPARE).min(PAGE);
        while found.len() < wanted {
            let limit = i32::try_from(chunk).unwrap_or(i32::MAX);
            let some = lookup.some(&lane, &from.partition, &range, order, limit).await?;
            let (last, read) = (some.last().map(|(place, _)| place.sort.clone()), some.len());
            keep(tx, index, some, &mut found, &lookup.made).await?;
            match (last, order) {
                (Some(last), Order::Ascending) if read == chunk => {
                    range.0 = [&last[..], &[0]].concat();
                }
                (Some(last), Order::Descending) if read == chunk => range.1 = last,
                _ => break,
            }
        }
    }
    let written = tx.documents.iter().filter(|((collection, _), held)| {
        *collection == index.collection && held.fate != Fate::Same
    });
    for ((_, key), held) in written {
        let Some(document) = held.now() else { continue };
        let place = made.place(key, document);
        let from = entries::place(prefix.iter().map(Some));
        let fits = place.partition == from.partition && place.sort.starts_with(&from.sort);
        if prefix.is_empty() || fits {
            found.push((place, key.clone()));
        }
    }
    found.sort();
    if order == Order::Descending {
        found.reverse();
    }
    found.truncate(wanted);
    Ok(found.into_iter().map(|(_, key)| key).collect())
}

/// Reads the documents of entries and keeps those that are where their entry is. An entry may be of a document
/// that is gone, or that has another one meanwhile; those that the transaction has written are not among them.
async fn keep(
    tx: &mut Open<'_>,
    index: &Index,
    entries: Vec<(Place, String)>,
    found: &mut Vec<(Place, String)>,
    made: &entries::Made,
) -> Done<()> {
    let keys: Vec<&str> = entries.iter().map(|(_, key)| key.as_str()).collect();
    tx.read(index.collection, &keys).await?;
    for (place, key) in entries {
        let held = tx.held(index.collection, &key).filter(|held| held.fate == Fate::Same);
        let there = held.and_then(Held::now);
        if there.is_some_and(|document| made.place(&key, document) == place) {
            found.push((place, key));
        }
    }
    Ok(())
}
