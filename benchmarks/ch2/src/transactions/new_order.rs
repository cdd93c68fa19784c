//! NewOrder (TPC-C 2.4.2).

use std::collections::BTreeMap;

use hoap_data::Timestamp;
use hoap_data::random::Stream;
use hoap_database::{Change, Intent, Patch, Transaction};
use hoap_workload::Result;
use serde_json::{Map, Value, json};

use super::fields::{Fields, money};
use crate::data::DataSet;
use crate::input::{NewOrder, OrderLine};
use crate::ledger::digest;
use crate::schema::Paths;

/// The result of an entered order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Its number in the district.
    pub o_id: u32,
    /// Sum of ol_amount, cents.
    pub amount: i64,
    /// The total that the customer pays, cents: minus the discount, plus both taxes (TPC-C
    /// 2.4.2.2).
    pub total: i64,
    /// Lines whose item and stock are both ORIGINAL (TPC-C 2.4.2.2, "brand-generic").
    pub original_lines: u32,
    /// [`digest::order`] of its document.
    pub digest: u64,
}

/// The random stream of the extra fields that transactions write, apart from all streams of the
/// data.
const EXTRA_STREAM: u64 = 0x6578_7472_6173;

/// What a line takes from its item and stock.
struct Supply {
    /// i_price, cents.
    price: i64,
    /// Whether item and stock are both ORIGINAL.
    original: bool,
    dist_info: String,
}

impl Supply {
    /// ol_amount of this line, cents.
    fn amount(&self, line: &OrderLine) -> i64 {
        i64::from(line.quantity) * self.price
    }
}

/// Enters the order. `None` where an item is unused: the caller must roll back (TPC-C 2.4.2.3).
///
/// The order with all its lines is one document. Its extra fields have the size of the loaded ones.
///
/// # Errors
/// Returns the errors of the database, and [`ErrorKind::Broken`](hoap_workload::ErrorKind::Broken) where a
/// document is missing or malformed.
pub async fn new_order(
    tx: &mut Transaction<'_>,
    paths: &Paths,
    data: &DataSet,
    input: &NewOrder,
    now: Timestamp,
) -> Result<Option<Receipt>> {
    let NewOrder { w, d, c, ref lines } = *input;
    let key = w.to_string();
    let row = tx.get("warehouse", &key, &["w_tax"], Intent::Look).await?;
    let w_tax = Fields::of("warehouse", &key, row)?.number(0)?;

    let key = format!("{w}.{d}");
    let row = tx.get("district", &key, &["d_next_o_id", "d_tax"], Intent::Change).await?;
    let district = Fields::of("district", &key, row)?;
    let (o_id, d_tax) = (district.integer(0)? as u32, district.number(1)?);
    let next = Patch { path: "d_next_o_id", change: Change::AddInteger(1) };
    tx.patch("district", &key, &[next]).await?;

    let key = format!("{w}.{d}.{c}");
    let fields = ["c_discount", paths.c_last, "c_credit"];
    let row = tx.get("customer", &key, &fields, Intent::Look).await?;
    let discount = Fields::of("customer", &key, row)?.number(0)?;

    let key = format!("{w}.{d}.{o_id}");
    let document = json!({ "no_o_id": o_id, "no_d_id": d, "no_w_id": w });
    tx.insert("neworder", &key, &document).await?;

    let Some(supplies) = take_from_stock(tx, paths, input).await? else { return Ok(None) };

    let order = document_of(data, input, (o_id, now), &supplies);
    let head = ["o_c_id", "o_ol_cnt", "o_all_local", "o_entry_d"].map(|name| &order[name]);
    let digest = digest::order(head, order["o_orderline"].as_array().map_or(&[], Vec::as_slice));
    tx.insert("orders", &key, &order).await?;

    let amount: i64 = lines.iter().zip(&supplies).map(|(line, supply)| supply.amount(line)).sum();
    let total = (amount as f64 * (1.0 - discount) * (1.0 + w_tax + d_tax)).round() as i64;
    let original_lines = supplies.iter().filter(|s| s.original).count() as u32;
    Ok(Some(Receipt { o_id, amount, total, original_lines, digest }))
}

