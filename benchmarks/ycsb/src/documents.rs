//! The records as `hoap load` and `hoap gen` ask for them.

use std::sync::Arc;

use clap::Args;
use hoap_conduct::data::{DataOffer, NoFlags};
use hoap_conduct::flags::{Settings, settings};
use hoap_conduct::load::{Loading, Pace};
use hoap_database::Documents;
use hoap_files::{FileSource, number};
use hoap_workload::Result;
use hoap_workload::load::{Clients, LoadSource, Rate};
use serde_json::{Map, Value, json};

use crate::data::{DATA_VERSION, RecordSpec, Records};
use crate::files::YcsbTable;
use crate::flags::PropertyArgs;
use crate::{Setup, UserTable};

/// The parameters of a table that are properties of YCSB.
const PROPERTIES: [(&str, &str); 9] = [
    ("table", "table"),
    ("fields", "fieldcount"),
    ("field_length_distribution", "fieldlengthdistribution"),
    ("min_field_length", "minfieldlength"),
    ("field_length", "fieldlength"),
    ("compressibility", "compressibility"),
    ("order", "insertorder"),
    ("zero_padding", "zeropadding"),
    ("field_prefix", "fieldnameprefix"),
];

/// What the records of YCSB are made from.
#[derive(Debug, Args)]
pub struct RecordFlags {
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

impl RecordFlags {
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

impl DataOffer for RecordFlags {
    type Variant = ();
    const DATA_VERSION: u32 = DATA_VERSION;

    type OfLoad = NoFlags;

    fn source(&self, (): &()) -> Result<Arc<dyn LoadSource>> {
        Ok(Arc::new(self.table()?))
    }

    fn files(&self, (): &()) -> Result<Box<dyn FileSource>> {
        let table = self.table()?;
        Ok(Box::new(YcsbTable::new(table.name(), table.records)?))
    }

    fn of_parameters(
        (): &(),
        parameters: &Map<String, Value>,
    ) -> std::result::Result<Box<dyn FileSource>, String> {
        let spec = RecordSpec {
            start: number(parameters, "start")?,
            count: number(parameters, "records")?,
            ..RecordSpec::default()
        };
        let records = Records::new(spec).map_err(|e| e.to_string())?;
        let name = parameters.get("table").and_then(Value::as_str).unwrap_or_default();
        Ok(Box::new(YcsbTable::new(name, records).map_err(|e| e.to_string())?))
    }

    fn flags(parameters: &Map<String, Value>) -> Option<Settings> {
        let mut properties = Map::new();
        for (parameter, property) in PROPERTIES {
            if let Some(value) = parameters.get(parameter) {
                properties.insert(property.into(), value.clone());
            }
        }
        let [start, records] =
            ["start", "records"].map(|name| parameters.get(name).and_then(Value::as_u64));
        let (start, records) = (start?, records?);
        properties.insert("recordcount".into(), start.checked_add(records)?.into());
        if start > 0 {
            properties.insert("insertstart".into(), start.into());
            properties.insert("insertcount".into(), records.into());
        }
        let seed = parameters.get("seed")?;
        Some(settings(json!({ "seed": seed, "properties": properties })))
    }

    fn pace(
        &self,
        loading: &Loading,
        documents: Documents<'_>,
        say: &dyn Fn(&str),
    ) -> Result<Pace> {
        let setup = self.setup()?;
        if setup.record_count.is_none() && setup.insert_count.is_none() {
            let records = setup.records.count;
            say(&format!("loading {records} records: -p recordcount=N loads another number"));
        }
        let (mut clients, rate) = loading.pace();
        if let (Clients::Auto, Some(n)) = (clients, setup.clients) {
            match documents.several_writers() {
                Ok(()) => clients = Clients::Number(n.into()),
                Err(because) => say(&format!("property threadcount has no effect: {because}")),
            }
        }
        for (name, given, because) in [
            ("maxexecutiontime", setup.duration.is_some(), "it ends when all records are there"),
            ("exportfile", setup.export_file.is_some(), "a run alone has what YCSB prints"),
        ] {
            if given {
                say(&format!("property {name} has no effect on a load: {because}"));
            }
        }
        setup.without_effect.iter().for_each(|remark| say(remark));
        Ok((clients, rate.or(setup.rate.map(Rate::Documents))))
    }
}
