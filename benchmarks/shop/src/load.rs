//! Customers and orders as the source of a load.

use std::ops::Range;

use hoap_database::shop::{
    COUNTRY_INDEX, COVERING_INDEX, CUSTOMERS, JoinVariant, ORDERS, ZIP_INDEX,
};
use hoap_database::{Index, Values};
use hoap_workload::load::{LoadSource, TypedSource, hand_over};
use hoap_workload::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::data::{DATA_VERSION, ShopCollection, ShopData, ShopSpec};

/// The benchmark's name.
pub const BENCHMARK: &str = "shop";

/// The parameters of the data, which together with the data version decide every byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    version: u32,
    /// The collections that were loaded, by commas; `None` if the usual ones were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    collections: Option<String>,
    #[serde(flatten, with = "SpecFields")]
    spec: ShopSpec,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ShopSpec")]
struct SpecFields {
    seed: u64,
    customers: u64,
    orders_per_customer: u64,
    customers_per_country: u64,
    customers_per_zip: u64,
    customer_bytes: usize,
    order_bytes: usize,
    #[serde(default, skip_serializing_if = "is_false")]
    embedded: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// What of the data was, or is to be, loaded.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The data.
    pub data: ShopData,
    /// Its collections, in the order in which they are loaded.
    collections: Vec<ShopCollection>,
}

impl Loaded {
    /// These collections, or if none is named what JOIN reads: customers and orders, or customers
    /// that have their orders in them.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] for orders without customers who list them.
    pub fn new(data: ShopData, named: &[ShopCollection]) -> Result<Loaded> {
        let all = if named.is_empty() { usual(&data) } else { named };
        let collections = ShopCollection::ALL.into_iter().filter(|c| all.contains(c)).collect();
        let loaded = Loaded { data, collections };
        let listed = loaded.has(ShopCollection::Customer) && !data.spec().embedded;
        if loaded.has(ShopCollection::Orders) && !listed {
            let answer = "nothing reads orders without customers that list them";
            let error = Error::new(ErrorKind::Invalid, format!("load {ORDERS}"), answer);
            return Err(error
                .advise(format!("leave {ORDERS} out of --collections, or load them with {CUSTOMERS} without --embedded")));
        }
        Ok(loaded)
    }

    /// Whether this collection is loaded.
    pub fn has(&self, collection: ShopCollection) -> bool {
        self.collections.contains(&collection)
    }

    /// The documents of each collection.
    pub fn counts(&self) -> impl Iterator<Item = u64> {
        self.collections.iter().map(|collection| self.data.count(*collection))
    }

    /// The key of a document of the collection at this position.
    pub fn key(&self, at: usize, index: u64) -> String {
        let mut key = String::new();
        self.data.append_key(self.collections[at], index, &mut key);
        key
    }

    /// Refuses what Pagination needs and was not loaded.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] with the load that makes it.
    pub fn expect_customers(&self) -> Result<()> {
        match self.has(ShopCollection::Customer) {
            true => Ok(()),
            false => Err(self.lacks("page through the customers", "hoap load shop --replace")),
        }
    }

    /// Refuses a way to join that needs what was not loaded. Whether there is a joining table the
    /// database knows: some make it themselves.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] with the load that makes it.
    pub fn expect(&self, variant: JoinVariant) -> Result<()> {
        let (there, load) = match variant {
            JoinVariant::JoiningTable => return Ok(()),
            JoinVariant::Embedded => {
                (self.data.spec().embedded, "hoap load shop --embedded --replace")
            }
            _ => (self.has(ShopCollection::Orders), "hoap load shop --replace"),
        };
        match there && self.has(ShopCollection::Customer) {
            true => Ok(()),
            false => Err(self.lacks(&format!("join by {variant}"), load)),
        }
    }

