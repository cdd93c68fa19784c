//! Customers and their orders.
//!
//! The index on the customers' country or zip code serves each search. Orders are found by their
//! `_id`, which is their key: the index on `_id`, month and sale_price holds all that a join wants
//! to know of them, and the orders themselves are not read. A session refuses to begin where an
//! index is missing, since SQLite would read every document instead and nobody would notice.
//!
//! SQLite has no hash join.

use std::sync::Arc;

use hoap_workload::capability::Applicable;
use hoap_workload::capability::shop::{JoinRow, JoinVariant, Shop, ShopSession};
use hoap_workload::{Error, ErrorKind, Result};
use rusqlite::Connection;

use super::connection::{Database, Role};
use super::error::LOAD_FIRST;
use super::{Sqlite, error};

const PAGE: &str = "SELECT key FROM shop_customer
    WHERE doc ->> '$.address.country' = ?1 LIMIT ?2 OFFSET ?3";

/// A sale price in cents, for the orders `o`.
macro_rules! cents {
    () => {
        "CAST(round((o.doc ->> '$.sale_price') * 100) AS INTEGER)"
    };
}

/// A join of the customers `c` and the orders `o`, made from the part between.
macro_rules! joined {
    ($from:literal) => {
        concat!(
            "SELECT o.doc ->> '$.month', c.doc ->> '$.address.zip', sum(",
            cents!(),
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

/// The first phase of two: the keys of the orders of a zip code's customers.
const ORDER_KEYS: &str = "SELECT l.value
    FROM shop_customer c CROSS JOIN jsonb_each(c.doc, '$.order_list') l
    WHERE c.doc ->> '$.address.zip' = ?1";
/// The second: the price of an order, if it is of the month.
const ORDER: &str = concat!(
    "SELECT ",
    cents!(),
    " FROM shop_orders o WHERE o.doc ->> '$._id' = ?1 AND o.doc ->> '$.month' = ?2"
);

impl Shop for Sqlite {
    type Session = Client;

    fn blocking(&self) -> bool {
        true
    }

    fn pagination(&self) -> Applicable<()> {
        Ok(())
    }

    fn joins(&self) -> Applicable<&'static [JoinVariant]> {
        Ok(&[JoinVariant::Index, JoinVariant::Ansi, JoinVariant::TwoPhase])
    }

    async fn session(&self, variant: Option<JoinVariant>) -> Result<Client> {
        let (what, texts): (_, &[&str]) = match variant {
            None => ("page through", &[PAGE]),
            Some(JoinVariant::Index) => ("join", &[INDEX]),
            Some(JoinVariant::Ansi) => ("join", &[ANSI]),
            Some(JoinVariant::TwoPhase) => ("join", &[ORDER_KEYS, ORDER]),
            Some(other) => {
                let tried = format!("join in {}", self.writer.database.url);
                let answer = format!("SQLite has no {other:?} join");
                return Err(Error::new(ErrorKind::Invalid, tried, answer));
            }
        };
        let database = self.writer.database.clone();
        let reader = database.connect(Role::Reader)?;
        let tried = || format!("{what} customers in {}", database.url);
        for text in texts {
            check_plan(&reader, text, tried)?;
        }
        Ok(Client { database, reader, variant })
    }
}

/// Refuses a search without an index.
fn check_plan(connection: &Connection, text: &str, tried: impl Fn() -> String) -> Result<()> {
    let plan = || {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}"))?;
        // Planning needs no values.
        plan.raw_query().mapped(|row| row.get::<_, String>(3)).collect::<rusqlite::Result<Vec<_>>>()
    };
    let steps = plan().map_err(|e| error::sqlite(e, tried()))?;
    let scans = |step: &&String| {
        step.strip_prefix("SCAN ").is_some_and(|rest| !rest.contains("VIRTUAL TABLE"))
    };
    match steps.iter().find(scans) {
        None => Ok(()),
        Some(step) => {
            let answer = format!("an index is missing: SQLite would {}", step.to_lowercase());
            Err(Error::new(ErrorKind::Missing, tried(), answer).advise(LOAD_FIRST))
        }
    }
}

/// One client, on a connection that only reads.
pub struct Client {
    database: Arc<Database>,
    reader: Connection,
    variant: Option<JoinVariant>,
}

impl Client {
    fn page_of(
        &self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.reader.prepare_cached(PAGE)?;
        let mut rows = statement.query((country, limit, offset))?;
        let mut found = 0;
        while let Some(row) = rows.next()? {
            let key = row.get_ref(0)?.as_str()?;
            // The strings of the page before are used again.
            match keys.get_mut(found) {
                Some(slot) => key.clone_into(slot),
                None => keys.push(key.to_owned()),
            }
            found += 1;
        }
        keys.truncate(found);
        Ok(())
    }

    fn join_in_one(
        &self,
        text: &str,
        zip: &str,
        month: &str,
        rows: &mut Vec<JoinRow>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.reader.prepare_cached(text)?;
        let mut found = statement.query((zip, month))?;
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

impl ShopSession for Client {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Result<()> {
        self.page_of(country, offset, limit, keys).map_err(|e| {
            keys.clear();
            error::sqlite(e, format!("page through {country} in {}", self.database.url))
        })
    }

    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Result<()> {
        rows.clear();
        let tried = || format!("join zip code {zip}, {month} in {}", self.database.url);
        match self.variant {
            Some(JoinVariant::Index) => self.join_in_one(INDEX, zip, month, rows),
            Some(JoinVariant::Ansi) => self.join_in_one(ANSI, zip, month, rows),
            Some(JoinVariant::TwoPhase) => self.join_in_two(zip, month, rows),
            _ => {
                let answer = "the session was begun for pagination only";
                return Err(Error::new(ErrorKind::Invalid, tried(), answer));
            }
        }
        .map_err(|e| error::sqlite(e, tried()))
    }
}
