//! Customers and their orders.
//!
//! The index on the customers' country or zip code serves each search; orders are found by their
//! `_id`, which is their key. A session refuses to begin where an index is missing, since
//! PostgreSQL would read every document instead and nobody would notice.
//!
//! The variants of the join are one text. *Index* and *hash* are planned in sessions in which the
//! other ways to join are off; *ansi* leaves the choice to the planner.

use async_trait::async_trait;
use futures_util::{TryStreamExt, pin_mut};
use hoap_database::engine::{self, Shop, put_key};
use hoap_database::failure::{Done, Failure};
use hoap_database::shop::{Ask, JoinRow, JoinVariant, sales_key};
use tokio_postgres::SimpleQueryMessage;
use tokio_postgres::types::ToSql;

use super::PostgresEngine;
use super::link::Link;
use super::server::Role;
use super::types::Json;
use crate::error;
use crate::error::OrFail;

const PAGE: &str = "SELECT key FROM shop_customer
    WHERE doc -> 'address' -> 'country' = $1 LIMIT $2 OFFSET $3";

/// A sale price in cents, for the orders `o`.
macro_rules! cents {
    () => {
        "round((o.doc -> 'sale_price')::numeric * 100)"
    };
}

/// A join of the customers `c` and the orders `o`, made from the part between.
macro_rules! joined {
    ($from:literal) => {
        concat!(
            "SELECT o.doc ->> 'month', c.doc -> 'address' ->> 'zip', sum(",
            cents!(),
            ")::int8 FROM shop_customer c ",
            $from,
            " WHERE c.doc -> 'address' -> 'zip' = $1 AND o.doc -> 'month' = $2
              GROUP BY 1, 2 ORDER BY 3"
        )
    };
}

const JOIN: &str = joined!(
    "CROSS JOIN LATERAL jsonb_array_elements_text(c.doc -> 'order_list') l (key)
     JOIN shop_orders o ON o.key = l.key"
);

/// The orders in the customers' documents.
const EMBEDDED: &str =
    joined!("CROSS JOIN LATERAL jsonb_array_elements(c.doc -> 'orders') o (doc)");

/// What the joining table has under a key.
const SALES: &str = concat!(
    "SELECT s.doc ->> 'month', s.doc ->> 'zip', sum(",
    cents!(),
    ")::int8
     FROM shop_sales s CROSS JOIN LATERAL jsonb_array_elements(s.doc -> 'orders') o (doc)
     WHERE s.key = $1 GROUP BY 1, 2"
);

/// The first phase of two: the keys of the orders of a zip code's customers.
const ORDER_KEYS: &str = "SELECT jsonb_array_elements_text(c.doc -> 'order_list')
    FROM shop_customer c WHERE c.doc -> 'address' -> 'zip' = $1";
/// The second: the sum of those that are of the month.
const ORDERS: &str = concat!(
    "SELECT sum(",
    cents!(),
    ")::int8 FROM shop_orders o WHERE o.key = ANY($1) AND o.doc -> 'month' = $2"
);

#[async_trait]
impl Shop for PostgresEngine {
    fn variants(&self) -> &'static [JoinVariant] {
        &[
            JoinVariant::Index,
            JoinVariant::Ansi,
            JoinVariant::Hash,
            JoinVariant::TwoPhase,
            JoinVariant::Embedded,
            JoinVariant::JoiningTable,
        ]
    }

    async fn shop_session(&self, ask: Ask) -> Done<Box<dyn engine::ShopSession>> {
        match ask {
            Ask::Pages => Ok(Box::new(Pager { link: connect(self, Role::Pages, &[PAGE]).await? })),
            Ask::Joins(variant) => {
                let (role, way) = match variant {
                    JoinVariant::Ansi => (Role::Client, Way::OneStatement(JOIN)),
                    JoinVariant::Hash => (Role::HashJoin, Way::OneStatement(JOIN)),
                    JoinVariant::TwoPhase => (Role::Client, Way::TwoPhase),
                    JoinVariant::Embedded => (Role::Pages, Way::OneStatement(EMBEDDED)),
                    JoinVariant::JoiningTable => (Role::Pages, Way::Table),
                    _ => (Role::IndexJoin, Way::OneStatement(JOIN)),
                };
                let texts: &[&str] = match &way {
                    Way::OneStatement(text) => &[text],
                    Way::TwoPhase => &[ORDER_KEYS, ORDERS],
                    Way::Table => &[SALES],
                };
                Ok(Box::new(Joiner { link: connect(self, role, texts).await?, way }))
            }
        }
    }
}

