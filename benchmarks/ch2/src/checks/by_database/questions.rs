//! What a database is asked, and in which words: `queries/conditions/<dialect>/<name>.sql`, the
//! same for CH2 and CH2++, whose fields that the conditions compare are the same.

use hoap_database::{Answer, Row};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

/// What a question adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Warehouse,
    District,
    Orders,
    Neworder,
    History,
    Customer,
    Stock,
    /// The lines of orders entered since the load.
    Lines,
}

/// A question, whose answer has a row a district or a warehouse.
pub(super) struct Question {
    pub what: What,
    /// The name of its file.
    pub name: &'static str,
    /// Of the answer, after those of [`Question::place`] and [`COMMON`].
    columns: &'static [&'static str],
    /// And then: how many documents are so, each followed by the key of one of them.
    told: &'static [&'static str],
    /// Of the text.
    pub parameters: &'static [&'static str],
}

/// The columns of every answer: all documents, those with a field of the wrong type, one of these.
const COMMON: [&str; 3] = ["documents", "wrong", "first_wrong"];

type Names = &'static [&'static str];

const fn ask(
    (what, name): (What, &'static str),
    columns: Names,
    told: Names,
    parameters: Names,
) -> Question {
    Question { what, name, columns, told, parameters }
}

/// In the order in which they are asked: [`What::Customer`] and [`What::Lines`] take for granted
/// what [`What::Orders`] and [`What::History`] found out.
pub(super) static ALL: [Question; 8] = [
    ask((What::Warehouse, "warehouse"), &["ytd"], &[], &[]),
    ask((What::District, "district"), &["ytd", "next_o_id"], &[], &[]),
    ask(
        (What::Orders, "orders"),
        &["last", "ol_cnt", "lines", "undelivered"],
        &["five", "six", "seven", "strangers"],
        &["customers"],
    ),
    ask((What::Neworder, "neworder"), &["oldest", "newest"], &["strangers"], &[]),
    ask((What::History, "history"), &["paid"], &["strangers"], &["warehouses", "customers"]),
    ask(
        (What::Customer, "customer"),
        &["numbers", "deliveries"],
        &["ten", "twelve", "unpaid", "undelivered", "strangers"],
        &["delivered", "customers"],
    ),
    ask((What::Stock, "stock"), &["ytd", "orders", "remote"], &["strangers"], &["items"]),
    ask((What::Lines, "lines"), &["quantity", "remote"], &[], &["orders", "warehouses"]),
];

/// The texts of a dialect, in the order of [`ALL`].
pub(super) type Texts = [&'static str; 8];

macro_rules! texts {
    ($dialect:literal) => {
        texts!(
            @ $dialect:
            "warehouse" "district" "orders" "neworder" "history" "customer" "stock" "lines"
        )
    };
    (@ $dialect:literal: $($name:literal)*) => {
        ($dialect, [$(include_str!(concat!(
            "../../../queries/conditions/", $dialect, "/", $name, ".sql"
        ))),*])
    };
}

/// The dialects that have them.
static DIALECTS: &[(&str, Texts)] = &[texts!("sqlite"), texts!("postgres")];

/// The texts of a dialect.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where there are none.
pub(super) fn texts(dialect: &str) -> Result<&'static Texts> {
    let found = DIALECTS.iter().find(|(name, _)| *name == dialect);
    found.map(|(_, texts)| texts).ok_or_else(|| {
        let known: Vec<_> = DIALECTS.iter().map(|(name, _)| *name).collect();
        let answer = format!("there are none; known are {}", known.join(", "));
        let tried = format!("find the queries of the conditions for {dialect}");
        Error::new(ErrorKind::Invalid, tried, answer).advise(ADVICE)
    })
}

/// What else there is.
pub(super) const ADVICE: &str = "--check full reads the documents and adds up here";

/// A row of an answer, by the names of its columns.
pub(super) struct Line<'a> {
    question: &'static Question,
    columns: &'a [String],
    row: &'a Row,
}

