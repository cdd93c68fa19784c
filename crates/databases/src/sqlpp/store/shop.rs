//! Customers and their orders.

use std::sync::Arc;

use hoap_workload::capability::Applicable;
use hoap_workload::capability::shop::{JoinRow, JoinVariant, Shop, ShopSession};
use hoap_workload::shop::source::{COUNTRY_INDEX, ZIP_INDEX};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::endpoint::{Endpoint, Store};
use super::underway;
use crate::sqlpp::{Doing, Failure, Request};

const CUSTOMERS: &str = "shop_customer";
const ORDERS: &str = "shop_orders";

impl Shop for Store {
    type Session = Client;

    fn blocking(&self) -> bool {
        false
    }

    fn pagination(&self) -> Applicable<()> {
        Ok(())
    }

    fn joins(&self) -> Applicable<&'static [JoinVariant]> {
        Ok(self.endpoint.joins)
    }

    async fn session(&self, variant: Option<JoinVariant>) -> Result<Client> {
        let endpoint = &self.endpoint;
        let tried = match variant {
            None => format!("page through customers in {}", endpoint.url()),
            Some(_) => format!("join in {}", endpoint.url()),
        };
        let (statement, index) = match variant {
            None => (page(endpoint)?, COUNTRY_INDEX),
            Some(variant) if endpoint.joins.contains(&variant) => {
                (join(endpoint, variant)?, ZIP_INDEX)
            }
            Some(other) => {
                let answer = format!("{} has no {other} join", endpoint.description.name);
                return Err(Error::new(ErrorKind::Invalid, tried, answer));
            }
        };
        expect_index(endpoint, index, &tried).await?;
        Ok(Client { endpoint: endpoint.clone(), statement, joins: variant.is_some() })
    }
}

/// Refuses a search that would read all customers.
async fn expect_index(endpoint: &Endpoint, index: &str, tried: &str) -> Result<()> {
    let ask = Request::new(endpoint.definition.indexes()).parameter("name", CUSTOMERS);
    let rows = endpoint.rows(ask).await.map_err(|e| endpoint.failed(e, Doing::Read, tried))?;
    if rows.iter().any(|row| row.as_str() == Some(index)) {
        return Ok(());
    }
    let answer = format!("index {index} is missing");
    Err(Error::new(ErrorKind::Missing, tried, answer).advise("run `hoap load` first"))
}

fn page(endpoint: &Endpoint) -> Result<String> {
    let definition = &endpoint.definition;
    let (name, key) = (definition.name(CUSTOMERS)?, definition.key("c"));
    // Without an order two pages might have the same customer: many nodes answer.
    Ok(format!(
        "SELECT VALUE {key} FROM {name} AS c WHERE c.address.country = $country \
         ORDER BY {key} LIMIT $limit OFFSET $offset"
    ))
}

fn join(endpoint: &Endpoint, variant: JoinVariant) -> Result<String> {
    let definition = &endpoint.definition;
    let (customers, orders) = (definition.name(CUSTOMERS)?, definition.name(ORDERS)?);
    let hint = match variant {
        JoinVariant::Index => "/*+ indexnl */ ",
        JoinVariant::Hash => "/*+ hash-bcast */ ",
        _ => "",
    };
    // Cents are whole numbers, and so is their sum.
    Ok(format!(
        "SELECT VALUE [month, zip, cents] \
         FROM {customers} AS c UNNEST c.order_list AS k JOIN {orders} AS o ON k {hint}= {} \
         WHERE c.address.zip = $zip AND o.month = $month \
         GROUP BY o.month AS month, c.address.zip AS zip \
         LET cents = sum(to_bigint(round(o.sale_price * 100))) \
         ORDER BY cents",
        definition.key("o")
    ))
}

/// One client.
pub struct Client {
    endpoint: Arc<Endpoint>,
    statement: String,
    joins: bool,
}

impl Client {
    /// A request for the statement of this session.
    fn request(&self) -> Request {
        let request = Request::new(self.statement.clone()).set("readonly", true);
        match self.endpoint.query_timeout {
            Some(limit) => request.timeout(limit),
            None => request,
        }
    }

    fn wrong(&self, tried: String, answer: &str) -> Error {
        Error::new(ErrorKind::Invalid, tried, answer)
    }
}

impl ShopSession for Client {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Result<()> {
        keys.clear();
        let tried = || format!("page through {country} in {}", self.endpoint.url());
        if self.joins {
            return Err(self.wrong(tried(), "the session was begun for the join"));
        }
        // A position is a 32-bit integer there, and so is the sum of both.
        const LAST: u32 = i32::MAX as u32;
        let offset = offset.min(LAST);
        let limit = limit.min(LAST - offset);
        let request = self.request().parameter("country", country);
        let request = request.parameter("offset", offset).parameter("limit", limit);
        let mut read = |row: &[u8]| {
            keys.push(serde_json::from_slice(row).map_err(|e| format!("a key: {e}"))?);
            Ok(())
        };
        let done = underway::run(&self.endpoint, request, &underway::context(), &mut read).await;
        if let Err(e) = done {
            keys.clear();
            return Err(self.endpoint.failed(e, Doing::Read, tried()));
        }
        Ok(())
    }

    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Result<()> {
        rows.clear();
        let tried = || format!("join zip code {zip}, {month} in {}", self.endpoint.url());
        if !self.joins {
            return Err(self.wrong(tried(), "the session was begun for pagination only"));
        }
        let request = self.request().parameter("zip", zip).parameter("month", month);
        let mut read = |row: &[u8]| {
            let (month, zip, cents): (String, String, Value) =
                serde_json::from_slice(row).map_err(|e| format!("a row: {e}"))?;
            let whole = cents.as_f64().filter(|x| x.fract() == 0.0 && x.abs() < 9e15);
            let cents = cents.as_i64().or(whole.map(|x| x as i64));
            let cents = cents.ok_or_else(|| "a sum is no whole number of cents".to_owned())?;
            rows.push(JoinRow { month, zip, cents });
            Ok(())
        };
        let done = underway::run(&self.endpoint, request, &underway::context(), &mut read).await;
        done.map(drop).map_err(|e: Failure| {
            rows.clear();
            self.endpoint.failed(e, Doing::Read, tried())
        })
    }
}
