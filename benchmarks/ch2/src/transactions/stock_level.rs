//! StockLevel (TPC-C 2.8.2).

use std::collections::BTreeSet;

use hoap_database::{Intent, Transaction};
use hoap_workload::Result;

use super::fields::Fields;
use crate::input::StockLevel;

/// The number of last orders that it reads (TPC-C 2.8.2.2).
const ORDERS: i64 = 20;

/// Counts the distinct items of the district's last 20 orders whose stock is below the threshold.
///
/// # Errors
/// Returns the errors of the database, and [`ErrorKind::Broken`](hoap_workload::ErrorKind::Broken) where a
/// document is missing or malformed.
pub async fn stock_level(tx: &mut Transaction<'_>, input: &StockLevel) -> Result<u32> {
    let StockLevel { w, d, threshold } = *input;
    let key = format!("{w}.{d}");
    let row = tx.get("district", &key, &["d_next_o_id"], Intent::Look).await?;
    let next = Fields::of("district", &key, row)?.integer(0)?;

    let keys: Vec<String> =
        ((next - ORDERS).max(1)..next).map(|o| format!("{w}.{d}.{o}")).collect();
    let orders = tx.get_many("orders", &keys, &["o_orderline"], Intent::Look).await?;
    let mut items = BTreeSet::new();
    for (key, row) in keys.iter().zip(orders) {
        let mut order = Fields::of("orders", key, row)?;
        for line in order.array(0)? {
            let item = line["ol_i_id"].as_i64();
            items.insert(item.ok_or_else(|| order.broken(0, "order lines with an ol_i_id"))?);
        }
    }

    let keys: Vec<String> = items.iter().map(|i| format!("{w}.{i}")).collect();
    let stocks = tx.get_many("stock", &keys, &["s_quantity"], Intent::Look).await?;
    let mut low = 0;
    for (key, row) in keys.iter().zip(stocks) {
        low += u32::from(Fields::of("stock", key, row)?.integer(0)? < threshold);
    }
    Ok(low)
}
