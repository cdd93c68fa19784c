//! Queries about suppliers and what they stock: 2, 11, 15, 16, 20, 21.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Value, json};

use super::super::model::{Item, Loaded, Nation, Stock, Supplier};
use super::super::parameters::Parameters;
use super::values::{Rows, money};

/// Suppliers of a region who hold an item's lowest stock within that region. All of those tied at
/// the minimum count.
pub fn q2(data: &Loaded, p: &Parameters) -> Rows {
    let (prefix, suffix) = (p.text("region")?, p.text("data")?);
    let regional = |stock: &Stock| -> Option<(&Supplier, &Nation)> {
        let supplier = data.supplier_of_stock(stock)?;
        let nation = data.nation_of_supplier(supplier)?;
        data.region(nation)?.starts_with(prefix).then_some((supplier, nation))
    };
    let mut lowest: HashMap<i64, i64> = HashMap::new();
    for stock in data.stocks.values().filter(|stock| regional(stock).is_some()) {
        let quantity = lowest.entry(stock.item).or_insert(stock.quantity);
        *quantity = stock.quantity.min(*quantity);
    }
    let mut rows = Vec::new();
    for stock in data.stocks.values() {
        let Some((supplier, nation)) = regional(stock) else { continue };
        let Some(item) = data.items.get(&stock.item) else { continue };
        if item.data.ends_with(suffix) && lowest.get(&stock.item) == Some(&stock.quantity) {
            let order = (&nation.name, &supplier.name, item.id, stock.warehouse);
            rows.push((order, supplier, item));
        }
    }
    rows.sort_by_key(|&(order, _, _)| order);
    let row = |((nation, _, _, _), supplier, item): ((&String, _, _, _), &Supplier, &Item)| {
        vec![
            json!(supplier.key),
            json!(supplier.name),
            json!(nation),
            json!(item.id),
            json!(item.name),
            supplier.address.clone(),
            json!(supplier.phone),
            json!(supplier.comment),
        ]
    };
    Ok(rows.into_iter().map(row).collect())
}

/// Items of which a nation's suppliers were ordered more than a 20,000th of all that was ordered
/// of that nation.
pub fn q11(data: &Loaded, p: &Parameters) -> Rows {
    let nation = p.text("nation")?;
    let mut groups: BTreeMap<i64, i64> = BTreeMap::new();
    for stock in data.stocks.values() {
        let from = data.supplier_of_stock(stock).and_then(|s| data.nation_of_supplier(s));
        if from.is_some_and(|n| n.name == nation) {
            *groups.entry(stock.item).or_default() += stock.order_count;
        }
    }
    let total: i64 = groups.values().sum();
    // count > 0.00005 × total, in whole numbers.
    let mut rows: Vec<_> = groups.into_iter().filter(|&(_, n)| 20_000 * n > total).collect();
    rows.sort_by_key(|&(_, count)| Reverse(count));
    Ok(rows.into_iter().map(|(item, count)| vec![json!(item), json!(count)]).collect())
}

/// The supplier, or suppliers, with the largest revenue of lines delivered in three months.
pub fn q15(data: &Loaded, p: &Parameters) -> Rows {
    let (from, to) = (p.instant("from")?, p.instant("to")?);
    let mut revenues: BTreeMap<i64, i64> = BTreeMap::new();
    for (_, _, line) in data.lines() {
        if line.delivered_in(from, to)
            && let Some(stock) = data.stocks.get(&(line.supply_warehouse, line.item))
        {
            *revenues.entry(stock.supplier_key()).or_default() += line.cents;
        }
    }
    let largest = revenues.values().max().copied();
    let mut rows = Vec::new();
    for (key, cents) in revenues {
        if let Some(supplier) = data.suppliers.get(&key)
            && Some(cents) == largest
        {
            rows.push(vec![
                json!(key),
                json!(supplier.name),
                supplier.address.clone(),
                json!(supplier.phone),
                money(cents),
            ]);
        }
    }
    Ok(rows)
}

