//! Customers and their orders: pages and joins.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::TryStreamExt;
use hoap_database::engine::{self, Shop, put_key};
use hoap_database::failure::{Done, Failure};
use hoap_database::shop::{
    Ask, COUNTRY_INDEX, CUSTOMERS, JoinRow, JoinVariant, ORDERS, SALES, ZIP_INDEX, sales_key,
};
use mongodb::bson::raw::RawBsonRef;
use mongodb::bson::{Bson, Document, RawDocumentBuf, doc};

use super::server::Server;
use super::{MongoDbEngine, value};
use crate::error::OrFail;

#[async_trait]
impl Shop for MongoDbEngine {
    fn variants(&self) -> &'static [JoinVariant] {
        &[
            JoinVariant::Lookup,
            JoinVariant::TwoPhase,
            JoinVariant::Embedded,
            JoinVariant::JoiningTable,
        ]
    }

    async fn shop_session(&self, ask: Ask) -> Done<Box<dyn engine::ShopSession>> {
        match ask {
            Ask::Pages => {
                expect_index(&self.server, CUSTOMERS, COUNTRY_INDEX).await?;
                Ok(Box::new(Pager { server: self.server.clone() }))
            }
            Ask::Joins(variant) => {
                let (collection, index) = match variant {
                    JoinVariant::JoiningTable => (SALES, "_id_"),
                    _ => (CUSTOMERS, ZIP_INDEX),
                };
                expect_index(&self.server, collection, index).await?;
                Ok(Box::new(Joiner { server: self.server.clone(), variant }))
            }
        }
    }
}

/// Refuses a search without its index: it would read every document, and nobody would notice.
async fn expect_index(server: &Server, collection: &str, index: &str) -> Done<()> {
    let names = async { server.collection(collection).list_index_names().await.or_fail() };
    match server.limited(names).await?.iter().any(|name| name == index) {
        true => Ok(()),
        false => Err(Failure::missing(format!("index {index} is missing"))),
    }
}

/// One client that reads pages.
pub struct Pager {
    server: Arc<Server>,
}

/// One client that joins.
pub struct Joiner {
    server: Arc<Server>,
    variant: JoinVariant,
}

impl Joiner {
    /// The sum of the orders of a month among these keys, in cents, and whether there is any.
    async fn two_phase(&self, zip: &str, month: &str) -> mongodb::error::Result<Option<i64>> {
        let customers = self.server.collection(CUSTOMERS);
        let lists = customers.find(doc! {"address.zip": zip});
        let mut lists = lists.projection(doc! {"_id": 0, "order_list": 1}).await?;
        let mut keys = Vec::new();
        while lists.advance().await? {
            if let Ok(list) = lists.current().get_array("order_list") {
                let strings = list.into_iter().filter_map(Result::ok);
                keys.extend(strings.filter_map(|key| Some(Bson::from(key.as_str()?))));
            }
        }
        if keys.is_empty() {
            return Ok(None);
        }
        let orders = self.server.collection(ORDERS);
        let rows = orders.aggregate(sum_of(keys, month)).with_type::<RawDocumentBuf>().await?;
        let rows: Vec<RawDocumentBuf> = rows.try_collect().await?;
        Ok(rows.first().map(|row| cents(number(row.get("sum").ok().flatten()))))
    }

    /// The rows of one pipeline.
    async fn one(&self, zip: &str, month: &str) -> mongodb::error::Result<Vec<RawDocumentBuf>> {
        let (of, pipeline) = match self.variant {
            JoinVariant::Embedded => (CUSTOMERS, embedded(zip, month)),
            JoinVariant::JoiningTable => (SALES, sales(zip, month)),
            _ => (CUSTOMERS, lookup(zip, month)),
        };
        let of = self.server.collection(of);
        let rows = of.aggregate(pipeline);
        rows.with_type::<RawDocumentBuf>().await?.try_collect().await
    }
}

/// The second phase of the comparison reports' read (2021, table 4.4.1): the server adds up.
fn sum_of(keys: Vec<Bson>, month: &str) -> [Document; 2] {
    [
        doc! {"$match": {"$and": [{"_id": {"$in": keys}}, {"month": month}]}},
        doc! {"$group": {"_id": null, "sum": {"$sum": "$sale_price"}}},
    ]
}

/// The join as one pipeline.
fn lookup(zip: &str, month: &str) -> Vec<Document> {
    vec![
        doc! {"$match": {"address.zip": zip}},
        doc! {"$project": {"zip": "$address.zip", "order_list": 1}},
        doc! {"$lookup": {
            "from": ORDERS, "localField": "order_list", "foreignField": "_id", "as": "order"
        }},
        doc! {"$unwind": "$order"},
        doc! {"$match": {"order.month": month}},
        doc! {"$group": {
            "_id": {"month": "$order.month", "zip": "$zip"}, "sum": {"$sum": "$order.sale_price"}
        }},
    ]
}

/// The orders in the customers' documents.
fn embedded(zip: &str, month: &str) -> Vec<Document> {
    vec![
        doc! {"$match": {"address.zip": zip}},
        doc! {"$unwind": "$orders"},
        doc! {"$match": {"orders.month": month}},
        doc! {"$group": {
            "_id": {"month": "$orders.month", "zip": "$address.zip"},
            "sum": {"$sum": "$orders.sale_price"}
        }},
    ]
}

/// What the joining table has under a key.
fn sales(zip: &str, month: &str) -> Vec<Document> {
    vec![
        doc! {"$match": {"_id": sales_key(zip, month)}},
        doc! {"$unwind": "$orders"},
        doc! {"$group": {
            "_id": {"month": "$month", "zip": "$zip"}, "sum": {"$sum": "$orders.sale_price"}
        }},
    ]
}

fn number(value: Option<RawBsonRef<'_>>) -> f64 {
    match value {
        Some(RawBsonRef::Double(x)) => x,
        Some(RawBsonRef::Int32(n)) => n.into(),
        Some(RawBsonRef::Int64(n)) => n as f64,
        _ => 0.0,
    }
}

/// An amount of money in cents.
fn cents(amount: f64) -> i64 {
    (amount * 100.0).round() as i64
}

#[async_trait]
impl engine::ShopSession for Pager {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Done<()> {
        // For MongoDB a limit of 0 is none.
        if limit == 0 {
            keys.clear();
            return Ok(());
        }
        let customers = self.server.collection(CUSTOMERS);
        let find = customers.find(doc! {"address.country": country});
        let find = find.projection(doc! {"_id": 1}).skip(offset.into()).limit(limit.into());
        let mut cursor = find.batch_size(limit.saturating_add(1).min(10_000)).await.or_fail()?;
        let mut found = 0;
        while cursor.advance().await.or_fail()? {
            put_key(keys, found, value::key(cursor.current())?);
            found += 1;
        }
        keys.truncate(found);
        Ok(())
    }
}

#[async_trait]
impl engine::ShopSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        if self.variant == JoinVariant::TwoPhase {
            let row = |cents| JoinRow { month: month.to_owned(), zip: zip.to_owned(), cents };
            rows.extend(self.two_phase(zip, month).await.or_fail()?.map(row));
            return Ok(());
        }
        for row in self.one(zip, month).await.or_fail()? {
            let id = row.get_document("_id").map_err(Failure::broken)?;
            rows.push(JoinRow {
                month: id.get_str("month").map_err(Failure::broken)?.to_owned(),
                zip: id.get_str("zip").map_err(Failure::broken)?.to_owned(),
                cents: cents(number(row.get("sum").map_err(Failure::broken)?)),
            });
        }
        rows.sort_by_key(|row| row.cents);
        Ok(())
    }
}
