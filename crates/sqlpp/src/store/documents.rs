//! Whole collections: notes, creation, scans.

use std::time::Duration;

use async_trait::async_trait;
use hoap_database::engine::{self, Documents, Each, Offered};
use hoap_database::failure::{Done, Failure};
use hoap_database::{Index, Row};
use hoap_record::ErrorKind;
use hoap_record::{Stored, StoredCollection};
use serde_json::Value;

use super::bulk::{BatchWriter, Writer};
use super::definition::{KEY, NOTE, PROGRESS, STATEMENT};
use super::endpoint::{Endpoint, StoreEngine};
use super::files::FileWriter;
use super::{settle, shadow};
use crate::{Request, path};

/// A note and its number.
type Numbered = (u64, Value);

#[async_trait]
impl Documents for StoreEngine {
    fn elsewhere(&self) -> &'static str {
        "another dataverse or scope in the path of the URL"
    }

    async fn note(&self) -> Done<Option<Value>> {
        if let Some(shadow) = self.endpoint.definition.shadow() {
            let note = shadow::note(&self.endpoint, &shadow).await;
            let url = &self.endpoint.description.url;
            return note.map_err(|e| e.trying(format!("follow the operational database in {url}")));
        }
        if self.endpoint.existing(&[NOTE]).await?.is_empty() {
            return Ok(None);
        }
        Ok(last_note(&self.endpoint).await?.map(|(_, note)| note))
    }

    /// Notes are numbered, and the last one counts. A new one is an INSERT: of two with the same
    /// number one fails.
    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool> {
        let endpoint = &self.endpoint;
        writable(endpoint)?;
        create(endpoint, &[NOTE]).await?;
        let last = last_note(endpoint).await?;
        if last.as_ref().map(|(_, note)| note) != expected {
            return Ok(false);
        }
        let number = last.map_or(1, |(number, _)| number + 1);
        let name = endpoint.definition.name(NOTE);
        let statement =
            format!("INSERT INTO {name} ([{{\"{KEY}\": $k, \"number\": $n, \"note\": $text}}])");
        let request = Request::new(statement)
            .parameter("k", number.to_string())
            .parameter("n", number)
            .parameter("text", note.to_string())
            .timeout(STATEMENT);
        match endpoint.client.execute(&request).await.map_err(Failure::from) {
            Ok(_) => Ok(true),
            Err(e) if e.kind == ErrorKind::Duplicate => Ok(false),
            Err(e) => Err(e),
        }
    }

    async fn exists(&self, collection: &str) -> Done<bool> {
        Ok(!self.endpoint.existing(&[collection]).await?.is_empty())
    }

    async fn drop(&self, collections: &[&str]) -> Done<()> {
        let mut all = vec![NOTE, PROGRESS];
        all.extend_from_slice(collections);
        let mut there = self.endpoint.existing(&all).await?;
        there.sort_by_key(|name| name == NOTE);
        for collection in there {
            self.endpoint.define(self.endpoint.definition.remove(&collection)).await?;
        }
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Done<()> {
        writable(&self.endpoint)?;
        let mut all = vec![NOTE, PROGRESS];
        all.extend_from_slice(collections);
        create(&self.endpoint, &all).await
    }

    fn in_parts(&self) -> Offered<()> {
        match self.endpoint.folder {
            None => Ok(()),
            Some(_) => Err("LOAD fills a dataset only where it is empty"),
        }
    }

    fn several_writers(&self) -> Offered<()> {
        match self.endpoint.folder {
            None => Ok(()),
            Some(_) => Err("LOAD fills a dataset at once, by files"),
        }
    }

    async fn bulk(&self, part: &str) -> Done<Box<dyn engine::Bulk>> {
        writable(&self.endpoint)?;
        create(&self.endpoint, &[PROGRESS]).await?;
        let endpoint = self.endpoint.clone();
        Ok(Box::new(match &self.endpoint.folder {
            Some(folder) => Writer::Files(FileWriter::new(endpoint, part, folder)?),
            None => Writer::Batches(BatchWriter::new(endpoint, part)),
        }))
    }

    async fn settle(&self, indexes: &[Index]) -> Done<()> {
        settle::settle(&self.endpoint, indexes).await
    }

    async fn has(&self, indexes: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        settle::has(&self.endpoint, indexes).await.map(Ok)
    }

    async fn stored(&self, collections: &[&str]) -> Done<Offered<Stored>> {
        let mut of = Vec::new();
        for name in collections {
            let text = match self.endpoint.definition.stored(name) {
                Ok(text) => text,
                Err(because) => return Ok(Err(because)),
            };
            let rows = match self.endpoint.rows(Request::new(text)).await.map_err(Failure::from) {
                Ok(rows) => rows,
                Err(e) if e.kind == ErrorKind::Invalid => {
                    return Ok(Err("this version has no storage_size"));
                }
                Err(e) => return Err(e),
            };
            let bytes: Option<Vec<u64>> = rows.iter().map(Value::as_u64).collect();
            let Some(bytes) = bytes.filter(|all| !all.is_empty()) else {
                return Ok(Err("its storage_size gives no number of bytes"));
            };
            let bytes = bytes.iter().sum();
            of.push(StoredCollection { name: (*name).to_owned(), bytes });
        }
        Ok(Ok(Stored::sum(of)))
    }

    /// One query, whose rows are read as they arrive. The service reads each document in its latest
    /// state: that is no snapshot while others write; the checks run when nobody does.
    async fn scan(&self, collection: &str, fields: &[&str], each: &mut Each<'_>) -> Done<()> {
        let definition = &self.endpoint.definition;
        let mut text = format!("SELECT VALUE [{}", definition.key("d"));
        for field in fields {
            text.push_str(", ");
            path("d", field, &mut text);
        }
        text.push_str(&format!("] FROM {} AS d", definition.name(collection)));
        let mut stopped = None;
        let mut read = |row: &[u8]| {
            let mut values: Row = serde_json::from_slice(row).map_err(|e| e.to_string())?;
            if values.len() != fields.len() + 1 {
                return Err(format!("a row has {} values", values.len()));
            }
            let Value::String(key) = values.remove(0) else {
                return Err("a key is no string".to_owned());
            };
            each(&key, values).map_err(|e| {
                stopped = Some(e);
                String::new()
            })
        };
        let request = Request::new(text).set("readonly", true).timeout(STATEMENT);
        let done = self.endpoint.client.run(&request, &mut read).await;
        match (done, stopped) {
            (Ok(_), _) => Ok(()),
            (Err(_), Some(e)) => Err(e),
            (Err(e), None) => Err(e.into()),
        }
    }
}

