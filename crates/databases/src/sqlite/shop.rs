//! Customers and their orders.
//!
//! The index on the customers' country or zip code serves each search. Orders are found by their
//! `_id`, which is their key: the index on `_id`, month and sale_price holds all that a join wants
//! to know of them, and the orders themselves are not read. A session refuses to begin where an
//! index is missing, since SQLite would read every document instead and nobody would notice. Where
//! it is there, the planner decides: a table of one country or zip code is as well scanned.
//!
//! SQLite has no hash join.

use std::sync::Arc;

use hoap_workload::capability::shop::{
    JoinRow, JoinSession, JoinVariant, Joins, PageSession, Pages,
};
use hoap_workload::shop::source::{COUNTRY_INDEX, COVERING_INDEX, ZIP_INDEX};
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

impl Pages for Sqlite {
    type Session = Pager;

    async fn session(&self) -> Result<Pager> {
        Ok(Pager(Client::connect(self, "page through", &[PAGE])?))
    }
}

impl Joins for Sqlite {
    type Session = Joiner;

    fn variants(&self) -> &'static [JoinVariant] {
        &[JoinVariant::Index, JoinVariant::Ansi, JoinVariant::TwoPhase]
    }

    async fn session(&self, variant: JoinVariant) -> Result<Joiner> {
        let way = match variant {
            JoinVariant::Index => Way::OneStatement(INDEX),
            JoinVariant::Ansi => Way::OneStatement(ANSI),
            JoinVariant::TwoPhase => Way::TwoPhase,
            other => return Err(other.refused("SQLite", &self.writer.database.url)),
        };
        let texts: &[&str] = match &way {
            Way::OneStatement(text) => &[text],
            Way::TwoPhase => &[ORDER_KEYS, ORDER],
        };
        Ok(Joiner { client: Client::connect(self, "join", texts)?, way })
    }
}

/// What a search reads, and the index that must serve it.
const SERVED: [(&str, &str); 3] = [
    ("shop_customer\n", COUNTRY_INDEX),
    ("shop_customer c", ZIP_INDEX),
    ("shop_orders o", COVERING_INDEX),
];

/// Refuses a search whose index is missing: a text that demands the index cannot be prepared then.
/// A plan tells less, since the planner scans a table of which every row qualifies, index or not.
fn check_index(connection: &Connection, text: &str, tried: impl Fn() -> String) -> Result<()> {
    let text = SERVED.iter().fold(text.to_owned(), |text, (table, index)| {
        text.replace(table, &format!("{} INDEXED BY {index} ", table.trim_end()))
    });
    let Err(e) = connection.prepare(&text) else { return Ok(()) };
    let e = error::sqlite(e, tried());
    // Under this name there is no index on other fields: a load refuses it.
    match e.answer.contains("no such index") {
        true => {
            let answer = format!("an index is missing: {}", e.answer);
            Err(Error::new(ErrorKind::Missing, tried(), answer).advise(LOAD_FIRST))
        }
        false => Err(e),
    }
}

/// A connection that only reads.
struct Client {
    database: Arc<Database>,
    reader: Connection,
}

impl Client {
    /// Connects to run these statements, for each of which there must be its indexes.
    fn connect(sqlite: &Sqlite, what: &str, texts: &[&str]) -> Result<Client> {
        let database = sqlite.writer.database.clone();
        let reader = database.connect(Role::Reader)?;
        let tried = || format!("{what} customers in {}", database.url);
        for text in texts {
            check_index(&reader, text, tried)?;
        }
        Ok(Client { database, reader })
    }
}

/// One client that reads pages.
pub struct Pager(Client);

impl Pager {
    fn page_of(
        &self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.0.reader.prepare_cached(PAGE)?;
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
}

/// One client that joins.
pub struct Joiner {
    client: Client,
    way: Way,
}

/// How a join runs.
#[derive(Clone, Copy)]
enum Way {
    /// This statement.
    OneStatement(&'static str),
    /// [`ORDER_KEYS`], and [`ORDER`] for each key.
    TwoPhase,
}

impl Joiner {
    fn join_in_one(
        &self,
        text: &str,
        zip: &str,
        month: &str,
        rows: &mut Vec<JoinRow>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.client.reader.prepare_cached(text)?;
        let mut found = statement.query((zip, month))?;
        while let Some(row) = found.next()? {
            rows.push(JoinRow { month: row.get(0)?, zip: row.get(1)?, cents: row.get(2)? });
        }
        Ok(())
    }

    /// Both phases read one snapshot, which also is cheaper than one for each order.
    fn join_in_two(&self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> rusqlite::Result<()> {
        let snapshot = self.client.reader.unchecked_transaction()?;
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

impl PageSession for Pager {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Result<()> {
        self.page_of(country, offset, limit, keys).map_err(|e| {
            keys.clear();
            error::sqlite(e, format!("page through {country} in {}", self.0.database.url))
        })
    }
}

impl JoinSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Result<()> {
        rows.clear();
        let done = match self.way {
            Way::OneStatement(text) => self.join_in_one(text, zip, month, rows),
            Way::TwoPhase => self.join_in_two(zip, month, rows),
        };
        done.map_err(|e| {
            let url = &self.client.database.url;
            error::sqlite(e, format!("join zip code {zip}, {month} in {url}"))
        })
    }
}
