//! The answers on record: the answer of each query on named data sets.
//!
//! The complete answers would take megabytes. The record has a digest of the rows that the query
//! decides, which suffices to tell a right answer from a wrong one. Ratios are kept as numbers,
//! because their last bits depend on the engine.
//!
//! The record was made from SQLite's answers, after an independent implementation that evaluates
//! the definitions on the generator's documents, without a database, had returned the same answers.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hoap_database::Answer;
use hoap_workload::answers::canonical::{Canonical, Cell, close, show};
use hoap_workload::answers::{Kind, Query};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::data::{DATA_VERSION, Spec};
use crate::queries::parameters::{ParameterSet, Parameters};

/// The parameters of a data set that decide its answers. Extra fields are not among them: no query
/// reads them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSetName {
    /// "ch2" or "ch2pp".
    pub benchmark: String,
    /// Version of the generated data.
    pub data_version: u32,
    /// Number of warehouses.
    pub warehouses: u32,
    /// Seed of the data.
    pub seed: u64,
    /// The day before which all data lies, `YYYY-MM-DD`.
    pub run_date: String,
    /// Divisor of items, customers and stock.
    pub scale_down: u32,
}

impl DataSetName {
    /// The name of a data set of this program.
    pub fn new(spec: &Spec) -> DataSetName {
        DataSetName {
            benchmark: spec.schema.name().into(),
            data_version: DATA_VERSION,
            warehouses: spec.warehouses,
            seed: spec.seed,
            run_date: spec.run_date.to_string(),
            scale_down: spec.scale_down,
        }
    }
}

/// The answers of a data set with one set of parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredAnswers {
    /// The data set.
    pub data: DataSetName,
    /// "ref" or "check".
    pub parameters: String,
    /// By the number of the query.
    pub answers: BTreeMap<u8, StoredAnswer>,
}

/// The record of one answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredAnswer {
    /// The parameters of the query.
    pub parameters: Map<String, Value>,
    /// Number of rows.
    pub rows: usize,
    /// SHA-256 over the rows above the tie at a limit: sorted, one JSON array a line, money in
    /// cents, `"ratio"` in the place of a ratio.
    pub digest: String,
    /// The rows that tie at a limit, if it cut the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie: Option<Tie>,
    /// The ratios of each row in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratios: Vec<Vec<f64>>,
}

/// The rows that tie with the last one at a limit; an engine may return any of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tie {
    /// Their sort key, money in cents.
    pub key: Vec<Value>,
    /// The number of them in the answer.
    pub rows: usize,
}

impl StoredAnswer {
    fn new(query: &Query, parameters: &Parameters, answer: &Canonical) -> StoredAnswer {
        let mut digest = Sha256::new();
        let mut ratios = Vec::new();
        for row in &answer.decided {
            let exact = row.iter().map(|cell| match cell {
                Cell::Ratio(_) => Value::from("ratio"),
                other => other.value(),
            });
            digest.update(Value::from(exact.collect::<Vec<_>>()).to_string());
            digest.update(b"\n");
            ratios.push(row.iter().filter_map(Cell::ratio).collect());
        }
        if query.columns.iter().all(|c| c.kind != Kind::Ratio) {
            ratios.clear();
        }
        let digest = digest.finalize();
        StoredAnswer {
            parameters: parameters.iter().cloned().collect(),
            rows: answer.rows(),
            digest: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            tie: answer
                .tie
                .as_ref()
                .map(|key| Tie { key: key.iter().map(Cell::value).collect(), rows: answer.tied }),
            ratios,
        }
    }

