//! Customers and their orders.
//!
//! DuckDB reads the columns that a statement names, and joins with a hash table. There is no index:
//! a page reads the countries of customers up to its end.

use async_trait::async_trait;
use duckdb::Connection;
use hoap_database::engine::{self, Shop};
use hoap_database::failure::Done;
use hoap_database::shop::{Ask, CUSTOMERS, JoinRow, JoinVariant, ORDERS, SALES, sales_key};

use super::database::DuckDbEngine;
use super::table;
use crate::error::OrFail;

/// Rows come in the order in which they were loaded, which is the same for every page.
const PAGE: &str = "SELECT c.hoap_key FROM shop_customer AS c
    WHERE c.address.country = ? LIMIT ? OFFSET ?";

const JOIN: &str = "SELECT o.month, c.zip,
        sum(CAST(round(o.sale_price * 100) AS BIGINT)) AS cents
    FROM (
        SELECT k.address.zip AS zip, unnest(k.order_list) AS order_key
        FROM shop_customer AS k
        WHERE k.address.zip = ?
    ) AS c
    JOIN shop_orders AS o ON o.hoap_key = c.order_key
    WHERE o.month = ?
    GROUP BY ALL ORDER BY cents";

/// The orders in the customers' documents.
const EMBEDDED: &str = "SELECT c.o.month, c.zip,
        sum(CAST(round(c.o.sale_price * 100) AS BIGINT)) AS cents
    FROM (
        SELECT k.address.zip AS zip, unnest(k.orders) AS o
        FROM shop_customer AS k
        WHERE k.address.zip = ?
    ) AS c
    WHERE c.o.month = ?
    GROUP BY ALL ORDER BY cents";

/// What the joining table has under a key.
const TABLE: &str = "SELECT s.month, s.zip,
        sum(CAST(round(s.o.sale_price * 100) AS BIGINT)) AS cents
    FROM (
        SELECT k.month, k.zip, unnest(k.orders) AS o
        FROM shop_sales AS k
        WHERE k.hoap_key = ?
    ) AS s
    GROUP BY ALL";

#[async_trait]
impl Shop for DuckDbEngine {
    fn variants(&self) -> &'static [JoinVariant] {
        &[JoinVariant::Hash, JoinVariant::Embedded, JoinVariant::JoiningTable]
    }

    async fn shop_session(&self, ask: Ask) -> Done<Box<dyn engine::ShopSession>> {
        match ask {
            Ask::Pages => Ok(Box::new(Pager(connect(self, &[CUSTOMERS], PAGE)?))),
            Ask::Joins(variant) => {
                let (collections, text): (&[&str], _) = match variant {
                    JoinVariant::Embedded => (&[CUSTOMERS], EMBEDDED),
                    JoinVariant::JoiningTable => (&[SALES], TABLE),
                    _ => (&[CUSTOMERS, ORDERS], JOIN),
                };
                Ok(Box::new(Joiner(connect(self, collections, text)?, text)))
            }
        }
    }
}

/// Connects to run a statement on these collections, which must be there.
fn connect(engine: &DuckDbEngine, collections: &[&str], text: &str) -> Done<Connection> {
    let connection = engine.instance.file.connect()?;
    for collection in collections {
        table::expect_kind(&connection, collection)?;
    }
    connection.prepare(text).or_fail()?;
    Ok(connection)
}

/// One client that reads pages.
pub struct Pager(Connection);

/// One client that joins.
pub struct Joiner(Connection, &'static str);

#[async_trait]
impl engine::ShopSession for Pager {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Done<()> {
        let mut statement = self.0.prepare_cached(PAGE).or_fail()?;
        let mut rows = statement.query(duckdb::params![country, limit, offset]).or_fail()?;
        keys.clear();
        while let Some(row) = rows.next().or_fail()? {
            keys.push(row.get(0).or_fail()?);
        }
        Ok(())
    }
}

#[async_trait]
impl engine::ShopSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        let mut statement = self.0.prepare_cached(self.1).or_fail()?;
        let found = match self.1 {
            TABLE => statement.query([sales_key(zip, month)]),
            _ => statement.query([zip, month]),
        };
        let mut found = found.or_fail()?;
        while let Some(row) = found.next().or_fail()? {
            rows.push(JoinRow {
                month: row.get(0).or_fail()?,
                zip: row.get(1).or_fail()?,
                cents: row.get(2).or_fail()?,
            });
        }
        Ok(())
    }
}
