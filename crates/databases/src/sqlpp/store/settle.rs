//! The end of a load: indexes and statistics.

use hoap_workload::capability::Index;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::definition::{Indexes, KEY, NOTE, PROGRESS};
use super::endpoint::Endpoint;
use super::path::path;
use crate::sqlpp::{Doing, Request};

/// Makes the indexes and gathers statistics. The log has every acknowledged statement already.
pub(super) async fn settle(endpoint: &Endpoint, indexes: &[Index]) -> Result<()> {
    for index in indexes.iter().filter(|index| endpoint.indexes.makes(index)) {
        make(endpoint, index).await?;
    }
    let tried = format!("settle {}", endpoint.url());
    let loaded = loaded(endpoint, &tried).await?;
    for collection in &loaded {
        if endpoint.indexes == Indexes::Published {
            for statement in endpoint.definition.published(collection)? {
                endpoint.define(statement, &tried).await?;
            }
        }
        if let Some(statement) = endpoint.definition.analyze(collection)? {
            let tried = format!("gather statistics of {collection} in {}", endpoint.url());
            endpoint.define(statement, &tried).await?;
        }
    }
    Ok(())
}

/// The collections that a load has written.
async fn loaded(endpoint: &Endpoint, tried: &str) -> Result<Vec<String>> {
    if endpoint.existing(&[NOTE, PROGRESS], tried).await?.iter().all(|name| name != PROGRESS) {
        return Ok(Vec::new());
    }
    let name = endpoint.definition.name(PROGRESS)?;
    // The key is the part's name, a space and the collection's.
    let text = format!("SELECT VALUE p.{} FROM {name} AS p", KEY);
    let rows = endpoint.rows(Request::new(text)).await;
    let rows = rows.map_err(|e| endpoint.failed(e, Doing::Read, tried))?;
    let collection = |row: &Value| Some(row.as_str()?.rsplit_once(' ')?.1.to_owned());
    let mut all: Vec<String> = rows.iter().filter_map(collection).collect();
    all.sort();
    all.dedup();
    Ok(all)
}

/// Makes an index if it is missing. The types of its fields are those of some document.
async fn make(endpoint: &Endpoint, index: &Index) -> Result<()> {
    let tried = format!("create index {} in {}", index.name, endpoint.url());
    let name = endpoint.definition.name(index.collection)?;
    let mut text = "SELECT VALUE [".to_owned();
    for (i, field) in index.fields.iter().enumerate() {
        text.push_str(if i > 0 { ", " } else { "" });
        path("d", field, &mut text)?;
    }
    text.push_str(&format!("] FROM {name} AS d LIMIT 1"));
    let rows = endpoint.rows(Request::new(text)).await;
    let rows = rows.map_err(|e| endpoint.failed(e, Doing::Read, &tried))?;
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
    let statement = endpoint.definition.index(index.name, index.collection, &fields)?;
    endpoint.define(statement, &tried).await
}