    /// The difference of another answer, if any.
    fn difference(&self, found: &StoredAnswer, answer: &Canonical) -> Option<String> {
        if self.rows != found.rows {
            let rows = counted(self.rows, "row", "rows");
            return Some(format!("{rows} on record, {} found", found.rows));
        }
        if self.tie != found.tie {
            let tie = |tie: &Option<Tie>| match tie {
                Some(tie) => {
                    let rows = counted(tie.rows, "row", "rows");
                    format!("{rows} of {}", Value::from(tie.key.clone()))
                }
                None => "none".into(),
            };
            let (on_record, found) = (tie(&self.tie), tie(&found.tie));
            return Some(format!("at the limit {on_record} on record, {found} found"));
        }
        if self.digest != found.digest {
            let start = |digest: &str| digest.chars().take(12).collect::<String>();
            return Some(format!(
                "among {} at least one is wrong (digest {}… instead of {}…)",
                counted(self.rows, "row", "rows"),
                start(&found.digest),
                start(&self.digest)
            ));
        }
        let same = |a: &[f64], b: &[f64]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(*a, *b))
        };
        let wrong = self.ratios.iter().zip(&found.ratios).position(|(a, b)| !same(a, b))?;
        Some(format!(
            "ratios {:?} are on record, the row found is {}",
            self.ratios[wrong],
            show(&answer.decided[wrong])
        ))
    }
}

impl StoredAnswers {
    /// Makes the record of answers, for a file in JSON.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where an answer has the wrong shape.
    pub fn make<'a>(
        spec: &Spec,
        set: ParameterSet,
        answers: impl IntoIterator<Item = (&'static Query, &'a Answer)>,
    ) -> Result<StoredAnswers> {
        let mut stored = BTreeMap::new();
        for (query, answer) in answers {
            let parameters = set.parameters(spec, query);
            let canonical = Canonical::new(spec.schema.name(), query, answer)?;
            stored.insert(query.number, StoredAnswer::new(query, &parameters, &canonical));
        }
        Ok(StoredAnswers {
            data: DataSetName::new(spec),
            parameters: set.name().into(),
            answers: stored,
        })
    }

    /// Checks that an answer equals the one on record.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where it differs: the message names the query and the
    /// difference. [`ErrorKind::Invalid`] where there is no record for the query with these
    /// parameters.
    pub fn check(&self, query: &Query, parameters: &Parameters, answer: &Answer) -> Result<()> {
        let error = |kind, what: String| {
            Err(Error::new(kind, format!("check the answer of {}", query.name), what))
        };
        let asked: Map<String, Value> = parameters.iter().cloned().collect();
        let on_record = match self.answers.get(&query.number) {
            Some(on_record) if on_record.parameters == asked => on_record,
            Some(_) => return error(ErrorKind::Invalid, "it was asked something else".into()),
            None => return error(ErrorKind::Invalid, "there is none on record".into()),
        };
        let answer = Canonical::new(&self.data.benchmark, query, answer)?;
        match on_record.difference(&StoredAnswer::new(query, parameters, &answer), &answer) {
            Some(difference) => error(ErrorKind::Broken, difference),
            None => Ok(()),
        }
    }

    /// The record as the text of its file: one line for each query.
    pub fn text(&self) -> String {
        let mut text = String::from("{\n");
        let json = |value: serde_json::Result<Value>| value.unwrap_or_default().to_string();
        text.push_str(&format!("\"data\": {},\n", json(serde_json::to_value(&self.data))));
        text.push_str(&format!("\"parameters\": {},\n", Value::from(self.parameters.as_str())));
        text.push_str("\"answers\": {");
        for (i, (number, answer)) in self.answers.iter().enumerate() {
            text.push_str(if i == 0 { "\n" } else { ",\n" });
            text.push_str(&format!("\"{number}\": {}", json(serde_json::to_value(answer))));
        }
        text.push_str("\n}\n}\n");
        text
    }

    /// Name of its file below `benchmarks/ch2/answers/`.
    pub fn file_name(&self) -> String {
        let DataSetName { benchmark, warehouses, seed, scale_down, .. } = &self.data;
        format!("{benchmark}-w{warehouses}-seed{seed}-down{scale_down}-{}.json", self.parameters)
    }
}

/// The files with these names.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../answers/", $name)))),*]
    };
}

