//! The records as the source of a load.

use std::ops::Range;

use hoap_database::Index;
use hoap_database::key_value::Table;
use hoap_workload::load::{Joined, LoadSource};
use hoap_workload::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::data::{Compressibility, DATA_VERSION, FieldLength, RecordSpec, Records};

/// A named table of records.
#[derive(Clone, Debug, PartialEq)]
pub struct UserTable {
    /// The records.
    pub records: Records,
    name: String,
}

impl UserTable {
    /// The table of this name with the records of a specification.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where the records are impossible.
    pub fn new(name: &str, spec: RecordSpec) -> Result<Self> {
        let records = Records::new(spec).map_err(|e| {
            Error::new(ErrorKind::Invalid, format!("make the records of {name}"), e)
        })?;
        Ok(UserTable { records, name: name.to_owned() })
    }

    /// The table in the note of a load ([`LoadSource::parameters`]).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where this program cannot make it.
    pub fn from_parameters(parameters: &Value) -> Result<Self> {
        let refuse = |answer: String| {
            Error::new(ErrorKind::Unavailable, "use the ycsb data of the database", answer)
                .advise("load it again with `hoap load ycsb --replace`")
        };
        let note = TableNote::deserialize(parameters)
            .map_err(|e| refuse(format!("its note is not one of this program ({e})")))?;
        if note.version != DATA_VERSION {
            return Err(refuse(format!(
                "it holds data version {}, this program makes version {DATA_VERSION}",
                note.version
            )));
        }
        let unfit = |e: hoap_data::SpecError| refuse(e.to_string());
        let length = match note.field_length_distribution.as_str() {
            "constant" => FieldLength::Constant(note.field_length),
            "uniform" => {
                FieldLength::Uniform { min: note.min_field_length, max: note.field_length }
            }
            "zipfian" => {
                FieldLength::Zipfian { min: note.min_field_length, max: note.field_length }
            }
            other => return Err(refuse(format!("its field lengths are {other}"))),
        };
        let spec = RecordSpec {
            seed: note.seed,
            start: note.start,
            count: note.records,
            fields: note.fields,
            length,
            compressibility: match &note.compressibility {
                Some(share) => share.parse().map_err(unfit)?,
                None => Compressibility::default(),
            },
            order: note.order.parse().map_err(unfit)?,
            zero_padding: note.zero_padding,
            prefix: note.field_prefix.parse().map_err(unfit)?,
        };
        UserTable::new(&note.table, spec)
    }

    /// The collection's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The table for a session.
    pub fn table(&self) -> Table {
        let fields = (0..self.records.spec().fields).map(|f| self.records.field_name(f)).collect();
        Table { name: self.name.clone(), fields }
    }
}

/// The parameters that decide every byte of the table.
#[derive(Serialize, Deserialize)]
struct TableNote {
    version: u32,
    table: String,
    seed: u64,
    start: u64,
    records: u64,
    fields: u16,
    field_length_distribution: String,
    min_field_length: u32,
    field_length: u32,
    /// Absent where values are YCSB's.
    #[serde(skip_serializing_if = "Option::is_none")]
    compressibility: Option<String>,
    order: String,
    zero_padding: u16,
    field_prefix: String,
}

impl LoadSource for UserTable {
    fn benchmark(&self) -> &'static str {
        "ycsb"
    }

    fn parameters(&self) -> Value {
        let spec = self.records.spec();
        let (min_field_length, field_length) = spec.length.bounds();
        let distribution = match spec.length {
            FieldLength::Constant(_) => "constant",
            FieldLength::Uniform { .. } => "uniform",
            FieldLength::Zipfian { .. } => "zipfian",
        };
        json!(TableNote {
            version: DATA_VERSION,
            table: self.name.clone(),
            seed: spec.seed,
            start: spec.start,
            records: spec.count,
            fields: spec.fields,
            field_length_distribution: distribution.into(),
            min_field_length,
            field_length,
            compressibility: spec.compressibility.share().map(|share| share.to_string()),
            order: spec.order.name().into(),
            zero_padding: spec.zero_padding,
            field_prefix: spec.prefix.as_str().into(),
        })
    }

    fn joins(&self, there: &Value) -> Option<Joined> {
        let there = UserTable::from_parameters(there).ok()?;
        let (own, other) = (*self.records.spec(), *there.records.spec());
        let alike = RecordSpec { start: own.start, count: own.count, ..other };
        if self.name != there.name || alike != own {
            return None;
        }
        let (own, other) = (self.records.numbers(), there.records.numbers());
        if other.start <= own.start && own.end <= other.end {
            return Some(Joined::Within);
        }
        // Another number of records from the same one on is another table.
        if own.start == other.start {
            return None;
        }
        if own.start != other.end && other.start != own.end {
            return Some(Joined::Apart);
        }
        let (start, end) = (own.start.min(other.start), own.end.max(other.end));
        let all = RecordSpec { start, count: end - start, ..alike };
        Some(Joined::Together(UserTable::new(&self.name, all).ok()?.parameters()))
    }

    fn collections(&self) -> Vec<&str> {
        vec![&self.name]
    }

    fn part(&self, _: usize, part: u64, of: u64) -> Range<u64> {
        self.records.part(part, of)
    }

    fn append(&self, _: usize, index: u64, key: &mut String, text: &mut Vec<u8>) {
        self.records.append_key(self.records.key(index), key);
        self.records.append(index, text);
    }

    fn indexes(&self) -> Vec<Index> {
        Vec::new()
    }
}
