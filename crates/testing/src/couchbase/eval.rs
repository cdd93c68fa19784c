//! Values of expressions. `None` is MISSING.

use std::cmp::Ordering;
use std::sync::Arc;

use serde_json::{Number, Value, json};

use super::parse::Expr;

/// A document that an alias stands for.
#[derive(Clone, Debug)]
pub struct Bound {
    pub alias: String,
    pub id: String,
    pub cas: u64,
    pub value: Arc<Value>,
}

/// One row of what is joined so far.
pub type Row = Vec<Bound>;
type Found = Result<Option<Value>, String>;

/// The value at a path from an alias with plain steps; `None` where the expression is something
/// else.
fn walk<'a>(expr: &Expr, row: &'a Row) -> Option<Option<&'a Value>> {
    match expr {
        Expr::Alias(name) => Some(Some(&*row.iter().find(|b| b.alias == *name)?.value)),
        Expr::Field(of, name) => Some(walk(of, row)?.and_then(|value| value.get(name))),
        Expr::Element(of, at) => {
            let Expr::Value(at) = &**at else { return None };
            let at = at.as_u64()? as usize;
            Some(walk(of, row)?.and_then(|value| value.get(at)))
        }
        _ => None,
    }
}

pub fn eval(expr: &Expr, rows: &[&Row], args: &[Value]) -> Found {
    let row = rows.first().copied();
    // Documents are not copied for one field of them.
    if let Some(found) = row.and_then(|row| walk(expr, row)) {
        return Ok(found.cloned());
    }
    let bound = |name: &str| row.and_then(|row| row.iter().find(|b| b.alias == name));
    Ok(match expr {
        Expr::Value(value) => Some(value.clone()),
        Expr::Parameter(n) => {
            let value = args.get(n.wrapping_sub(1)).ok_or(format!("No value for ${n}"))?;
            Some(value.clone())
        }
        Expr::Alias(name) => return Err(format!("Ambiguous reference to field {name}")),
        Expr::Field(of, name) => match (&**of, name.as_str()) {
            (Expr::Call(function, args), "id" | "cas") if function == "META" => {
                let [Expr::Alias(alias)] = args.as_slice() else { return Err("bad META".into()) };
                let bound = bound(alias).ok_or(format!("no alias {alias}"))?;
                Some(if name == "id" { json!(bound.id) } else { json!(bound.cas) })
            }
            _ => eval(of, rows, args)?.and_then(|value| value.get(name).cloned()),
        },
        Expr::Element(of, at) => {
            let at = eval(at, rows, args)?.and_then(|at| at.as_u64());
            let list = eval(of, rows, args)?;
            list.zip(at).and_then(|(list, at)| list.get(at as usize).cloned())
        }
        Expr::List(all) => {
            let value = |expr| Ok(eval(expr, rows, args)?.unwrap_or(Value::Null));
            Some(Value::Array(all.iter().map(value).collect::<Result<_, String>>()?))
        }
        Expr::Is(of, positive, what) => {
            let value = eval(of, rows, args)?;
            let is = match (what.as_str(), &value) {
                ("MISSING", value) => value.is_none(),
                ("VALUED", value) => !matches!(value, None | Some(Value::Null)),
                (other, _) => return Err(format!("IS {other}")),
            };
            Some(json!(is == *positive))
        }
        Expr::Binary("AND", a, b) => Some(json!(holds(a, rows, args)? && holds(b, rows, args)?)),
        Expr::Binary("OR", a, b) => Some(json!(holds(a, rows, args)? || holds(b, rows, args)?)),
        Expr::Binary(sign, a, b) => {
            let (Some(a), Some(b)) = (eval(a, rows, args)?, eval(b, rows, args)?) else {
                return Ok(None);
            };
            binary(sign, &a, &b)
        }
        Expr::Call(name, inner) => {
            if name == "SUM" {
                let mut sum = 0.0;
                for row in rows {
                    let value = eval(&inner[0], &[row], args)?;
                    sum += value.and_then(|value| value.as_f64()).unwrap_or(0.0);
                }
                return Ok(Some(json!(sum)));
            }
            let values: Vec<Option<Value>> =
                inner.iter().map(|expr| eval(expr, rows, args)).collect::<Result<_, _>>()?;
            call(name, &values)?
        }
    })
}

