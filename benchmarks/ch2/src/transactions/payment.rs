//! Payment (TPC-C 2.5.2).

use hoap_data::Timestamp;
use hoap_database::{Change, Intent, Patch, Transaction};
use hoap_workload::Result;
use serde_json::json;

use super::customer::{self, Sought};
use super::fields::{Fields, money};
use crate::input::Payment;
use crate::ledger::digest;
use crate::schema::Paths;

/// The maximum length of c_data, characters (TPC-C 2.5.2.2).
pub const LONGEST_DATA: usize = 500;

/// The result of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paid {
    /// The customer.
    pub c_id: u32,
    /// The customer's new balance, cents.
    pub balance: i64,
    /// [`digest::values`] of its history document.
    pub digest: u64,
}

/// Makes a payment. `history_key` must be unique.
///
/// # Errors
/// Returns the errors of the database, and [`ErrorKind::Broken`](hoap_workload::ErrorKind::Broken) where a
/// document is missing or malformed.
pub async fn payment(
    tx: &mut Transaction<'_>,
    paths: &Paths,
    input: &Payment,
    history_key: &str,
    now: Timestamp,
) -> Result<Paid> {
    let Payment { w, d, c_w, c_d, ref who, amount } = *input;
    let till =
        Till { collection: "warehouse", name: "w_name", address: paths.w_address, ytd: "w_ytd" };
    let w_name = take_in(tx, till, &w.to_string(), amount).await?;
    let key = format!("{w}.{d}");
    let till =
        Till { collection: "district", name: "d_name", address: paths.d_address, ytd: "d_ytd" };
    let d_name = take_in(tx, till, &key, amount).await?;

    let mut fields = vec![
        "c_id",
        "c_balance",
        "c_credit",
        "c_data",
        paths.c_first,
        paths.c_middle,
        paths.c_last,
    ];
    fields.extend(["c_credit_lim", "c_discount", "c_since"]);
    fields.extend(paths.c_contact);
    let sought = Sought { w: c_w, d: c_d, who };
    let (key, customer) = customer::find(tx, paths, sought, &fields, Intent::Change).await?;
    let c_id = customer.integer(0)? as u32;
    let balance = customer.cents(1)? - amount;
    let mut patches = vec![
        Patch { path: "c_balance", change: Change::cents(-amount) },
        Patch { path: "c_ytd_payment", change: Change::cents(amount) },
        Patch { path: "c_payment_cnt", change: Change::AddInteger(1) },
    ];
    if customer.text(2)? == "BC" {
        let history = bad_credit_data([c_id, c_d, c_w, d, w], amount, customer.text(3)?);
        patches.push(Patch { path: "c_data", change: Change::Set(history.into()) });
    }
    tx.patch("customer", &key, &patches).await?;

    let document = json!({
        "h_c_id": c_id,
        "h_c_d_id": c_d,
        "h_c_w_id": c_w,
        "h_d_id": d,
        "h_w_id": w,
        "h_date": now.to_string(),
        "h_amount": money(amount),
        "h_data": format!("{w_name}    {d_name}"),
    });
    tx.insert("history", history_key, &document).await?;
    let digest = digest::values(digest::HISTORY.map(|name| &document[name]));
    Ok(Paid { c_id, balance, digest })
}

/// The fields of a warehouse or a district that a payment reads and changes.
struct Till<'a> {
    collection: &'static str,
    /// Path of the name.
    name: &'static str,
    /// Paths of the address.
    address: &'a [&'static str],
    /// Path of the year-to-date sum.
    ytd: &'static str,
}

/// Reads name and address of a warehouse or district and adds the amount, in cents, to its
/// year-to-date sum. Returns the name.
async fn take_in(
    tx: &mut Transaction<'_>,
    till: Till<'_>,
    key: &str,
    amount: i64,
) -> Result<String> {
    let collection = till.collection;
    let mut fields = vec![till.name];
    fields.extend(till.address);
    let row = tx.get(collection, key, &fields, Intent::Change).await?;
    let name = Fields::of(collection, key, row)?.text(0)?.to_owned();
    let patch = Patch { path: till.ytd, change: Change::cents(amount) };
    tx.patch(collection, key, &[patch]).await?;
    Ok(name)
}

/// The new c_data of a customer with bad credit: the entry of the payment before the old text, cut
/// to 500 characters (TPC-C 2.5.2.2).
fn bad_credit_data(ids: [u32; 5], amount: i64, data: &str) -> String {
    let text = bad_credit_entry(ids, amount) + data;
    text.chars().take(LONGEST_DATA).collect()
}

/// The entry of one payment in the c_data of a customer with bad credit. `ids` are customer,
/// customer's district and warehouse, district and warehouse; `amount` is in cents.
pub fn bad_credit_entry([c, c_d, c_w, d, w]: [u32; 5], amount: i64) -> String {
    let (whole, cents) = (amount / 100, amount % 100);
    format!("{c} {c_d} {c_w} {d} {w} {whole}.{cents:02} ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TPC-C 2.5.2.2.
    #[test]
    fn bad_credit_data_is_a_prefix_cut_to_five_hundred() {
        let text = bad_credit_data([42, 1, 2, 3, 4], 123_405, "old");
        assert_eq!(text, "42 1 2 3 4 1234.05 old");
        let long = bad_credit_data([42, 1, 2, 3, 4], 100, &"x".repeat(500));
        assert_eq!(long.len(), 500);
        assert!(long.starts_with("42 1 2 3 4 1.00 xxx"));
    }
}
