//! Customers and their orders.

use std::sync::Arc;

use hoap_workload::capability::shop::{
    JoinRow, JoinSession, JoinVariant, Joins, PageSession, Pages,
};
use hoap_workload::shop::source::{COUNTRY_INDEX, ZIP_INDEX};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::endpoint::{Endpoint, Store};
use super::underway;
use crate::sqlpp::{Doing, Failure, Request};

const CUSTOMERS: &str = "shop_customer";
const ORDERS: &str = "shop_orders";

impl Pages for Store {
    type Session = Pager;

    async fn session(&self) -> Result<Pager> {
        let endpoint = &self.endpoint;
        let statement = page(endpoint)?;
        let tried = format!("page through customers in {}", endpoint.url());
        expect_index(endpoint, COUNTRY_INDEX, &tried).await?;
        Ok(Pager(Client { endpoint: endpoint.clone(), statement }))
    }
}

impl Joins for Store {
    type Session = Joiner;

    fn variants(&self) -> &'static [JoinVariant] {
        &[JoinVariant::Index, JoinVariant::Ansi, JoinVariant::Hash]
    }

    async fn session(&self, variant: JoinVariant) -> Result<Joiner> {
        let endpoint = &self.endpoint;
        let hint = match variant {
            JoinVariant::Index => "/*+ indexnl */ ",
            JoinVariant::Ansi => "",
            JoinVariant::Hash => "/*+ hash-bcast */ ",
            other => return Err(other.refused(&endpoint.description.name, endpoint.url())),
        };
        let statement = join(endpoint, hint)?;
        expect_index(endpoint, ZIP_INDEX, &format!("join in {}", endpoint.url())).await?;
        Ok(Joiner(Client { endpoint: endpoint.clone(), statement }))
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

fn join(endpoint: &Endpoint, hint: &str) -> Result<String> {
    let definition = &endpoint.definition;
    let (customers, orders) = (definition.name(CUSTOMERS)?, definition.name(ORDERS)?);
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

/// One client and its statement.
struct Client {
    endpoint: Arc<Endpoint>,
    statement: String,
}

/// One client that reads pages.
pub struct Pager(Client);

/// One client that joins.
pub struct Joiner(Client);

impl Client {
    /// A request for the statement of this session.
    fn request(&self) -> Request {
        let request = Request::new(self.statement.clone()).set("readonly", true);
        match self.endpoint.query_timeout {
            Some(limit) => request.timeout(limit),
            None => request,
        }
    }
}

impl PageSession for Pager {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Result<()> {
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
        let done = underway::run(endpoint, request, &underway::context(), &mut read).await;
        done.map(drop).map_err(|e: Failure| {
            keys.clear();
            endpoint.failed(e, Doing::Read, format!("page through {country} in {}", endpoint.url()))
        })
    }
}

impl JoinSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Result<()> {
        rows.clear();
        let endpoint = &self.0.endpoint;
        let request = self.0.request().parameter("zip", zip).parameter("month", month);
        let mut read = |row: &[u8]| {
            let (month, zip, cents): (String, String, Value) =
                serde_json::from_slice(row).map_err(|e| format!("a row: {e}"))?;
            let whole = cents.as_f64().filter(|x| x.fract() == 0.0 && x.abs() < 9e15);
            let cents = cents.as_i64().or(whole.map(|x| x as i64));
            let cents = cents.ok_or_else(|| "a sum is no whole number of cents".to_owned())?;
            rows.push(JoinRow { month, zip, cents });
            Ok(())
        };
        let done = underway::run(endpoint, request, &underway::context(), &mut read).await;
        done.map(drop).map_err(|e: Failure| {
            rows.clear();
            let tried = format!("join zip code {zip}, {month} in {}", endpoint.url());
            endpoint.failed(e, Doing::Read, tried)
        })
    }
}
