//! Whole collections: notes, creation, indexes, scans.

use async_trait::async_trait;
use futures_util::future::try_join_all;
use hoap_workload::capability::{BulkWriter, Documents, Index, Row};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::bulk::BatchWriter;
use super::error::{Done, Failure};
use super::reading::{Driver, Wanted};
use super::server::Server;
use super::tables::{NoteIs, Purpose};
use super::value;
use super::{DynamoDb, index, layout};
use crate::names;
use crate::overlay::document;
use crate::overlay::entries::IndexDefinition;

#[async_trait]
impl Documents for DynamoDb {
    async fn note(&self) -> Result<Option<Value>> {
        let (server, driver) = (&*self.server, self.server.driver());
        let tried = || format!("read the note in {}", server.url);
        let text = server.note(&driver, layout::NOTE).await.map_err(|e| e.into_error(tried()))?;
        text.map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|e| Error::new(ErrorKind::Broken, tried(), e))
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let (server, driver) = (&*self.server, self.server.driver());
        let set = set_note(server, &driver, expected, note).await;
        set.map_err(|e| e.into_error(format!("write the note in {}", server.url)))
    }

    async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        let (server, driver) = (&*self.server, self.server.driver());
        for name in collections {
            let table = layout::table(&server.options.prefix, layout::collection(name)?);
            let there = server.describe(&driver, &table).await;
            let tried = || format!("look for {name} in {}", server.url);
            if there.map_err(|e| e.into_error(tried()))?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn drop(&self, collections: &[&str]) -> Result<()> {
        let (server, driver) = (&*self.server, self.server.driver());
        for name in collections {
            layout::collection(name)?;
        }
        let dropped = drop_all(server, &driver, collections).await;
        dropped.map_err(|e| e.into_error(format!("drop the collections in {}", server.url)))
    }

    async fn create(&self, collections: &[&str]) -> Result<()> {
        let (server, driver) = (&*self.server, self.server.driver());
        let prefix = &server.options.prefix;
        let mut tables = vec![(layout::notes(prefix), Purpose::Notes)];
        for name in collections {
            tables.push((layout::table(prefix, layout::collection(name)?), Purpose::Collection));
        }
        let made = server.make_all(&driver, &tables).await;
        made.map_err(|e| e.into_error(format!("create the collections in {}", server.url)))
    }

    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>> {
        Ok(Box::new(BatchWriter::new(self.server.clone(), part)))
    }

    async fn settle(&self, indexes: &[Index]) -> Result<()> {
        for index in indexes {
            index::make(&self.server, index).await?;
        }
        // An acknowledged write is on the disks of two zones: there is nothing to wait for.
        Ok(())
    }

    /// Reads the table page by page, strongly consistent: a document that exists throughout comes
    /// once, as it was at the moment of its page. That is no snapshot while others write; the
    /// checks run when nobody does.
    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()> {
        let (server, driver) = (&*self.server, self.server.driver());
        let table = layout::table(&server.options.prefix, layout::collection(collection)?);
        for field in fields {
            names::path(field)?;
        }
        let tried = || format!("scan {collection} in {}", server.url);
        let wanted = Wanted::fields(fields.iter().map(|field| document::top(field)));
        let mut after = None;
        loop {
            let page = server.page(&driver, &table, after, None, &wanted, true).await;
            let (items, next) = page.map_err(|e| e.into_error(tried()))?;
            for item in &items {
                let document = value::document(item).map_err(|e| e.into_error(tried()))?;
                let key = value::text(item, layout::KEY).map_err(|e| e.into_error(tried()))?;
                each(key, document::row(&document, fields))?;
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
        let value: Option<Value> = match &there {
            None => None,
            Some(text) => {
                Some(serde_json::from_str(text).map_err(|e| Failure::broken(e.to_string()))?)
            }
        };
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

/// Removes the note and the progress first, so that nobody takes what is left for a load. Removes
/// the notes of indexes last: an interrupted drop finds their tables again.
async fn drop_all(server: &Server, driver: &Driver, collections: &[&str]) -> Done<()> {
    let prefix = &server.options.prefix;
    let notes = server.notes(driver, "").await?;
    let loading = |name: &&String| *name == layout::NOTE || name.starts_with(layout::PROGRESS);
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
    for name in gone {
        server.remove_note(driver, name).await?;
    }
    if kept == 0 {
        let table = layout::notes(prefix);
        if server.remove(driver, &table).await? {
            server.removed(driver, &table).await?;
        }
    }
    Ok(())
}
