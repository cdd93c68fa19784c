//! Delivery (TPC-C 2.7.4), a transaction for each district (CH2 paper 3.3).

use hoap_data::Timestamp;
use hoap_database::{Change, Find, Intent, Patch, Transaction};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::fields::{Fields, cents};
use crate::ledger::digest;
use crate::schema::Paths;

/// The order that was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// Its number in the district.
    pub o_id: u32,
    /// Sum of its ol_amount, cents.
    pub amount: i64,
    /// [`digest::delivery`] of the written fields.
    pub digest: u64,
}

/// Delivers the oldest undelivered order of a district, or nothing where there is none.
///
/// # Errors
/// Returns [`ErrorKind::Conflict`] where another client delivered it in the meantime.
pub async fn deliver_district(
    tx: &mut Transaction<'_>,
    paths: &Paths,
    (w, d): (u32, u32),
    carrier: u32,
    now: Timestamp,
) -> Result<Option<Delivered>> {
    let index = &paths.neworder_by_number;
    let prefix = [Value::from(w), Value::from(d)];
    let oldest = tx
        .find(Find {
            limit: Some(1),
            fields: &["no_o_id"],
            intent: Intent::Change,
            ..Find::by(index, &prefix)
        })
        .await?;
    let Some((key, row)) = oldest.into_iter().next() else { return Ok(None) };
    let o_id = Fields::of("neworder", &key, Some(row))?.integer(0)? as u32;
    if !tx.delete("neworder", &key).await? {
        let tried = format!("delete neworder {key}");
        return Err(Error::new(ErrorKind::Conflict, tried, "another delivery was faster"));
    }

    let key = format!("{w}.{d}.{o_id}");
    let row = tx.get("orders", &key, &["o_c_id", "o_orderline"], Intent::Change).await?;
    let mut order = Fields::of("orders", &key, row)?;
    let c = order.integer(0)?;
    let mut lines = order.array(1)?;
    let mut amount = 0;
    for line in &mut lines {
        amount += cents(&line["ol_amount"])
            .ok_or_else(|| order.broken(1, "order lines with an ol_amount"))?;
        line["ol_delivery_d"] = now.to_string().into();
    }
    let carrier = Value::from(carrier);
    let digest = digest::delivery(&carrier, &lines);
    let patches = [
        Patch { path: "o_carrier_id", change: Change::Set(carrier) },
        Patch { path: "o_orderline", change: Change::Set(lines.into()) },
    ];
    tx.patch("orders", &key, &patches).await?;

    let patches = [
        Patch { path: "c_balance", change: Change::cents(amount) },
        Patch { path: "c_delivery_cnt", change: Change::AddInteger(1) },
    ];
    tx.patch("customer", &format!("{w}.{d}.{c}"), &patches).await?;
    Ok(Some(Delivered { o_id, amount, digest }))
}
