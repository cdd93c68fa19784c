//! The end of a load: indexes.

use std::time::Duration;

use hoap_workload::Result;
use hoap_workload::capability::Index;
use serde_json::Value;

use super::query::Node;
use super::{error, sql};
use crate::sqlpp::Doing;

/// Makes the missing indexes, with a primary one for each collection, builds those of a collection
/// together, and waits until all are online. There is no time limit: building takes time in
/// proportion to the data.
pub(super) async fn settle(node: &Node, indexes: &[Index]) -> Result<()> {
    let server = node.server.clone();
    let tried = || format!("make the indexes in {}", server.place.url);
    let mut collections = node.keyspaces(tried).await?;
    collections.retain(|name| sql::name(name).is_ok());
    make(node, &collections, indexes).await
}

/// Makes the primary index of a collection that has none, as before the end of a load.
pub(super) async fn primary(node: &Node, collection: &str) -> Result<()> {
    let there = states(node, collection).await?;
    if there.iter().any(|(name, state)| name == sql::PRIMARY && state == "online") {
        return Ok(());
    }
    make(node, &[collection.to_owned()], &[]).await
}

async fn make(node: &Node, collections: &[String], indexes: &[Index]) -> Result<()> {
    let server = node.server.clone();
    let tried = || format!("make the indexes in {}", server.place.url);
    let failed = |e| error::statement(e, Doing::Repeatable, tried());
    let replicas = server.place.options.index_replicas;
    for collection in collections {
        let there = states(node, collection).await?;
        let has = |name: &str| there.iter().any(|(there, _)| there == name);
        let mut texts = Vec::new();
        if !has(sql::PRIMARY) {
            texts.push(sql::create_index(collection, sql::PRIMARY, &[], replicas)?);
        }
        for index in indexes.iter().filter(|index| index.collection == collection) {
            if !has(index.name) {
                texts.push(sql::create_index(collection, index.name, &index.fields, replicas)?);
            }
        }
        for text in texts {
            match node.ask(&text, &[], None).await {
                // Another part of the load was faster.
                Err(e) if e.fault().is_some_and(|f| f.message.contains("already exists")) => {}
                done => drop(done.map_err(failed)?),
            }
        }
        let waiting = states(node, collection).await?;
        let waiting: Vec<_> =
            waiting.iter().filter(|(_, state)| state == "deferred").map(|(n, _)| n).collect();
        if !waiting.is_empty() {
            let names: Vec<_> = waiting.iter().map(|name| format!("`{name}`")).collect();
            let text = format!("BUILD INDEX ON `{collection}`({}) USING GSI", names.join(", "));
            match node.ask(&text, &[], None).await {
                // The index service continues by itself where another build is in progress.
                Err(e) if e.fault().is_some_and(|f| later(&f.message)) => {}
                done => drop(done.map_err(failed)?),
            }
        }
    }
    for collection in collections {
        let mut pause = Duration::from_millis(20);
        while states(node, collection).await?.iter().any(|(_, state)| state != "online") {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }
    Ok(())
}

fn later(message: &str) -> bool {
    let message = message.to_lowercase();
    ["in the background", "already in progress", "already built", "will be retried"]
        .iter()
        .any(|words| message.contains(words))
}

/// Name and state of each index of a collection.
pub(super) async fn states(node: &Node, collection: &str) -> Result<Vec<(String, String)>> {
    let server = &node.server;
    let tried = || format!("look at the indexes of {collection} in {}", server.place.url);
    let text = "SELECT RAW [i.name, i.state] FROM system:indexes AS i WHERE i.bucket_id = $1 AND \
                i.scope_id = $2 AND i.keyspace_id = $3";
    let place = &server.place;
    let args: [Value; 3] =
        [place.bucket.as_str().into(), place.options.scope.as_str().into(), collection.into()];
    let answer = node.ask(text, &args, None).await;
    let answer = answer.map_err(|e| error::statement(e, Doing::Read, tried()))?;
    let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let rows = answer.lists(tried)?;
    Ok(rows.iter().filter(|row| row.len() == 2).map(|row| (text(&row[0]), text(&row[1]))).collect())
}
