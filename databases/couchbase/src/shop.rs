//! Customers and their orders.
//!
//! The variants of the join are those of the comparison reports: *index* goes from a customer's
//! list of keys (ON KEYS), *ansi* is their text, with the keys IN the list, *hash* takes the list
//! apart and joins by a hash table of the orders. The key of an order in *ansi* and *hash* is its
//! field `_id`, which the orders' index covers: with `META(o).id` the service plans *ansi* as
//! *index*, and fetches every order for *hash*. A session refuses to begin where an index is
//! missing, since the service would read every document instead, and *hash* where the service plans
//! no hash join: only the Enterprise Edition has it, and others pass over the hint.

use async_trait::async_trait;
use hoap_database::engine::{self, Shop};
use hoap_database::failure::{Done, Failure};
use hoap_database::shop::{
    Ask, COUNTRY_INDEX, COVERING_INDEX, JoinRow, JoinVariant, SALES, sales_key,
};
use hoap_record::ErrorKind;
use serde_json::Value;

use super::indexes::CUSTOMERS_COVERING;
use super::query::Node;
use super::{CouchbaseEngine, settle};

const PAGE: &str = "SELECT RAW META(d).id FROM `shop_customer` AS d \
                    WHERE d.`address`.`country` = $1 LIMIT $3 OFFSET $2";

macro_rules! join {
    ($from:literal) => {
        concat!(
            "SELECT RAW [o.`month`, c.`address`.`zip`, SUM(o.`sale_price`)] FROM ",
            $from,
            " WHERE c.`address`.`zip` = $1 AND o.`month` = $2 \
             GROUP BY o.`month`, c.`address`.`zip` ORDER BY SUM(o.`sale_price`)"
        )
    };
}

const INDEX: &str = join!("`shop_customer` AS c JOIN `shop_orders` AS o ON KEYS c.`order_list`");
const ANSI: &str =
    join!("`shop_customer` AS c JOIN `shop_orders` AS o ON o.`_id` IN c.`order_list`");
const HASH: &str = join!(
    "`shop_customer` AS c UNNEST c.`order_list` AS k \
     JOIN `shop_orders` AS o USE HASH(BUILD) ON o.`_id` = k"
);

const EMBEDDED: &str = join!("`shop_customer` AS c UNNEST c.`orders` AS o");
/// What the joining table has under a key.
const TABLE: &str = "SELECT RAW [s.`month`, s.`zip`, SUM(o.`sale_price`)] \
                     FROM `shop_sales` AS s USE KEYS $1 UNNEST s.`orders` AS o \
                     GROUP BY s.`month`, s.`zip`";

#[async_trait]
impl Shop for CouchbaseEngine {
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
            Ask::Pages => Ok(Box::new(Pager { node: connect(self, COUNTRY_INDEX).await? })),
            Ask::Joins(JoinVariant::JoiningTable) => {
                let node = self.node()?;
                match node.has(SALES).await? {
                    true => Ok(Box::new(Joiner { node, text: TABLE })),
                    false => Err(Failure::missing(format!("there is no collection {SALES}"))),
                }
            }
            Ask::Joins(variant) => {
                let text = match variant {
                    JoinVariant::Ansi => ANSI,
                    JoinVariant::Hash => HASH,
                    JoinVariant::Embedded => EMBEDDED,
                    _ => INDEX,
                };
                let node = connect(self, CUSTOMERS_COVERING).await?;
                if matches!(variant, JoinVariant::Ansi | JoinVariant::Hash) {
                    expect_index(&node, "shop_orders", COVERING_INDEX).await?;
                }
                if variant == JoinVariant::Hash {
                    expect_hash_join(&node, text).await?;
                }
                Ok(Box::new(Joiner { node, text }))
            }
        }
    }
}

/// Connects to search customers by this index, which must be online.
async fn connect(couchbase: &CouchbaseEngine, index: &str) -> Done<Node> {
    let node = couchbase.node()?;
    expect_index(&node, "shop_customer", index).await?;
    Ok(node)
}

async fn expect_index(node: &Node, collection: &str, index: &str) -> Done<()> {
    let there = settle::states(node, collection).await?;
    match there.iter().any(|(name, state)| name == index && state == "online") {
        true => Ok(()),
        false => Err(Failure::missing(format!("the index {index} is missing"))),
    }
}

/// Refuses a plan without a hash join.
async fn expect_hash_join(node: &Node, text: &str) -> Done<()> {
    let explained = node.ask(&format!("EXPLAIN {text}"), &["".into(), "".into()], None).await?;
    let row = explained.rows.into_iter().next().unwrap_or_default();
    if row["plan"].to_string().contains("\"HashJoin\"") {
        return Ok(());
    }
    let answer = format!("the plan has no hash join; optimizer_hints: {}", row["optimizer_hints"]);
    let advice = "hash joins want the Enterprise Edition: take --variant index or ansi";
    Err(Failure::of(ErrorKind::Unavailable, answer, advice))
}

/// One client that reads pages.
pub struct Pager {
    node: Node,
}

/// One client that joins.
pub struct Joiner {
    node: Node,
    text: &'static str,
}

// A dropped request closes its connection.
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
        let args = [country.into(), offset.into(), limit.into()];
        for row in self.node.run(PAGE, &args, None).await?.rows {
            match row {
                Value::String(key) => keys.push(key),
                other => return Err(Failure::broken(format!("a key is {other}"))),
            }
        }
        Ok(())
    }
}

#[async_trait]
impl engine::ShopSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        let args = match self.text {
            TABLE => vec![vec![sales_key(zip, month)].into()],
            _ => vec![zip.into(), month.into()],
        };
        let answer = self.node.run(self.text, &args, None).await?;
        for row in answer.lists()? {
            let [Value::String(month), Value::String(zip), sum] = row.as_slice() else {
                return Err(Failure::broken(format!("a row is {}", Value::from(row))));
            };
            // Sums are of binary fractions: the cents are what is nearest.
            let cents = (sum.as_f64().unwrap_or(0.0) * 100.0).round() as i64;
            rows.push(JoinRow { month: month.clone(), zip: zip.clone(), cents });
        }
        Ok(())
    }
}