/// How many different suppliers without a complaint stock items of a name, brand and price, where
/// the data does not start with two letters.
pub fn q16(data: &Loaded, p: &Parameters) -> Rows {
    let prefix = p.text("data")?;
    let complained_of: HashSet<i64> = (data.suppliers.values())
        .filter(|supplier| complaint(&supplier.comment))
        .map(|supplier| supplier.key)
        .collect();
    let mut groups: BTreeMap<(&str, String, i64), BTreeSet<i64>> = BTreeMap::new();
    for stock in data.stocks.values() {
        let Some(item) = data.items.get(&stock.item) else { continue };
        let supplier = stock.supplier_key();
        if !item.data.starts_with(prefix) && !complained_of.contains(&supplier) {
            let brand = item.data.chars().take(3).collect();
            groups.entry((&item.name, brand, item.price_cents)).or_default().insert(supplier);
        }
    }
    let mut rows: Vec<_> = groups.into_iter().collect();
    rows.sort_by_key(|(_, suppliers)| Reverse(suppliers.len()));
    let row = |((name, brand, cents), suppliers): ((&str, String, i64), BTreeSet<i64>)| {
        vec![json!(name), json!(brand), money(cents), json!(suppliers.len())]
    };
    Ok(rows.into_iter().map(row).collect())
}

/// Whether a comment holds "Customer" and, somewhere after it, "Complaints".
fn complaint(comment: &str) -> bool {
    comment.split_once("Customer").is_some_and(|(_, rest)| rest.contains("Complaints"))
}

/// Suppliers of a nation of a stock, 20 times whose quantity is above what was delivered of its
/// item in a year. The item's lines of all warehouses count for each of its stocks, as in
/// CH-benCHmark; an item without a line in that year has no group, so its stocks are not meant.
pub fn q20(data: &Loaded, p: &Parameters) -> Rows {
    let (nation, prefix) = (p.text("nation")?, p.text("data")?);
    let (from, to) = (p.instant("from")?, p.instant("to")?);
    let mut delivered: HashMap<i64, i64> = HashMap::new();
    for (_, _, line) in data.lines().filter(|(_, _, line)| line.delivered_in(from, to)) {
        if data.items.get(&line.item).is_some_and(|item| item.data.starts_with(prefix)) {
            *delivered.entry(line.item).or_default() += line.quantity;
        }
    }
    let mut suppliers = BTreeMap::new();
    for stock in data.stocks.values() {
        let Some(&quantity) = delivered.get(&stock.item) else { continue };
        let Some(supplier) = data.supplier_of_stock(stock) else { continue };
        let is_of_nation = data.nation_of_supplier(supplier).is_some_and(|n| n.name == nation);
        if is_of_nation && 20 * stock.quantity > quantity {
            suppliers.insert((&supplier.name, supplier.key), &supplier.address);
        }
    }
    let row = |((name, _), address): ((&String, i64), &Value)| vec![json!(name), address.clone()];
    Ok(suppliers.into_iter().map(row).collect())
}

/// Suppliers of a nation by the number of their lines that came more than 150 days after an entry
/// in a month, and that no other line of the order came after. The stock is that of the order's
/// warehouse; a line not delivered has not come.
pub fn q21(data: &Loaded, p: &Parameters) -> Rows {
    let nation = p.text("nation")?;
    let (from, to) = (p.instant("from")?, p.instant("to")?);
    let mut groups: BTreeMap<&str, i64> = BTreeMap::new();
    for (key, order, line) in data.lines() {
        let Some(came) = line.delivered else { continue };
        let in_month = from <= order.entered && order.entered <= to;
        let last = order.lines.iter().all(|other| other.delivered.is_none_or(|at| at <= came));
        if !in_month || !last || came <= order.entered.plus_days(150) {
            continue;
        }
        let Some(supplier) = data.supplier(key.0, line.item) else { continue };
        if data.nation_of_supplier(supplier).is_some_and(|n| n.name == nation) {
            *groups.entry(&supplier.name).or_default() += 1;
        }
    }
    let mut rows: Vec<_> = groups.into_iter().collect();
    rows.sort_by_key(|&(_, count)| Reverse(count));
    Ok(rows.into_iter().map(|(name, count)| vec![json!(name), json!(count)]).collect())
}