    /// The first of these ways to join that this serves, if there is one; a joining table may be
    /// the database's own.
    pub fn first(&self, variants: &[JoinVariant]) -> Option<JoinVariant> {
        let serves = |variant: &JoinVariant| match variant {
            JoinVariant::JoiningTable => self.has(ShopCollection::Sales),
            other => self.expect(*other).is_ok(),
        };
        variants.iter().copied().find(serves)
    }

    fn lacks(&self, tried: &str, load: &str) -> Error {
        let within = if self.data.spec().embedded {
            ", whose customers have their orders in them"
        } else {
            ""
        };
        let answer = format!("only {} was loaded{within}", self.names());
        Error::new(ErrorKind::Unavailable, tried, answer).advise(format!("load it with `{load}`"))
    }

    fn names(&self) -> String {
        self.collections.iter().map(|c| c.name()).collect::<Vec<_>>().join(",")
    }
}

/// What is loaded if no collection is named.
fn usual(data: &ShopData) -> &'static [ShopCollection] {
    if data.spec().embedded { &[ShopCollection::Customer] } else { &ShopCollection::BOTH }
}

impl LoadSource for Loaded {
    fn benchmark(&self) -> &'static str {
        BENCHMARK
    }

    fn parameters(&self) -> Value {
        let named = self.collections != usual(&self.data);
        let collections = named.then(|| self.names());
        json!(Parameters { version: DATA_VERSION, collections, spec: *self.data.spec() })
    }

    fn collections(&self) -> Vec<&'static str> {
        self.collections.iter().map(|c| c.name()).collect()
    }

    fn part(&self, at: usize, part: u64, of: u64) -> Range<u64> {
        self.data.part(self.collections[at], part, of)
    }

    fn append(&self, at: usize, index: u64, key: &mut String, text: &mut Vec<u8>) {
        let collection = self.collections[at];
        self.data.append_key(collection, index, key);
        self.data.append(collection, index, text);
    }

    fn typed(&self) -> Option<&dyn TypedSource> {
        Some(self)
    }

    fn indexes(&self) -> Vec<Index> {
        let joins = self.data.spec().embedded || self.has(ShopCollection::Orders);
        let index = |made: bool, name, of: ShopCollection, fields: &[&str]| {
            (made && self.has(of)).then(|| Index::new(name, of.name(), fields))
        };
        let (customer, orders) = (ShopCollection::Customer, ShopCollection::Orders);
        let all = [
            index(true, COUNTRY_INDEX, customer, &["address.country"]),
            index(joins, ZIP_INDEX, customer, &["address.zip"]),
            index(true, COVERING_INDEX, orders, &["_id", "month", "sale_price"]),
        ];
        all.into_iter().flatten().collect()
    }
}

impl TypedSource for Loaded {
    fn write(&self, at: usize, index: u64, key: &mut String, values: &mut dyn Values) -> u64 {
        let collection = self.collections[at];
        self.data.append_key(collection, index, key);
        hand_over(values, |writer| self.data.write(collection, index, writer))
    }
}

/// What was loaded, by the [`LoadSource::parameters`] in the note of a loaded database.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] where they belong to another benchmark or data version.
pub fn loaded(parameters: &Value) -> Result<Loaded> {
    let refuse = |answer: String| {
        Error::new(ErrorKind::Unavailable, "use the loaded customers and orders", answer)
            .advise("load them again with `hoap load shop --replace`")
    };
    let p = Parameters::deserialize(parameters)
        .map_err(|e| refuse(format!("the note's parameters are not of this benchmark ({e})")))?;
    if p.version != DATA_VERSION {
        return Err(refuse(format!(
            "they are of data version {}, this program's is {DATA_VERSION}",
            p.version
        )));
    }
    let data = ShopData::new(p.spec).map_err(|e| refuse(e.to_string()))?;
    let names = p.collections.iter().flat_map(|names| names.split(','));
    let named: std::result::Result<Vec<ShopCollection>, _> = names.map(str::parse).collect();
    Loaded::new(data, &named.map_err(|e| refuse(e.to_string()))?)
}
