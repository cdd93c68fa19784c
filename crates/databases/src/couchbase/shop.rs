//! Customers and their orders.
//!
//! The variants of the join are those of the comparison reports: *index* goes from a customer's
//! list of keys (ON KEYS), *ansi* is their text, with the keys IN the list, *hash* takes the list
//! apart and joins by a hash table of the orders. A session refuses to begin where an index is
//! missing, since the service would read every document instead.

use hoap_workload::capability::shop::{
    JoinRow, JoinSession, JoinVariant, Joins, PageSession, Pages,
};
use hoap_workload::shop::source::{COUNTRY_INDEX, ZIP_INDEX};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::error::LOAD_FIRST;
use super::query::Node;
use super::{Couchbase, error, settle};
use crate::sqlpp::Doing;

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
    join!("`shop_customer` AS c JOIN `shop_orders` AS o ON META(o).id IN c.`order_list`");
const HASH: &str = join!(
    "`shop_customer` AS c UNNEST c.`order_list` AS k \
     JOIN `shop_orders` AS o USE HASH(BUILD) ON META(o).id = k"
);

impl Pages for Couchbase {
    type Session = Pager;

    async fn session(&self) -> Result<Pager> {
        Ok(Pager { node: connect(self, COUNTRY_INDEX).await? })
    }
}

impl Joins for Couchbase {
    type Session = Joiner;

    fn variants(&self) -> &'static [JoinVariant] {
        use JoinVariant::{Ansi, Hash, Index};
        &[Index, Ansi, Hash]
    }

    async fn session(&self, variant: JoinVariant) -> Result<Joiner> {
        let text = match variant {
            JoinVariant::Index => INDEX,
            JoinVariant::Ansi => ANSI,
            JoinVariant::Hash => HASH,
            other => return Err(other.refused("Couchbase", self.url())),
        };
        Ok(Joiner { node: connect(self, ZIP_INDEX).await?, text })
    }
}

/// Connects to search customers by this index, which must be online.
async fn connect(couchbase: &Couchbase, index: &str) -> Result<Node> {
    let node = couchbase.node()?;
    let there = settle::states(&node, "shop_customer").await?;
    if there.iter().any(|(name, state)| name == index && state == "online") {
        return Ok(node);
    }
    let tried = format!("search for customers in {}", couchbase.url());
    let answer = format!("the index {index} is missing");
    Err(Error::new(ErrorKind::Missing, tried, answer).advise(LOAD_FIRST))
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

impl PageSession for Pager {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Result<()> {
        keys.clear();
        let url = self.node.server.place.url.clone();
        let tried = || format!("page through {country} in {url}");
        let args = [country.into(), offset.into(), limit.into()];
        let answer = self.node.run(PAGE, &args, None).await;
        let answer = answer.map_err(|e| error::statement(e, Doing::Read, tried()))?;
        for row in answer.rows {
            match row {
                Value::String(key) => keys.push(key),
                other => {
                    keys.clear();
                    return Err(Error::new(
                        ErrorKind::Broken,
                        tried(),
                        format!("a key is {other}"),
                    ));
                }
            }
        }
        Ok(())
    }
}

impl JoinSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Result<()> {
        rows.clear();
        let url = self.node.server.place.url.clone();
        let tried = || format!("join zip code {zip}, {month} in {url}");
        let answer = self.node.run(self.text, &[zip.into(), month.into()], None).await;
        let answer = answer.map_err(|e| error::statement(e, Doing::Read, tried()))?;
        for row in answer.lists(tried)? {
            let [Value::String(month), Value::String(zip), sum] = row.as_slice() else {
                rows.clear();
                let answer = format!("a row is {}", Value::from(row));
                return Err(Error::new(ErrorKind::Broken, tried(), answer));
            };
            // Sums are of binary fractions: the cents are what is nearest.
            let cents = (sum.as_f64().unwrap_or(0.0) * 100.0).round() as i64;
            rows.push(JoinRow { month: month.clone(), zip: zip.clone(), cents });
        }
        Ok(())
    }
}
