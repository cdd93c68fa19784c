//! Whole collections: notes, creation, scans.

use async_trait::async_trait;
use hoap_workload::capability::{Applicable, BulkWriter, Documents, Index, Row};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::bulk::BatchWriter;
use super::definition::{KEY, NOTE, PROGRESS, STATEMENT};
use super::endpoint::{Endpoint, Store};
use super::files::FileWriter;
use super::path::path;
use super::{settle, shadow};
use crate::sqlpp::{Doing, Failure, Request};

/// A note and its number.
type Numbered = (u64, Value);

#[async_trait]
impl Documents for Store {
    async fn note(&self) -> Result<Option<Value>> {
        if let Some(shadow) = self.endpoint.definition.shadow() {
            return shadow::note(&self.endpoint, &shadow).await;
        }
        let tried = format!("read the note in {}", self.endpoint.url());
        if self.endpoint.existing(&[NOTE], &tried).await?.is_empty() {
            return Ok(None);
        }
        Ok(last_note(&self.endpoint, &tried).await?.map(|(_, note)| note))
    }

    /// Notes are numbered, and the last one counts. A new one is an INSERT: of two with the same
    /// number one fails.
    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let endpoint = &self.endpoint;
        let tried = format!("write the note in {}", endpoint.url());
        writable(endpoint, &tried)?;
        create(endpoint, &[NOTE], &tried).await?;
        let last = last_note(endpoint, &tried).await?;
        if last.as_ref().map(|(_, note)| note) != expected {
            return Ok(false);
        }
        let number = last.map_or(1, |(number, _)| number + 1);
        let name = endpoint.definition.name(NOTE)?;
        let statement =
            format!("INSERT INTO {name} ([{{\"{KEY}\": $k, \"number\": $n, \"note\": $text}}])");
        let request = Request::new(statement)
            .parameter("k", number.to_string())
            .parameter("n", number)
            .parameter("text", note.to_string())
            .timeout(STATEMENT);
        match endpoint.client.execute(&request).await {
            Ok(_) => Ok(true),
            Err(e) => match endpoint.failed(e, Doing::Write, tried) {
                e if e.kind == ErrorKind::Duplicate => Ok(false),
                e => Err(e),
            },
        }
    }

    async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        for collection in collections {
            self.endpoint.definition.name(collection)?;
        }
        let tried = format!("look for collections in {}", self.endpoint.url());
        Ok(!self.endpoint.existing(collections, &tried).await?.is_empty())
    }

    async fn drop(&self, collections: &[&str]) -> Result<()> {
        let tried = format!("drop the collections in {}", self.endpoint.url());
        let mut all = vec![NOTE, PROGRESS];
        all.extend_from_slice(collections);
        for collection in collections {
            self.endpoint.definition.name(collection)?;
        }
        for collection in self.endpoint.existing(&all, &tried).await? {
            self.endpoint.define(self.endpoint.definition.remove(&collection)?, &tried).await?;
        }
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Result<()> {
        let tried = format!("create the collections in {}", self.endpoint.url());
        writable(&self.endpoint, &tried)?;
        let mut all = vec![NOTE, PROGRESS];
        all.extend_from_slice(collections);
        create(&self.endpoint, &all, &tried).await
    }

    fn in_parts(&self) -> Applicable<()> {
        match self.endpoint.folder {
            None => Ok(()),
            Some(_) => self.not_applicable(
                "a load in parts by files",
                "LOAD fills a dataset only where it is empty",
            ),
        }
    }

    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>> {
        let tried = format!("load into {}", self.endpoint.url());
        writable(&self.endpoint, &tried)?;
        create(&self.endpoint, &[PROGRESS], &tried).await?;
        let endpoint = self.endpoint.clone();
        Ok(match &self.endpoint.folder {
            Some(folder) => Box::new(FileWriter::new(endpoint, part, folder)?),
            None => Box::new(BatchWriter::new(endpoint, part)?),
        })
    }

    async fn settle(&self, indexes: &[Index]) -> Result<()> {
        settle::settle(&self.endpoint, indexes).await
    }

    /// One query, whose rows are read as they arrive. The service reads each document in its latest
    /// state: that is no snapshot while others write; the checks run when nobody does.
    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()> {
        let definition = &self.endpoint.definition;
        let tried = format!("scan {collection} in {}", self.endpoint.url());
        let mut text = format!("SELECT VALUE [{}", definition.key("d"));
        for field in fields {
            text.push_str(", ");
            path("d", field, &mut text)?;
        }
        text.push_str(&format!("] FROM {} AS d", definition.name(collection)?));
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
            (Err(e), None) => Err(self.endpoint.failed(e, Doing::Read, tried)),
        }
    }
}

/// Refuses to write to shadows.
fn writable(endpoint: &Endpoint, tried: &str) -> Result<()> {
    match endpoint.definition.shadow() {
        None => Ok(()),
        Some(_) => {
            let answer = "its collections are shadows of operational ones";
            Err(Error::new(ErrorKind::Unavailable, tried, answer)
                .advise("load the operational database: its documents come by themselves"))
        }
    }
}

async fn create(endpoint: &Endpoint, collections: &[&str], tried: &str) -> Result<()> {
    let there = endpoint.existing(collections, tried).await?;
    let missing: Vec<&str> =
        collections.iter().copied().filter(|c| !there.iter().any(|t| t == c)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for statement in endpoint.definition.create(&missing)? {
        make(endpoint, statement, tried).await?;
    }
    Ok(())
}

/// Runs a statement with `IF NOT EXISTS`. Where another client runs it at the same moment, the
/// entry in the service's own metadata may be a duplicate all the same; the next attempt finds it
/// there.
async fn make(endpoint: &Endpoint, statement: String, tried: &str) -> Result<()> {
    const TRIES: u32 = 10;
    for _ in 1..TRIES {
        match endpoint.define(statement.clone(), tried).await {
            Err(e) if e.kind == ErrorKind::Duplicate => {
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            }
            done => return done,
        }
    }
    endpoint.define(statement, tried).await
}

/// The last note.
async fn last_note(endpoint: &Endpoint, tried: &str) -> Result<Option<Numbered>> {
    let name = endpoint.definition.name(NOTE)?;
    let text =
        format!("SELECT VALUE [n.number, n.note] FROM {name} AS n ORDER BY n.number DESC LIMIT 1");
    let rows = endpoint.rows(Request::new(text)).await;
    let rows = rows.map_err(|e: Failure| endpoint.failed(e, Doing::Read, tried))?;
    let broken = |why: String| Error::new(ErrorKind::Broken, tried, why);
    let Some(row) = rows.first() else { return Ok(None) };
    let (Some(number), Some(text)) = (row[0].as_u64(), row[1].as_str()) else {
        return Err(broken(format!("the note is {row}")));
    };
    let note = serde_json::from_str(text).map_err(|e| broken(e.to_string()))?;
    Ok(Some((number, note)))
}
