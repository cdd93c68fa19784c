//! A workload file's documents as `hoap load` and `hoap gen` ask for them.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hoap_conduct::data::{DataOffer, NoFlags};
use hoap_data::Buffer;
use hoap_files::{AnyWriter, FileSource, Flat};
use hoap_workload::Result;
use hoap_workload::load::LoadSource;
use serde_json::{Map, Value};

use crate::plan::model::DATA_VERSION;
use crate::workload::{NAME, Workload};

/// The file and how much of it.
#[derive(Debug, Args)]
pub struct DataFlags {
    /// The workload file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How many times the documents that the file says
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = scale)]
    pub scale: f64,
}

/// A scale that the user typed.
fn scale(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if scale > 0.0 && scale.is_finite() => Ok(scale),
        _ => Err("a scale is a number above 0".to_owned()),
    }
}

impl DataOffer for DataFlags {
    type Variant = ();
    type OfLoad = NoFlags;

    const DATA_VERSION: u32 = DATA_VERSION;

    fn source(&self, (): &()) -> Result<Arc<dyn LoadSource>> {
        Ok(Arc::new(Workload::read(&self.file, self.scale)?))
    }

    fn files(&self, (): &()) -> Result<Box<dyn FileSource>> {
        Ok(Box::new(Workload::read(&self.file, self.scale)?))
    }

    fn told(&self, (): &()) -> Result<Option<String>> {
        Ok(Some(Workload::read(&self.file, self.scale)?.words()))
    }

    fn of_parameters(
        (): &(),
        parameters: &Map<String, Value>,
    ) -> std::result::Result<Box<dyn FileSource>, String> {
        let counts = parameters.get("counts").and_then(Value::as_object);
        let counts = counts.ok_or("counts is missing")?.iter().map(|(name, count)| {
            let count = count.as_u64().ok_or_else(|| format!("{name} is {count}"))?;
            Ok((name.clone(), count))
        });
        Ok(Box::new(Counted(counts.collect::<std::result::Result<_, String>>()?)))
    }
}

/// The numbers of documents of a manifest, whose workload file may be elsewhere.
struct Counted(Vec<(String, u64)>);

impl FileSource for Counted {
    fn benchmark(&self) -> &'static str {
        NAME
    }

    fn data_version(&self) -> u32 {
        DATA_VERSION
    }

    fn parameters(&self) -> Map<String, Value> {
        Map::new()
    }

    fn collections(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn count(&self, at: usize) -> u64 {
        self.0[at].1
    }

    // Nobody makes documents of it: a manifest is only held against its numbers.

    fn append_range(&self, _: usize, _: Range<u64>, _: &[u8], _: &mut Buffer) {}

    fn write(&self, _: usize, _: u64, _: AnyWriter<'_, '_>) {}

    fn flat(&self) -> &'static Flat {
        &Flat { qualified: false, spread: &[], tables: &[] }
    }
}
