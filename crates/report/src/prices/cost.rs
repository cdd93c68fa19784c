//! What a month costs.

use std::collections::BTreeMap;

use hoap_record::Step;
use hoap_record::words::counted;
use hoap_record::{Error, ErrorKind, Result};

use super::list::{Item, NODE, OPERATIONS, Per, PriceList, Quantity};

/// What totals are stated to.
const CENT: f64 = 0.01;

/// A price list with the amounts of one configuration.
#[derive(Clone, Debug)]
pub struct Priced {
    /// The list.
    pub list: PriceList,
    /// Its file, for errors.
    pub file: String,
    /// Nodes of the cluster.
    pub nodes: Option<u32>,
    /// Amounts given by hand; they win over the list's.
    pub quantities: BTreeMap<String, f64>,
}

/// What a configuration does, per second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SustainedLoad {
    /// Operations of each kind per second.
    pub per_second: BTreeMap<String, f64>,
    /// What the database's driver counted per second: see [`Step::usage`].
    pub usage: BTreeMap<String, f64>,
}

/// What a month costs under a load that goes on all month.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// In the list's currency.
    pub month: f64,
    /// What it is made of.
    pub lines: Vec<CostLine>,
    /// Prices whose amount nobody gave, and which may be left out.
    pub left_out: Vec<String>,
    /// Hours of this month.
    pub hours: f64,
}

/// A price times its amount.
#[derive(Clone, Debug, PartialEq)]
pub struct CostLine {
    /// What is bought.
    pub what: String,
    /// In the list's currency.
    pub price: f64,
    /// "node hour", "storage-gb month", …
    pub unit: String,
    /// How many of these a month has.
    pub amount: f64,
    /// Price times amount.
    pub month: f64,
}

impl SustainedLoad {
    /// The mean of these steps.
    pub fn of(steps: &[&Step]) -> SustainedLoad {
        let mut per_second: BTreeMap<String, f64> = BTreeMap::new();
        for operation in steps.iter().flat_map(|s| &s.transactions) {
            *per_second.entry(operation.kind.clone()).or_default() +=
                operation.per_second / steps.len() as f64;
        }
        let mut usage: BTreeMap<String, f64> = BTreeMap::new();
        for step in steps.iter().filter(|s| s.seconds > 0.0) {
            for (name, amount) in &step.usage {
                *usage.entry(name.clone()).or_default() +=
                    amount / step.seconds / steps.len() as f64;
            }
        }
        SustainedLoad { per_second, usage }
    }

    /// Operations of all kinds per second.
    pub fn total(&self) -> f64 {
        self.per_second.values().sum()
    }
}

impl Cost {
    /// The cost of a million operations at this many a second.
    pub fn per_million(&self, per_second: f64) -> Option<f64> {
        let millions = per_second * self.hours * 3600.0 / 1e6;
        (millions > 0.0).then(|| self.month / millions)
    }
}

impl Priced {
    /// What a month costs.
    ///
    /// # Errors
    /// Returns `Invalid`, with the file and its key, where an amount or a price is missing.
    pub fn cost(&self, load: &SustainedLoad) -> Result<Cost> {
        let list = &self.list;
        let (mut lines, mut left_out) = (Vec::new(), Vec::new());
        for (n, item) in list.items.iter().enumerate() {
            let at = format!("item {} ({:?})", n + 1, item.what);
            let missing = match self.amount(item, load, &at)? {
                Some(amount) => {
                    lines.push(CostLine {
                        what: item.what.clone(),
                        price: item.price,
                        unit: unit(item),
                        amount,
                        month: item.price * amount,
                    });
                    continue;
                }
                None if item.optional => {
                    left_out.push(format!("{} ({} {})", item.what, item.price, unit(item)));
                    continue;
                }
                None if item.unit == NODE => "--nodes N".to_string(),
                None => format!(
                    "--quantity {0}=N, or {0} under [quantities] in the file (per node with --nodes N)",
                    item.unit
                ),
            };
            let answer = format!("{at} is priced by {}, and nothing says how many", item.unit);
            return Err(self.error(answer).advise(format!("give {missing}")));
        }
        match list.items.is_empty() {
            true => lines.push(self.total()?),
            false => lines.extend(self.unexplained()),
        }
        let month = lines.iter().map(|line| line.month).sum();
        Ok(Cost { month, lines, left_out, hours: list.hours_per_month })
    }

