//! The end of a load: indexes and statistics.

use hoap_database::failure::{Done, Failure};
use hoap_database::{Index, names};
use serde_json::Value;

use super::definition::{Indexes, KEY, NOTE, PROGRESS};
use super::endpoint::{Endpoint, RESERVED};
use crate::{Request, path};

/// Makes the indexes and gathers statistics. The log has every acknowledged statement already.
pub(super) async fn settle(endpoint: &Endpoint, indexes: &[Index]) -> Done<()> {
    let url = &endpoint.description.url;
    for index in indexes.iter().filter(|index| endpoint.indexes.makes(index)) {
        let made = make(endpoint, index).await;
        made.map_err(|e| e.trying(format!("create index {} in {url}", index.name)))?;
    }
    for collection in &loaded(endpoint).await? {
        if endpoint.indexes == Indexes::Published {
            for statement in endpoint.definition.published(collection) {
                endpoint.define(statement).await?;
            }
        }
        if let Some(statement) = endpoint.definition.analyze(collection) {
            let gathered = endpoint.define(statement).await;
            gathered
                .map_err(|e| e.trying(format!("gather statistics of {collection} in {url}")))?;
        }
    }
    Ok(())
}

/// Of each of these indexes whether it is there; `None` of one that a load does not make.
pub(super) async fn has(endpoint: &Endpoint, indexes: &[Index]) -> Done<Vec<Option<bool>>> {
    let mut has = Vec::new();
    for index in indexes {
        has.push(match endpoint.indexes.makes(index) {
            true => Some(endpoint.has_index(&index.collection, &index.name).await?),
            false => None,
        });
    }
    Ok(has)
}

/// The collections that a load has written.
async fn loaded(endpoint: &Endpoint) -> Done<Vec<String>> {
    if endpoint.existing(&[NOTE, PROGRESS]).await?.iter().all(|name| name != PROGRESS) {
        return Ok(Vec::new());
    }
    let name = endpoint.definition.name(PROGRESS);
    // The key is the part's name, a space and the collection's.
    let text = format!("SELECT VALUE p.{} FROM {name} AS p", KEY);
    let rows = endpoint.rows(Request::new(text)).await?;
    // What somebody else wrote there is no part of a statement.
    let ours = |name: &&str| names::collection(name, RESERVED, usize::MAX).is_ok();
    let collection = |row: &Value| {
        let (_, name) = row.as_str()?.rsplit_once(' ')?;
        Some(name).filter(ours).map(str::to_owned)
    };
    let mut all: Vec<String> = rows.iter().filter_map(collection).collect();
    all.sort();
    all.dedup();
    Ok(all)
}

/// Makes an index if it is missing. The types of its fields are those of some document.
async fn make(endpoint: &Endpoint, index: &Index) -> Done<()> {
    let name = endpoint.definition.name(&index.collection);
    let mut text = "SELECT VALUE [".to_owned();
    for (i, field) in index.fields.iter().enumerate() {
        text.push_str(if i > 0 { ", " } else { "" });
        path("d", field, &mut text);
    }
    text.push_str(&format!("] FROM {name} AS d LIMIT 1"));
    let rows = endpoint.rows(Request::new(text)).await?;
    let mut fields = Vec::new();
    for (i, field) in index.fields.iter().enumerate() {
        let mut path_of = String::new();
        path("", field, &mut path_of);
        let kind = match rows.first().map(|row| &row[i]) {
            Some(Value::Number(n)) if n.is_f64() => "double",
            Some(Value::Number(_)) => "bigint",
            Some(Value::String(_)) | None => "string",
            Some(other) => {
                return Err(Failure::invalid(format!(
                    "{field} is {other} in a document, which no index takes"
                )));
            }
        };
        fields.push((path_of.trim_start_matches('.').to_owned(), kind));
    }
    endpoint.define(endpoint.definition.index(&index.name, &index.collection, &fields)).await
}
