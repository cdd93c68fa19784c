//! What ends a load: indexes and statistics.

use hoap_workload::capability::Index;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::documents::path;
use super::{Indexes, NOTE, PROGRESS, Shared};
use crate::sqlpp::{Doing, Request};

/// Makes the indexes and gathers statistics. A statement that is acknowledged is in the log already.
pub(super) async fn settle(shared: &Shared, indexes: &[Index]) -> Result<()> {
    for index in indexes.iter().filter(|index| shared.indexes.makes(index)) {
        make(shared, index).await?;
    }
    let tried = format!("settle {}", shared.url());
    let loaded = loaded(shared, &tried).await?;
    for collection in &loaded {
        if shared.indexes == Indexes::Published {
            for statement in shared.definition.published(collection)? {
                shared.define(statement, &tried).await?;
            }
        }
        if let Some(statement) = shared.definition.analyze(collection)? {
            let tried = format!("gather statistics of {collection} in {}", shared.url());
            shared.define(statement, &tried).await?;
        }
    }
    Ok(())
}

/// The collections that a load has written.
async fn loaded(shared: &Shared, tried: &str) -> Result<Vec<String>> {
    if shared.existing(&[NOTE, PROGRESS], tried).await?.iter().all(|name| name != PROGRESS) {
        return Ok(Vec::new());
    }
    let name = shared.definition.name(PROGRESS)?;
    // A part's name and a space are before the collection's.
    let text = format!("SELECT VALUE p.{} FROM {name} AS p", super::KEY);
    let rows = shared.rows(Request::new(text)).await;
    let rows = rows.map_err(|e| shared.failed(e, Doing::Read, tried))?;
    let collection = |row: &Value| Some(row.as_str()?.rsplit_once(' ')?.1.to_owned());
    let mut all: Vec<String> = rows.iter().filter_map(collection).collect();
    all.sort();
    all.dedup();
    Ok(all)
}

/// Makes an index if it is not there. Its fields have the types that they have in some document.
async fn make(shared: &Shared, index: &Index) -> Result<()> {
    let tried = format!("create index {} in {}", index.name, shared.url());
    let name = shared.definition.name(index.collection)?;
    let mut text = "SELECT VALUE [".to_owned();
    for (i, field) in index.fields.iter().enumerate() {
        text.push_str(if i > 0 { ", " } else { "" });
        path("d", field, &mut text)?;
    }
    text.push_str(&format!("] FROM {name} AS d LIMIT 1"));
    let rows = shared.rows(Request::new(text)).await;
    let rows = rows.map_err(|e| shared.failed(e, Doing::Read, &tried))?;
    let mut fields = Vec::new();
    for (i, field) in index.fields.iter().enumerate() {
        let mut path_of = String::new();
        path("", field, &mut path_of)?;
        let kind = match rows.first().map(|row| &row[i]) {
            Some(Value::Number(n)) if n.is_f64() => "double",
            Some(Value::Number(_)) => "bigint",
            Some(Value::String(_)) | None => "string",
            Some(other) => {
                let answer = format!("{field} is {other} in a document, which no index takes");
                return Err(Error::new(ErrorKind::Invalid, tried, answer));
            }
        };
        fields.push((path_of.trim_start_matches('.').to_owned(), kind));
    }
    let statement = shared.definition.index(index.name, index.collection, &fields)?;
    shared.define(statement, &tried).await
}
