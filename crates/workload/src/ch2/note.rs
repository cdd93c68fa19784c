//! What a loaded database says of itself: the small document that the load writes beside the data.

use hoap_data::{DATA_VERSION, DataSet, Schema, Spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::capability::{Documents, Target};
use crate::error::{Error, ErrorKind, Result};

/// The note of CH2 and CH2++.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// What the data is.
    pub data: DataNote,
    /// How far the load has come.
    pub load: LoadNote,
    /// Runs of transactions that began since the load. After the first the data is not what was
    /// loaded, and answers cannot be held against stored ones.
    pub runs: u64,
}

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
    /// As `--extra-fields` takes it.
    pub extra_fields: String,
    #[allow(missing_docs)]
    pub scale_down: u32,
}

/// How far the load has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadNote {
    /// Number of parts the load is divided into.
    pub of: u64,
    /// Parts that began.
    pub begun: Vec<u64>,
    /// Parts that wrote all their documents.
    pub done: Vec<u64>,
    /// Whether all parts are done, indexed and durable.
    pub settled: bool,
    /// Documents written by the parts that are done.
    pub documents: u64,
    /// Bytes of JSON text written by the parts that are done.
    pub bytes: u64,
    /// Seconds that the parts took, one after the other, and the settling.
    pub seconds: f64,
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

    /// The data set that the note describes.
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

    /// The first parameter in which two data sets differ: name, this one's value, the other's.
    pub fn difference(&self, other: &DataNote) -> Option<(&'static str, String, String)> {
        let of = |note: &DataNote| {
            [
                ("data version", note.version.to_string()),
                ("schema", note.schema.clone()),
                ("warehouses", note.warehouses.to_string()),
                ("seed", note.seed.to_string()),
                ("run date", note.run_date.clone()),
                ("extra fields", note.extra_fields.clone()),
                ("scale-down", note.scale_down.to_string()),
            ]
        };
        let pairs = of(self).into_iter().zip(of(other));
        pairs.filter(|(a, b)| a.1 != b.1).map(|(a, b)| (a.0, a.1, b.1)).next()
    }

    fn unusable(&self, answer: String) -> Error {
        Error::new(ErrorKind::Unavailable, format!("use the {} data", self.schema), answer)
    }
}

/// Reads the note. `None` where the database holds none.
pub async fn read(documents: &dyn Documents) -> Result<Option<Note>> {
    match documents.note().await? {
        None => Ok(None),
        Some(value) => parse(value).map(Some),
    }
}

/// Reads the note of a database that must hold the whole data of this schema.
pub async fn expect_loaded(target: &dyn Target, schema: Schema) -> Result<(Note, DataSet)> {
    let documents = target.documents()?;
    let tried = format!("use the {} data of {}", schema.name(), target.description().url);
    let missing = |answer: String, advice: String| {
        Err(Error::new(ErrorKind::Unavailable, tried.clone(), answer).advise(advice))
    };
    let load = format!("`hoap load {} …`", schema.name());
    let Some(note) = read(documents).await? else {
        return missing("the database holds none".into(), format!("run {load} first"));
    };
    if note.data.schema != schema.name() {
        let answer = format!("the database holds {}", note.data.schema);
        return missing(answer, "name that benchmark, or another database".into());
    }
    if !note.load.settled {
        let LoadNote { of, done, .. } = &note.load;
        let answer = format!("it is half-loaded ({} of {of} parts done)", done.len());
        return missing(answer, format!("finish it with {load} and --resume"));
    }
    let data = note.data.data_set()?;
    Ok((note, data))
}

/// Counts a run of transactions that is about to begin.
pub async fn begin_run(documents: &dyn Documents) -> Result<Note> {
    update(documents, |note| {
        note.runs += 1;
        Ok(())
    })
    .await
}

/// Changes the note by compare-and-set, so that no change of another process is lost.
pub async fn update(
    documents: &dyn Documents,
    mut change: impl FnMut(&mut Note) -> Result<()>,
) -> Result<Note> {
    loop {
        let Some(current) = documents.note().await? else {
            return Err(Error::new(
                ErrorKind::Unavailable,
                "change the database's note",
                "somebody removed it meanwhile",
            ));
        };
        let mut note = parse(current.clone())?;
        change(&mut note)?;
        if documents.set_note(Some(&current), &write(&note)).await? {
            return Ok(note);
        }
    }
}

/// The note as JSON.
pub fn write(note: &Note) -> Value {
    serde_json::to_value(note).expect("a note has only string keys")
}

fn parse(value: Value) -> Result<Note> {
    serde_json::from_value(value).map_err(|e| {
        Error::new(
            ErrorKind::Unavailable,
            "read the database's note",
            format!("it is not one of CH2 or CH2++ ({e})"),
        )
        .advise("name another database, or replace it with `hoap load --replace`")
    })
}
