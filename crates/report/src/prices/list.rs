//! A price list as its file holds it.

use std::collections::BTreeMap;
use std::path::Path;

use hoap_record::{Error, ErrorKind, Result, named};
use serde::Deserialize;

/// The unit whose amount is the number of nodes.
pub const NODE: &str = "node";
/// The unit whose amount is what the run did.
pub const OPERATIONS: &str = "operations";

/// A price list.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PriceList {
    /// What is bought.
    pub name: String,
    /// The database that it is of, as run folders name it; without one, of any.
    #[serde(default)]
    pub database: Option<String>,
    /// Where the prices are stated.
    pub source: String,
    /// Where they hold.
    pub region: String,
    /// Such as "USD".
    pub currency: String,
    /// When they held, as the source says it.
    pub date: String,
    /// Hours that this provider's month has.
    #[serde(default = "hours_per_month")]
    pub hours_per_month: f64,
    /// What a reader must know.
    #[serde(default)]
    pub note: Option<String>,
    /// Amounts of units that belong to the product.
    #[serde(default)]
    pub quantities: BTreeMap<String, Quantity>,
    /// The prices.
    #[serde(default, rename = "item")]
    pub items: Vec<Item>,
    /// Monthly totals that the source states.
    #[serde(default, rename = "total")]
    pub totals: Vec<Total>,
}

/// 365 days of 24 hours through twelve.
fn hours_per_month() -> f64 {
    730.0
}

/// A price.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Item {
    /// What it buys.
    pub what: String,
    /// In the list's currency.
    pub price: f64,
    /// The unit it is for: "node", "operations", what the run counted
    /// ([`hoap_record::Step::usage`]), or a name under which an amount is given.
    pub unit: String,
    /// For how long, or how many.
    pub per: Per,
    /// Of "operations": the kinds that it is for. None named: all.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Left out, and named as left out, where no amount is given.
    #[serde(default)]
    pub optional: bool,
}

named! {
    /// What a price is multiplied by besides the amount of its unit.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    Per, "time":
    /// The hours of a month.
    Hour = "hour",
    /// Nothing: the amount is a month's.
    Month = "month",
    /// Operations, or what the database's driver counted: each million of them.
    Million = "million",
}

/// An amount.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Quantity {
    /// Of the whole cluster.
    Whole(f64),
    /// Of each node.
    Each(PerNode),
}

/// An amount of each node.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PerNode {
    /// The amount.
    pub per_node: f64,
}

/// A monthly total that the source states for a number of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Total {
    /// Nodes of the cluster, or of the cluster it was matched with.
    pub nodes: u32,
    /// In the list's currency, a month.
    pub month: f64,
}

/// The lists of the published reports, by name: the files under `prices/`.
const BUILT_IN: [(&str, &str); 3] = [
    ("amazon-dynamodb-2020", include_str!("../../../../prices/amazon-dynamodb-2020.toml")),
    ("couchbase-cloud-2020", include_str!("../../../../prices/couchbase-cloud-2020.toml")),
    ("mongodb-atlas-2020", include_str!("../../../../prices/mongodb-atlas-2020.toml")),
];

impl PriceList {
    /// Reads a file, or a list that is built in by its name.
    ///
    /// # Errors
    /// Returns `Invalid`, with the file, the place and the key.
    pub fn open(path: &Path) -> Result<PriceList> {
        PriceList::with_text(path).map(|(list, _)| list)
    }

    /// The same with the text of the file.
    ///
    /// # Errors
    /// Those of [`open`](PriceList::open).
    pub fn with_text(path: &Path) -> Result<(PriceList, String)> {
        let tried = || format!("read prices {}", path.display());
        let built_in = BUILT_IN.iter().find(|(name, _)| Path::new(name) == path);
        let text = match built_in {
            Some((_, text)) => (*text).to_owned(),
            None => hoap_record::input::text(path).map_err(|e| {
                let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
                Error::new(ErrorKind::Invalid, tried(), e).advise(format!(
                    "name a price file (docs/prices.md has the format), or {}, which are built in",
                    names.join(", ")
                ))
            })?,
        };
        let list = PriceList::parse(&text);
        list.map(|list| (list, text)).map_err(|e| Error::new(ErrorKind::Invalid, tried(), e))
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Says what is wrong with which key.
    pub fn parse(text: &str) -> std::result::Result<PriceList, String> {
        let list: PriceList = crate::toml::parse(text)?;
        list.check()?;
        Ok(list)
    }

    fn check(&self) -> std::result::Result<(), String> {
        for (key, value) in [("name", &self.name), ("source", &self.source)] {
            if value.trim().is_empty() {
                return Err(format!("{key} is empty"));
            }
        }
        if self.currency.trim().is_empty() || self.currency.chars().count() > 8 {
            return Err("currency is a short name, such as USD".into());
        }
        if !(self.hours_per_month > 0.0 && self.hours_per_month <= 744.0) {
            return Err("hours-per-month is more than 0 and at most 744".into());
        }
        if self.items.is_empty() && self.totals.is_empty() {
            return Err("it has neither an [[item]] nor a [[total]]".into());
        }
        let amount = |value: f64| value.is_finite() && value >= 0.0;
        for (n, item) in self.items.iter().enumerate() {
            let at = format!("item {} ({:?})", n + 1, item.what);
            if !amount(item.price) {
                return Err(format!("{at}: price is {}", item.price));
            }
            let of_a_run = item.unit != NODE && !self.quantities.contains_key(&item.unit);
            if item.unit == OPERATIONS && item.per != Per::Million {
                return Err(format!(
                    "{at}: unit = \"operations\" and per = \"million\" go together"
                ));
            }
            if item.per == Per::Million && !of_a_run {
                return Err(format!(
                    "{at}: per = \"million\" and unit = \"operations\", or what the run counted, go \
                     together"
                ));
            }
            if !item.kinds.is_empty() && item.unit != OPERATIONS {
                return Err(format!("{at}: kinds are of unit = \"operations\""));
            }
        }
        for (name, quantity) in &self.quantities {
            let (Quantity::Whole(value) | Quantity::Each(PerNode { per_node: value })) = *quantity;
            if !amount(value) {
                return Err(format!("quantities.{name} is {value}"));
            }
            if [NODE, OPERATIONS].contains(&name.as_str()) {
                return Err(format!("quantities.{name}: this is what --nodes and the run say"));
            }
            if !self.items.iter().any(|item| item.unit == *name) {
                return Err(format!("quantities.{name}: no item has this unit"));
            }
        }
        for (n, total) in self.totals.iter().enumerate() {
            let again = self.totals[..n].iter().any(|t| t.nodes == total.nodes);
            if !amount(total.month) || total.nodes == 0 || again {
                return Err(format!(
                    "total {}: a total has an amount and a number of nodes, which no other total has",
                    n + 1
                ));
            }
        }
        Ok(())
    }
}
