//! Whole collections: notes, creation, scans.

use async_trait::async_trait;
use hoap_workload::capability::{Applicable, BulkWriter, Documents, Index, Row};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::{KEY, NOTE, PROGRESS, STATEMENT, Shared, Store, bulk, files, settle, shadow};
use crate::names;
use crate::sqlpp::{Doing, Failure, Request};

/// A note and its number.
type Numbered = (u64, Value);

#[async_trait]
impl Documents for Store {
    async fn note(&self) -> Result<Option<Value>> {
        if let Some(shadow) = self.shared.definition.shadow() {
            return shadow::note(&self.shared, &shadow).await;
        }
        let tried = format!("read the note in {}", self.shared.url());
        if self.shared.existing(&[NOTE], &tried).await?.is_empty() {
            return Ok(None);
        }
        Ok(last_note(&self.shared, &tried).await?.map(|(_, note)| note))
    }

    /// Notes are numbered, and the last one counts. A new one is an INSERT, which only one of those that
    /// want the same number wins.
    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let shared = &self.shared;
        let tried = format!("write the note in {}", shared.url());
        writable(shared, &tried)?;
        create(shared, &[NOTE], &tried).await?;
        let last = last_note(shared, &tried).await?;
        if last.as_ref().map(|(_, note)| note) != expected {
            return Ok(false);
        }
        let number = last.map_or(1, |(number, _)| number + 1);
        let name = shared.definition.name(NOTE)?;
        let statement =
            format!("INSERT INTO {name} ([{{\"{KEY}\": $k, \"number\": $n, \"note\": $text}}])");
        let request = Request::new(statement)
            .parameter("k", number.to_string())
            .parameter("n", number)
            .parameter("text", note.to_string())
            .timeout(STATEMENT);
        match shared.client.execute(&request).await {
            Ok(_) => Ok(true),
            Err(e) => match shared.failed(e, Doing::Write, tried) {
                e if e.kind == ErrorKind::Duplicate => Ok(false),
                e => Err(e),
            },
        }
    }

    async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        for collection in collections {
            self.shared.definition.name(collection)?;
        }
        let tried = format!("look for collections in {}", self.shared.url());
        Ok(!self.shared.existing(collections, &tried).await?.is_empty())
    }

    async fn drop(&self, collections: &[&str]) -> Result<()> {
        let tried = format!("drop the collections in {}", self.shared.url());
        let mut all = vec![NOTE, PROGRESS];
        all.extend_from_slice(collections);
        for collection in collections {
            self.shared.definition.name(collection)?;
        }
        for collection in self.shared.existing(&all, &tried).await? {
            self.shared.define(self.shared.definition.remove(&collection)?, &tried).await?;
        }
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Result<()> {
        let tried = format!("create the collections in {}", self.shared.url());
        writable(&self.shared, &tried)?;
        let mut all = vec![NOTE, PROGRESS];
        all.extend_from_slice(collections);
        create(&self.shared, &all, &tried).await
    }

    fn in_parts(&self) -> Applicable<()> {
        match self.shared.folder {
            None => Ok(()),
            Some(_) => self.not_applicable(
                "a load in parts by files",
                "LOAD fills a dataset only where it is empty",
            ),
        }
    }

    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>> {
        let tried = format!("load into {}", self.shared.url());
        writable(&self.shared, &tried)?;
        create(&self.shared, &[PROGRESS], &tried).await?;
        let shared = self.shared.clone();
        Ok(match &self.shared.folder {
            Some(folder) => Box::new(files::Files::new(shared, part, folder)?),
            None => Box::new(bulk::Bulk::new(shared, part)?),
        })
    }

    async fn settle(&self, indexes: &[Index]) -> Result<()> {
        settle::settle(&self.shared, indexes).await
    }

    /// One query. Its rows are read as they arrive. The service reads each document in its latest
    /// state: that is no snapshot where somebody writes meanwhile; the checks run when nobody does.
    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()> {
        let definition = &self.shared.definition;
        let tried = format!("scan {collection} in {}", self.shared.url());
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
        let done = self.shared.client.run(&request, &mut read).await;
        match (done, stopped) {
            (Ok(_), _) => Ok(()),
            (Err(_), Some(e)) => Err(e),
            (Err(e), None) => Err(self.shared.failed(e, Doing::Read, tried)),
        }
    }
}

/// Appends the path of a field of the document that a variable names.
pub(super) fn path(variable: &str, path: &str, out: &mut String) -> Result<()> {
    out.push_str(variable);
    for segment in names::path(path)?.split('.') {
        let (name, positions) = segment.split_at(segment.find('[').unwrap_or(segment.len()));
        out.push_str(&format!(".`{name}`{positions}"));
    }
    Ok(())
}

/// Refuses to write what is a shadow.
fn writable(shared: &Shared, tried: &str) -> Result<()> {
    match shared.definition.shadow() {
        None => Ok(()),
        Some(_) => {
            let answer = "its collections are shadows of operational ones";
            Err(Error::new(ErrorKind::Unavailable, tried, answer)
                .advise("load the operational database: its documents come by themselves"))
        }
    }
}

async fn create(shared: &Shared, collections: &[&str], tried: &str) -> Result<()> {
    let there = shared.existing(collections, tried).await?;
    let missing: Vec<&str> =
        collections.iter().copied().filter(|c| !there.iter().any(|t| t == c)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for statement in shared.definition.create(&missing)? {
        make(shared, statement, tried).await?;
    }
    Ok(())
}

/// Makes something that is not there yet. Where somebody else makes it at the same moment, `IF NOT EXISTS` may
/// meet it too late: the entry in the service's own metadata is a duplicate then, and the next try finds it there.
async fn make(shared: &Shared, statement: String, tried: &str) -> Result<()> {
    const TRIES: u32 = 10;
    for _ in 1..TRIES {
        match shared.define(statement.clone(), tried).await {
            Err(e) if e.kind == ErrorKind::Duplicate => {
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            }
            done => return done,
        }
    }
    shared.define(statement, tried).await
}

/// The note that counts.
async fn last_note(shared: &Shared, tried: &str) -> Result<Option<Numbered>> {
    let name = shared.definition.name(NOTE)?;
    let text =
        format!("SELECT VALUE [n.number, n.note] FROM {name} AS n ORDER BY n.number DESC LIMIT 1");
    let rows = shared.rows(Request::new(text)).await;
    let rows = rows.map_err(|e: Failure| shared.failed(e, Doing::Read, tried))?;
    let broken = |why: String| Error::new(ErrorKind::Broken, tried, why);
    let Some(row) = rows.first() else { return Ok(None) };
    let (Some(number), Some(text)) = (row[0].as_u64(), row[1].as_str()) else {
        return Err(broken(format!("the note is {row}")));
    };
    let note = serde_json::from_str(text).map_err(|e| broken(e.to_string()))?;
    Ok(Some((number, note)))
}
