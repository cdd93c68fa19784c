//! OrderStatus (TPC-C 2.6.2).

use hoap_database::{Find, Intent, Order, Transaction};
use hoap_workload::Result;
use serde_json::Value;

use super::customer::{self, Sought};
use super::fields::Fields;
use crate::input::OrderStatus;
use crate::schema::Paths;

/// The customer's last order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Cents.
    pub balance: i64,
    /// Its number.
    pub o_id: u32,
    /// Whether it has a carrier.
    pub delivered: bool,
    /// Its number of lines.
    pub lines: usize,
}

/// Reads the customer and the customer's order with the largest number. Every customer has one
/// (spec §3).
///
/// # Errors
/// Returns the errors of the database, and [`ErrorKind::Broken`](hoap_workload::ErrorKind::Broken) where a
/// document is missing or malformed.
pub async fn order_status(
    tx: &mut Transaction<'_>,
    paths: &Paths,
    input: &OrderStatus,
) -> Result<Status> {
    let OrderStatus { w, d, ref who } = *input;
    let fields = ["c_id", "c_balance", paths.c_first, paths.c_middle, paths.c_last];
    let (key, customer) =
        customer::find(tx, paths, Sought { w, d, who }, &fields, Intent::Look).await?;
    let prefix = [Value::from(w), Value::from(d), Value::from(customer.integer(0)?)];
    let fields = ["o_id", "o_entry_d", "o_carrier_id", "o_orderline"];
    let index = &paths.orders_by_customer;
    let mut found = tx
        .find(Find {
            order: Order::Descending,
            limit: Some(1),
            fields: &fields,
            ..Find::by(index, &prefix)
        })
        .await?;
    let (order_key, row) = match found.pop() {
        Some((key, row)) => (key, Some(row)),
        None => (format!("of customer {key}"), None),
    };
    let mut order = Fields::of("orders", &order_key, row)?;
    order.text(1)?;
    Ok(Status {
        balance: customer.cents(1)?,
        o_id: order.integer(0)? as u32,
        delivered: order.present(2),
        lines: order.array(3)?.len(),
    })
}
