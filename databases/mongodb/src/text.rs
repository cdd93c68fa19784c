//! Query texts: an aggregation pipeline as JSON, with the collection that it begins at, the columns
//! of its answer, and parameters.
//!
//! `{"comment": "Q1: …", "collection": "orders", "columns": ["n", …], "pipeline": [{"$match": …},
//! …]}`; a parameter is an object `{"$param": "name"}` in the place of a value. Within an
//! expression it is in a `$literal`, so that no value is taken for the path of a field.

use hoap_database::names;
use mongodb::bson::{Bson, Document};
use serde_json::{Map, Value};

use super::layout::RESERVED;
use super::value;

/// The member that marks a parameter.
const PARAMETER: &str = "$param";

/// A query with its values.
#[derive(Debug, PartialEq)]
pub(super) struct Query {
    pub collection: String,
    pub columns: Vec<String>,
    pub pipeline: Vec<Document>,
}

/// Reads a text and substitutes its parameters.
///
/// # Errors
/// What is wrong with the text, or with the values for it.
pub(super) fn read(text: &str, parameters: &[(String, Value)]) -> Result<Query, String> {
    let whole: Value = serde_json::from_str(text)
        .map_err(|e| format!("syntax error: the text is no query, which is a JSON object: {e}"))?;
    let Value::Object(mut fields) = whole else {
        return Err("the text is no query, which is a JSON object".to_owned());
    };
    let mut used = vec![false; parameters.len()];
    let mut take = |name: &str| {
        fields.shift_remove(name).ok_or_else(|| format!("the text is no query: it has no `{name}`"))
    };
    let collection = match take("collection")? {
        Value::String(name) => name,
        other => return Err(format!("the text is no query: its collection is {other}")),
    };
    names::collection(&collection, RESERVED, usize::MAX).map_err(|e| e.into_parts().answer)?;
    let columns: Vec<String> = serde_json::from_value(take("columns")?)
        .map_err(|e| format!("the text is no query: columns: {e}"))?;
    let Value::Array(stages) = take("pipeline")? else {
        return Err("the text is no query: its pipeline is no array".to_owned());
    };
    if let Some(name) = fields.keys().find(|name| *name != "comment") {
        return Err(format!("the text is no query: it has a field `{name}`"));
    }
    let mut pipeline = Vec::with_capacity(stages.len());
    for stage in &stages {
        match bson(stage, parameters, &mut used)? {
            Bson::Document(stage) if stage.len() == 1 => pipeline.push(stage),
            _ => return Err(format!("the text is no query: {stage} is no stage")),
        }
    }
    if let Some(stage) =
        pipeline.iter().find(|s| s.contains_key("$out") || s.contains_key("$merge"))
    {
        return Err(format!("the text is no query: {stage} writes"));
    }
    match used.iter().position(|used| !used) {
        Some(at) => Err(format!("the text has no parameter ${}", parameters[at].0)),
        None => Ok(Query { collection, columns, pipeline }),
    }
}

fn bson(from: &Value, parameters: &[(String, Value)], used: &mut [bool]) -> Result<Bson, String> {
    match from {
        Value::Array(values) => {
            let values: Result<_, _> = values.iter().map(|v| bson(v, parameters, used)).collect();
            Ok(Bson::Array(values?))
        }
        Value::Object(fields) => match fields.get(PARAMETER) {
            Some(name) => {
                let at = position(fields, name, parameters)?;
                used[at] = true;
                value::bson(&parameters[at].1)
            }
            None => {
                let mut document = Document::new();
                for (name, inner) in fields {
                    document.insert(name, bson(inner, parameters, used)?);
                }
                Ok(Bson::Document(document))
            }
        },
        other => value::bson(other),
    }
}

/// Where the value of a parameter is.
fn position(
    fields: &Map<String, Value>,
    name: &Value,
    parameters: &[(String, Value)],
) -> Result<usize, String> {
    let (Some(name), 1) = (name.as_str(), fields.len()) else {
        return Err(format!("a parameter is not written {{\"{PARAMETER}\": \"name\"}}"));
    };
    parameters
        .iter()
        .position(|(given, _)| given == name)
        .ok_or_else(|| format!("parameter ${name} has no value"))
}

#[cfg(test)]
mod tests {
    use mongodb::bson::doc;
    use serde_json::json;

    use super::*;

    fn text(pipeline: Value) -> String {
        json!({"collection": "orders", "columns": ["a"], "pipeline": pipeline}).to_string()
    }

    fn given(values: Value) -> Vec<(String, Value)> {
        values.as_object().unwrap().clone().into_iter().collect()
    }

    #[test]
    fn parameters_get_values_of_their_types() {
        let pipeline = json!([
            {"$match": {"a": {"$gt": {"$param": "x"}}, "b": {"$in": [1, {"$param": "y"}]}}},
            {"$project": {"_id": 0, "a": {"$literal": {"$param": "x"}}, "n": {"$param": "n"}}}
        ]);
        let query = read(&text(pipeline), &given(json!({"x": "$a", "y": 0.5, "n": null}))).unwrap();
        let expected = [
            doc! {"$match": {"a": {"$gt": "$a"}, "b": {"$in": [1, 0.5]}}},
            doc! {"$project": {"_id": 0, "a": {"$literal": "$a"}, "n": null}},
        ];
        assert_eq!(query.pipeline, expected);
        assert_eq!((query.collection.as_str(), query.columns), ("orders", vec!["a".to_owned()]));
    }

    #[test]
    fn what_is_no_query_says_why() {
        let one = || text(json!([{"$match": {"a": {"$param": "x"}}}]));
        for (text, values, word) in [
            (String::new(), json!({}), "no query"),
            ("SELECT 1".to_owned(), json!({}), "syntax error"),
            ("[]".to_owned(), json!({}), "no query"),
            ("{}".to_owned(), json!({}), "no `collection`"),
            (text(json!([{"$out": "x"}])), json!({}), "writes"),
            (text(json!([{"$merge": {"into": "x"}}])), json!({}), "writes"),
            (text(json!([{}])), json!({}), "no stage"),
            (text(json!([1])), json!({}), "no stage"),
            (text(json!({})), json!({}), "no array"),
            (one(), json!({}), "$x has no value"),
            (one(), json!({"x": 1, "y": 2}), "no parameter $y"),
            (text(json!([{"$match": {"a": {"$param": 1}}}])), json!({}), "not written"),
            (one().replace("orders", "hoap_note"), json!({"x": 1}), "hoap_"),
            (one().replacen('{', "{\"database\": \"x\", ", 1), json!({"x": 1}), "`database`"),
        ] {
            let e = read(&text, &given(values)).unwrap_err();
            assert!(e.contains(word), "{text}: {e}");
        }
    }
}
