//! Customers and their orders.
//!
//! The index on the customers' country or zip code serves each search. Orders are found by their
//! `_id`, which is their key: the index on `_id`, month and sale_price holds all that a join wants
//! to know of them, and the orders themselves are not read. A session refuses to begin where an
//! index is missing, since SQLite would read every document instead and nobody would notice. Where
//! it is there, the planner decides: a table of one country or zip code is as well scanned.
//!
//! SQLite has no hash join.

use async_trait::async_trait;
use hoap_database::engine::{self, Shop, put_key};
use hoap_database::failure::Done;
use hoap_database::shop::{
    Ask, COUNTRY_INDEX, COVERING_INDEX, JoinRow, JoinVariant, ZIP_INDEX, sales_key,
};
use rusqlite::{Connection, Params};

use super::connection::Role;
use super::database::SqliteEngine;
use crate::error::OrFail;

const PAGE: &str = "SELECT key FROM shop_customer
    WHERE doc ->> '$.address.country' = ?1 LIMIT ?2 OFFSET ?3";

/// A sale price in cents, for the orders `o`.
macro_rules! cents {
    ($document:literal) => {
        concat!("CAST(round((", $document, " ->> '$.sale_price') * 100) AS INTEGER)")
    };
}

/// A join of the customers `c` and the orders `o`, made from the part between.
macro_rules! joined {
    ($from:literal) => {
        concat!(
            "SELECT o.doc ->> '$.month', c.doc ->> '$.address.zip', sum(",
            cents!("o.doc"),
            ") FROM ",
            $from,
            " WHERE c.doc ->> '$.address.zip' = ?1 AND o.doc ->> '$.month' = ?2
              GROUP BY 1, 2 ORDER BY 3"
        )
    };
}

/// From each customer along the list of keys: CROSS JOIN is SQLite's word for "in this order".
const INDEX: &str = joined!(
    "shop_customer c CROSS JOIN jsonb_each(c.doc, '$.order_list') l
     CROSS JOIN shop_orders o ON o.doc ->> '$._id' = l.value"
);

/// As the standard writes it; the planner chooses the order.
const ANSI: &str = joined!(
    "shop_customer c JOIN shop_orders o
     ON o.doc ->> '$._id' IN (SELECT value FROM jsonb_each(c.doc, '$.order_list'))"
);

/// The orders in the customers' documents.
const EMBEDDED: &str = concat!(
    "SELECT o.value ->> '$.month', c.doc ->> '$.address.zip', sum(",
    cents!("o.value"),
    ") FROM shop_customer c CROSS JOIN jsonb_each(c.doc, '$.orders') o
     WHERE c.doc ->> '$.address.zip' = ?1 AND o.value ->> '$.month' = ?2
     GROUP BY 1, 2 ORDER BY 3"
);

/// What the joining table has under a key.
const SALES: &str = concat!(
    "SELECT s.doc ->> '$.month', s.doc ->> '$.zip', sum(",
    cents!("o.value"),
    ") FROM shop_sales s CROSS JOIN jsonb_each(s.doc, '$.orders') o
     WHERE s.key = ?1 GROUP BY 1, 2"
);

/// The first phase of two: the keys of the orders of a zip code's customers.
const ORDER_KEYS: &str = "SELECT l.value
    FROM shop_customer c CROSS JOIN jsonb_each(c.doc, '$.order_list') l
    WHERE c.doc ->> '$.address.zip' = ?1";
/// The second: the price of an order, if it is of the month.
const ORDER: &str = concat!(
    "SELECT ",
    cents!("o.doc"),
    " FROM shop_orders o WHERE o.doc ->> '$._id' = ?1 AND o.doc ->> '$.month' = ?2"
);

#[async_trait]
impl Shop for SqliteEngine {
    fn variants(&self) -> &'static [JoinVariant] {
        &[
            JoinVariant::Index,
            JoinVariant::Ansi,
            JoinVariant::TwoPhase,
            JoinVariant::Embedded,
            JoinVariant::JoiningTable,
        ]
    }

    async fn shop_session(&self, ask: Ask) -> Done<Box<dyn engine::ShopSession>> {
        match ask {
            Ask::Pages => Ok(Box::new(Pager(connect(self, &[PAGE])?))),
            Ask::Joins(variant) => {
                let way = match variant {
                    JoinVariant::TwoPhase => Way::TwoPhase,
                    JoinVariant::Ansi => Way::OneStatement(ANSI),
                    JoinVariant::Embedded => Way::OneStatement(EMBEDDED),
                    JoinVariant::JoiningTable => Way::Table,
                    _ => Way::OneStatement(INDEX),
                };
                let texts: &[&str] = match &way {
                    Way::OneStatement(text) => &[text],
                    Way::TwoPhase => &[ORDER_KEYS, ORDER],
                    Way::Table => &[SALES],
                };
                Ok(Box::new(Joiner { reader: connect(self, texts)?, way }))
            }
        }
    }
}

