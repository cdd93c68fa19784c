//! Every stage and operator of the query texts: that the manual has it, since a version that all
//! supported servers have, and that its arguments are what it takes. No server runs for this; the
//! imitation that runs the texts elsewhere is more lenient than MongoDB.
//!
//! The table is from the manual's pages of the stages, of the query predicates and of the
//! aggregation operators: <https://www.mongodb.com/docs/manual/reference/operator/>.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

/// The oldest server that the texts are for.
const OLDEST: (u32, u32) = (4, 4);

/// Where an operator stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Stage,
    /// In a `$match`, in the place of a field.
    Query,
    /// In a `$match`, of a field.
    Predicate,
    Expression,
    /// In a `$group`.
    Accumulator,
}

/// What an operator takes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Takes {
    /// As many expressions, in an array; one may stand alone.
    Expressions(usize, usize),
    /// Expressions by these names, those that are marked may be missing.
    Named(&'static [(&'static str, bool)]),
    /// An array of three or if, then, else.
    Condition,
    /// input, as, and an expression by this name.
    Each(&'static str),
    /// Any value, which is not looked into.
    Anything,
    /// Queries.
    Queries,
    /// An expression.
    One,
    /// A scalar or a parameter.
    Scalar,
    /// An array of them.
    Scalars,
    /// A pattern.
    Pattern,
    /// A whole number.
    Count,
    /// What [`Reader::stage`] knows.
    Own,
}

use Place::*;
use Takes::*;

/// Where it stands, its name, the version that brought it, what it takes.
type Line = (Place, &'static str, (u32, u32), Takes);

const MANY: usize = usize::MAX;

const TABLE: &[Line] = &[
    (Stage, "$addFields", (3, 4), Own),
    (Stage, "$count", (3, 4), Own),
    (Stage, "$facet", (3, 4), Own),
    (Stage, "$group", (2, 2), Own),
    (Stage, "$limit", (2, 2), Own),
    (Stage, "$lookup", (3, 2), Own),
    (Stage, "$match", (2, 2), Own),
    (Stage, "$project", (2, 2), Own),
    (Stage, "$sort", (2, 2), Own),
    (Stage, "$unwind", (2, 2), Own),
    (Query, "$expr", (3, 6), One),
    (Query, "$nor", (2, 0), Queries),
    (Query, "$or", (2, 0), Queries),
    (Predicate, "$gt", (2, 0), Scalar),
    (Predicate, "$gte", (2, 0), Scalar),
    (Predicate, "$in", (2, 0), Scalars),
    (Predicate, "$lt", (2, 0), Scalar),
    (Predicate, "$lte", (2, 0), Scalar),
    (Predicate, "$ne", (2, 0), Scalar),
    (Predicate, "$regex", (2, 0), Pattern),
    (Predicate, "$size", (2, 0), Count),
    (Expression, "$add", (2, 2), Expressions(1, MANY)),
    (Expression, "$and", (2, 2), Expressions(1, MANY)),
    (Expression, "$arrayElemAt", (3, 2), Expressions(2, 2)),
    (Expression, "$concat", (2, 4), Expressions(1, MANY)),
    (Expression, "$concatArrays", (3, 2), Expressions(1, MANY)),
    (Expression, "$cond", (2, 2), Condition),
    (
        Expression,
        "$dateToString",
        (3, 0),
        Named(&[("date", true), ("format", false), ("timezone", false), ("onNull", false)]),
    ),
    (Expression, "$divide", (2, 2), Expressions(2, 2)),
    (Expression, "$eq", (2, 2), Expressions(2, 2)),
    (Expression, "$filter", (3, 2), Each("cond")),
    (Expression, "$floor", (3, 2), Expressions(1, 1)),
    (Expression, "$gt", (2, 2), Expressions(2, 2)),
    (Expression, "$gte", (2, 2), Expressions(2, 2)),
    (Expression, "$in", (3, 4), Expressions(2, 2)),
    (Expression, "$indexOfCP", (3, 4), Expressions(2, 4)),
    (Expression, "$literal", (2, 4), Anything),
    (Expression, "$lt", (2, 2), Expressions(2, 2)),
    (Expression, "$lte", (2, 2), Expressions(2, 2)),
    (Expression, "$map", (2, 6), Each("in")),
    (Expression, "$max", (3, 2), Expressions(1, MANY)),
    (Expression, "$mod", (2, 2), Expressions(2, 2)),
    (Expression, "$multiply", (2, 2), Expressions(1, MANY)),
    (Expression, "$setDifference", (2, 6), Expressions(2, 2)),
    (Expression, "$size", (2, 6), Expressions(1, 1)),
    (Expression, "$strLenCP", (3, 4), Expressions(1, 1)),
    (Expression, "$substrCP", (3, 4), Expressions(3, 3)),
    (Expression, "$subtract", (2, 2), Expressions(2, 2)),
    (Expression, "$sum", (3, 2), Expressions(1, MANY)),
    (Expression, "$toDate", (4, 0), Expressions(1, 1)),
    (Expression, "$toInt", (4, 0), Expressions(1, 1)),
    (Expression, "$toString", (4, 0), Expressions(1, 1)),
    (Accumulator, "$addToSet", (2, 2), One),
    (Accumulator, "$avg", (2, 2), One),
    (Accumulator, "$max", (2, 2), One),
    (Accumulator, "$min", (2, 2), One),
    (Accumulator, "$push", (2, 2), One),
    (Accumulator, "$sum", (2, 2), One),
];

type Checked = Result<(), String>;

/// What a text uses, and which names stand for variables where it is.
#[derive(Default)]
struct Reader {
    used: BTreeSet<(Place, &'static str)>,
    variables: Vec<String>,
}

fn no<T>(what: &str, value: &Value) -> Result<T, String> {
    Err(format!("{what}: {value}"))
}

fn object<'a>(value: &'a Value, what: &str) -> Result<&'a Map<String, Value>, String> {
    value.as_object().map_or_else(|| no(what, value), Ok)
}