/// Refuses to write to shadows.
fn writable(endpoint: &Endpoint) -> Done<()> {
    match endpoint.definition.shadow() {
        None => Ok(()),
        Some(_) => Err(Failure::of(
            ErrorKind::Unavailable,
            "its collections are shadows of operational ones",
            "load the operational database: its documents come by themselves",
        )),
    }
}

async fn create(endpoint: &Endpoint, collections: &[&str]) -> Done<()> {
    let there = endpoint.existing(collections).await?;
    let missing: Vec<&str> =
        collections.iter().copied().filter(|c| !there.iter().any(|t| t == c)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for statement in endpoint.definition.create(&missing) {
        make(endpoint, statement).await?;
    }
    Ok(())
}

/// Runs a statement with `IF NOT EXISTS`. Where another client runs it at the same moment, the
/// entry in the service's own metadata may be a duplicate all the same; the next attempt finds it
/// there.
async fn make(endpoint: &Endpoint, statement: String) -> Done<()> {
    const TRIES: u32 = 10;
    for _ in 1..TRIES {
        match endpoint.define(statement.clone()).await {
            Err(e) if e.kind == ErrorKind::Duplicate => {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            done => return done,
        }
    }
    endpoint.define(statement).await
}

/// The last note.
async fn last_note(endpoint: &Endpoint) -> Done<Option<Numbered>> {
    let name = endpoint.definition.name(NOTE);
    let text =
        format!("SELECT VALUE [n.number, n.note] FROM {name} AS n ORDER BY n.number DESC LIMIT 1");
    let rows = endpoint.rows(Request::new(text)).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let (Some(number), Some(text)) = (row[0].as_u64(), row[1].as_str()) else {
        return Err(Failure::broken(format!("the note is {row}")));
    };
    let note = serde_json::from_str(text).map_err(Failure::broken)?;
    Ok(Some((number, note)))
}
