//! Queries over orders and their lines alone: 1, 4, 6, 12.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::super::model::Loaded;
use super::super::parameters::Parameters;
use super::values::{Rows, money, money_or_null, ratio, sum};

/// Lines delivered after a day, by their number.
pub fn q1(data: &Loaded, p: &Parameters) -> Rows {
    let after = p.instant("after")?;
    let mut groups: BTreeMap<i64, (i64, i64, i64)> = BTreeMap::new();
    for (_, _, line) in data.lines() {
        if line.delivered.is_some_and(|at| at > after) {
            let (quantity, cents, count) = groups.entry(line.number).or_default();
            *quantity += line.quantity;
            *cents += line.cents;
            *count += 1;
        }
    }
    let row = |(number, (quantity, cents, count)): (i64, (i64, i64, i64))| {
        vec![
            json!(number),
            json!(quantity),
            money(cents),
            ratio(quantity as f64 / count as f64),
            ratio(cents as f64 / (100 * count) as f64),
            json!(count),
        ]
    };
    Ok(groups.into_iter().map(row).collect())
}

/// Orders of three months that have a line delivered a week after the entry or later.
pub fn q4(data: &Loaded, p: &Parameters) -> Rows {
    let (from, to) = (p.instant("from")?, p.instant("to")?);
    let mut groups: BTreeMap<i64, i64> = BTreeMap::new();
    for order in data.orders.values() {
        let week_later = order.entered.plus_days(7);
        let late = order.lines.iter().any(|l| l.delivered.is_some_and(|at| at >= week_later));
        if from <= order.entered && order.entered < to && late {
            *groups.entry(order.line_count).or_default() += 1;
        }
    }
    Ok(groups.into_iter().map(|(lines, count)| vec![json!(lines), json!(count)]).collect())
}

/// Amount of the large lines delivered in a year.
pub fn q6(data: &Loaded, p: &Parameters) -> Rows {
    let (from, to, amount) = (p.instant("from")?, p.instant("to")?, p.cents("amount")?);
    let amounts = data
        .lines()
        .filter(|(_, _, line)| line.delivered_in(from, to) && line.cents > amount)
        .map(|(_, _, line)| line.cents);
    Ok(vec![vec![money_or_null(sum(amounts))]])
}

/// Lines delivered in a year, not before their order's entry, by the order's number of lines:
/// those of carriers 1 and 2, and the others.
pub fn q12(data: &Loaded, p: &Parameters) -> Rows {
    let (from, to) = (p.instant("from")?, p.instant("to")?);
    let high = BTreeSet::from([Some(1), Some(2)]);
    let mut groups: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for (_, order, line) in data.lines() {
        let in_time = line.delivered.is_some_and(|at| order.entered <= at);
        if in_time && line.delivered_in(from, to) {
            let (highs, lows) = groups.entry(order.line_count).or_default();
            *if high.contains(&order.carrier) { highs } else { lows } += 1;
        }
    }
    let row = |(lines, (high, low))| vec![json!(lines), json!(high), json!(low)];
    Ok(groups.into_iter().map(row).collect())
}