/// The name and the value of an object of one member.
fn single<'a>(value: &'a Value, what: &str) -> Result<(&'a str, &'a Value), String> {
    let members = object(value, what)?;
    match members.iter().next().filter(|_| members.len() == 1) {
        Some((name, value)) => Ok((name, value)),
        None => no(what, value),
    }
}

fn is_parameter(value: &Value) -> bool {
    single(value, "").is_ok_and(|(name, of)| name == "$param" && of.is_string())
}

/// A path of names; none of them begins with a dollar or is empty.
fn path(text: &str) -> Checked {
    let good = |name: &str| !name.is_empty() && !name.starts_with('$') && !name.contains('\0');
    if text.split('.').all(good) { Ok(()) } else { Err(format!("{text} is no path")) }
}

/// The path after a dollar.
fn field(value: &Value) -> Checked {
    match value.as_str().and_then(|text| text.strip_prefix('$')) {
        Some(name) => path(name),
        None => no("no $path", value),
    }
}

impl Reader {
    /// The line of an operator, which is used now.
    fn find(&mut self, place: Place, name: &str) -> Result<Takes, String> {
        let line = TABLE.iter().find(|(at, known, ..)| *at == place && *known == name);
        let (_, known, since, takes) =
            line.ok_or_else(|| format!("{name} as {place:?}: unknown"))?;
        if *since > OLDEST {
            return Err(format!("{name} is of {since:?}"));
        }
        self.used.insert((place, known));
        Ok(*takes)
    }

    fn pipeline(&mut self, stages: &Value, facet: bool) -> Checked {
        let Some(all) = stages.as_array() else { return no("no pipeline", stages) };
        all.iter().enumerate().try_for_each(|(n, stage)| {
            let (name, value) = single(stage, "a stage has one name")?;
            if facet && name == "$facet" {
                return Err("a $facet in a $facet".to_owned());
            }
            let done = self.stage(name, value);
            done.map_err(|e| format!("stage {} ({name}): {e}", n + 1))
        })
    }

