//! Whole collections: notes, creation, indexes, scans.

use std::collections::BTreeMap;

use async_trait::async_trait;
use hoap_workload::capability::{BulkWriter, Documents, Index, Row};
use hoap_workload::{Error, ErrorKind, Result};
use redis::{Cmd, Value as Answer};
use serde_json::Value;

use super::connection::Line;
use super::document::Path;
use super::error::{Doing, Done, Failure, LOAD_FIRST};
use super::indexes::Made;
use super::pages::pages;
use super::{Redis, bulk, indexes, layout, settle};

#[async_trait]
impl Documents for Redis {
    async fn note(&self) -> Result<Option<Value>> {
        let mut line = self.shared.server.line().await?;
        let tried = || format!("read the note in {}", line.server().url);
        let tried = tried();
        let text = read_notes(&mut line, layout::NOTE).await;
        let text = text.map_err(|e| e.into_error(Doing::Read, &tried))?;
        text.map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|e| Error::new(ErrorKind::Broken, tried, e))
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let mut line = self.shared.server.line().await?;
        let tried = format!("write the note in {}", line.server().url);
        let notes = layout::notes(&line.server().options.prefix);
        let set = async {
            loop {
                let there = read_notes(&mut line, layout::NOTE).await?;
                let value: Option<Value> = match &there {
                    None => None,
                    Some(text) => Some(
                        serde_json::from_str(text).map_err(|e| Failure::Broken(e.to_string()))?,
                    ),
                };
                // Objects are equal whatever the order of their names, texts are not.
                if value.as_ref() != expected {
                    return Ok(false);
                }
                let fill = |command: &mut Cmd| {
                    command.arg(&notes).arg(layout::NOTE);
                    command.arg(there.as_deref().unwrap_or_default()).arg(note.to_string());
                };
                if line.run(|s| &s.compare_and_set, 1, fill).await? == Answer::Int(1) {
                    return Ok(true);
                }
                // Somebody was faster: it may still be the value expected, written otherwise.
            }
        };
        set.await.map_err(|e: Failure| e.into_error(Doing::Write, tried))
    }

    async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        let mut line = self.shared.server.line().await?;
        let tried = format!("look for collections in {}", line.server().url);
        let prefix = line.server().options.prefix.clone();
        for name in collections {
            let name = layout::collection(name)?;
            let look = async {
                let mut keys = redis::cmd("EXISTS");
                keys.arg(layout::keys(&prefix, name));
                Ok(read_notes(&mut line, &layout::collection_field(name)).await?.is_some()
                    || line.send(&keys).await? == Answer::Int(1))
            };
            if look.await.map_err(|e: Failure| e.into_error(Doing::Read, &tried))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn drop(&self, collections: &[&str]) -> Result<()> {
        let mut line = self.shared.server.line().await?;
        let tried = format!("drop the collections in {}", line.server().url);
        for name in collections {
            layout::collection(name)?;
        }
        let dropped = drop_all(&mut line, collections).await;
        dropped.map_err(|e| e.into_error(Doing::Write, tried))
    }

    async fn create(&self, collections: &[&str]) -> Result<()> {
        let mut line = self.shared.server.line().await?;
        let tried = format!("create the collections in {}", line.server().url);
        let mut command = redis::cmd("HSET");
        command.arg(layout::notes(&line.server().options.prefix));
        for name in collections {
            command.arg(layout::collection_field(layout::collection(name)?)).arg("");
        }
        if collections.is_empty() {
            return Ok(());
        }
        let created = line.write(&command).await;
        created.map(drop).map_err(|e| e.into_error(Doing::Write, tried))
    }

    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>> {
        Ok(Box::new(bulk::Bulk::new(self.shared.server.line().await?, part)))
    }

    async fn settle(&self, indexes: &[Index]) -> Result<()> {
        let mut line = self.shared.server.line().await?;
        for index in indexes {
            indexes::make(&mut line, index).await?;
        }
        settle::durable(&mut line).await
    }

    /// Reads keys in pages, and of each page the documents: every document that is there all the
    /// time comes once, as it was at the moment of its page. That is no snapshot where somebody writes
    /// meanwhile; the checks run when nobody does.
    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()> {
        let mut line = self.shared.server.line().await?;
        let collection = layout::collection(collection)?;
        let paths: Vec<Path> =
            fields.iter().map(|field| Path::new(field)).collect::<Result<_>>()?;
        expect(&mut line, &[collection], &[]).await?;
        let tried = format!("scan {collection} in {}", line.server().url);
        let failed = |e: Failure| e.into_error(Doing::Read, &tried);
        let names: Vec<&String> = paths.iter().flat_map(|path| &path.fields).collect();
        let mut next = pages(&line.server().options.prefix.clone(), collection);
        while let Some(keys) = next.page(&mut line).await.map_err(failed)? {
            let there = next.exist(&mut line, &keys).await.map_err(failed)?;
            let rows = match names.is_empty() {
                true => Vec::new(),
                false => next.read(&mut line, &keys, &names).await.map_err(failed)?,
            };
            for (at, key) in keys.iter().enumerate() {
                // A key whose document is lost: what is not there is not counted.
                if !there[at] {
                    continue;
                }
                let mut row = Row::with_capacity(paths.len());
                if let Some(Answer::Array(answers)) = rows.get(at) {
                    for (path, answers) in paths.iter().zip(answers.chunks(2)) {
                        row.push(path.value(answers).map_err(failed)?);
                    }
                }
                each(key, row)?;
            }
        }
        Ok(())
    }
}

