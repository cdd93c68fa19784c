//! Operations and queries.

use super::collection::texts;
use super::draw::{Draw, draws};
use super::keys::{Entry, Read, Value};
use super::model::Name;
use super::name;
use super::operand::{Operand, operand};
use super::step::{Step, step};
use super::wrong::Wrong;

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
    /// The columns of its answer, with their kinds.
    pub columns: Vec<Name>,
    /// The columns by which its rows are ordered.
    pub order: Option<Name>,
    /// Its texts by dialect.
    pub texts: Vec<(Name, String)>,
    /// The path of its files, if it has some.
    pub file: Option<Name>,
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

/// A query by its name.
pub fn query(Entry { key, key_at, value }: Entry<'_>) -> Read<Query> {
    let name = title_of(key, key_at, "a query")?;
    let mut keys = value.keys("a query")?;
    keys.take("about").map(Value::text).transpose()?;
    let draws = draws(&mut keys)?;
    let params = match keys.take("params") {
        None => Vec::new(),
        Some(value) => named_operands(value)?,
    };
    let columns = keys.need("columns")?.list()?.into_iter().map(column).collect::<Read<_>>()?;
    let order =
        keys.take("order").map(|value| Ok(Name { text: value.text()?.to_owned(), at: value.at }));
    let order = order.transpose()?;
    keys.take("expect");
    let texts = keys.take("text").map_or(Ok(Vec::new()), texts)?;
    let file =
        keys.take("file").map(|value| Ok(Name { text: value.text()?.to_owned(), at: value.at }));
    let file = file.transpose()?;
    keys.end()?;
    match texts.is_empty() && file.is_none() {
        false => Ok(Query { name, draws, params, columns, order, texts, file }),
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

/// A column of an answer: its name, and behind a colon what it holds.
fn column(value: Value<'_>) -> Read<Name> {
    let text = value.text()?;
    match text.split_once(':') {
        Some((_, kind)) if !["money", "ratio"].contains(&kind) => {
            Err(value.wrong(format!("{kind:?} is no kind of column; there are money and ratio")))
        }
        _ => Ok(Name { text: text.to_owned(), at: value.at }),
    }
}