/// Connects to run these statements, which only read, for each of which there must be its indexes.
fn connect(engine: &SqliteEngine, texts: &[&str]) -> Done<Connection> {
    let reader = engine.database().connect(Role::Reader)?;
    texts.iter().try_for_each(|text| check_index(&reader, text))?;
    Ok(reader)
}

/// What a search reads, and the index that must serve it.
const SERVED: [(&str, &str); 3] = [
    ("shop_customer\n", COUNTRY_INDEX),
    ("shop_customer c", ZIP_INDEX),
    ("shop_orders o", COVERING_INDEX),
];

/// Refuses a search whose index is missing: a text that demands the index cannot be prepared then.
/// A plan tells less, since the planner scans a table of which every row qualifies, index or not.
fn check_index(connection: &Connection, text: &str) -> Done<()> {
    let text = SERVED.iter().fold(text.to_owned(), |text, (table, index)| {
        text.replace(table, &format!("{} INDEXED BY {index} ", table.trim_end()))
    });
    // Under this name there is no index on other fields: a load refuses it.
    connection.prepare(&text).or_fail()?;
    Ok(())
}

/// One client that reads pages.
pub struct Pager(Connection);

/// One client that joins.
pub struct Joiner {
    reader: Connection,
    way: Way,
}

/// How a join runs.
#[derive(Clone, Copy)]
enum Way {
    /// This statement.
    OneStatement(&'static str),
    /// [`ORDER_KEYS`], and [`ORDER`] for each key.
    TwoPhase,
    /// [`SALES`].
    Table,
}

impl Joiner {
    fn join_in_one(
        &self,
        text: &str,
        parameters: impl Params,
        rows: &mut Vec<JoinRow>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.reader.prepare_cached(text)?;
        let mut found = statement.query(parameters)?;
        while let Some(row) = found.next()? {
            rows.push(JoinRow { month: row.get(0)?, zip: row.get(1)?, cents: row.get(2)? });
        }
        Ok(())
    }

    /// Both phases read one snapshot, which also is cheaper than one for each order.
    fn join_in_two(&self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> rusqlite::Result<()> {
        let snapshot = self.reader.unchecked_transaction()?;
        let mut phase_one = snapshot.prepare_cached(ORDER_KEYS)?;
        let mut phase_two = snapshot.prepare_cached(ORDER)?;
        let mut keys = phase_one.query([zip])?;
        let mut sum: Option<i64> = None;
        while let Some(key) = keys.next()? {
            let mut order = phase_two.query((key.get_ref(0)?.as_str()?, month))?;
            if let Some(order) = order.next()? {
                let cents = order.get(0)?;
                let total = sum.unwrap_or(0).checked_add(cents);
                sum = Some(total.ok_or(rusqlite::Error::IntegralValueOutOfRange(0, cents))?);
            }
        }
        rows.extend(sum.map(|cents| JoinRow { month: month.into(), zip: zip.into(), cents }));
        Ok(())
    }
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
        let mut statement = self.0.prepare_cached(PAGE).or_fail()?;
        let mut rows = statement.query((country, limit, offset)).or_fail()?;
        let mut found = 0;
        while let Some(row) = rows.next().or_fail()? {
            put_key(
                keys,
                found,
                row.get_ref(0).or_fail()?.as_str().map_err(rusqlite::Error::from).or_fail()?,
            );
            found += 1;
        }
        keys.truncate(found);
        Ok(())
    }
}

#[async_trait]
impl engine::ShopSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        match self.way {
            Way::OneStatement(text) => self.join_in_one(text, (zip, month), rows).or_fail()?,
            Way::Table => self.join_in_one(SALES, [sales_key(zip, month)], rows).or_fail()?,
            Way::TwoPhase => self.join_in_two(zip, month, rows).or_fail()?,
        }
        Ok(())
    }
}
