//! Queries that join lines with the nations of both supplier and customer: 5, 7, 8, 9.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::json;

use super::super::model::{Loaded, Nation};
use super::super::parameters::Parameters;
use super::values::{Rows, money, share};

/// Revenue by nation of a region, customers and suppliers being of the same nation; the stock is
/// that of the order's warehouse.
pub fn q5(data: &Loaded, p: &Parameters) -> Rows {
    let (region, from, to) = (p.text("region")?, p.instant("from")?, p.instant("to")?);
    let mut groups: BTreeMap<&str, i64> = BTreeMap::new();
    for (key, order, line) in data.lines() {
        if !(from <= order.entered && order.entered < to) {
            continue;
        }
        let Some(customer) = data.customer(order) else { continue };
        let Some(supplier) = data.supplier(key.0, line.item) else { continue };
        let Some(nation) = data.nation_of_supplier(supplier) else { continue };
        if customer.nation_key() == Some(supplier.nation) && data.region(nation) == Some(region) {
            *groups.entry(&nation.name).or_default() += line.cents;
        }
    }
    let mut rows: Vec<_> = groups.into_iter().collect();
    rows.sort_by_key(|&(_, cents)| Reverse(cents));
    Ok(rows.into_iter().map(|(name, cents)| vec![json!(name), money(cents)]).collect())
}

/// Trade between two nations in both directions, by year of the order's entry.
pub fn q7(data: &Loaded, p: &Parameters) -> Rows {
    let (a, b) = (p.text("nation_a")?, p.text("nation_b")?);
    let (from, to) = (p.instant("from")?, p.instant("to")?);
    let mut groups: BTreeMap<(i64, char, i64), i64> = BTreeMap::new();
    for (_, order, line) in data.lines() {
        if !line.delivered.is_some_and(|at| from <= at && at <= to) {
            continue;
        }
        let Some(supplier) = data.supplier(line.supply_warehouse, line.item) else { continue };
        let Some(seller) = data.nation_of_supplier(supplier) else { continue };
        let Some(customer) = data.customer(order) else { continue };
        let Some(buyer) = data.nation_of_customer(customer) else { continue };
        let Some(initial) = customer.initial() else { continue };
        let pair = (seller.name.as_str(), buyer.name.as_str());
        if pair == (a, b) || pair == (b, a) {
            let group = (supplier.nation, initial, order.year());
            *groups.entry(group).or_default() += line.cents;
        }
    }
    let row = |((seller, buyer, year), cents): ((i64, char, i64), i64)| {
        vec![json!(seller), json!(buyer.to_string()), json!(year), money(cents)]
    };
    Ok(groups.into_iter().map(row).collect())
}

/// A nation's share of the market of a region's customers in the items below 1000 whose data ends
/// in a letter, by year of the order's entry.
pub fn q8(data: &Loaded, p: &Parameters) -> Rows {
    let (nation, region, suffix) = (p.text("nation")?, p.text("region")?, p.text("data")?);
    let (from, to) = (p.instant("from")?, p.instant("to")?);
    let mut groups: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for (_, order, line) in data.lines() {
        if line.item >= 1000 || !(from <= order.entered && order.entered <= to) {
            continue;
        }
        let Some(item) = data.items.get(&line.item) else { continue };
        let Some(customer) = data.customer(order) else { continue };
        let Some(buyer) = data.nation_of_customer(customer) else { continue };
        let Some(supplier) = data.supplier(line.supply_warehouse, line.item) else { continue };
        let Some(seller) = data.nation_of_supplier(supplier) else { continue };
        if item.data.ends_with(suffix) && data.region(buyer) == Some(region) {
            let (part, whole) = groups.entry(order.year()).or_default();
            *whole += line.cents;
            *part += if seller.name == nation { line.cents } else { 0 };
        }
    }
    let row = |(year, (part, whole))| vec![json!(year), share(part, whole)];
    Ok(groups.into_iter().map(row).collect())
}

/// Amounts by the supplier's nation and the year of the order's entry, for items whose data ends
/// in two letters.
pub fn q9(data: &Loaded, p: &Parameters) -> Rows {
    let suffix = p.text("data")?;
    let mut groups: BTreeMap<(&str, Reverse<i64>), i64> = BTreeMap::new();
    for (_, order, line) in data.lines() {
        let Some(item) = data.items.get(&line.item) else { continue };
        if !item.data.ends_with(suffix) {
            continue;
        }
        let Some(supplier) = data.supplier(line.supply_warehouse, line.item) else { continue };
        let Some(Nation { name, .. }) = data.nation_of_supplier(supplier) else { continue };
        *groups.entry((name, Reverse(order.year()))).or_default() += line.cents;
    }
    let row = |((name, Reverse(year)), cents)| vec![json!(name), json!(year), money(cents)];
    Ok(groups.into_iter().map(row).collect())
}
