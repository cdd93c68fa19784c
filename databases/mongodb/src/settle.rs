//! The end of a load: indexes, durability.

use std::time::Duration;

use futures_util::TryStreamExt;
use hoap_database::failure::{Done, Failure};
use hoap_database::{Index, at_once};
use hoap_record::ErrorKind;
use mongodb::IndexModel;
use mongodb::bson::{Bson, Document, doc};
use mongodb::error::ErrorKind as Kind;
use mongodb::options::{IndexOptions, WriteConcern};

use super::layout::PROGRESS;
use super::server::Server;
use super::value;
use crate::error;
use crate::error::OrFail;

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

/// Of each of these indexes whether it is there with the same fields.
pub(super) async fn has(server: &Server, indexes: &[Index]) -> Done<Vec<Option<bool>>> {
    let mut has = Vec::new();
    for index in indexes {
        let listed = server.collection(&index.collection).list_indexes().await;
        let there: Vec<IndexModel> = match listed {
            Ok(cursor) => cursor.try_collect().await.or_fail()?,
            // NamespaceNotFound: there is not even the collection.
            Err(e) if matches!(e.kind.as_ref(), Kind::Command(c) if c.code == 26) => Vec::new(),
            Err(e) => return Err(error::failure(e)),
        };
        let (name, fields) = (Some(index.name.as_str()), keys(index)?);
        let same = |there: &IndexModel| {
            let named = there.options.as_ref().and_then(|options| options.name.as_deref());
            named == name && there.keys.keys().eq(fields.keys())
        };
        has.push(Some(there.iter().any(same)));
    }
    Ok(has)
}

/// The fields of an index as the server takes them.
fn keys(index: &Index) -> Done<Document> {
    index.fields.iter().map(|field| Ok((value::dotted(field)?, Bson::Int32(1)))).collect()
}

/// Makes an index where it is missing. The server compares it with one of the same name.
async fn make_index(server: &Server, index: &Index) -> Done<()> {
    let keys = keys(index)?;
    let options = IndexOptions::builder().name(index.name.clone()).build();
    let model = IndexModel::builder().keys(keys).options(options).build();
    let made = server.collection(&index.collection).create_index(model).await;
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
