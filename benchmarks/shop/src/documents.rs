//! Customers and orders as `hoap load` and `hoap gen` ask for them.

use std::sync::Arc;

use clap::Args;
use hoap_conduct::data::DataOffer;
use hoap_conduct::values::count;
use hoap_files::{FileSource, number};
use hoap_workload::Result;
use hoap_workload::load::LoadSource;
use serde_json::{Map, Value};

use crate::data::{DATA_VERSION, ShopCollection, ShopData, ShopSpec};
use crate::load::Loaded;

/// What customers and orders are made from. Every number of "so many per" is exact.
#[derive(Debug, Args)]
pub struct ShopFlags {
    /// Customers
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count::<u64>)]
    pub customers: u64,
    /// Orders of each customer
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count::<u64>)]
    pub orders_per_customer: u64,
    /// Customers of each country
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count::<u64>)]
    pub customers_per_country: u64,
    /// Customers of each zip code, which is what a JOIN qualifies; the reports had 100, 250 and 500
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count::<u64>)]
    pub customers_per_zip: u64,
    /// Seed of the data
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// What a load takes of it.
#[derive(Debug, Args)]
#[group(skip)]
pub struct ShopLoadFlags {
    /// Only these collections: Pagination reads the customers alone, JOIN both or, with --variant
    /// joining-table, shop_sales [default: customers and orders]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub collections: Vec<ShopCollection>,
    /// Put each customer's orders into its document, for JOIN with --variant embedded
    #[arg(long)]
    pub embedded: bool,
}

impl ShopFlags {
    /// The data set of these flags.
    ///
    /// # Errors
    /// Fails where the flags make no data set.
    pub fn data_set(&self) -> Result<ShopData> {
        let spec = ShopSpec {
            seed: self.seed,
            orders_per_customer: self.orders_per_customer,
            customers_per_country: self.customers_per_country,
            customers_per_zip: self.customers_per_zip,
            ..ShopSpec::new(self.customers)
        };
        Ok(ShopData::new(spec)?)
    }
}

impl DataOffer for ShopFlags {
    type Variant = ();
    const DATA_VERSION: u32 = DATA_VERSION;

    type OfLoad = ShopLoadFlags;

    fn source(&self, (): &()) -> Result<Arc<dyn LoadSource>> {
        Ok(Arc::new(Loaded::new(self.data_set()?, &[])?))
    }

    fn loaded(&self, (): &(), flags: &ShopLoadFlags) -> Result<Arc<dyn LoadSource>> {
        let spec = ShopSpec { embedded: flags.embedded, ..*self.data_set()?.spec() };
        Ok(Arc::new(Loaded::new(ShopData::new(spec)?, &flags.collections)?))
    }

    fn files(&self, (): &()) -> Result<Box<dyn FileSource>> {
        Ok(Box::new(self.data_set()?))
    }

    fn of_parameters(
        (): &(),
        parameters: &Map<String, Value>,
    ) -> std::result::Result<Box<dyn FileSource>, String> {
        let spec = ShopSpec {
            orders_per_customer: number(parameters, "orders_per_customer")?,
            customers_per_country: number(parameters, "customers_per_country")?,
            customers_per_zip: number(parameters, "customers_per_zip")?,
            customer_bytes: number(parameters, "customer_bytes")?,
            order_bytes: number(parameters, "order_bytes")?,
            ..ShopSpec::new(number(parameters, "customers")?)
        };
        Ok(Box::new(ShopData::new(spec).map_err(|e| e.to_string())?))
    }
}
