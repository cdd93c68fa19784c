//! The end of a load: indexes, durability.

use std::time::Duration;

use hoap_database::failure::{Done, Failure};
use hoap_database::{Index, at_once, path};
use hoap_record::ErrorKind;
use mongodb::IndexModel;
use mongodb::bson::{Document, doc};
use mongodb::error::ErrorKind as Kind;
use mongodb::options::{IndexOptions, WriteConcern};

use super::layout::PROGRESS;
use super::server::Server;
use crate::error;

/// Makes the indexes and makes everything durable. MongoDB has no statistics to gather.
pub(super) async fn settle(server: &Server, indexes: &[Index]) -> Done<()> {
    let made = indexes.iter().map(async |index| {
        let made = make_index(server, index).await;
        made.map_err(|e| e.trying(format!("create index {} in {}", index.name, server.shown)))
    });
    at_once(made.collect()).await?;
    // A write that is in the journals of the majority follows all writes before it.
    let mut journaled = WriteConcern::majority();
    journaled.journal = Some(true);
    journaled.w_timeout = Some(Duration::from_secs(600));
    let saved = server
        .database
        .collection::<Document>(PROGRESS)
        .update_one(doc! {"_id": "settled"}, doc! {"$set": {"indexes": indexes.len() as i64}})
        .upsert(true)
        .write_concern(journaled)
        .await;
    saved
        .map(drop)
        .map_err(|e| error::failure(e).trying(format!("make the load durable in {}", server.shown)))
}

/// Makes an index where it is missing. The server compares it with one of the same name.
async fn make_index(server: &Server, index: &Index) -> Done<()> {
    let mut keys = Document::new();
    for field in &index.fields {
        keys.insert(path::joined(field, "."), 1);
    }
    let options = IndexOptions::builder().name(index.name.to_owned()).build();
    let model = IndexModel::builder().keys(keys).options(options).build();
    let made = server.collection(index.collection).create_index(model).await;
    made.map(drop).map_err(|e| match e.kind.as_ref() {
        // IndexOptionsConflict, IndexKeySpecsConflict
        Kind::Command(c) if c.code == 85 || c.code == 86 => Failure {
            kind: ErrorKind::Unavailable,
            advice: Some("drop that index, or name another database".into()),
            ..error::failure(e)
        },
        _ => error::failure(e),
    })
}
