//! The joining table: for each zip code and month a partition with the orders of that zip code's customers and
//! their prices. A load makes it at its end, from the documents that are there, and nothing keeps it in step with
//! later writes: the workload that uses it only reads.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use hoap_workload::capability::Index;
use hoap_workload::shop::source::ZIP_INDEX;
use scylla::deserialize::row::ColumnIterator;
use scylla::statement::prepared::PreparedStatement;
use serde_json::Value;

use super::document::Path;
use super::documents::Pages;
use super::error::{Done, Failure};
use super::lane::Lane;
use super::schema::{DOCUMENT, KEY};
use super::values::next_text;
use super::{bulk, notes, schema};

/// The table.
pub(super) const TABLE: &str = "shop_joined";
const CUSTOMERS: &str = "shop_customer";
const ORDERS: &str = "shop_orders";
/// What it is made from.
pub(super) const SOURCES: [&str; 2] = [CUSTOMERS, ORDERS];

/// Customers of a page.
const PAGE: i32 = 200;

/// Whether it stands for this index.
pub(super) fn is_for(index: &Index) -> bool {
    index.name == ZIP_INDEX
}

/// Makes the table, unless it is whole already.
pub(super) async fn make(lane: &Arc<Lane>) -> Done<()> {
    if notes::get(lane, notes::JOINED).await?.is_some() {
        return Ok(());
    }
    let table = lane.table(TABLE);
    lane.alter(format!(
        "CREATE TABLE IF NOT EXISTS {table} (zip varchar, month varchar, {KEY} varchar, cents bigint, \
         PRIMARY KEY ((zip, month), {KEY})){}",
        schema::table_options(lane)
    ))
    .await?;
    let options = lane.options();
    let mut read = lane
        .session
        .prepare(format!("SELECT {DOCUMENT} FROM {} WHERE {KEY} = ?", lane.table(ORDERS)))
        .await?;
    read.set_consistency(options.read_consistency);
    let insert = format!("INSERT INTO {table} (zip, month, {KEY}, cents) VALUES (?, ?, ?, ?)");
    let mut insert = lane.session.prepare(insert).await?;
    insert.set_consistency(options.write_consistency);
    let filler = Filler { lane, read, insert, paths: Paths::new()? };
    let text = format!("SELECT {KEY}, {DOCUMENT} FROM {}", lane.table(CUSTOMERS));
    let mut pages = Pages::new(lane, text, PAGE).await?;
    while let Some(page) = pages.next(lane).await? {
        let mut orders = Vec::new();
        for row in page.rows::<ColumnIterator<'_, '_>>().map_err(Failure::answer)? {
            filler.orders(row.map_err(Failure::answer)?, &mut orders)?;
        }
        let adds: Vec<_> = orders.iter().map(|(zip, order)| filler.add(zip, order)).collect();
        stream::iter(adds)
            .buffer_unordered(options.load_concurrency as usize)
            .try_collect::<()>()
            .await?;
    }
    notes::set(lane, notes::JOINED, "whole").await
}

/// What is read of customers and orders.
struct Paths {
    zip: Path,
    list: Path,
    month: Path,
    price: Path,
}

impl Paths {
    fn new() -> Done<Paths> {
        let path = |text| Path::new(text).map_err(|e| Failure::Invalid(e.to_string()));
        Ok(Paths {
            zip: path("address.zip")?,
            list: path("order_list")?,
            month: path("month")?,
            price: path("sale_price")?,
        })
    }
}

struct Filler<'a> {
    lane: &'a Lane,
    read: PreparedStatement,
    insert: PreparedStatement,
    paths: Paths,
}

impl Filler<'_> {
    /// Adds zip code and key of each order of a customer.
    fn orders(&self, mut row: ColumnIterator<'_, '_>, all: &mut Vec<(String, String)>) -> Done<()> {
        let key = next_text(&mut row)?.unwrap_or_default();
        let document = parse(key, next_text(&mut row)?)?;
        let (zip, list) = (self.paths.zip.value(&document), self.paths.list.value(&document));
        // A customer without a zip code or orders has no rows.
        let (Value::String(zip), Value::Array(list)) = (zip, list) else { return Ok(()) };
        for order in list {
            let Value::String(order) = order else {
                return Err(Failure::Broken(format!("an order in the list of {key} is no key")));
            };
            all.push((zip.clone(), order));
        }
        Ok(())
    }

    /// Adds an order's row.
    async fn add(&self, zip: &str, order: &str) -> Done<()> {
        let answer = self.lane.session.execute_unpaged(&self.read, (order,)).await?;
        let rows = answer.into_rows_result().map_err(Failure::answer)?;
        let text = rows.maybe_first_row::<(Option<&str>,)>().map_err(Failure::answer)?;
        // An order that is not there joins nothing.
        let Some((text,)) = text else { return Ok(()) };
        let document = parse(order, text)?;
        let (month, price) = (self.paths.month.value(&document), self.paths.price.value(&document));
        let Value::String(month) = month else { return Ok(()) };
        let cents = cents(&price).ok_or_else(|| {
            Failure::Broken(format!("the sale_price {price} of {order} is no amount"))
        })?;
        bulk::send(self.lane, &self.insert, (zip, &month, order, cents)).await
    }
}

fn parse(key: &str, text: Option<&str>) -> Done<Value> {
    serde_json::from_str(text.unwrap_or("{}"))
        .map_err(|e| Failure::Broken(format!("the document {key} is no JSON: {e}")))
}

/// An amount in cents, as far as it is one.
fn cents(price: &Value) -> Option<i64> {
    let cents = (price.as_f64()? * 100.0).round();
    // Whole numbers up to here have a floating-point number of their own.
    (cents.abs() < 9e15).then_some(cents as i64)
}
