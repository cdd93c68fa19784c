//! Indexes: each is a table of entries ([`crate::overlay::entries`]), written with the document in
//! one transaction.
//!
//! DynamoDB's own secondary indexes hold no nested field, are never read strongly consistent and
//! take no part in transactions; an order must not be delivered twice because an index lags behind.
//! So an entry is an item, and a search by the first fields is a Query of one partition.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use hoap_database::failure::{Done, Failure};
use hoap_database::{Index, path};

use super::bulk::put_all;
use super::layout::{self, INDEX, KEY, PARTITION, SORT};
use super::reading::{Driver, Wanted};
use super::server::Server;
use super::tables::{NoteIs, Purpose};
use super::value::{self, Item};
use crate::overlay::entries::{EntryKey, IndexDefinition};

/// The key of an entry, as the attributes of its item.
pub(super) fn key(entry: &EntryKey) -> Item {
    let bytes = |bytes: &Vec<u8>| AttributeValue::B(Blob::new(bytes.clone()));
    [(PARTITION, &entry.partition), (SORT, &entry.sort)]
        .map(|(name, value)| (name.to_owned(), bytes(value)))
        .into()
}

/// The item of an entry.
pub(super) fn item(entry: &EntryKey, of: &str) -> Item {
    let mut item = key(entry);
    item.insert(KEY.to_owned(), AttributeValue::S(of.to_owned()));
    item
}

/// The key of an entry that was read.
pub(super) fn entry_of(item: &Item) -> Done<EntryKey> {
    let bytes = |name: &str| match item.get(name) {
        Some(AttributeValue::B(blob)) => Ok(blob.as_ref().to_vec()),
        other => Err(Failure::broken(format!("an entry's {name} is {other:?}"))),
    };
    Ok(EntryKey { partition: bytes(PARTITION)?, sort: bytes(SORT)? })
}

/// Makes an index from the documents, unless it is complete.
pub(super) async fn make(server: &Server, driver: &Driver, index: &Index) -> Done<()> {
    if index.fields.is_empty() {
        return Err(Failure::invalid("it has no field"));
    }
    server.expect(driver, &index.collection).await?;
    fill(server, driver, &definition(index)).await
}

/// What the note of an index says once it is complete.
pub(super) fn definition(index: &Index) -> IndexDefinition {
    IndexDefinition {
        name: index.name.clone(),
        collection: index.collection.clone(),
        fields: index.fields.clone(),
        whole: true,
    }
}

/// Whether an index is there: its note says that it is complete, and nobody removed its table.
pub(super) async fn is_whole(
    server: &Server,
    driver: &Driver,
    definition: &IndexDefinition,
) -> Done<bool> {
    let note = server.note(driver, &format!("{INDEX}{}", definition.name)).await?;
    if note != Some(definition.text()) {
        return Ok(false);
    }
    let entries = layout::index(&server.options.prefix, &definition.name);
    Ok(server.describe(driver, &entries).await?.is_some())
}

async fn fill(server: &Server, driver: &Driver, definition: &IndexDefinition) -> Done<()> {
    if is_whole(server, driver, definition).await? {
        return Ok(());
    }
    let note = format!("{INDEX}{}", definition.name);
    let text = definition.text();
    let begun = IndexDefinition { whole: false, ..definition.clone() };
    server.put_note(driver, &note, &begun.text(), NoteIs::Anything).await?;
    let prefix = &server.options.prefix;
    let entries = layout::index(prefix, &definition.name);
    server.make_all(driver, &[(entries.clone(), Purpose::Index)]).await?;
    let table = layout::table(prefix, &definition.collection);
    let wanted = Wanted::fields(definition.fields.iter().map(|field| path::member(field)));
    let mut after = None;
    loop {
        let (items, next) = server.page(driver, &table, after, (None, true), &wanted).await?;
        let mut all = Vec::with_capacity(items.len());
        for item in &items {
            let key = value::text(item, KEY)?;
            all.push(self::item(&definition.entry_key(key, &value::document(item)?), key));
        }
        put_all(server, driver, &entries, all).await?;
        match next {
            Some(_) => after = next,
            None => break,
        }
    }
    server.put_note(driver, &note, &text, NoteIs::Anything).await.map(drop)
}

/// The indexes that are complete.
pub(super) async fn all(server: &Server, driver: &Driver) -> Done<Vec<IndexDefinition>> {
    let mut all = Vec::new();
    for (name, text) in server.notes(driver, INDEX).await? {
        let definition = IndexDefinition::parse(&text)
            .ok_or_else(|| Failure::broken(format!("the note {name} is {text}")))?;
        if definition.whole {
            let name = name[INDEX.len()..].to_owned();
            all.push(IndexDefinition { name, ..definition });
        }
    }
    Ok(all)
}
