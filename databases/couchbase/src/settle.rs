//! The end of a load: indexes.

use std::time::Duration;

use hoap_database::failure::Done;
use hoap_database::{Index, names};
use serde_json::Value;

use super::database::RESERVED;
use super::query::Node;
use super::{indexes, sql};

/// Makes the missing indexes, with a primary one for each collection, builds those of a collection
/// together, and waits until all are online. There is no time limit: building takes time in
/// proportion to the data.
pub(super) async fn settle(node: &Node, named: &[Index]) -> Done<()> {
    let ours = |name: &String| names::collection(name, RESERVED, usize::MAX).is_ok();
    let mut collections = node.keyspaces().await?;
    collections.retain(ours);
    make(node, &collections, &indexes::all(named, node.server.place.options.indexes)).await
}

/// Of each of these indexes whether it is there, by the name that it has here, and online.
pub(super) async fn has(node: &Node, named: &[Index]) -> Done<Vec<Option<bool>>> {
    let mut has = Vec::new();
    for index in named {
        let made = indexes::made(index, node.server.place.options.indexes);
        let there = states(node, &made.collection).await?;
        let online = |(name, state): &(String, String)| *name == made.name && state == "online";
        has.push(Some(there.iter().any(online)));
    }
    Ok(has)
}

/// Makes the primary index of a collection that has none, as before the end of a load.
pub(super) async fn primary(node: &Node, collection: &str) -> Done<()> {
    let there = states(node, collection).await?;
    if there.iter().any(|(name, state)| name == sql::PRIMARY && state == "online") {
        return Ok(());
    }
    make(node, &[collection.to_owned()], &[]).await
}

async fn make(node: &Node, collections: &[String], indexes: &[Index]) -> Done<()> {
    let replicas = node.server.place.options.index_replicas;
    for collection in collections {
        let there = states(node, collection).await?;
        let has = |name: &str| there.iter().any(|(there, _)| there == name);
        let mut texts = Vec::new();
        if !has(sql::PRIMARY) {
            texts.push(sql::create_index(collection, sql::PRIMARY, &[""; 0], replicas));
        }
        for index in indexes.iter().filter(|index| index.collection == *collection) {
            if !has(&index.name) {
                texts.push(sql::create_index(collection, &index.name, &index.fields, replicas));
            }
        }
        for text in texts {
            match node.ask(&text, &[], None).await {
                // Another part of the load was faster, or the index service makes it by itself.
                Err(e) if e.says("already exist") || LATER.iter().any(|w| e.says(w)) => {}
                done => drop(done?),
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
                Err(e) if LATER.iter().any(|words| e.says(words)) => {}
                done => drop(done?),
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

/// What the service says of an index that it builds without being asked again.
const LATER: [&str; 5] = [
    "in the background",
    "scheduled for background",
    "already in progress",
    "already built",
    "will be retried",
];

/// Name and state of each index of a collection.
pub(super) async fn states(node: &Node, collection: &str) -> Done<Vec<(String, String)>> {
    let text = "SELECT RAW [i.name, i.state] FROM system:indexes AS i WHERE i.bucket_id = $1 AND \
                i.scope_id = $2 AND i.keyspace_id = $3";
    let place = &node.server.place;
    let args: [Value; 3] =
        [place.bucket.as_str().into(), place.options.scope.as_str().into(), collection.into()];
    let answer = node.ask(text, &args, None).await?;
    let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let rows = answer.lists()?;
    Ok(rows.iter().filter(|row| row.len() == 2).map(|row| (text(&row[0]), text(&row[1]))).collect())
}
