//! Statements on the store.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::account::BUCKET;
use super::eval::{Bound, Row, eval, holds, normal, order};
use super::parse::{Expr, Join, Keyspace, Select, Statement};
use super::store::{Done, Refusal, Store, refusal};

/// Where a statement runs.
pub struct Place<'a> {
    pub scope: &'a str,
    pub tx: Option<&'a str>,
    pub args: &'a [Value],
}

fn wrong(text: String) -> Refusal {
    refusal(400, 3000, text)
}

/// Runs a statement that is no control of a transaction and no PREPARE.
pub fn run(store: &mut Store, statement: &Statement, at: &Place) -> Done<Vec<Value>> {
    let scope = at.scope;
    let definition =
        |names: &[String], count: usize| match names.len() == count && names[0] == BUCKET {
            true => Ok(()),
            false => Err(refusal(500, 12003, "Keyspace not found in CB datastore")),
        };
    match statement {
        Statement::Select(select) => return self::select(store, select, at),
        Statement::Insert { into, key, value, unless, raw } => {
            if !self::select(store, unless, at)?.is_empty() {
                return Ok(Vec::new());
            }
            let key = eval(key, &[], at.args).map_err(wrong)?;
            let key = key.and_then(|key| key.as_str().map(str::to_owned));
            let key = key.ok_or_else(|| wrong("a key is no string".into()))?;
            let mut value = eval(value, &[], at.args).map_err(wrong)?.unwrap_or(Value::Null);
            normal(&mut value);
            store.insert(scope, &into.name, &key, value.clone(), at.tx)?;
            let row =
                vec![Bound { alias: into.alias.clone(), id: key, cas: 0, value: value.into() }];
            return Ok(eval(raw, &[&row], at.args).map_err(wrong)?.into_iter().collect());
        }
        Statement::Explain(select) => return Ok(vec![explain(store, select)]),
        Statement::Upsert { into, key, value } => {
            let key = eval(key, &[], at.args).map_err(wrong)?;
            let key = key.and_then(|key| key.as_str().map(str::to_owned));
            let key = key.ok_or_else(|| wrong("a key is no string".into()))?;
            let mut value = eval(value, &[], at.args).map_err(wrong)?.unwrap_or(Value::Null);
            normal(&mut value);
            match store.visible_at(scope, &into.name, &key, at.tx)? {
                Some(_) => store.write(scope, &into.name, &key, Some(value), at.tx)?,
                None => store.insert(scope, &into.name, &key, value, at.tx)?,
            }
        }
        Statement::Update { of, set, unset, filter, raw } => {
            return change(store, of, filter.as_ref(), raw, at, |row| {
                let mut value = Value::clone(&row[0].value);
                for (path, to) in set {
                    if let Some(to) = eval(to, &[row], at.args)?
                        && let Some(place) = place(&mut value, path)
                    {
                        *place = to;
                    }
                }
                for path in unset {
                    if let Expr::Field(of, name) = path
                        && let Some(Value::Object(object)) = place(&mut value, of)
                    {
                        object.shift_remove(name);
                    }
                }
                normal(&mut value);
                Ok(Some(value))
            });
        }
        Statement::Delete { of, filter, raw } => {
            return change(store, of, filter.as_ref(), raw, at, |_| Ok(None));
        }
        Statement::CreateScope(names) => {
            definition(names, 2)?;
            if store.scopes.contains_key(&names[1]) {
                let text = format!("Scope with name {} already exists", names[1]);
                return Err(refusal(500, 12025, text));
            }
            store.scopes.insert(names[1].clone(), Default::default());
        }
        Statement::CreateCollection(names) => {
            definition(names, 3)?;
            store.make_collection(&names[1], &names[2])?;
        }
        Statement::DropCollection(names) => {
            definition(names, 3)?;
            store.collection(&names[1], &names[2])?;
            store.scopes.get_mut(&names[1]).map(|scope| scope.remove(&names[2]));
        }
        Statement::CreateIndex { name, on, fields } => {
            let indexes = &mut store.collection(scope, on)?.indexes;
            if indexes.contains_key(name) {
                return Err(refusal(409, 4300, format!("The index {name} already exists.")));
            }
            indexes.insert(name.clone(), (false, *fields));
        }
        Statement::BuildIndex { on, names } => {
            for name in names {
                let index = store.collection(scope, on)?.indexes.get_mut(name);
                index.ok_or_else(|| refusal(404, 12016, "GSI index not found"))?.0 = true;
            }
        }
        other => return Err(wrong(format!("not here: {other:?}"))),
    }
    Ok(Vec::new())
}