    fn stage(&mut self, name: &str, value: &Value) -> Checked {
        self.find(Stage, name)?;
        match name {
            "$addFields" => {
                let fields = object(value, "no fields")?;
                if fields.is_empty() {
                    return no("no field", value);
                }
                fields.iter().try_for_each(|(name, value)| {
                    path(name)?;
                    self.expression(value)
                })
            }
            "$count" => match value.as_str() {
                Some(name) if !name.is_empty() && !name.starts_with('$') && !name.contains('.') => {
                    Ok(())
                }
                _ => no("no name of a field", value),
            },
            "$facet" => object(value, "no pipelines")?.iter().try_for_each(|(name, stages)| {
                // The name of a facet is that of a field, and no path.
                if name.contains('.') { Err(name.clone()) } else { path(name) }?;
                self.pipeline(stages, true)
            }),
            "$group" => self.group(object(value, "no groups")?),
            "$limit" => match value.as_i64() {
                Some(1..) => Ok(()),
                _ if is_parameter(value) => Ok(()),
                _ => no("no number above 0", value),
            },
            "$lookup" => self.lookup(object(value, "no lookup")?),
            "$match" => self.query(value),
            "$project" => self.project(object(value, "no fields")?),
            "$sort" => {
                let keys = object(value, "no keys")?;
                let order = |value: &Value| matches!(value.as_i64(), Some(1 | -1));
                // The manual's limit of the keys of a sort.
                if keys.is_empty() || keys.len() > 32 || !keys.values().all(order) {
                    return no("1 or -1 for each key", value);
                }
                keys.keys().try_for_each(|name| path(name))
            }
            "$unwind" => match value {
                Value::Object(named) => {
                    let known = ["path", "includeArrayIndex", "preserveNullAndEmptyArrays"];
                    if named.keys().any(|name| !known.contains(&name.as_str())) {
                        return no("path, includeArrayIndex, preserveNullAndEmptyArrays", value);
                    }
                    field(&value["path"])
                }
                _ => field(value),
            },
            _ => Err("not read here".to_owned()),
        }
    }

    fn group(&mut self, fields: &Map<String, Value>) -> Checked {
        let id = fields.get("_id").ok_or("it has no _id")?;
        self.expression(id)?;
        fields.iter().filter(|(name, _)| *name != "_id").try_for_each(|(name, value)| {
            if name.contains('.') {
                return Err(format!("the field {name} has a dot"));
            }
            let (operator, value) = single(value, "one accumulator for each field")?;
            self.find(Accumulator, operator)?;
            if value.is_array() {
                return no("an accumulator takes one expression", value);
            }
            self.expression(value)
        })
    }

