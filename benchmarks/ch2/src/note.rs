//! The parameters of CH2 and CH2++ data in a database's note.

use hoap_database::Database;
use hoap_workload::note::{self, Note};
use hoap_workload::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::{DATA_VERSION, DataSet, Schema, Spec};

/// The parameters of the data, which together with the data version decide every byte (spec §1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataNote {
    /// [`DATA_VERSION`] of the generator.
    pub version: u32,
    /// "ch2" or "ch2pp".
    pub schema: String,
    #[allow(missing_docs)]
    pub warehouses: u32,
    #[allow(missing_docs)]
    pub seed: u64,
    /// YYYY-MM-DD.
    pub run_date: String,
    /// In the form of `--extra-fields`.
    pub extra_fields: String,
    #[allow(missing_docs)]
    pub scale_down: u32,
}

impl DataNote {
    /// The note of a data set.
    pub fn of(spec: &Spec) -> Self {
        DataNote {
            version: DATA_VERSION,
            schema: spec.schema.name().into(),
            warehouses: spec.warehouses,
            seed: spec.seed,
            run_date: spec.run_date.to_string(),
            extra_fields: spec.extra_fields.to_string(),
            scale_down: spec.scale_down,
        }
    }

    /// The data part of a note.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it is no note of CH2 data.
    pub fn read(data: &Value) -> Result<Self> {
        serde_json::from_value(data.clone()).map_err(|e| {
            let answer = format!("its note is damaged: {e}");
            Error::new(ErrorKind::Unavailable, "use the CH2 or CH2++ data", answer)
        })
    }

    /// The data set that the note describes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where this program cannot make it.
    pub fn data_set(&self) -> Result<DataSet> {
        if self.version != DATA_VERSION {
            return Err(self
                .unusable(format!(
                    "it holds data version {}, this program makes version {DATA_VERSION}",
                    self.version
                ))
                .advise(
                    "load it anew with `hoap load --replace`, or use the hoap that loaded it",
                ));
        }
        let wrong = |e: &dyn std::fmt::Display| self.unusable(format!("its note is damaged: {e}"));
        let spec = Spec {
            schema: self.schema.parse().map_err(|e| wrong(&e))?,
            warehouses: self.warehouses,
            seed: self.seed,
            run_date: self.run_date.parse().map_err(|e| wrong(&e))?,
            extra_fields: self.extra_fields.parse().map_err(|e| wrong(&e))?,
            scale_down: self.scale_down,
        };
        DataSet::new(spec).map_err(|e| wrong(&e))
    }

    fn unusable(&self, answer: String) -> Error {
        Error::new(ErrorKind::Unavailable, format!("use the {} data", self.schema), answer)
    }
}

/// Reads the note of a database that must hold all the data of this schema.
///
/// # Errors
/// Returns [`ErrorKind::Missing`] where the database holds no data, and [`ErrorKind::Unavailable`]
/// where it holds other data or not all.
pub async fn expect_loaded(target: &Database, schema: Schema) -> Result<(Note, DataSet)> {
    let note = note::expect_loaded(target, schema.name()).await?;
    let data = DataNote::read(&note.data)?.data_set()?;
    Ok((note, data))
}
