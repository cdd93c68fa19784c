//! The flags of what is loaded: what data is made from.

use clap::Args;
use hoap_data::shop::{ShopData, ShopSpec};
use hoap_data::ycsb::RecordSpec;
use hoap_data::{DataSet, Date, ExtraFields, Schema, Spec};
use hoap_workload::Result;
use hoap_workload::ycsb::{Setup, UserTable};

use crate::values::count;
use crate::ycsb::PropertyArgs;

/// What the data is made from.
#[derive(Debug, Args)]
pub struct Data {
    /// Warehouses: the scale of the data
    #[arg(short, long, value_name = "W", default_value_t = 1, value_parser = count::<u32>)]
    pub warehouses: u32,
    /// Seed of the data: the same seed gives the same bytes everywhere
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Extra fields of a document: 0 to 128 (64 for ch2pp if not given), or
    /// customer=N,orders=N,item=N
    #[arg(long, value_name = "N")]
    pub extra_fields: Option<ExtraFields>,
    /// Divide items, customers and stock by N (a divisor of 100); results are no CH2 results then
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub scale_down: u32,
    /// The day on which the benchmark's history ends
    #[arg(long, value_name = "YYYY-MM-DD", default_value = "2021-01-01")]
    pub run_date: Date,
}

impl Data {
    /// The data set of these flags.
    ///
    /// # Errors
    /// Fails where the flags make no data set.
    pub fn data_set(&self, schema: Schema) -> Result<DataSet> {
        let defaults = Spec::new(schema, self.warehouses);
        let spec = Spec {
            seed: self.seed,
            run_date: self.run_date,
            extra_fields: self.extra_fields.unwrap_or(defaults.extra_fields),
            scale_down: self.scale_down,
            ..defaults
        };
        Ok(DataSet::new(spec)?)
    }
}

/// What the records of YCSB are made from.
#[derive(Debug, Args)]
pub struct Records {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub properties: PropertyArgs,
    /// Seed of the data
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Accepted as YCSB has it: a load always shows its state
    #[arg(short = 's', hide = true)]
    pub status: bool,
}

impl Records {
    /// What the properties ask for.
    ///
    /// # Errors
    /// Fails where a property is none.
    pub fn setup(&self) -> Result<Setup> {
        Ok(self.properties.setup(None)?.1)
    }

    /// The records of these flags.
    ///
    /// # Errors
    /// Fails where a property is none, or the properties make no table.
    pub fn table(&self) -> Result<UserTable> {
        let setup = self.setup()?;
        UserTable::new(&setup.table, RecordSpec { seed: self.seed, ..setup.load_spec() })
    }
}

/// What customers and orders are made from. Every number of "so many per" is exact.
#[derive(Debug, Args)]
pub struct ShopArgs {
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

impl ShopArgs {
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