    /// By a field of each side, or (3.6) by a pipeline with variables; both at once came with 5.0.
    fn lookup(&mut self, parts: &Map<String, Value>) -> Checked {
        let names: BTreeSet<&str> = parts.keys().map(String::as_str).collect();
        let text = |name: &str| {
            parts.get(name).and_then(Value::as_str).ok_or_else(|| format!("{name} is no text"))
        };
        path(text("from")?)?;
        path(text("as")?)?;
        if names == BTreeSet::from(["from", "localField", "foreignField", "as"]) {
            path(text("localField")?)?;
            return path(text("foreignField")?);
        }
        if !names.is_subset(&BTreeSet::from(["from", "let", "pipeline", "as"])) {
            return Err(format!("{names:?} together are of 5.0"));
        }
        let outer = self.variables.len();
        for (name, value) in parts.get("let").and_then(Value::as_object).into_iter().flatten() {
            self.expression(value)?;
            if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
                return Err(format!("a variable begins with a small letter: {name}"));
            }
            self.variables.push(name.clone());
        }
        let done = self.pipeline(parts.get("pipeline").unwrap_or(&Value::Null), false);
        self.variables.truncate(outer);
        done
    }

    /// What is kept or made; leaving fields out as well is for `_id` alone.
    fn project(&mut self, fields: &Map<String, Value>) -> Checked {
        let out = |value: &Value| value == &json!(0) || value == &json!(false);
        let leaves = fields.iter().filter(|(name, value)| *name != "_id" && out(value)).count();
        let makes = fields.iter().filter(|(_, value)| !out(value)).count();
        if fields.is_empty() || (leaves > 0 && makes > 0) {
            return Err("fields are kept or left out, not both".to_owned());
        }
        fields.iter().try_for_each(|(name, value)| {
            path(name)?;
            match value {
                Value::Number(_) | Value::Bool(_) => Ok(()),
                value => self.expression(value),
            }
        })
    }

    fn query(&mut self, value: &Value) -> Checked {
        object(value, "no query")?.iter().try_for_each(|(name, value)| {
            if !name.starts_with('$') {
                path(name)?;
                return self.predicate(value);
            }
            match self.find(Query, name)? {
                Queries => match value.as_array().filter(|all| !all.is_empty()) {
                    Some(all) => all.iter().try_for_each(|one| self.query(one)),
                    None => no("no queries", value),
                },
                _ => self.expression(value),
            }
        })
    }

    fn predicate(&mut self, value: &Value) -> Checked {
        let scalar =
            |value: &Value| !(value.is_array() || value.is_object()) || is_parameter(value);
        let Some(operators) = value.as_object().filter(|_| !is_parameter(value)) else {
            return if scalar(value) { Ok(()) } else { no("no scalar", value) };
        };
        operators.iter().try_for_each(|(name, value)| {
            let good = match self.find(Predicate, name)? {
                Scalar => scalar(value),
                Scalars => value.as_array().is_some_and(|all| all.iter().all(scalar)),
                Pattern => value.is_string() || is_parameter(value),
                Count => value.is_u64(),
                _ => false,
            };
            if good { Ok(()) } else { no(name, value) }
        })
    }

    fn expression(&mut self, value: &Value) -> Checked {
        match value {
            Value::String(text) => match text.strip_prefix("$$") {
                Some(variable) => {
                    let (name, rest) = variable.split_once('.').unwrap_or((variable, "x"));
                    path(rest)?;
                    let known = ["ROOT", "CURRENT", "NOW", "REMOVE"].contains(&name);
                    let bound = self.variables.iter().any(|bound| bound == name);
                    if known || bound { Ok(()) } else { Err(format!("no variable {text}")) }
                }
                None if text.starts_with('$') => field(value),
                None => Ok(()),
            },
            Value::Array(all) => all.iter().try_for_each(|one| self.expression(one)),
            Value::Object(members) => match members.keys().find(|name| name.starts_with('$')) {
                None => members.values().try_for_each(|one| self.expression(one)),
                Some(_) => {
                    let (name, of) = single(value, "an operator stands alone")?;
                    if name == "$param" {
                        return no("a parameter of an expression is in a $literal", value);
                    }
                    let takes = self.find(Expression, name)?;
                    self.arguments(takes, of).map_err(|e| format!("{name}: {e}"))
                }
            },
            _ => Ok(()),
        }
    }

    fn arguments(&mut self, takes: Takes, value: &Value) -> Checked {
        match takes {
            Expressions(least, most) => {
                let count = value.as_array().map_or(1, Vec::len);
                if !(least..=most).contains(&count) {
                    return no("another number of arguments", value);
                }
                self.expression(value)
            }
            Named(names) => {
                let given = object(value, "no named arguments")?;
                let missing = names.iter().find(|(name, must)| *must && !given.contains_key(*name));
                let known = |name: &String| names.iter().any(|(known, _)| known == name);
                if missing.is_some() || !given.keys().all(known) {
                    return no("other names", value);
                }
                given.values().try_for_each(|one| self.expression(one))
            }
            Condition => match value.as_array() {
                Some(_) => self.arguments(Expressions(3, 3), value),
                None => {
                    self.arguments(Named(&[("if", true), ("then", true), ("else", true)]), value)
                }
            },
            Each(what) => {
                let given = object(value, "no named arguments")?;
                let names: BTreeSet<&str> = given.keys().map(String::as_str).collect();
                if names != BTreeSet::from(["input", "as", what]) {
                    return no(&format!("input, as, {what}"), value);
                }
                self.expression(&value["input"])?;
                let name = value["as"].as_str().ok_or("as is no name")?;
                self.variables.push(name.to_owned());
                let done = self.expression(&value[what]);
                self.variables.pop();
                done
            }
            Anything => Ok(()),
            _ => no("not read here", value),
        }
    }
}

/// The fields that the last stage which makes documents anew leaves, where one does.
fn made(stages: &[Value]) -> Option<Vec<String>> {
    let last = stages.iter().rev().find_map(|stage| {
        let (name, value) = single(stage, "").ok()?;
        ["$project", "$group"].contains(&name).then_some(value)
    })?;
    let kept = last.as_object()?.iter().filter(|(_, value)| **value != json!(0));
    Some(kept.map(|(name, _)| name.clone()).collect())
}

fn check(text: &Value, reader: &mut Reader) -> Checked {
    reader.pipeline(&text["pipeline"], false)?;
    let stages = text["pipeline"].as_array().ok_or("no pipeline")?;
    let made = made(stages).ok_or("no stage makes the columns")?;
    let columns = text["columns"].as_array().ok_or("no columns")?;
    match columns.iter().find(|column| !made.iter().any(|name| *column == name)) {
        None => Ok(()),
        Some(column) => Err(format!("no stage makes the column {column}")),
    }
}

