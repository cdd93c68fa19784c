//! Queries that join lines with their items: 14, 17, 19.

use std::collections::HashMap;

use super::super::model::{Item, Line, Loaded};
use super::super::parameters::Parameters;
use super::values::{Rows, money_or_null, ratio, sum};
use serde_json::Value;

/// Percentage of the amount of items whose data starts with 'pr' in the lines delivered in a month.
pub fn q14(data: &Loaded, p: &Parameters) -> Rows {
    let (from, to) = (p.instant("from")?, p.instant("to")?);
    let (mut promoted, mut all, mut lines) = (0, 0, 0);
    for (_, _, line) in data.lines() {
        if line.delivered_in(from, to)
            && let Some(item) = data.items.get(&line.item)
        {
            promoted += if item.data.starts_with("pr") { line.cents } else { 0 };
            all += line.cents;
            lines += 1;
        }
    }
    // The 1 added to the sum is a unit of money: 100 cents.
    let percentage = (100 * promoted) as f64 / (100 + all) as f64;
    Ok(vec![vec![if lines == 0 { Value::Null } else { ratio(percentage) }]])
}

/// Half the amount of the lines whose quantity is below the average of their item over all lines,
/// for items whose data ends in a letter.
pub fn q17(data: &Loaded, p: &Parameters) -> Rows {
    let suffix = p.text("data")?;
    let meant = |line: &Line| data.items.get(&line.item).is_some_and(|i| i.data.ends_with(suffix));
    let mut totals: HashMap<i64, (i64, i64)> = HashMap::new();
    for (_, _, line) in data.lines().filter(|(_, _, line)| meant(line)) {
        let (quantity, count) = totals.entry(line.item).or_default();
        *quantity += line.quantity;
        *count += 1;
    }
    let small = |line: &Line| {
        totals.get(&line.item).is_some_and(|&(quantity, count)| line.quantity * count < quantity)
    };
    let amounts = data.lines().filter(|(_, _, line)| small(line)).map(|(_, _, line)| line.cents);
    Ok(vec![vec![sum(amounts).map_or(Value::Null, |cents| ratio(cents as f64 / 200.0))]])
}

/// One of the three alternatives of Q19. All its ranges include both ends.
struct Alternative<'a> {
    suffix: &'a str,
    quantities: (i64, i64),
    highest_price_cents: i64,
    warehouses: [i64; 3],
}

impl<'a> Alternative<'a> {
    fn read(p: &Parameters<'a>, number: u8, highest_price_cents: i64) -> Result<Self, String> {
        Ok(Alternative {
            suffix: p.text(&format!("data{number}"))?,
            quantities: (p.integer(&format!("low{number}"))?, p.integer(&format!("high{number}"))?),
            highest_price_cents,
            warehouses: [
                p.integer(&format!("w{number}1"))?,
                p.integer(&format!("w{number}2"))?,
                p.integer(&format!("w{number}3"))?,
            ],
        })
    }

    fn holds(&self, warehouse: i64, line: &Line, item: &Item) -> bool {
        item.data.ends_with(self.suffix)
            && (self.quantities.0..=self.quantities.1).contains(&line.quantity)
            && (100..=self.highest_price_cents).contains(&item.price_cents)
            && self.warehouses.contains(&warehouse)
    }
}

/// Amount of the lines for which one of three alternatives holds.
pub fn q19(data: &Loaded, p: &Parameters) -> Rows {
    let alternatives = [
        Alternative::read(p, 1, 500)?,
        Alternative::read(p, 2, 1000)?,
        Alternative::read(p, 3, 1500)?,
    ];
    let chosen = data.lines().filter(|(key, _, line)| {
        let item = data.items.get(&line.item);
        item.is_some_and(|item| alternatives.iter().any(|a| a.holds(key.0, line, item)))
    });
    Ok(vec![vec![money_or_null(sum(chosen.map(|(_, _, line)| line.cents)))]])
}
