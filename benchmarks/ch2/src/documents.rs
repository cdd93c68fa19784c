//! The documents as `hoap load` and `hoap gen` ask for them.

use std::sync::Arc;

use clap::Args;
use hoap_conduct::data::DataOffer;
use hoap_conduct::flags::Settings;
use hoap_conduct::load::{Begins, Watch};
use hoap_conduct::values::count;
use hoap_data::Date;
use hoap_files::{FileSource, number};
use hoap_workload::load::LoadSource;
use hoap_workload::{Local, Result};
use serde_json::{Map, Value};

use crate::data::{DATA_VERSION, DataSet, ExtraFields, Schema, Spec};
use crate::run::ingestion::{Following, IngestionWatch};

/// What the data is made from.
#[derive(Debug, Args)]
pub struct DataFlags {
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

impl DataFlags {
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

impl DataOffer for DataFlags {
    type Variant = Schema;
    const DATA_VERSION: u32 = DATA_VERSION;

    type OfLoad = Following;

    fn source(&self, schema: &Schema) -> Result<Arc<dyn LoadSource>> {
        Ok(Arc::new(self.data_set(*schema)?))
    }

    fn files(&self, schema: &Schema) -> Result<Box<dyn FileSource>> {
        Ok(Box::new(self.data_set(*schema)?))
    }

    fn of_parameters(
        schema: &Schema,
        parameters: &Map<String, Value>,
    ) -> std::result::Result<Box<dyn FileSource>, String> {
        let spec = Spec {
            scale_down: number(parameters, "scale_down")?,
            ..Spec::new(*schema, number(parameters, "warehouses")?)
        };
        Ok(Box::new(DataSet::new(spec).map_err(|e| e.to_string())?))
    }

    fn flags(parameters: &Map<String, Value>) -> Option<Settings> {
        let names = ["warehouses", "seed", "extra_fields", "scale_down", "run_date"];
        let flag = |name: &str| Some((name.replace('_', "-"), parameters.get(name)?.clone()));
        names.into_iter().map(flag).collect()
    }

    fn watch<'a>(
        &'a self,
        schema: &'a Schema,
        following: &'a Following,
        begins: Begins<'a>,
    ) -> Local<'a, Result<Option<Box<dyn Watch>>>> {
        Box::pin(async move {
            if !following.is_another(begins.caller, begins.target) {
                return Ok(None);
            }
            let data = self.data_set(*schema)?;
            let watch = IngestionWatch::begin(&data, following, begins).await?;
            Ok(Some(Box::new(watch) as Box<dyn Watch>))
        })
    }
}