/// Every text, with the name of its file.
fn texts() -> Vec<(PathBuf, Value)> {
    let queries = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/ch2/queries");
    let mut texts = Vec::new();
    for folder in ["ch2/mongodb", "ch2/mongodb/tuned", "ch2pp/mongodb", "ch2pp/mongodb/tuned"] {
        for entry in std::fs::read_dir(queries.join(folder)).unwrap() {
            let file = entry.unwrap().path();
            if file.extension().is_some_and(|e| e == "json") {
                let text = std::fs::read(&file).unwrap();
                texts.push((file, serde_json::from_slice(&text).unwrap()));
            }
        }
    }
    texts
}

#[test]
fn every_pipeline_is_of_the_manual_and_every_line_of_the_table_is_used() {
    let mut reader = Reader::default();
    let texts = texts();
    assert!(texts.len() >= 44, "{} texts", texts.len());
    let wrong: Vec<String> = texts
        .iter()
        .filter_map(|(file, text)| {
            check(text, &mut reader).err().map(|why| format!("{}: {why}", file.display()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unused: Vec<_> =
        TABLE.iter().filter(|(at, name, ..)| !reader.used.contains(&(*at, *name))).collect();
    assert!(unused.is_empty(), "{unused:#?}");
}

/// What a server refuses, or would understand in another way, is found.
#[test]
fn what_is_not_of_the_manual_is_found() {
    let all = [
        (json!({"$nothing": 1}), "unknown"),
        (json!({"$match": {}, "$limit": 1}), "one name"),
        (json!({"$limit": 0}), "above 0"),
        (json!({"$count": "$n"}), "no name of a field"),
        (json!({"$sort": {"a": 2}}), "1 or -1"),
        (json!({"$unwind": "a"}), "no $path"),
        (json!({"$unwind": {"path": "$a", "keep": true}}), "preserveNull"),
        (json!({"$group": {"n": {"$sum": 1}}}), "no _id"),
        (json!({"$group": {"_id": null, "a.b": {"$sum": 1}}}), "has a dot"),
        (json!({"$group": {"_id": null, "n": {"$concat": ["a"]}}}), "unknown"),
        (json!({"$group": {"_id": null, "n": {"$sum": ["$a", "$b"]}}}), "one expression"),
        (json!({"$project": {"a": 1, "b": 0}}), "not both"),
        (json!({"$addFields": {"a": {"$add": [1], "b": 2}}}), "stands alone"),
        (json!({"$addFields": {"a": {"$divide": ["$b"]}}}), "number of arguments"),
        (json!({"$addFields": {"a": {"$substrCP": ["$b", 0]}}}), "number of arguments"),
        (json!({"$addFields": {"a": {"$cond": {"if": 1, "then": 2}}}}), "other names"),
        (json!({"$addFields": {"a": {"$eq": ["$b", {"$param": "x"}]}}}), "in a $literal"),
        (json!({"$addFields": {"a": "$$b.c"}}), "no variable"),
        (json!({"$addFields": {"a": "$b..c"}}), "no path"),
        (
            json!({"$addFields": {"a": {"$filter": {"input": "$b", "cond": true}}}}),
            "input, as, cond",
        ),
        (json!({"$match": {"a": {"$between": [1, 2]}}}), "unknown"),
        (json!({"$match": {"a": {"$in": 1}}}), "$in"),
        (json!({"$match": {"$or": []}}), "no queries"),
        (json!({"$match": {"$eq": ["$a", 1]}}), "unknown"),
        (
            json!({"$lookup": {"from": "a", "localField": "b", "foreignField": "c", "pipeline": [], "as": "d"}}),
            "5.0",
        ),
        (
            json!({"$lookup": {"from": "a", "pipeline": [{"$match": {"$expr": "$$x"}}], "as": "d"}}),
            "no variable",
        ),
        (json!({"$facet": {"a": [{"$facet": {}}]}}), "a $facet in a $facet"),
    ];
    for (stage, word) in all {
        let why = Reader::default().pipeline(&json!([stage]), false).unwrap_err();
        assert!(why.contains(word), "{stage}: {why}");
    }
    let text = json!({"columns": ["a", "b"], "pipeline": [{"$project": {"a": 1, "_id": 0}}]});
    assert!(check(&text, &mut Reader::default()).unwrap_err().contains("the column \"b\""));
}
