//! A query of the 22 on what was read.

use hoap_database::Answer;
use serde_json::Value;

use super::model::Loaded;
use super::parameters::Parameters;
use super::queries;

/// An answer as defined, before its `LIMIT` cuts it.
pub struct Complete {
    /// All rows in the order of the `ORDER BY`; ties in an order of our own.
    pub answer: Answer,
    /// How many of them the query returns.
    pub limit: Option<usize>,
}

/// The answer to a query: its columns and at most as many rows as its `LIMIT` says.
///
/// # Errors
/// No such query; parameters other than the query's; values that are not of their kind.
pub fn answer(data: &Loaded, query: u8, given: &[(String, Value)]) -> Result<Answer, String> {
    let Complete { mut answer, limit } = complete(data, query, given)?;
    answer.rows.truncate(limit.unwrap_or(usize::MAX));
    Ok(answer)
}

/// The answer to a query before its `LIMIT`, so that a row tied with the last one can be told from
/// a wrong one.
///
/// # Errors
/// As [`answer`].
pub fn complete(data: &Loaded, query: u8, given: &[(String, Value)]) -> Result<Complete, String> {
    let definition = usize::from(query)
        .checked_sub(1)
        .and_then(|i| queries::DEFINITIONS.get(i))
        .ok_or_else(|| format!("query {query}: there are 22, from 1"))?;
    let names: Vec<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
    if names != definition.parameters {
        let wanted = definition.parameters;
        return Err(format!("query {query}: parameters {names:?}, but it has {wanted:?}"));
    }
    let rows = (definition.rows)(data, &Parameters::new(query, given))?;
    let columns: Vec<String> = definition.columns.iter().map(|c| (*c).to_owned()).collect();
    if let Some(row) = rows.iter().find(|row| row.len() != columns.len()) {
        return Err(format!("query {query}: columns {columns:?}, but a row is {row:?}"));
    }
    let limit = (definition.limit)(data.schema);
    Ok(Complete { answer: Answer { columns, rows }, limit })
}
