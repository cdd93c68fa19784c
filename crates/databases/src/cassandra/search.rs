//! Searches by a lookup table within a transaction.

use hoap_workload::capability::{Index, Order};
use serde_json::Value;

use super::open_transaction::OpenTransaction;
use crate::failure::{Done, Failure};
use crate::overlay::Held;
use crate::overlay::entries::{self, EntryKey, IndexDefinition};

/// Entries of one request where all are wanted.
const PAGE: usize = 1000;
/// Entries read beyond those that are wanted: the documents of some may be gone.
const SPARE: usize = 4;

/// The keys of the documents whose first index fields have these values, in their order. The
/// overlay holds the documents then.
pub(super) async fn find(
    tx: &mut OpenTransaction<'_>,
    index: &Index,
    prefix: &[Value],
    order: Order,
    limit: Option<usize>,
) -> Done<Vec<String>> {
    let lookup = tx.lookup(index.name);
    let Some(lookup) = lookup.filter(|found| found.definition.collection == index.collection)
    else {
        return Err(Failure::missing(format!("no such index: {}", index.name)));
    };
    let definition = &lookup.definition;
    definition.check(index)?;
    let wanted = limit.unwrap_or(usize::MAX);
    if wanted == 0 {
        return Ok(Vec::new());
    }
    let connection = tx.connection();
    let prefix = (!prefix.is_empty()).then(|| entries::prefix(prefix));
    let mut found: Vec<(EntryKey, String)> = Vec::new();
    if let Some(EntryKey { partition, sort }) = &prefix {
        // No value's bytes begin with 0xFF, and neither does a key's text.
        let mut range = (sort.clone(), [&sort[..], &[0xFF]].concat());
        let chunk = wanted.saturating_add(SPARE).min(PAGE);
        while found.len() < wanted {
            let limit = i32::try_from(chunk).unwrap_or(i32::MAX);
            let some = lookup.some(&connection, partition, &range, order, limit).await?;
            let (last, read) = (some.last().map(|(entry, _)| entry.sort.clone()), some.len());
            keep(tx, definition, some, &mut found).await?;
            match (last, order) {
                (Some(last), Order::Ascending) if read == chunk => {
                    range.0 = [&last[..], &[0]].concat();
                }
                (Some(last), Order::Descending) if read == chunk => range.1 = last,
                _ => break,
            }
        }
    } else {
        let every = lookup.every(&connection).await?;
        keep(tx, definition, every, &mut found).await?;
    }
    tx.overlay.merge(definition, prefix.as_ref(), &mut found, order, limit);
    Ok(found.into_iter().map(|(_, key)| key).collect())
}

/// Reads the documents of entries, and keeps the entries that their documents have. The document of
/// an entry may be gone or have another entry by now. A document that the transaction has written
/// is not kept: the overlay adds it.
async fn keep(
    tx: &mut OpenTransaction<'_>,
    definition: &IndexDefinition,
    entries: Vec<(EntryKey, String)>,
    found: &mut Vec<(EntryKey, String)>,
) -> Done<()> {
    let keys: Vec<&str> = entries.iter().map(|(_, key)| key.as_str()).collect();
    tx.read(&definition.collection, &keys).await?;
    for (entry, key) in entries {
        let held = tx.held(&definition.collection, &key).filter(|held| !held.is_written());
        let document = held.and_then(Held::now);
        if document.is_some_and(|document| definition.entry_key(&key, document) == entry) {
            found.push((entry, key));
        }
    }
    Ok(())
}