impl Question {
    /// The rows of its answer.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where the columns are others.
    pub fn lines<'a>(&'static self, answer: &'a Answer) -> Result<Vec<Line<'a>>> {
        let Answer { columns, rows } = answer;
        let known = self.place().iter().chain(&COMMON).chain(self.columns);
        let told = self.told.iter().flat_map(|name| [(*name).to_owned(), format!("first_{name}")]);
        let wanted: Vec<String> = known.map(|name| (*name).to_owned()).chain(told).collect();
        if *columns != wanted {
            let (there, wanted) = (columns.join(", "), wanted.join(", "));
            return Err(self.broken(format!("columns {there} came back, not {wanted}")));
        }
        Ok(rows.iter().map(|row| Line { question: self, columns, row }).collect())
    }

    /// The columns of the place that a row is of.
    pub fn place(&self) -> &'static [&'static str] {
        match self.what {
            What::Warehouse | What::Stock | What::Lines => &["w"],
            _ => &["w", "d"],
        }
    }

    /// An answer that is none.
    pub fn broken(&self, answer: String) -> Error {
        let tried = format!("have the database add up {}", self.name);
        Error::new(ErrorKind::Broken, tried, answer)
    }
}

impl Line<'_> {
    fn value(&self, column: &str) -> &Value {
        let at = self.columns.iter().position(|name| name == column);
        at.and_then(|at| self.row.get(at)).unwrap_or(&Value::Null)
    }

    /// An integer.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where there is none.
    pub fn integer(&self, column: &str) -> Result<i64> {
        let value = self.value(column);
        value.as_i64().ok_or_else(|| {
            self.question.broken(format!("{column} is {value} where an integer must be"))
        })
    }

    /// A number of documents.
    ///
    /// # Errors
    /// Those of [`Line::integer`].
    pub fn count(&self, column: &str) -> Result<u64> {
        let n = self.integer(column)?;
        let negative = |_| self.question.broken(format!("{column} is {n}"));
        u64::try_from(n).map_err(negative)
    }

    /// How many documents a column counts, and the key of one of them.
    ///
    /// # Errors
    /// Those of [`Line::integer`].
    pub fn some(&self, column: &str) -> Result<(u64, &str)> {
        let first = self.value(&format!("first_{column}"));
        Ok((self.count(column)?, first.as_str().unwrap_or("?")))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    /// Each file of the folders is asked, and each question is a file.
    #[test]
    fn the_texts_are_those_of_the_folders() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries/conditions");
        let dialects = std::fs::read_dir(&folder).unwrap().count();
        assert_eq!(dialects, DIALECTS.len());
        for (dialect, texts) in DIALECTS {
            let folder = folder.join(dialect);
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), ALL.len(), "{dialect}");
            for (question, text) in ALL.iter().zip(texts) {
                let file = folder.join(format!("{}.sql", question.name));
                assert_eq!(std::fs::read_to_string(&file).unwrap(), *text, "{}", file.display());
            }
        }
    }

    #[test]
    fn another_dialect_has_none_and_the_error_says_what_else_there_is() {
        assert_eq!(
            texts("cobol").unwrap_err().to_string(),
            "find the queries of the conditions for cobol: there are none; known are sqlite, \
             postgres; --check full reads the documents and adds up here"
        );
    }

    /// What is no integer, or lacks, is an error and no zero.
    #[test]
    fn an_answer_of_another_shape_is_an_error() {
        let [.., stock, taken] = &ALL;
        let columns = ["w", "documents", "wrong", "first_wrong", "quantity", "remote"];
        let columns = columns.map(str::to_owned).to_vec();
        let row = vec![json!(1), json!(-1), json!(null), json!(null), json!("7"), json!(1.5)];
        let answer = Answer { columns, rows: vec![row] };
        let lines = taken.lines(&answer).unwrap();
        assert_eq!(lines[0].integer("w").unwrap(), 1);
        assert!(lines[0].count("documents").is_err());
        for column in ["wrong", "quantity", "remote"] {
            let error = lines[0].integer(column).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Broken);
            assert!(error.to_string().contains(&format!("add up lines: {column} is ")), "{error}");
        }
        let error = stock.lines(&answer).err().unwrap();
        assert!(error.to_string().contains("columns w, documents, wrong"), "{error}");
    }
}
