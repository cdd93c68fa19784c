//! Operations and queries.

use std::io::ErrorKind;

use hoap_workload::answers::{Direction, Kind, SortKey};

use super::collection::texts;
use super::draw::{Draw, draws};
use super::field::Reader;
use super::keys::{Entry, Read, Value};
use super::model::Name;
use super::name;
use super::operand::{Operand, operand};
use super::step::{Expect, Step, expect, step};
use super::wrong::{Wrong, instead};

/// The dialects that databases answer queries in.
pub const DIALECTS: [&str; 5] = ["sqlite", "duckdb", "postgres", "mongodb", "sqlpp"];

/// An operation.
#[derive(Debug)]
pub struct Operation {
    /// Its name.
    pub name: Name,
    /// Its share of the mix.
    pub weight: f64,
    /// Whether its steps are a transaction.
    pub atomic: bool,
    /// The documents that it draws.
    pub draws: Vec<Draw>,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A query.
#[derive(Debug)]
pub struct Query {
    /// Its name.
    pub name: Name,
    /// The documents that its parameters are of.
    pub draws: Vec<Draw>,
    /// Its parameters.
    pub params: Vec<(Name, Operand)>,
    /// What it asks, in words.
    pub about: Option<String>,
    /// The columns of its answer, with their kinds.
    pub columns: Vec<(String, Kind)>,
    /// The columns by which its rows are ordered.
    pub order: Vec<SortKey>,
    /// How many rows its answer has.
    pub expect: Option<Expect>,
    /// Its texts: each of a dialect, where the file has it, and what it says.
    pub texts: Vec<(Name, String)>,
}

/// An operation of the list.
pub fn operation(value: Value<'_>) -> Read<Operation> {
    let mut keys = value.keys("an operation")?;
    let title = keys.need("name")?;
    let name = title_of(title.text()?, title.at, "an operation")?;
    let weight = match keys.take("weight") {
        None => 1.0,
        Some(value) => match value.number()? {
            weight if weight >= 0.0 => weight,
            _ => return Err(value.wrong("a weight is not negative")),
        },
    };
    let atomic = keys.take("atomic").map_or(Ok(true), Value::boolean)?;
    let draws = draws(&mut keys)?;
    let steps = match keys.take("steps") {
        Some(steps) => {
            let each = |value: Value<'_>| {
                let mut keys = value.keys("a step")?;
                let step = step(&mut keys)?;
                keys.end()?;
                Ok(step)
            };
            steps.list()?.into_iter().map(each).collect::<Read<Vec<Step>>>()?
        }
        None => vec![step(&mut keys)?],
    };
    keys.end()?;
    match steps.is_empty() {
        false => Ok(Operation { name, weight, atomic, draws, steps }),
        true => Err(value.wrong("an operation has a step at least")),
    }
}

fn title_of(text: &str, at: usize, what: &str) -> Read<Name> {
    match name::is_title(text) {
        true => Ok(Name { text: text.to_owned(), at }),
        false => {
            let rule = "letters, digits, _ and -";
            Err(Wrong::new(at, format!("{text:?} cannot name {what}: a name is of {rule}")))
        }
    }
}

/// A query by its name. Its files are beside the workload file.
pub fn query(Entry { key, key_at, value }: Entry<'_>, reader: Reader<'_>) -> Read<Query> {
    let name = title_of(key, key_at, "a query")?;
    let mut keys = value.keys("a query")?;
    let about = keys.take("about").map(Value::text).transpose()?.map(str::to_owned);
    let draws = draws(&mut keys)?;
    let params = match keys.take("params") {
        None => Vec::new(),
        Some(value) => named_operands(value)?,
    };
    let columns = keys.need("columns")?;
    let columns: Vec<(String, Kind)> =
        columns.list()?.into_iter().map(column).collect::<Read<_>>()?;
    let order = keys.take("order").map_or(Ok(Vec::new()), |value| order(value, &columns))?;
    let expect = keys.take("expect").map(expect).transpose()?;
    let mut texts = keys.take("text").map_or(Ok(Vec::new()), texts)?;
    if let Some((unknown, _)) = texts.iter().find(|of| !DIALECTS.contains(&of.0.text.as_str())) {
        let instead = instead(&unknown.text, DIALECTS);
        return Err(Wrong::new(unknown.at, format!("`{}` is no dialect{instead}", unknown.text)));
    }
    if let Some(value) = keys.take("file") {
        texts.extend(files(value, reader)?);
    }
    keys.end()?;
    match texts.is_empty() {
        false => Ok(Query { name, draws, params, about, columns, order, expect, texts }),
        true => Err(Wrong::new(
            key_at,
            format!("{key} has no text: text.sqlite = \"SELECT …\", or `file`"),
        )),
    }
}

/// Operands by names of the user's.
fn named_operands(value: Value<'_>) -> Read<Vec<(Name, Operand)>> {
    let one = |Entry { key, key_at, value }: Entry<'_>| {
        Ok((Name { text: key.to_owned(), at: key_at }, operand(value)?))
    };
    value.entries()?.into_iter().map(one).collect()
}

/// The texts of files, one for each dialect that has one, whose path has the dialect's name in the
/// place of `{dialect}`.
fn files(value: Value<'_>, reader: Reader<'_>) -> Read<Vec<(Name, String)>> {
    let path = value.text()?;
    let mut texts = Vec::new();
    let mut first = None;
    for dialect in DIALECTS {
        let file = path.replace("{dialect}", dialect);
        match reader.beside(&file) {
            Ok(text) => texts.push((Name { text: dialect.to_owned(), at: value.at }, text)),
            // A query need not have a text in every dialect.
            Err(e) if e.kind() == ErrorKind::NotFound => {
                first.get_or_insert(format!("read {file}: {e}"));
            }
            Err(e) => return Err(value.wrong(format!("read {file}: {e}"))),
        }
    }
    match first {
        Some(why) if texts.is_empty() => Err(value.wrong(why)),
        _ => Ok(texts),
    }
}

/// A column of an answer: its name, and behind a colon what it holds.
fn column(value: Value<'_>) -> Read<(String, Kind)> {
    let text = value.text()?;
    let (name, kind) = text.split_once(':').unwrap_or((text, ""));
    let kind = match kind {
        "" => Kind::Exact,
        "money" => Kind::Cents,
        "ratio" => Kind::Ratio,
        kind => {
            let answer = format!("{kind:?} is no kind of column; there are money and ratio");
            return Err(value.wrong(answer));
        }
    };
    Ok((name.to_owned(), kind))
}

/// Columns by which rows are ordered, with commas between; behind a minus descending.
fn order(value: Value<'_>, columns: &[(String, Kind)]) -> Read<Vec<SortKey>> {
    let key = |text: &str| {
        let (name, direction) = match text.trim().strip_prefix('-') {
            Some(name) => (name, Direction::Descending),
            None => (text.trim(), Direction::Ascending),
        };
        match columns.iter().position(|(column, _)| column == name) {
            Some(column) if columns[column].1 == Kind::Ratio => {
                Err(value.wrong(format!("{name} is a ratio, which orders no rows")))
            }
            Some(column) => Ok(SortKey { column, direction }),
            None => {
                let instead = instead(name, columns.iter().map(|(column, _)| column.as_str()));
                Err(value.wrong(format!("{name} is no column{instead}")))
            }
        }
    };
    value.text()?.split(',').map(key).collect()
}
