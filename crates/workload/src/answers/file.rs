//! The file of an answer, for people and other tools.

use std::path::Path;

use hoap_database::{Answer, Row};
use hoap_record::input;
use hoap_record::output::{self, Kind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::query::{Column, Direction, Kind as Compared, Limit, Query, SortKey};
use crate::{Error, ErrorKind, Result};

/// The most bytes of a file.
const MOST: u64 = 256 << 20;

/// How an [`AnswerFile`] begins.
pub const ANSWER: Kind = Kind {
    name: "an answer",
    begins: |head| head.starts_with("{\n\"query\": ") && head.contains("\n\"benchmark\": "),
};

/// The answer to one question on one database: `answers/qNN.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerFile {
    /// Number of the query, from 1.
    pub query: u8,
    /// The benchmark that asked.
    pub benchmark: String,
    /// What it asked, if other programs cannot know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
    /// URL of the database, without secrets.
    pub target: String,
    /// Parameters by name, in the order of the catalogue.
    pub parameters: Map<String, Value>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows as the database returned them.
    pub rows: Vec<Row>,
    /// How long the query took, seconds.
    pub seconds: f64,
}

/// What was asked, as far as answers are compared by it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The query's name.
    pub name: String,
    /// How the values of each column are compared.
    pub kinds: Vec<Compared>,
    /// The columns that its rows are ordered by, by their places, and which values come first.
    pub order: Vec<(usize, Direction)>,
}

/// Refuses a text that is not read, and so not written either.
fn readable(text: &[u8]) -> std::result::Result<(), String> {
    match text.len() as u64 <= MOST {
        true => input::values(text, input::MOST_VALUES),
        false => Err(format!("it has more than {MOST} bytes")),
    }
}

impl AnswerFile {
    /// The answer of a database to a query that took this many `seconds`.
    pub fn new(
        (benchmark, target): (&str, &str),
        (query, parameters): (&Query, &[(String, Value)]),
        answer: Answer,
        seconds: f64,
    ) -> AnswerFile {
        AnswerFile {
            query: query.number,
            benchmark: benchmark.into(),
            asked: None,
            target: target.into(),
            parameters: parameters.iter().cloned().collect(),
            columns: answer.columns,
            rows: answer.rows,
            seconds,
        }
    }

    /// The same with what was asked.
    pub fn telling(self, query: &Query) -> AnswerFile {
        let order = query.order.iter().map(|key| (key.column, key.direction)).collect();
        let kinds = query.columns.iter().map(|column| column.kind).collect();
        let asked = Asked { name: query.name.into(), kinds, order };
        AnswerFile { asked: Some(asked), ..self }
    }

    /// The query that it says it answers.
    ///
    /// # Errors
    /// Says what is wrong with that.
    pub(super) fn told(&self) -> std::result::Result<Option<Query>, String> {
        let Some(Asked { name, kinds, order }) = &self.asked else { return Ok(None) };
        if kinds.len() != self.columns.len() {
            return Err(format!("it has {} kinds of columns", kinds.len()));
        }
        if order.iter().any(|(column, _)| *column >= kinds.len()) {
            return Err("it is ordered by a column that it has not".into());
        }
        // They are kept until the program ends, which reads few.
        let text = |text: &str| -> &'static str { text.to_owned().leak() };
        let columns = self.columns.iter().zip(kinds);
        let columns: Vec<Column> =
            columns.map(|(name, kind)| Column { name: text(name), kind: *kind }).collect();
        let order = order
            .iter()
            .map(|(column, direction)| SortKey { column: *column, direction: *direction });
        Ok(Some(Query {
            number: self.query,
            name: text(name),
            asks: "",
            parameters: &[],
            columns: columns.leak(),
            order: order.collect::<Vec<_>>().leak(),
            limit: Limit::None,
        }))
    }

    /// The file's name, of the query of this number: `q01.json` …
    pub fn name(query: u8) -> String {
        format!("q{query:02}.json")
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where it cannot be read or is not an answer.
    pub fn read(path: &Path) -> Result<AnswerFile> {
        let tried = || format!("read answer {}", path.display());
        let invalid = |e: &dyn std::fmt::Display| Error::new(ErrorKind::Invalid, tried(), e);
        let text = input::bytes(path, MOST).map_err(|e| invalid(&e))?;
        AnswerFile::parse(&text).map_err(|e| invalid(&e))
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Says why it is no answer.
    pub fn parse(text: &[u8]) -> std::result::Result<AnswerFile, String> {
        readable(text)?;
        serde_json::from_slice(text).map_err(|e| e.to_string())
    }

    /// Writes the file, a row a line.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written, and [`ErrorKind::Invalid`]
    /// where another file is there.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = self.text();
        if let Err(e) = readable(text.as_bytes()) {
            let tried = format!("write answer {}", path.display());
            return Err(Error::new(ErrorKind::Invalid, tried, e));
        }
        output::write(path, &ANSWER, &text)
    }

    /// The answer, for a comparison.
    pub fn answer(self) -> Answer {
        Answer { columns: self.columns, rows: self.rows }
    }

    /// JSON with a line for each member and each row, so that `diff` shows differences by row.
    fn text(&self) -> String {
        let mut text = format!(
            "{{\n\"query\": {},\n\"benchmark\": {},\n{}\"target\": {},\n\"parameters\": {},\n\
             \"columns\": {},\n\"rows\": [",
            self.query,
            Value::from(self.benchmark.as_str()),
            self.asked
                .as_ref()
                .map_or(String::new(), |asked| format!("\"asked\": {},\n", json!(asked))),
            Value::from(self.target.as_str()),
            Value::Object(self.parameters.clone()),
            Value::from(self.columns.clone()),
        );
        for (i, row) in self.rows.iter().enumerate() {
            text.push_str(if i == 0 { "\n" } else { ",\n" });
            text.push_str(&Value::from(row.clone()).to_string());
        }
        // JSON has no NaN and no infinity and gets null; no clock returns one.
        text.push_str(&format!("\n],\n\"seconds\": {}\n}}\n", Value::from(self.seconds)));
        text
    }
}
