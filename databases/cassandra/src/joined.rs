//! The joining table: for each zip code and month a partition with the orders of that zip code's
//! customers and their prices. A load makes it at its end. Later writes do not update it: the
//! workload that uses it only reads.

use futures_util::{StreamExt, TryStreamExt, stream};
use hoap_database::Index;
use hoap_database::failure::{Done, Failure};
use hoap_database::shop::{CUSTOMERS, ORDERS, ZIP_INDEX, cents};
use scylla::deserialize::row::ColumnIterator;
use scylla::statement::prepared::PreparedStatement;
use serde_json::Value;

use super::connection::Connection;
use super::document::{at, parse};
use super::pages::Pages;
use super::schema::{DOCUMENT, KEY};
use super::values::next_text;
use super::{notes, schema};
use crate::error::OrFail;

/// The table.
pub(super) const TABLE: &str = "shop_joined";
/// The collections that it is made from.
pub(super) const SOURCES: [&str; 2] = [CUSTOMERS, ORDERS];

/// Customers of a page.
const PAGE: i32 = 200;

/// Whether the table replaces this index.
pub(super) fn is_for(index: &Index) -> bool {
    index.name == ZIP_INDEX
}

/// Whether the table was completed and nobody removed it.
pub(super) async fn is_whole(connection: &Connection) -> Done<bool> {
    Ok(!schema::columns(connection, TABLE).await?.is_empty()
        && notes::get(connection, notes::JOINED).await?.is_some())
}

/// Makes the table, unless it is complete.
pub(super) async fn make(connection: &Connection) -> Done<()> {
    if is_whole(connection).await? {
        return Ok(());
    }
    let table = connection.table(TABLE);
    connection.alter(format!(
        "CREATE TABLE IF NOT EXISTS {table} (zip varchar, month varchar, {KEY} varchar, cents bigint, \
         PRIMARY KEY ((zip, month), {KEY})){}",
        schema::table_options(connection)
    ))
    .await?;
    let options = connection.options();
    let mut read = connection
        .session
        .prepare(format!("SELECT {DOCUMENT} FROM {} WHERE {KEY} = ?", connection.table(ORDERS)))
        .await
        .or_fail()?;
    read.set_consistency(options.read_consistency);
    let insert = format!("INSERT INTO {table} (zip, month, {KEY}, cents) VALUES (?, ?, ?, ?)");
    let mut insert = connection.session.prepare(insert).await.or_fail()?;
    insert.set_consistency(options.write_consistency);
    let filler = Filler { connection, read, insert };
    let text = format!("SELECT {KEY}, {DOCUMENT} FROM {}", connection.table(CUSTOMERS));
    let mut pages = Pages::new(connection, text, PAGE).await?;
    while let Some(page) = pages.next(connection).await? {
        let mut orders = Vec::new();
        for row in page.rows::<ColumnIterator<'_, '_>>().or_fail()? {
            filler.orders(row.or_fail()?, &mut orders)?;
        }
        let adds: Vec<_> = orders.iter().map(|(zip, order)| filler.add(zip, order)).collect();
        stream::iter(adds)
            .buffer_unordered(options.load_concurrency as usize)
            .try_collect::<()>()
            .await?;
    }
    notes::set(connection, notes::JOINED, "whole").await
}

struct Filler<'a> {
    connection: &'a Connection,
    read: PreparedStatement,
    insert: PreparedStatement,
}

impl Filler<'_> {
    /// Adds zip code and key of each order of a customer.
    fn orders(&self, mut row: ColumnIterator<'_, '_>, all: &mut Vec<(String, String)>) -> Done<()> {
        let key = next_text(&mut row)?.unwrap_or_default();
        let document = parse(key, next_text(&mut row)?.unwrap_or("{}"))?;
        let (zip, list) = (at(&document, "address.zip"), at(&document, "order_list"));
        // A customer without a zip code or orders has no rows.
        let (Value::String(zip), Value::Array(list)) = (zip, list) else { return Ok(()) };
        for order in list {
            let Value::String(order) = order else {
                return Err(Failure::broken(format!("an order in the list of {key} is no key")));
            };
            all.push((zip.clone(), order));
        }
        Ok(())
    }

    /// Adds an order's row.
    async fn add(&self, zip: &str, order: &str) -> Done<()> {
        let answer =
            self.connection.session.execute_unpaged(&self.read, (order,)).await.or_fail()?;
        let rows = answer.into_rows_result().or_fail()?;
        let text = rows.maybe_first_row::<(Option<&str>,)>().or_fail()?;
        // A missing order joins nothing.
        let Some((text,)) = text else { return Ok(()) };
        let document = parse(order, text.unwrap_or("{}"))?;
        let (month, price) = (at(&document, "month"), at(&document, "sale_price"));
        let Value::String(month) = month else { return Ok(()) };
        let cents = cents(&price).ok_or_else(|| {
            Failure::broken(format!("the sale_price {price} of {order} is no amount"))
        })?;
        self.connection.write_repeatable(&self.insert, (zip, &month, order, cents)).await
    }
}