/// Reads the items and updates their stock. `None` where an item is unused.
async fn take_from_stock(
    tx: &mut Transaction<'_>,
    paths: &Paths,
    input: &NewOrder,
) -> Result<Option<Vec<Supply>>> {
    let items: Vec<String> = input.lines.iter().map(|l| l.item.to_string()).collect();
    let item_rows =
        tx.get_many("item", &items, &["i_price", "i_name", "i_data"], Intent::Look).await?;
    if item_rows.iter().any(Option::is_none) {
        return Ok(None);
    }

    let stock_of = |l: &OrderLine| format!("{}.{}", l.supply_w, l.item);
    let stocks: Vec<String> = input.lines.iter().map(stock_of).collect();
    let fields = ["s_quantity", paths.s_dist(input.d), "s_data"];
    let stock_rows = tx.get_many("stock", &stocks, &fields, Intent::Change).await?;

    let mut supplies = Vec::with_capacity(input.lines.len());
    // An order may name a stock twice: the second line sees the quantity that the first one left.
    let mut changes: BTreeMap<&str, StockChange> = BTreeMap::new();
    let keys = items.iter().zip(&stocks);
    let rows = item_rows.into_iter().zip(stock_rows);
    for ((line, (item_key, stock_key)), (item, stock)) in input.lines.iter().zip(keys).zip(rows) {
        let item = Fields::of("item", item_key, item)?;
        let stock = Fields::of("stock", stock_key, stock)?;
        let loaded = stock.integer(0)?;
        let change = changes.entry(stock_key).or_insert_with(|| StockChange::new(loaded));
        change.take(i64::from(line.quantity), line.supply_w != input.w);
        supplies.push(Supply {
            price: item.cents(0)?,
            original: item.text(2)?.contains("ORIGINAL") && stock.text(2)?.contains("ORIGINAL"),
            dist_info: stock.text(1)?.to_owned(),
        });
    }
    for (key, change) in changes {
        tx.patch("stock", key, &change.patches()).await?;
    }
    Ok(Some(supplies))
}

/// The changes of an order to one stock (TPC-C 2.4.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StockChange {
    quantity: i64,
    sold: i64,
    lines: i64,
    remote: i64,
}

impl StockChange {
    fn new(quantity: i64) -> Self {
        StockChange { quantity, sold: 0, lines: 0, remote: 0 }
    }

    /// A stock that would fall below 10 is filled up by 91.
    fn take(&mut self, quantity: i64, remote: bool) {
        self.quantity -= quantity;
        if self.quantity < 10 {
            self.quantity += 91;
        }
        self.sold += quantity;
        self.lines += 1;
        self.remote += i64::from(remote);
    }

    fn patches(self) -> Vec<Patch<'static>> {
        let mut patches = vec![
            Patch { path: "s_quantity", change: Change::Set(self.quantity.into()) },
            Patch { path: "s_ytd", change: Change::AddInteger(self.sold) },
            Patch { path: "s_order_cnt", change: Change::AddInteger(self.lines) },
        ];
        if self.remote > 0 {
            patches.push(Patch { path: "s_remote_cnt", change: Change::AddInteger(self.remote) });
        }
        patches
    }
}

/// The value of extra field `n` (from 1) of an order that a transaction enters: a function of the
/// order's key, so that the checks can compute it.
pub fn extra_field(data: &DataSet, (w, d, o_id): (u32, u32, u32), n: u32) -> String {
    let path = [EXTRA_STREAM, w.into(), d.into(), o_id.into()];
    let words = Stream::new(data.spec().seed, &path);
    let at = 2 * u64::from(n);
    format!("{:016x}{:016x}", words.at(at), words.at(at + 1))
}

/// The order as one document, its fields in the order of the loaded ones (spec §2).
fn document_of(
    data: &DataSet,
    input: &NewOrder,
    (o_id, now): (u32, Timestamp),
    supplies: &[Supply],
) -> Value {
    let mut order = Map::new();
    order.insert("o_id".into(), o_id.into());
    order.insert("o_c_id".into(), input.c.into());
    order.insert("o_d_id".into(), input.d.into());
    order.insert("o_w_id".into(), input.w.into());
    order.insert("o_carrier_id".into(), Value::Null);
    order.insert("o_ol_cnt".into(), input.lines.len().into());
    order.insert("o_all_local".into(), i32::from(input.all_local()).into());
    order.insert("o_entry_d".into(), now.to_string().into());
    for n in 1..=data.spec().extra_fields.orders {
        let value = extra_field(data, (input.w, input.d, o_id), n);
        order.insert(format!("o_extra_{n:03}"), value.into());
    }
    let lines = input.lines.iter().zip(supplies).enumerate();
    let lines: Vec<Value> = lines
        .map(|(i, (line, supply))| {
            json!({
                "ol_number": i + 1,
                "ol_i_id": line.item,
                "ol_supply_w_id": line.supply_w,
                "ol_delivery_d": null,
                "ol_quantity": line.quantity,
                "ol_amount": money(supply.amount(line)),
                "ol_dist_info": supply.dist_info,
            })
        })
        .collect();
    order.insert("o_orderline".into(), lines.into());
    Value::Object(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TPC-C 2.4.2.2: s_quantity, s_ytd, s_order_cnt and s_remote_cnt, also of a stock named twice.
    #[test]
    fn stock_falls_and_is_filled_up_by_ninety_one() {
        let mut change = StockChange::new(20);
        change.take(10, false);
        assert_eq!(change.quantity, 10);
        change.take(1, true);
        assert_eq!(change, StockChange { quantity: 100, sold: 11, lines: 2, remote: 1 });
        let paths: Vec<_> = change.patches().iter().map(|p| p.path).collect();
        assert_eq!(paths, ["s_quantity", "s_ytd", "s_order_cnt", "s_remote_cnt"]);
    }
}