/// Whether a condition is true (neither false nor NULL nor MISSING).
pub fn holds(expr: &Expr, rows: &[&Row], args: &[Value]) -> Result<bool, String> {
    Ok(eval(expr, rows, args)? == Some(Value::Bool(true)))
}

fn call(name: &str, values: &[Option<Value>]) -> Found {
    let first = values.first().and_then(Option::as_ref);
    Ok(match name {
        "DS_VERSION" => Some(json!("7.6.2-3721-scripted")),
        "ISNUMBER" => first.map(|v| json!(v.is_number())),
        "ISSTRING" => first.map(|v| json!(v.is_string())),
        "ISARRAY" => first.map(|v| json!(v.is_array())),
        "ISOBJECT" => first.map(|v| json!(v.is_object())),
        "TYPE" => Some(json!(match first {
            None => "missing",
            Some(Value::Null) => "null",
            Some(Value::Bool(_)) => "boolean",
            Some(Value::Number(_)) => "number",
            Some(Value::String(_)) => "string",
            Some(Value::Array(_)) => "array",
            Some(Value::Object(_)) => "object",
        })),
        "FLOOR" | "ROUND" => first.map(|v| match v {
            Value::Number(n) if n.is_i64() => v.clone(),
            Value::Number(n) => {
                let n = n.as_f64().unwrap_or(0.0);
                number(if name == "FLOOR" { n.floor() } else { n.round() })
            }
            _ => Value::Null,
        }),
        "ARRAY_APPEND" => match (first, &values[1]) {
            (Some(Value::Array(list)), Some(value)) => {
                let mut list = list.clone();
                list.push(value.clone());
                Some(list.into())
            }
            (None, _) | (_, None) => None,
            _ => Some(Value::Null),
        },
        other => return Err(format!("Invalid function {other}")),
    })
}

/// A number as the service writes it: whole ones without a point.
pub fn number(n: f64) -> Value {
    match n.fract() == 0.0 && n.abs() < 1e15 {
        true => json!(n as i64),
        false => Number::from_f64(n).map_or(Value::Null, Value::Number),
    }
}

/// All numbers of a value as the service writes them.
pub fn normal(value: &mut Value) {
    match value {
        Value::Number(n) if n.is_f64() => *value = number(n.as_f64().unwrap_or(0.0)),
        Value::Array(list) => list.iter_mut().for_each(normal),
        Value::Object(members) => members.values_mut().for_each(normal),
        _ => {}
    }
}

fn binary(sign: &str, a: &Value, b: &Value) -> Option<Value> {
    if sign == "IN" {
        return Some(b.as_array().map_or(Value::Null, |list| json!(list.contains(a))));
    }
    if ["+", "*", "/"].contains(&sign) {
        let (Some(x), Some(y)) = (a.as_f64(), b.as_f64()) else { return Some(Value::Null) };
        let whole = a.as_i64().zip(b.as_i64());
        return Some(match (sign, whole) {
            ("+", Some((a, b))) if a.checked_add(b).is_some() => json!(a + b),
            ("*", Some((a, b))) if a.checked_mul(b).is_some() => json!(a * b),
            ("+", _) => number(x + y),
            ("*", _) => number(x * y),
            _ => number(x / y),
        });
    }
    if a.is_null() || b.is_null() {
        return Some(Value::Null);
    }
    // Comparisons of different kinds go by the kinds' order.
    let ordering = order(Some(a), Some(b));
    Some(json!(match sign {
        "=" => ordering == Ordering::Equal,
        "<" => ordering == Ordering::Less,
        ">" => ordering == Ordering::Greater,
        "<=" => ordering != Ordering::Greater,
        _ => ordering != Ordering::Less,
    }))
}

/// The order of all values: MISSING, NULL, false, true, numbers, strings, arrays, objects.
pub fn order(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    let rank = |value: Option<&Value>| match value {
        None => 0,
        Some(Value::Null) => 1,
        Some(Value::Bool(false)) => 2,
        Some(Value::Bool(true)) => 3,
        Some(Value::Number(_)) => 4,
        Some(Value::String(_)) => 5,
        Some(Value::Array(_)) => 6,
        Some(Value::Object(_)) => 7,
    };
    rank(a).cmp(&rank(b)).then_with(|| match (a, b) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal),
        },
        (Some(Value::String(a)), Some(Value::String(b))) => a.cmp(b),
        (Some(a), Some(b)) => a.to_string().cmp(&b.to_string()),
        _ => Ordering::Equal,
    })
}