    /// How much of it a month has.
    fn amount(&self, item: &Item, load: &SustainedLoad, at: &str) -> Result<Option<f64>> {
        let hours = self.list.hours_per_month;
        let nodes = self.nodes.map(f64::from);
        let amount = match item.unit.as_str() {
            NODE => nodes,
            OPERATIONS => {
                let per_second = if item.kinds.is_empty() {
                    load.total()
                } else {
                    let mut sum = 0.0;
                    for kind in &item.kinds {
                        sum += load.per_second.get(kind).ok_or_else(|| {
                            let has: Vec<&str> =
                                load.per_second.keys().map(String::as_str).collect();
                            self.error(format!(
                                "{at} prices operations of kind {kind:?}, and the run has {}",
                                if has.is_empty() { "none".into() } else { has.join(", ") }
                            ))
                            .advise("price the kinds that it has, or give no kinds for all of them")
                        })?;
                    }
                    sum
                };
                return Ok(Some(per_second * hours * 3600.0 / 1e6));
            }
            name if item.per == Per::Million => {
                let per_second = load.usage.get(name).ok_or_else(|| {
                    let has: Vec<&str> = load.usage.keys().map(String::as_str).collect();
                    self.error(format!(
                        "{at} is priced by {name}, and the run counted {}",
                        if has.is_empty() {
                            "nothing but operations".into()
                        } else {
                            has.join(", ")
                        }
                    ))
                    .advise("price what it counted, or operations")
                })?;
                return Ok(Some(per_second * hours * 3600.0 / 1e6));
            }
            name => match (self.quantities.get(name), self.list.quantities.get(name)) {
                (Some(amount), _) => Some(*amount),
                (None, Some(Quantity::Whole(amount))) => Some(*amount),
                (None, Some(Quantity::Each(each))) => nodes.map(|n| n * each.per_node),
                (None, None) => None,
            },
        };
        Ok(amount.map(|a| if item.per == Per::Hour { a * hours } else { a }))
    }

    /// The total that the source states for these nodes.
    fn total(&self) -> Result<CostLine> {
        let known: Vec<String> = self.list.totals.iter().map(|t| t.nodes.to_string()).collect();
        let stated = self.list.totals.iter().find(|t| Some(t.nodes) == self.nodes);
        let total = stated.ok_or_else(|| {
            let asked = match self.nodes {
                Some(n) => format!("none for {}", counted(n, "node", "nodes")),
                None => "nothing says how many nodes".to_string(),
            };
            let answer = format!("it has totals for {} nodes, and {asked}", known.join(", "));
            self.error(answer).advise("give --nodes N, or add a [[total]] or an [[item]]")
        })?;
        let nodes = counted(total.nodes, "node", "nodes");
        let what = format!("{}, total stated for {nodes}", self.list.name);
        let month = total.month;
        Ok(CostLine { what, price: month, unit: "month".into(), amount: 1.0, month })
    }

    /// What the source's total for these nodes has beyond the prices that it itemises, so that the
    /// cost is the one that it states. Amounts that are given by hand or that a run counts change
    /// nothing of it. `None` where it has nothing, or where an amount of its own is not stated.
    fn unexplained(&self) -> Option<CostLine> {
        let total = self.list.totals.iter().find(|t| Some(t.nodes) == self.nodes)?;
        let stated = Priced { quantities: BTreeMap::new(), ..self.clone() };
        let mut explained = 0.0;
        for item in &self.list.items {
            if item.unit == NODE || self.list.quantities.contains_key(&item.unit) {
                let amount = stated.amount(item, &SustainedLoad::default(), &item.what).ok()??;
                explained += item.price * amount;
            } else if !item.optional {
                return None;
            }
        }
        let month = total.month - explained;
        let nodes = counted(total.nodes, "node", "nodes");
        let what = format!("not itemised: the total stated for {nodes} less the prices above");
        (month.abs() >= CENT / 2.0).then_some(CostLine {
            what,
            price: month,
            unit: "month".into(),
            amount: 1.0,
            month,
        })
    }

    fn error(&self, answer: String) -> Error {
        Error::new(ErrorKind::Invalid, format!("apply prices {}", self.file), answer)
    }
}

/// What one price is for: "node hour", "transfer-gb", "million operations (READ, SCAN)".
fn unit(item: &Item) -> String {
    match item.per {
        Per::Hour => format!("{} hour", item.unit),
        Per::Month => item.unit.clone(),
        Per::Million if item.kinds.is_empty() => format!("million {}", item.unit),
        Per::Million => format!("million {}", item.kinds.join(", ")),
    }
}