/// Reads a field of the notes.
pub(super) async fn read_notes(line: &mut Line, field: &str) -> Done<Option<String>> {
    let mut command = redis::cmd("HGET");
    command.arg(layout::notes(&line.server().options.prefix)).arg(field);
    match line.send(&command).await? {
        Answer::Nil => Ok(None),
        Answer::BulkString(text) => String::from_utf8(text)
            .map(Some)
            .map_err(|_| Failure::Broken(format!("the note `{field}` is not UTF-8"))),
        other => Err(Failure::Broken(format!("HGET answered {other:?}"))),
    }
}

/// Refuses where a collection was not made, or an index is not whole.
pub(super) async fn expect(line: &mut Line, collections: &[&str], indexes: &[&str]) -> Result<()> {
    let url = line.server().url.clone();
    let missing = |what: String| {
        Error::new(ErrorKind::Missing, format!("use {url}"), what).advise(LOAD_FIRST)
    };
    let failed = |e: Failure| e.into_error(Doing::Read, format!("look at the notes in {url}"));
    for name in collections {
        let field = layout::collection_field(name);
        if read_notes(line, &field).await.map_err(failed)?.is_none() {
            return Err(missing(format!("there is no collection {name}")));
        }
    }
    for name in indexes {
        let text = read_notes(line, &layout::index_field(name)).await.map_err(failed)?;
        let made = text.and_then(|text| serde_json::from_str::<Made>(&text).ok());
        if !made.is_some_and(|made| made.whole) {
            return Err(missing(format!("the index {name} is missing")));
        }
    }
    Ok(())
}

/// Removes the note and the progress first, so that nobody takes what is left for a load, and what
/// the rest is found by last, so that it is found again should this end halfway.
async fn drop_all(line: &mut Line, collections: &[&str]) -> Done<()> {
    let prefix = line.server().options.prefix.clone();
    let notes = layout::notes(&prefix);
    let mut all = redis::cmd("HGETALL");
    all.arg(&notes);
    let all = match line.send(&all).await? {
        Answer::Map(pairs) => Answer::Array(pairs.into_iter().flat_map(|(k, v)| [k, v]).collect()),
        other => other,
    };
    let all = super::texts(all)?;
    let all: BTreeMap<_, _> = all.chunks_exact(2).map(|pair| (&pair[0], &pair[1])).collect();
    let mut forget = redis::cmd("HDEL");
    forget.arg(&notes).arg(layout::NOTE).arg(layout::SETTLED);
    for field in all.keys().filter(|field| field.starts_with(layout::PROGRESS)) {
        forget.arg(field);
    }
    line.write(&forget).await?;
    for (field, text) in &all {
        let Some(name) = field.strip_prefix(&layout::index_field("")) else { continue };
        let made = serde_json::from_str::<Made>(text);
        if made.is_ok_and(|made| collections.contains(&made.collection.as_str())) {
            indexes::remove(line, name).await?;
        }
    }
    for name in collections {
        let set = layout::keys(&prefix, name);
        let mut next = pages(&prefix, name);
        while let Some(keys) = next.page(line).await? {
            let remove = |key: &String| {
                let mut command = redis::cmd("UNLINK");
                command.arg(next.name(key));
                command
            };
            line.send_all(keys.iter().map(remove).collect()).await?;
            let mut remove = redis::cmd("ZREM");
            remove.arg(&set).arg(&keys);
            line.send(&remove).await?;
        }
        let mut forget = redis::cmd("HDEL");
        forget.arg(&notes).arg(layout::collection_field(name));
        line.write(&forget).await?;
    }
    Ok(())
}
