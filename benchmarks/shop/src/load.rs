//! Customers and orders as the source of a load.

use std::ops::Range;

use hoap_database::shop::{COUNTRY_INDEX, COVERING_INDEX, CUSTOMERS, ORDERS, ZIP_INDEX};
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
    /// The only collection that was loaded; `None` if both were.
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
}

impl LoadSource for ShopData {
    fn benchmark(&self) -> &'static str {
        BENCHMARK
    }

    fn parameters(&self) -> Value {
        json!(Parameters { version: DATA_VERSION, collections: None, spec: *self.spec() })
    }

    fn collections(&self) -> Vec<&'static str> {
        ShopCollection::ALL.map(ShopCollection::name).to_vec()
    }

    fn part(&self, at: usize, part: u64, of: u64) -> Range<u64> {
        ShopData::part(self, ShopCollection::ALL[at], part, of)
    }

    fn append(&self, at: usize, index: u64, key: &mut String, text: &mut Vec<u8>) {
        let collection = ShopCollection::ALL[at];
        self.append_key(collection, index, key);
        ShopData::append(self, collection, index, text);
    }

    fn typed(&self) -> Option<&dyn TypedSource> {
        Some(self)
    }

    fn indexes(&self) -> Vec<Index> {
        vec![
            Index::new(COUNTRY_INDEX, CUSTOMERS, &["address.country"]),
            Index::new(ZIP_INDEX, CUSTOMERS, &["address.zip"]),
            Index::new(COVERING_INDEX, ORDERS, &["_id", "month", "sale_price"]),
        ]
    }
}

impl TypedSource for ShopData {
    fn write(&self, at: usize, index: u64, key: &mut String, values: &mut dyn Values) -> u64 {
        let collection = ShopCollection::ALL[at];
        self.append_key(collection, index, key);
        hand_over(values, |writer| ShopData::write(self, collection, index, writer))
    }
}

/// The customers without the orders that their lists name: what Pagination reads.
pub struct CustomersAlone(pub ShopData);

impl LoadSource for CustomersAlone {
    fn benchmark(&self) -> &'static str {
        BENCHMARK
    }

    fn parameters(&self) -> Value {
        let collections = Some(CUSTOMERS.to_owned());
        json!(Parameters { version: DATA_VERSION, collections, spec: *self.0.spec() })
    }

    fn collections(&self) -> Vec<&'static str> {
        vec![CUSTOMERS]
    }

    fn part(&self, at: usize, part: u64, of: u64) -> Range<u64> {
        LoadSource::part(&self.0, at, part, of)
    }

    fn append(&self, at: usize, index: u64, key: &mut String, text: &mut Vec<u8>) {
        LoadSource::append(&self.0, at, index, key, text);
    }

    fn typed(&self) -> Option<&dyn TypedSource> {
        self.0.typed()
    }

    fn indexes(&self) -> Vec<Index> {
        let all = self.0.indexes().into_iter();
        all.filter(|index| index.name == COUNTRY_INDEX).collect()
    }
}

/// What was loaded, by the parameters of its note.
///
/// # Errors
/// Those of [`data_of`].
pub fn loaded(parameters: &Value) -> Result<Box<dyn LoadSource>> {
    let data = data_of(parameters)?;
    Ok(match parameters.get("collections") {
        None => Box::new(data),
        Some(_) => Box::new(CustomersAlone(data)),
    })
}

/// Refuses data without orders, by the parameters of its note.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] with the load that makes them.
pub fn expect_orders(parameters: &Value) -> Result<()> {
    match parameters.get("collections") {
        None => Ok(()),
        Some(_) => Err(Error::new(
            ErrorKind::Unavailable,
            "use the loaded orders",
            format!("only {CUSTOMERS} was loaded, by --collections"),
        )
        .advise("load both with `hoap load shop --replace`")),
    }
}

/// The data with these [`LoadSource::parameters`], from the note of a loaded database.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] where they belong to another benchmark or data version.
pub fn data_of(parameters: &Value) -> Result<ShopData> {
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
    ShopData::new(p.spec).map_err(|e| refuse(e.to_string()))
}