/// The files of `benchmarks/ch2/answers/`: name and text.
static FILES: &[(&str, &str)] = &files![
    "ch2-w1-seed1-down1-ref.json",
    "ch2-w1-seed1-down1-check.json",
    "ch2-w1-seed1-down20-ref.json",
    "ch2-w1-seed1-down20-check.json",
    "ch2-w1-seed1-down100-ref.json",
    "ch2-w1-seed1-down100-check.json",
    "ch2pp-w1-seed1-down1-ref.json",
    "ch2pp-w1-seed1-down1-check.json",
    "ch2pp-w1-seed1-down20-ref.json",
    "ch2pp-w1-seed1-down20-check.json",
    "ch2pp-w1-seed1-down100-ref.json",
    "ch2pp-w1-seed1-down100-check.json",
];

/// The record of a data set with a set of parameters, if there is one.
pub fn stored(spec: &Spec, set: ParameterSet) -> Option<&'static StoredAnswers> {
    static ALL: OnceLock<Vec<StoredAnswers>> = OnceLock::new();
    let name = DataSetName::new(spec);
    ALL.get_or_init(|| {
        // A test reads every file, so this skips none.
        FILES.iter().filter_map(|(_, text)| serde_json::from_str(text).ok()).collect()
    })
    .iter()
    .find(|stored| stored.data == name && stored.parameters == set.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Schema;
    use crate::queries::catalogue::QUERIES;

    #[test]
    fn every_file_of_the_folder_is_part_of_the_program_and_reads() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("answers");
        let on_disk = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name());
        let mut on_disk: Vec<_> = on_disk.map(|name| name.into_string().unwrap()).collect();
        let mut ours: Vec<_> = FILES.iter().map(|(name, _)| *name).collect();
        on_disk.sort();
        ours.sort();
        assert_eq!(on_disk, ours);
        for (name, text) in FILES {
            let record: StoredAnswers = serde_json::from_str(text).unwrap();
            assert_eq!(record.file_name(), *name);
        }
    }

    /// Specification section 6: for named data sets, with Ref and with `check`.
    #[test]
    fn both_benchmarks_are_on_record_as_published_and_scaled_down() {
        for schema in [Schema::Ch2, Schema::Ch2pp] {
            for scale_down in [1, 20, 100] {
                let spec = Spec { scale_down, ..Spec::new(schema, 1) };
                for set in [ParameterSet::Reference, ParameterSet::Check] {
                    let record = stored(&spec, set).expect("on record");
                    assert_eq!(record.data.data_version, DATA_VERSION);
                    for query in &QUERIES {
                        let asked: Map<_, _> = set.parameters(&spec, query).into_iter().collect();
                        assert_eq!(record.answers[&query.number].parameters, asked);
                    }
                }
            }
        }
    }

    /// Specification section 6: `check` is chosen so that no answer is empty at W = 1.
    #[test]
    fn no_answer_to_the_check_parameters_is_empty() {
        for schema in [Schema::Ch2, Schema::Ch2pp] {
            let record = stored(&Spec::new(schema, 1), ParameterSet::Check).unwrap();
            assert_eq!(record.answers.len(), QUERIES.len());
            for (number, answer) in &record.answers {
                assert!(answer.rows > 0, "Q{number}");
            }
        }
    }

    #[test]
    fn other_data_and_random_parameters_are_not_on_record() {
        let spec = Spec::new(Schema::Ch2, 1);
        let random = ParameterSet::Random { seed: 1, stream: 0, turn: 0 };
        assert_eq!(stored(&spec, random), None);
        for other in [
            Spec { warehouses: 2, ..spec },
            Spec { seed: 2, ..spec },
            Spec { scale_down: 50, ..spec },
            Spec { run_date: spec.run_date.add_days(1), ..spec },
        ] {
            assert_eq!(stored(&other, ParameterSet::Reference), None);
        }
    }

    #[test]
    fn extra_fields_do_not_matter() {
        let with = |extra: &str| {
            let spec = Spec { extra_fields: extra.parse().unwrap(), ..Spec::new(Schema::Ch2pp, 1) };
            stored(&spec, ParameterSet::Check).expect("on record")
        };
        assert_eq!(with("0"), with("128"));
    }
}