/// Connects to run these statements, each of which must use an index.
async fn connect(engine: &PostgresEngine, role: Role, texts: &[&str]) -> Done<Link> {
    let mut link = Link::new(engine.pools.clone(), role).await?;
    for text in texts {
        let checked = engine.server().limited(check_plan(&mut link, text)).await;
        checked
            .map_err(|e| e.trying(format!("search for customers in {}", engine.server().url)))?;
    }
    Ok(link)
}

/// Refuses a search for customers without an index.
async fn check_plan(link: &mut Link, text: &str) -> Done<()> {
    // With sequential scans off, one is planned only where nothing else can be.
    let value = |text: String, name: &str, value: &str| text.replace(name, value);
    let keys = if text == ORDERS { "'{}'" } else { "'\"\"'" };
    let text = value(value(value(text.to_owned(), "$1", keys), "$2", "'1'"), "$3", "1");
    let explain =
        format!("BEGIN; SET LOCAL enable_seqscan = off; EXPLAIN (COSTS off) {text}; ROLLBACK");
    let mut held = link.hold().await?;
    let plan = held.client.simple_query(&explain).await;
    let plan = plan.inspect_err(|_| held.roll_back_later());
    let plan = held.answered(plan.map_err(error::failure))?;
    let scans = plan.iter().find_map(|line| match line {
        SimpleQueryMessage::Row(row) => row.get(0).filter(|line| line.contains("Seq Scan")),
        _ => None,
    });
    match scans {
        None => Ok(()),
        Some(line) => {
            let line = line.trim_start_matches([' ', '-', '>']).to_lowercase();
            Err(Failure::missing(format!("an index is missing: PostgreSQL would {line}")))
        }
    }
}

/// One client that reads pages.
pub struct Pager {
    link: Link,
}

/// One client that joins.
pub struct Joiner {
    link: Link,
    way: Way,
}

/// How a join runs.
#[derive(Clone, Copy)]
enum Way {
    /// This statement.
    OneStatement(&'static str),
    /// [`ORDER_KEYS`], and [`ORDERS`].
    TwoPhase,
    /// [`SALES`].
    Table,
}

/// A string as a jsonb value.
fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
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
        let mut held = self.link.hold().await?;
        let country = json_string(country);
        let read = async {
            let (offset, limit) = (i64::from(offset), i64::from(limit));
            let country = Json(country.as_bytes());
            let rows = held.rows(PAGE, &[&country, &limit, &offset]).await.or_fail()?;
            pin_mut!(rows);
            let mut found = 0;
            while let Some(row) = rows.try_next().await.or_fail()? {
                put_key(keys, found, row.try_get(0).or_fail()?);
                found += 1;
            }
            keys.truncate(found);
            Ok(())
        };
        let read = read.await;
        held.answered(read)
    }

    fn abandon(&mut self) -> bool {
        self.link.abandon()
    }
}

#[async_trait]
impl engine::ShopSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        let mut held = self.link.hold().await?;
        let (zip_json, month_json) = (json_string(zip), json_string(month));
        let (zip_value, month_value) = (Json(zip_json.as_bytes()), Json(month_json.as_bytes()));
        let key = sales_key(zip, month);
        let joined = async {
            let (text, parameters): (_, &[&(dyn ToSql + Sync)]) = match self.way {
                Way::OneStatement(text) => (text, &[&zip_value, &month_value]),
                Way::Table => (SALES, &[&key]),
                Way::TwoPhase => {
                    let first = held.prepared(ORDER_KEYS).await.or_fail()?;
                    let keys = held.client.query(&first, &[&zip_value]).await.or_fail()?;
                    let keys: Vec<&str> = keys
                        .iter()
                        .map(|row| row.try_get(0))
                        .collect::<Result<_, _>>()
                        .or_fail()?;
                    let second = held.prepared(ORDERS).await.or_fail()?;
                    let sum =
                        held.client.query_one(&second, &[&keys, &month_value]).await.or_fail()?;
                    let sum: Option<i64> = sum.try_get(0).or_fail()?;
                    let row = |cents| JoinRow { month: month.into(), zip: zip.into(), cents };
                    rows.extend(sum.map(row));
                    return Ok(());
                }
            };
            let statement = held.prepared(text).await.or_fail()?;
            for row in held.client.query(&statement, parameters).await.or_fail()? {
                let (month, zip) = (row.try_get(0).or_fail()?, row.try_get(1).or_fail()?);
                rows.push(JoinRow { month, zip, cents: row.try_get(2).or_fail()? });
            }
            Ok(())
        };
        let joined = joined.await;
        held.answered(joined)
    }

    fn abandon(&mut self) -> bool {
        self.link.abandon()
    }
}
