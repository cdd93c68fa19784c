//! Customers and their orders.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_database::engine::{self, Shop};
use hoap_database::failure::{Done, Failure};
use hoap_database::shop::{
    Ask, COUNTRY_INDEX, CUSTOMERS, JoinRow, JoinVariant, ORDERS, SALES, ZIP_INDEX, sales_key,
};
use serde_json::Value;

use super::definition::Definition;
use super::endpoint::{Endpoint, StoreEngine};
use super::underway;
use crate::Request;

#[async_trait]
impl Shop for StoreEngine {
    fn variants(&self) -> &'static [JoinVariant] {
        &[
            JoinVariant::Index,
            JoinVariant::Ansi,
            JoinVariant::Hash,
            JoinVariant::Embedded,
            JoinVariant::JoiningTable,
        ]
    }

    async fn shop_session(&self, ask: Ask) -> Done<Box<dyn engine::ShopSession>> {
        match ask {
            Ask::Pages => {
                let definition = &self.endpoint.definition;
                let (name, key) = (definition.name(CUSTOMERS), definition.key("c"));
                // Without an order two pages might have the same customer: many nodes answer.
                let statement = format!(
                    "SELECT VALUE {key} FROM {name} AS c WHERE c.address.country = $country \
                     ORDER BY {key} LIMIT $limit OFFSET $offset"
                );
                Ok(Box::new(Pager(Client::new(&self.endpoint, statement, COUNTRY_INDEX).await?)))
            }
            Ask::Joins(variant) => {
                let (endpoint, statement) =
                    (&self.endpoint, join(&*self.endpoint.definition, variant));
                if variant != JoinVariant::JoiningTable {
                    let client = Client::new(endpoint, statement, ZIP_INDEX).await?;
                    return Ok(Box::new(Joiner { client, table: false }));
                }
                if endpoint.existing(&[SALES]).await?.is_empty() {
                    return Err(Failure::missing(format!("there is no collection {SALES}")));
                }
                let client = Client { endpoint: endpoint.clone(), statement };
                Ok(Box::new(Joiner { client, table: true }))
            }
        }
    }
}

/// The statement of a join.
fn join(definition: &dyn Definition, variant: JoinVariant) -> String {
    let (customers, orders) = (definition.name(CUSTOMERS), definition.name(ORDERS));
    let by_list = |hint: &str| {
        let key = definition.key("o");
        format!("{customers} AS c UNNEST c.order_list AS k JOIN {orders} AS o ON k {hint}= {key}")
    };
    let (from, by_key) = match variant {
        JoinVariant::Index => (by_list("/*+ indexnl */ "), None),
        JoinVariant::Hash => (by_list("/*+ hash-bcast */ "), None),
        JoinVariant::Embedded => (format!("{customers} AS c UNNEST c.orders AS o"), None),
        JoinVariant::JoiningTable => {
            let from = format!("{} AS s UNNEST s.orders AS o", definition.name(SALES));
            (from, Some(definition.key("s")))
        }
        _ => (by_list(""), None),
    };
    let (filter, month, zip) = match by_key {
        Some(key) => (format!("{key} = $key"), "s.month", "s.zip"),
        None => {
            let filter = "c.address.zip = $zip AND o.month = $month";
            (filter.to_owned(), "o.month", "c.address.zip")
        }
    };
    // Cents are whole numbers, and so is their sum.
    format!(
        "SELECT VALUE [month, zip, cents] FROM {from} WHERE {filter} \
         GROUP BY {month} AS month, {zip} AS zip \
         LET cents = sum(to_bigint(round(o.sale_price * 100))) ORDER BY cents"
    )
}

/// One client and its statement.
struct Client {
    endpoint: Arc<Endpoint>,
    statement: String,
}

/// One client that reads pages.
pub struct Pager(Client);

/// One client that joins.
pub struct Joiner {
    client: Client,
    /// Whether it reads the joining table.
    table: bool,
}

impl Client {
    /// Refuses a search that would read all customers, for want of this index.
    async fn new(endpoint: &Arc<Endpoint>, statement: String, index: &str) -> Done<Client> {
        match endpoint.has_index(CUSTOMERS, index).await? {
            true => Ok(Client { endpoint: endpoint.clone(), statement }),
            false => Err(Failure::missing(format!("index {index} is missing"))),
        }
    }

    /// A request for the statement of this session.
    fn request(&self) -> Request {
        let request = Request::new(self.statement.clone()).set("readonly", true);
        match self.endpoint.query_timeout {
            Some(limit) => request.timeout(limit),
            None => request,
        }
    }
}

// The request of a dropped call is cancelled, and its connection closed.
#[async_trait]
impl engine::ShopSession for Pager {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Done<()> {
        keys.clear();
        // A position is a 32-bit integer there, and so is the sum of both.
        const LAST: u32 = i32::MAX as u32;
        let offset = offset.min(LAST);
        let limit = limit.min(LAST - offset);
        let endpoint = &self.0.endpoint;
        let request = self.0.request().parameter("country", country);
        let request = request.parameter("offset", offset).parameter("limit", limit);
        let mut read = |row: &[u8]| {
            keys.push(serde_json::from_slice(row).map_err(|e| format!("a key: {e}"))?);
            Ok(())
        };
        underway::run(endpoint, request, &underway::context(), &mut read).await?;
        Ok(())
    }
}

#[async_trait]
impl engine::ShopSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        let endpoint = &self.client.endpoint;
        let request = self.client.request();
        let request = match self.table {
            true => request.parameter("key", sales_key(zip, month)),
            false => request.parameter("zip", zip).parameter("month", month),
        };
        let mut read = |row: &[u8]| {
            let (month, zip, cents): (String, String, Value) =
                serde_json::from_slice(row).map_err(|e| format!("a row: {e}"))?;
            let whole = cents.as_f64().filter(|x| x.fract() == 0.0 && x.abs() < 9e15);
            let cents = cents.as_i64().or(whole.map(|x| x as i64));
            let cents = cents.ok_or_else(|| "a sum is no whole number of cents".to_owned())?;
            rows.push(JoinRow { month, zip, cents });
            Ok(())
        };
        underway::run(endpoint, request, &underway::context(), &mut read).await?;
        Ok(())
    }
}