/// A plan as far as the module under test reads it. The Community Edition passes over the hint.
fn explain(store: &Store, select: &Select) -> Value {
    let hinted = select.joins.iter().any(|join| matches!(join, Join::On(to, _) if to.hash));
    let (operator, hints) = match (hinted, store.community) {
        (true, false) => ("HashJoin", json!({"hints_followed": ["USE_HASH(o BUILD)"]})),
        (true, true) => ("NestedLoopJoin", json!({"hints_not_followed": ["USE_HASH(o BUILD)"]})),
        _ => ("NestedLoopJoin", json!({})),
    };
    let children = json!([{"#operator": "IndexScan3"}, {"#operator": operator}]);
    json!({"plan": {"#operator": "Sequence", "~children": children}, "optimizer_hints": hints})
}

/// UPDATE and DELETE: `to` makes what a document becomes.
fn change(
    store: &mut Store,
    of: &Keyspace,
    filter: Option<&Expr>,
    raw: &Expr,
    at: &Place,
    to: impl Fn(&Row) -> Result<Option<Value>, String>,
) -> Done<Vec<Value>> {
    let mut returned = Vec::new();
    for bound in bind(store, of, at, None)? {
        let row = vec![bound];
        if filter.is_some_and(|filter| holds(filter, &[&row], at.args) != Ok(true)) {
            continue;
        }
        let value = to(&row).map_err(wrong)?;
        store.write(at.scope, &of.name, &row[0].id, value, at.tx)?;
        returned.push(eval(raw, &[&row], at.args).map_err(wrong)?.unwrap_or(Value::Null));
    }
    Ok(returned)
}

/// The place of a path in a document; a parent that is no object or an element that is not there
/// has none.
fn place<'a>(document: &'a mut Value, path: &Expr) -> Option<&'a mut Value> {
    match path {
        Expr::Alias(_) => Some(document),
        Expr::Field(of, name) => {
            let parent = place(document, of)?.as_object_mut()?;
            Some(parent.entry(name.clone()).or_insert(Value::Null))
        }
        Expr::Element(of, at) => {
            let Expr::Value(at) = &**at else { return None };
            place(document, of)?.as_array_mut()?.get_mut(at.as_u64()? as usize)
        }
        _ => None,
    }
}

/// The documents that an alias ranges over. `keys` stand for those of USE KEYS.
fn bind(
    store: &mut Store,
    keyspace: &Keyspace,
    at: &Place,
    keys: Option<Value>,
) -> Done<Vec<Bound>> {
    let alias = || keyspace.alias.clone();
    if keyspace.system {
        let bound = |value| {
            let value = Arc::new(value);
            Bound { alias: alias(), id: String::new(), cas: 0, value }
        };
        return Ok(system(store, &keyspace.name)?.into_iter().map(bound).collect());
    }
    let keys = match (&keyspace.keys, keys) {
        (Some(keys), _) => eval(keys, &[], at.args).map_err(wrong)?,
        (None, keys) => keys,
    };
    if let Some(index) = &keyspace.index {
        let indexes = &store.collection(at.scope, &keyspace.name)?.indexes;
        if !indexes.get(index).is_some_and(|(online, _)| *online) {
            return Err(refusal(404, 4000, format!("No index available: {index}")));
        }
    }
    let found = match keys {
        Some(keys) => {
            let keys = match keys {
                Value::Array(keys) => keys,
                key => vec![key],
            };
            let mut found = Vec::new();
            for key in keys.iter().filter_map(Value::as_str).collect::<BTreeSet<_>>() {
                let there = store.visible_at(at.scope, &keyspace.name, key, at.tx)?;
                found.extend(there.map(|(cas, value)| (key.to_owned(), cas, value)));
            }
            found
        }
        None => {
            let indexes = &store.collection(at.scope, &keyspace.name)?.indexes;
            if !indexes.values().any(|(online, _)| *online) {
                let text = format!("No index available on keyspace `{}`", keyspace.name);
                return Err(refusal(404, 4000, text));
            }
            store.visible(at.scope, &keyspace.name, at.tx)?
        }
    };
    let bound = |(id, cas, value)| Bound { alias: alias(), id, cas, value };
    Ok(found.into_iter().map(bound).collect())
}

fn system(store: &Store, name: &str) -> Done<Vec<Value>> {
    let mut rows = Vec::new();
    if name == "buckets" {
        return Ok(vec![json!({"name": BUCKET})]);
    }
    for (scope, collections) in &store.scopes {
        for (collection, there) in collections {
            match name {
                "keyspaces" => {
                    rows.push(json!({"bucket": BUCKET, "scope": scope, "name": collection}));
                }
                "indexes" => rows.extend(there.indexes.iter().map(|(index, (online, _))| {
                    json!({
                        "name": index, "bucket_id": BUCKET, "scope_id": scope,
                        "keyspace_id": collection, "state": if *online { "online" } else { "deferred" },
                    })
                })),
                other => return Err(refusal(404, 12003, format!("no keyspace system:{other}"))),
            }
        }
    }
    Ok(rows)
}

