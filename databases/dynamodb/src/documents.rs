//! Whole collections: notes, creation, indexes, scans.

use async_trait::async_trait;
use futures_util::future::try_join_all;
use hoap_database::engine::{self, Documents, Each, Offered};
use hoap_database::failure::{Done, Failure};
use hoap_database::patience::patiently;
use hoap_database::{Index, at_once};
use hoap_record::Stored;
use serde_json::Value;

use super::bulk::BatchWriter;
use super::reading::{Driver, Wanted};
use super::server::Server;
use super::tables::{NoteIs, Purpose};
use super::value;
use super::{DynamoDbEngine, index, layout};
use crate::error::Code;
use crate::overlay::document;
use crate::overlay::entries::IndexDefinition;

#[async_trait]
impl Documents for DynamoDbEngine {
    fn elsewhere(&self) -> &'static str {
        "another prefix (?prefix=NAME)"
    }

    async fn note(&self) -> Done<Option<Value>> {
        let text = self.server.note(&self.server.driver(), layout::NOTE).await?;
        text.map(|text| serde_json::from_str(&text)).transpose().map_err(Failure::broken)
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool> {
        set_note(&self.server, &self.server.driver(), expected, note).await
    }

    async fn exists(&self, collection: &str) -> Done<bool> {
        let table = layout::table(&self.server.options.prefix, collection);
        Ok(self.server.describe(&self.server.driver(), &table).await?.is_some())
    }

    async fn drop(&self, collections: &[&str]) -> Done<()> {
        drop_all(&self.server, &self.server.driver(), collections).await
    }

    async fn create(&self, collections: &[&str]) -> Done<()> {
        let prefix = &self.server.options.prefix;
        let mut tables = vec![(layout::notes(prefix), Purpose::Notes)];
        let table = |name: &&str| (layout::table(prefix, name), Purpose::Collection);
        tables.extend(collections.iter().map(table));
        self.server.make_all(&self.server.driver(), &tables).await
    }

    async fn bulk(&self, part: &str) -> Done<Box<dyn engine::Bulk>> {
        Ok(Box::new(BatchWriter::new(self.server.clone(), part)))
    }

    async fn settle(&self, indexes: &[Index]) -> Done<()> {
        let (server, driver) = (&*self.server, self.server.driver());
        // An acknowledged write is on the disks of two zones: there is nothing else to wait for.
        let made = indexes.iter().map(async |index| {
            let made = index::make(server, &driver, index).await;
            made.map_err(|e| e.trying(format!("make the index {} in {}", index.name, server.url)))
        });
        at_once(made.collect()).await?;
        let ended = server.end_load(&driver).await;
        ended.map_err(|e| e.trying(format!("set the capacity of the tables in {}", server.url)))
    }

    async fn has(&self, indexes: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        let (server, driver) = (&*self.server, self.server.driver());
        let mut has = Vec::new();
        for index in indexes {
            has.push(Some(index::is_whole(server, &driver, &index::definition(index)).await?));
        }
        Ok(Ok(has))
    }

    /// Reads the table page by page, strongly consistent: a document that exists throughout comes
    /// once, as it was at the moment of its page. That is no snapshot while others write; the
    /// checks run when nobody does.
    async fn stored(&self, _: &[&str]) -> Done<Offered<Stored>> {
        Ok(Err("it brings its figure up to date about every six hours"))
    }

    async fn scan(&self, collection: &str, fields: &[&str], each: &mut Each<'_>) -> Done<()> {
        let (server, driver) = (&*self.server, self.server.driver());
        let table = layout::table(&server.options.prefix, collection);
        let wanted = Wanted::paths(fields);
        let mut after = None;
        loop {
            // Checks scan, which is no measurement: they wait for capacity.
            let page = || server.page(&driver, &table, after.clone(), (None, true), &wanted);
            let (items, next) = patiently(page).await?;
            for item in &items {
                let document = value::document(item)?;
                each(value::text(item, layout::KEY)?, document::row(&document, fields))?;
            }
            match next {
                Some(_) => after = next,
                None => return Ok(()),
            }
        }
    }
}

async fn set_note(
    server: &Server,
    driver: &Driver,
    expected: Option<&Value>,
    note: &Value,
) -> Done<bool> {
    loop {
        let there = server.note(driver, layout::NOTE).await?;
        let value = there.as_ref().map(|text| serde_json::from_str::<Value>(text)).transpose();
        let value = value.map_err(Failure::broken)?;
        // The order of names matters to texts, not to objects.
        if value.as_ref() != expected {
            return Ok(false);
        }
        let condition = there.as_deref().map_or(NoteIs::Absent, NoteIs::Text);
        match server.put_note(driver, layout::NOTE, &note.to_string(), condition).await {
            Ok(true) => return Ok(true),
            // Another writer was faster: the note may still be the expected value, in another text.
            Ok(false) => {}
            Err(e) if e.is_absent() => {
                let table = (layout::notes(&server.options.prefix), Purpose::Notes);
                server.make_all(driver, &[table]).await?;
            }
            Err(e) => return Err(e),
        }
    }
}

/// Removes the progress first, the notes of indexes and then the note last: an interrupted drop
/// finds what is left again.
async fn drop_all(server: &Server, driver: &Driver, collections: &[&str]) -> Done<()> {
    let prefix = &server.options.prefix;
    let notes = server.notes(driver, "").await?;
    let loading = |name: &&String| name.starts_with(layout::PROGRESS);
    for name in notes.iter().map(|(name, _)| name).filter(loading) {
        server.remove_note(driver, name).await?;
    }
    let mut tables: Vec<String> =
        collections.iter().map(|name| layout::table(prefix, name)).collect();
    let (mut gone, mut kept) = (Vec::new(), 0);
    for (name, text) in &notes {
        let Some(index) = name.strip_prefix(layout::INDEX) else { continue };
        let made: IndexDefinition = IndexDefinition::parse(text)
            .ok_or_else(|| Failure::broken(format!("the note {name}: {text}")))?;
        if collections.contains(&made.collection.as_str()) {
            tables.push(layout::index(prefix, index));
            gone.push(name);
        } else {
            kept += 1;
        }
    }
    for table in &tables {
        server.remove(driver, table).await?;
    }
    try_join_all(tables.iter().map(|table| server.removed(driver, table))).await?;
    gone.extend(notes.iter().map(|(name, _)| name).filter(|name| *name == layout::NOTE));
    for name in gone {
        server.remove_note(driver, name).await?;
    }
    if kept == 0 {
        let table = layout::notes(prefix);
        server.remove(driver, &table).await?;
        server.removed(driver, &table).await?;
    }
    Ok(())
}
