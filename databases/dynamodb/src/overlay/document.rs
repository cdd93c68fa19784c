//! Paths into a document in memory, and patches of it.

use hoap_database::patches::kind;
use hoap_database::path::{self, Step};
use hoap_database::{Change, Patch, Row};
use serde_json::{Map, Value};

/// The value at a path.
pub(crate) fn get<'a>(document: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let member = document.get(path::member(path))?;
    path::steps(path).skip(1).try_fold(member, |here, step| step.of(here))
}

/// The value at a path, or the whole document.
fn at(document: &Map<String, Value>, path: &str) -> Value {
    match path {
        path::WHOLE => Value::Object(document.clone()),
        path => get(document, path).cloned().unwrap_or_default(),
    }
}

/// The values at these paths.
pub(crate) fn row(document: &Map<String, Value>, fields: &[&str]) -> Row {
    fields.iter().map(|field| at(document, field)).collect()
}

/// Applies one patch.
///
/// # Errors
/// Why the patch does not fit. The document is unchanged then.
pub(crate) fn apply(document: &mut Map<String, Value>, patch: &Patch<'_>) -> Result<(), String> {
    let path = patch.path;
    let no = |there: Option<&Value>, path: &str, wish: &str| {
        Err(format!("`{path}` is {}: cannot {wish}", kind(there)))
    };
    match &patch.change {
        Change::Set(value) => set(document, path, value),
        Change::AddInteger(n) => {
            let there = get(document, path);
            match there.and_then(Value::as_i64) {
                Some(sum) => match sum.checked_add(*n) {
                    Some(sum) => set(document, path, &sum.into()),
                    None => Err("a sum does not fit in 64 bits".to_owned()),
                },
                None => no(there, path, "add a whole number to it"),
            }
        }
        Change::AddDecimal { units: n, digits } => {
            let there = get(document, path);
            let scale = 10_f64.powi((*digits).into());
            let units = there.and_then(Value::as_f64).map(|number| (number * scale).round());
            match units {
                // Whole numbers up to here have a floating-point number of their own.
                Some(units) if units.abs() < 9e15 => match (units as i64).checked_add(*n) {
                    Some(sum) if sum.abs() < 9_000_000_000_000_000 => {
                        set(document, path, &(sum as f64 / scale).into())
                    }
                    _ => Err("a sum does not fit in 64 bits".to_owned()),
                },
                Some(_) => Err("a sum does not fit in 64 bits".to_owned()),
                None => no(there, path, "add an amount to it"),
            }
        }
        Change::Append(value) => match get_mut(document, path) {
            Some(Value::Array(values)) => {
                values.push(value.clone());
                Ok(())
            }
            there => no(there.as_deref(), path, "append to it"),
        },
        Change::Remove => change(document, path, None),
    }
}

fn set(document: &mut Map<String, Value>, path: &str, value: &Value) -> Result<(), String> {
    change(document, path, Some(value))
}

/// Sets what is at a path, or removes it.
fn change(
    document: &mut Map<String, Value>,
    path: &str,
    value: Option<&Value>,
) -> Result<(), String> {
    const WISH: &str = "set or remove that field in it";
    let of = |object: &mut Map<String, Value>, name: &str| match value {
        Some(value) => drop(object.insert(name.to_owned(), value.clone())),
        None => drop(object.shift_remove(name)),
    };
    match path::last(path) {
        (Some(_), Step::Position(_)) => match get_mut(document, path) {
            Some(place) => *place = value.cloned().unwrap_or_default(),
            None => return Err(format!("`{path}` is absent: cannot {WISH}")),
        },
        (Some(parent), Step::Field(name)) => match get_mut(document, parent) {
            Some(Value::Object(parent)) => of(parent, name),
            there => {
                return Err(format!("`{parent}` is {}: cannot {WISH}", kind(there.as_deref())));
            }
        },
        (None, step) => of(document, &step.to_string()),
    }
    Ok(())
}

fn get_mut<'a>(document: &'a mut Map<String, Value>, path: &str) -> Option<&'a mut Value> {
    document.get_mut(path::member(path))?.pointer_mut(&path::pointer(path))
}