fn select(store: &mut Store, select: &Select, at: &Place) -> Done<Vec<Value>> {
    let mut rows: Vec<Row> = match &select.from {
        None => vec![Row::new()],
        Some(from) => bind(store, from, at, None)?.into_iter().map(|b| vec![b]).collect(),
    };
    if let (Some(filter), false) = (&select.filter, select.joins.is_empty()) {
        // What these rows alone say is false stays out: a condition on an alias to come is an error
        // yet.
        rows.retain(|row| {
            conditions(filter).iter().all(|c| holds(c, &[row], at.args) != Ok(false))
        });
    }
    for join in &select.joins {
        rows = joined(store, join, rows, at)?;
    }
    if let Some(filter) = &select.filter {
        let mut kept = Vec::new();
        for row in rows {
            if holds(filter, &[&row], at.args).map_err(wrong)? {
                kept.push(row);
            }
        }
        rows = kept;
    }
    // Every row alone, or with those of its group.
    let mut groups: Vec<(Vec<Value>, Vec<&Row>)> = Vec::new();
    for row in &rows {
        let key = |expr| Ok(eval(expr, &[row], at.args)?.unwrap_or(Value::Null));
        let key: Vec<Value> =
            select.group.iter().map(key).collect::<Result<_, String>>().map_err(wrong)?;
        match groups.iter_mut().find(|(k, _)| !select.group.is_empty() && *k == key) {
            Some((_, members)) => members.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    let mut sorted = Vec::new();
    for (_, members) in &groups {
        let value = |expr| eval(expr, members, at.args);
        let order: Vec<Option<Value>> = select
            .order
            .iter()
            .map(|(expr, _)| value(expr))
            .collect::<Result<_, String>>()
            .map_err(wrong)?;
        sorted.push((order, value(&select.raw).map_err(wrong)?));
    }
    sorted.sort_by(|(a, _), (b, _)| {
        let parts = a.iter().zip(b).zip(&select.order);
        let mut orders = parts.map(|((a, b), (_, descending))| {
            let ordering = order(a.as_ref(), b.as_ref());
            if *descending { ordering.reverse() } else { ordering }
        });
        orders.find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    let number = |expr: &Option<Expr>, default: u64| match expr {
        None => Ok(default),
        Some(expr) => {
            let value = eval(expr, &[], at.args).map_err(wrong)?;
            value.and_then(|v| v.as_u64()).ok_or_else(|| wrong("LIMIT is no number".into()))
        }
    };
    let (limit, offset) = (number(&select.limit, u64::MAX)?, number(&select.offset, 0)?);
    let rest = sorted.into_iter().skip(offset as usize).take(limit as usize);
    Ok(rest
        .map(|(_, value)| {
            let mut value = value.unwrap_or(Value::Object(Map::new()));
            normal(&mut value);
            value
        })
        .collect())
}

/// The parts of a condition that AND puts together.
fn conditions(filter: &Expr) -> Vec<&Expr> {
    match filter {
        Expr::Binary("AND", a, b) => [conditions(a), conditions(b)].concat(),
        other => vec![other],
    }
}

fn joined(store: &mut Store, join: &Join, rows: Vec<Row>, at: &Place) -> Done<Vec<Row>> {
    let mut all = Vec::new();
    let inner = match join {
        Join::On(keyspace, _) => bind(store, keyspace, at, None)?,
        _ => Vec::new(),
    };
    for row in rows {
        let mut add = |bound: Bound| {
            let mut row = row.clone();
            row.push(bound);
            all.push(row);
        };
        match join {
            Join::OnKeys(keyspace, keys) => {
                let keys = eval(keys, &[&row], at.args).map_err(wrong)?;
                let keys = keys.unwrap_or(Value::Array(Vec::new()));
                bind(store, keyspace, at, Some(keys))?.into_iter().for_each(&mut add);
            }
            Join::On(_, on) => {
                for bound in &inner {
                    let mut both = row.clone();
                    both.push(bound.clone());
                    if holds(on, &[&both], at.args).map_err(wrong)? {
                        add(bound.clone());
                    }
                }
            }
            Join::Unnest(list, alias) => {
                let list = eval(list, &[&row], at.args).map_err(wrong)?;
                for value in list.iter().filter_map(Value::as_array).flatten() {
                    let alias = alias.clone();
                    add(Bound { alias, id: String::new(), cas: 0, value: Arc::new(value.clone()) });
                }
            }
        }
    }
    Ok(all)
}
