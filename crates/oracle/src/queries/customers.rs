//! Queries about customers and their orders: 3, 10, 13, 18, 22.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::json;

use super::super::model::{Customer, Key3, Loaded, Order};
use super::super::parameters::Parameters;
use super::values::{Rows, money};

/// Undelivered orders of customers whose state starts with a character, entered before a day.
pub fn q3(data: &Loaded, p: &Parameters) -> Rows {
    let (state, before) = (p.text("state")?, p.instant("before")?);
    let mut rows = Vec::new();
    for (key, order) in &data.orders {
        let Some(customer) = data.customer(order) else { continue };
        let undelivered = data.neworders.contains(key);
        // An order without lines has no row in the join with them.
        if undelivered
            && customer.state.starts_with(state)
            && order.entered < before
            && !order.lines.is_empty()
        {
            rows.push((Reverse(order.cents()), &order.entered_text, key));
        }
    }
    rows.sort();
    let row = |(Reverse(cents), entered, &(w, d, o)): (Reverse<i64>, &String, &Key3)| {
        vec![json!(o), json!(w), json!(d), money(cents), json!(entered)]
    };
    Ok(rows.into_iter().map(row).collect())
}

/// Revenue of the orders of three months by customer. The group is what the customer shows, so
/// customers of different districts who show the same would share a row.
pub fn q10(data: &Loaded, p: &Parameters) -> Rows {
    let (from, to) = (p.instant("from")?, p.instant("to")?);
    let mut groups: BTreeMap<(i64, &str, &str, &str, &str), i64> = BTreeMap::new();
    for order in data.orders.values() {
        if !(from <= order.entered && order.entered < to) || order.lines.is_empty() {
            continue;
        }
        let Some(customer) = data.customer(order) else { continue };
        let Some(nation) = data.nation_of_customer(customer) else { continue };
        let group = (
            customer.id,
            customer.last.as_str(),
            customer.city.as_str(),
            customer.phone.as_str(),
            nation.name.as_str(),
        );
        *groups.entry(group).or_default() += order.cents();
    }
    let mut rows: Vec<_> = groups.into_iter().collect();
    rows.sort_by_key(|&(_, cents)| Reverse(cents));
    let row = |((id, last, city, phone, nation), cents)| {
        vec![json!(id), json!(last), money(cents), json!(city), json!(phone), json!(nation)]
    };
    Ok(rows.into_iter().map(row).collect())
}

/// How many c_ids have how many orders of the carriers above a number. Each customer counts, with
/// or without such an order; the c_ids of all districts and warehouses are one group.
pub fn q13(data: &Loaded, p: &Parameters) -> Rows {
    let carrier = p.integer("carrier")?;
    let mut orders_of: HashMap<i64, i64> = data.customers.values().map(|c| (c.id, 0)).collect();
    for order in data.orders.values() {
        if order.carrier.is_some_and(|c| c > carrier)
            && let Some(customer) = data.customer(order)
        {
            *orders_of.entry(customer.id).or_default() += 1;
        }
    }
    let mut distribution: BTreeMap<i64, i64> = BTreeMap::new();
    for count in orders_of.into_values() {
        *distribution.entry(count).or_default() += 1;
    }
    let mut rows: Vec<_> = distribution.into_iter().collect();
    rows.sort_by_key(|&(count, customers)| Reverse((customers, count)));
    Ok(rows.into_iter().map(|(count, customers)| vec![json!(count), json!(customers)]).collect())
}

/// Orders of more than an amount.
pub fn q18(data: &Loaded, p: &Parameters) -> Rows {
    let amount = p.cents("amount")?;
    let mut rows = Vec::new();
    for (key, order) in &data.orders {
        let cents = order.cents();
        if let Some(customer) = data.customer(order)
            && cents > amount
            && !order.lines.is_empty()
        {
            rows.push((cents, customer, key.2, order));
        }
    }
    // Stable: ties stay in the order of their keys.
    rows.sort_by_key(|&(cents, _, _, order)| (Reverse(cents), order.entered));
    let row = |(cents, customer, id, order): (i64, &Customer, i64, &Order)| {
        vec![
            json!(customer.last),
            json!(customer.id),
            json!(id),
            json!(order.entered_text),
            json!(order.line_count),
            money(cents),
        ]
    };
    Ok(rows.into_iter().map(row).collect())
}

/// Customers whose phone starts with one of seven digits, whose balance is above the average of the
/// positive balances of all customers with such a phone, and who ordered nothing in a month; by the
/// state's initial.
pub fn q22(data: &Loaded, p: &Parameters) -> Rows {
    let digits: Vec<&str> =
        (1..=7).map(|i| p.text(&format!("digit{i}"))).collect::<Result<_, _>>()?;
    let (from, to) = (p.instant("from")?, p.instant("to")?);
    let ordered: HashSet<_> = (data.orders.values())
        .filter(|order| from <= order.entered && order.entered <= to)
        .map(|order| order.customer)
        .collect();
    let in_question: Vec<_> = (data.customers.iter())
        .filter(|(_, customer)| digits.iter().any(|digit| customer.phone.starts_with(digit)))
        .collect();
    let (mut sum, mut count) = (0i128, 0i128);
    for (_, customer) in &in_question {
        if customer.balance_cents > 0 {
            sum += i128::from(customer.balance_cents);
            count += 1;
        }
    }
    let mut groups: BTreeMap<char, (i64, i64)> = BTreeMap::new();
    for (key, customer) in in_question {
        // balance > sum / count, without the division; over no positive balance it is unknown.
        let above = count > 0 && i128::from(customer.balance_cents) * count > sum;
        if above
            && !ordered.contains(key)
            && let Some(initial) = customer.initial()
        {
            let (customers, cents) = groups.entry(initial).or_default();
            *customers += 1;
            *cents += customer.balance_cents;
        }
    }
    let row = |(initial, (customers, cents)): (char, (i64, i64))| {
        vec![json!(initial.to_string()), json!(customers), money(cents)]
    };
    Ok(groups.into_iter().map(row).collect())
}
