//! Collections that others made, as Extended JSON.

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::TryStreamExt;
use hoap_database::Index;
use hoap_database::engine::{EachDocument, Export};
use hoap_database::export::none;
use hoap_database::failure::{Done, Failure};
use hoap_database::path;
use mongodb::IndexModel;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Bson, Document, doc};
use mongodb::error::ErrorKind as Kind;
use serde_json::Value;

use super::MongoDbEngine;
use crate::error::{self, OrFail};

#[async_trait]
impl Export for MongoDbEngine {
    async fn export(&self, collection: &str, each: &mut EachDocument<'_>) -> Done<Vec<Index>> {
        let target = self.server.collection(collection);
        let mut cursor = self.server.each_once(target.find(doc! {})).await.or_fail()?;
        let mut empty = true;
        while cursor.advance().await.or_fail()? {
            empty = false;
            let mut document = Document::try_from(cursor.current()).map_err(Failure::broken)?;
            document.iter_mut().for_each(|(_, value)| name_bytes(value));
            let document = serde_json::to_value(document).map_err(Failure::broken)?;
            if let Value::Object(document) = document {
                each(document)?;
            }
        }
        if empty {
            // The server takes one that is not there for an empty one.
            let mut names = self.server.database.list_collection_names().await.or_fail()?;
            names.sort_unstable();
            if !names.iter().any(|name| name == collection) {
                let place = format!("database {}", self.server.database.name());
                return Err(none("collection", &place, &names));
            }
        }
        match self.server.collection(collection).list_indexes().await {
            Ok(listed) => {
                let indexes: Vec<IndexModel> = listed.try_collect().await.or_fail()?;
                Ok(indexes.iter().filter_map(|index| fields(index, collection)).collect())
            }
            // A view has none, and who may read does not always list them.
            Err(e) if matches!(e.kind.as_ref(), Kind::Command(_)) => Ok(Vec::new()),
            Err(e) => Err(error::failure(e)),
        }
    }
}

/// Puts Extended JSON in the place of plain bytes, which would be lists of numbers.
fn name_bytes(value: &mut Bson) {
    match value {
        Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes }) => {
            let bytes = STANDARD.encode(bytes);
            *value = doc! {"$binary": {"base64": bytes, "subType": "00"}}.into();
        }
        Bson::Document(fields) => fields.iter_mut().for_each(|(_, value)| name_bytes(value)),
        Bson::Array(values) => values.iter_mut().for_each(name_bytes),
        _ => {}
    }
}

/// The fields that are in an order in an index of all documents, from its first one on.
fn fields(index: &IndexModel, collection: &str) -> Option<Index> {
    let options = index.options.as_ref();
    if options.is_some_and(|options| options.partial_filter_expression.is_some()) {
        return None;
    }
    let field = |(name, way): (&String, &Bson)| {
        let ordered = matches!(way, Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_));
        let names: Vec<&str> = name.split('.').collect();
        path::of(&names).filter(|_| ordered && !name.contains('$'))
    };
    let fields: Vec<String> = index.keys.iter().map_while(field).collect();
    let name = options.and_then(|options| options.name.clone()).unwrap_or_default();
    (!fields.is_empty()).then(|| Index::new(name, collection, &fields))
}
