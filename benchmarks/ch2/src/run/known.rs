//! What is known of a run that is over: the texts of its queries, and their answers.

use std::path::PathBuf;

use hoap_conduct::offer::KnownAnswers;
use hoap_databases::dialect;
use hoap_record::Run;
use hoap_workload::answers::AnswerFile;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::answers::{StoredAnswers, stored};
use crate::data::{Schema, Spec};
use crate::note::DataNote;
use crate::queries::catalogue::{QUERIES, query};
use crate::queries::texts::file_name;
use crate::queries::{ParameterSet, QuerySet, Texts};

/// The texts that this version of the program has, or those of `--queries-dir` as they are now.
pub(super) fn texts(run: &Run) -> Result<Vec<(String, String)>> {
    let schema = run.benchmark.parse::<Schema>().ok();
    let set = run.query_set.as_ref().and_then(|name| name.parse::<QuerySet>().ok());
    let database = run.analytical.as_ref().or(run.operational.as_ref());
    let (Some(database), Some(schema), Some(set)) = (database, schema, set) else {
        return Ok(Vec::new());
    };
    if run.hoap != env!("CARGO_PKG_VERSION") {
        return Ok(Vec::new());
    }
    let dialect = dialect(&database.url)?;
    let texts = match own_texts(run) {
        None => Texts::embedded(schema, dialect, set)?,
        Some(folder) => {
            let ran = |number: &u8| {
                let kind = format!("Q{number:02}");
                run.steps.iter().any(|step| step.queries.iter().any(|query| query.kind == kind))
            };
            let wanted: Vec<u8> = (1..=22).filter(ran).collect();
            Texts::from_dir(&PathBuf::from(folder), (schema, dialect), set, &wanted)?
        }
    };
    let named =
        QUERIES.iter().map(|query| (file_name(query, dialect), texts.get(query).to_owned()));
    Ok(named.filter(|(_, text)| !text.is_empty()).collect())
}

/// The folder of its `--queries-dir`.
fn own_texts(run: &Run) -> Option<&str> {
    run.configuration.get("queries-dir").and_then(Value::as_str)
}

/// Answers on record, with the data set and the parameters that they are of.
struct OnRecord {
    spec: Spec,
    set: ParameterSet,
    stored: &'static StoredAnswers,
}

/// Those for a run: texts of its own may ask something else.
pub(super) fn answers(run: &Run) -> Option<Box<dyn KnownAnswers>> {
    let set = run.configuration.get("params")?.as_str()?.parse::<ParameterSet>().ok()?;
    let data = DataNote::read(&run.data).and_then(|note| note.data_set()).ok()?;
    let spec = *data.spec();
    let stored = stored(&spec, set).filter(|_| own_texts(run).is_none())?;
    Some(Box::new(OnRecord { spec, set, stored }))
}

impl KnownAnswers for OnRecord {
    fn rows(&self, query: &str) -> Option<u64> {
        let query = QUERIES.iter().find(|of| of.name == query)?;
        Some(self.stored.answers.get(&query.number)?.rows as u64)
    }

    fn check(&self, answer: &AnswerFile) -> Result<()> {
        let refuse = |what: String| {
            let tried = format!("check the answer of query {}", answer.query);
            Err(Error::new(ErrorKind::Broken, tried, what))
        };
        let Some(query) = query(answer.query) else { return refuse("there is none".into()) };
        let parameters = self.set.parameters(&self.spec, query);
        let asked = self.stored.answers.get(&answer.query).map(|of| &of.parameters);
        if asked != Some(&answer.parameters) {
            return refuse(format!("{} was asked with other parameters", query.name));
        }
        self.stored.check(query, &parameters, &answer.clone().answer())
    }
}
