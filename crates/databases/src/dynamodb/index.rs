//! Indexes: a table of entries each ([`crate::entries`]), written in the same transaction as the document.
//!
//! DynamoDB's own secondary indexes hold no nested field, are never read strongly consistent and are no
//! part of a transaction; and an order may not be delivered twice because an index was late. So an entry is
//! an item of its own, and a search by the first fields is a Query of one partition.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use hoap_workload::capability::Index;
use hoap_workload::{Error, ErrorKind, Result};

use super::bulk::put_all;
use super::documents;
use super::error::{Done, Failure};
use super::layout::{self, INDEX, KEY, PARTITION, SORT};
use super::reading::{Driver, Wanted};
use super::server::Server;
use super::tables::{NoteIs, Purpose};
use super::value::{self, Item};
use crate::entries::{Made, Place};
use crate::{document, names};

/// The key of the entry at a place.
pub(super) fn key(place: &Place) -> Item {
    let bytes = |bytes: &Vec<u8>| AttributeValue::B(Blob::new(bytes.clone()));
    [(PARTITION, &place.partition), (SORT, &place.sort)]
        .map(|(name, value)| (name.to_owned(), bytes(value)))
        .into()
}

/// The entry of a document.
pub(super) fn entry(place: &Place, of: &str) -> Item {
    let mut entry = key(place);
    entry.insert(KEY.to_owned(), AttributeValue::S(of.to_owned()));
    entry
}

/// The place of an entry that was read.
pub(super) fn place_of(entry: &Item) -> Done<Place> {
    let bytes = |name: &str| match entry.get(name) {
        Some(AttributeValue::B(blob)) => Ok(blob.as_ref().to_vec()),
        other => Err(Failure::broken(format!("an entry's {name} is {other:?}"))),
    };
    Ok(Place { partition: bytes(PARTITION)?, sort: bytes(SORT)? })
}

/// Makes an index from the documents that are there, unless it is whole already.
pub(super) async fn make(server: &Server, index: &Index) -> Result<()> {
    let collection = layout::collection(index.collection)?;
    names::field(index.name)?;
    for field in &index.fields {
        names::path(field)?;
    }
    let tried = || format!("make the index {} in {}", index.name, server.url);
    if index.fields.is_empty() {
        return Err(Error::new(ErrorKind::Invalid, tried(), "it has no field"));
    }
    let driver = server.driver();
    documents::expect(server, &driver, collection).await?;
    let made = Made {
        name: index.name.to_owned(),
        collection: collection.to_owned(),
        fields: index.fields.iter().map(|field| (*field).to_owned()).collect(),
        whole: true,
    };
    let fill = fill(server, &driver, &made);
    fill.await.map_err(|e| e.into_error(tried()))
}

async fn fill(server: &Server, driver: &Driver, made: &Made) -> Done<()> {
    let note = format!("{INDEX}{}", made.name);
    let text = made.text();
    if server.note(driver, &note).await?.as_ref() == Some(&text) {
        return Ok(());
    }
    let begun = Made { whole: false, ..made.clone() };
    server.put_note(driver, &note, &begun.text(), NoteIs::Anything).await?;
    let prefix = &server.options.prefix;
    let entries = layout::index(prefix, &made.name);
    documents::make_all(server, driver, &[(entries.clone(), Purpose::Index)]).await?;
    let table = layout::table(prefix, &made.collection);
    let wanted = Wanted::fields(made.fields.iter().map(|field| document::top(field)));
    let mut after = None;
    loop {
        let (items, next) = server.page(driver, &table, after, None, &wanted, true).await?;
        let mut all = Vec::with_capacity(items.len());
        for item in &items {
            let key = value::text(item, KEY)?;
            all.push(entry(&made.place(key, &value::document(item)?), key));
        }
        put_all(server, driver, &entries, all).await?;
        match next {
            Some(_) => after = next,
            None => break,
        }
    }
    server.put_note(driver, &note, &text, NoteIs::Anything).await.map(drop)
}

/// The indexes that are whole.
pub(super) async fn all(server: &Server, driver: &Driver) -> Done<Vec<Made>> {
    let mut all = Vec::new();
    for (name, text) in server.notes(driver, INDEX).await? {
        let made = Made::parse(&text)
            .ok_or_else(|| Failure::broken(format!("the note {name} is {text}")))?;
        if made.whole {
            let name = name[INDEX.len()..].to_owned();
            all.push(Made { name, ..made });
        }
    }
    Ok(all)
}
