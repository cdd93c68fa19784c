//! What an operation has in its hands: documents, elements, answers; and the values that its steps
//! name.

use std::time::{SystemTime, UNIX_EPOCH};

use hoap_data::Timestamp;
use hoap_data::random::Stream;
use hoap_database::path;
use hoap_database::{Bounds, Condition, Is as Must};
use serde_json::{Map, Number, Value};

use super::shared::{Drawn, Shared};
use crate::file::model::DateFormat;
use crate::file::operand::Pick;
use crate::generate::json;
use crate::generate::place::At;
use crate::plan::action::{Is, Part, Source, Test};
use crate::plan::draw::below;

/// What is in a slot.
#[derive(Debug, Default)]
pub enum Slot {
    /// Nothing yet.
    #[default]
    Empty,
    /// A document that was drawn; of a batch the first.
    Document(Drawn),
    /// An element of an array of a drawn document.
    Element(At),
    /// Documents that were answered.
    Answers(Vec<Answered>),
}

/// A document that was answered.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Its key.
    pub key: String,
    /// Its fields, as far as they were asked for.
    pub document: Value,
}

/// A test with its values.
#[derive(Debug)]
pub struct Tested {
    path: String,
    equal: Option<Value>,
    min: Option<Value>,
    max: Option<Value>,
}

impl Tested {
    /// The same as databases take it.
    pub fn condition(&self) -> Condition<'_> {
        let is = match &self.equal {
            Some(value) => Must::Equal(value),
            None => Must::Within(self.bounds()),
        };
        Condition { path: &self.path, is }
    }

    /// Its bounds.
    pub fn bounds(&self) -> Bounds<'_> {
        Bounds { min: self.min.as_ref(), max: self.max.as_ref() }
    }
}

/// The values of an operation's steps.
pub struct Values<'a> {
    /// What all clients share.
    pub shared: &'a Shared,
    /// What the operation has.
    pub slots: &'a [Slot],
}

impl Values<'_> {
    /// A value; null is also what is absent.
    pub fn of(&self, source: &Source, random: &mut Stream) -> Value {
        match source {
            Source::Literal(value) => value.clone(),
            Source::Now(format) => date(now() / format.unit(), *format),
            Source::New(collection, id) => {
                let plan = &self.shared.workload.plan;
                let count = plan.collections[*collection].count;
                let other = below(random.next_u64(), count.saturating_sub(1));
                let at = plan.place(*collection, other);
                let mut text = Vec::new();
                plan.value(*id, &at, &mut text);
                parsed(&text)
            }
            Source::Slot { slot, part, pick, negative } => {
                let value = picked(self.part(&self.slots[*slot], part), *pick, random);
                if *negative { negated(value) } else { value }
            }
        }
    }

    fn part(&self, slot: &Slot, part: &Part) -> Value {
        let plan = &self.shared.workload.plan;
        match (slot, part) {
            (Slot::Document(Drawn { collection, at, .. }), Part::Key) => {
                self.shared.workload.key(*collection, at).into()
            }
            (Slot::Document(Drawn { at, .. }) | Slot::Element(at), Part::Way(way)) => {
                let mut text = Vec::new();
                plan.value_at(way, at, &mut text);
                parsed(&text)
            }
            (Slot::Answers(answers), Part::Key) => {
                answers.first().map_or(Value::Null, |first| first.key.as_str().into())
            }
            (Slot::Answers(answers), Part::Path(path)) => {
                let value = answers.first().and_then(|first| path::get(&first.document, path));
                value.cloned().unwrap_or_default()
            }
            _ => Value::Null,
        }
    }

    /// A test with its values.
    pub fn test(&self, Test { path, is }: &Test, random: &mut Stream) -> Tested {
        let (equal, [min, max]) = match is {
            Is::Equal(source) => (Some(self.of(source, random)), [None, None]),
            within => (None, self.bounds(within, random)),
        };
        Tested { path: path.clone(), equal, min, max }
    }

    /// The least and the most.
    pub fn bounds(&self, is: &Is, random: &mut Stream) -> [Option<Value>; 2] {
        let Is::Within { min, max, span } = is else { return [None, None] };
        let mut of = |source: &Option<Source>| source.as_ref().map(|of| self.of(of, random));
        let (min, max) = (of(min), of(max));
        match (span, min, max) {
            (Some((units, format)), Some(min), None) => {
                let max = moved(&min, *units, *format);
                [Some(min), max]
            }
            (Some((units, format)), None, Some(max)) => [moved(&max, -units, *format), Some(max)],
            (_, min, max) => [min, max],
        }
    }
}

/// Microseconds since 1970-01-01.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// JSON of the generator's.
fn parsed(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or_default()
}

/// A date in units of its format.
fn date(units: i64, format: DateFormat) -> Value {
    let mut text = Vec::new();
    json::date(units, format, &mut text);
    match json::is_text(format) {
        true => String::from_utf8_lossy(&text).into_owned().into(),
        false => units.into(),
    }
}

/// A date that is so many units later.
fn moved(value: &Value, units: i64, format: DateFormat) -> Option<Value> {
    let from = match value {
        Value::String(text) => {
            let text = text.replace('T', " ").replace('Z', "");
            let whole = format!("{text}{}", &"0000-00-00 00:00:00.000000"[text.len().min(26)..]);
            whole.parse::<Timestamp>().ok()?.micros() / format.unit()
        }
        value => value.as_i64()?,
    };
    Some(date(from.saturating_add(units), format))
}

fn negated(value: Value) -> Value {
    match value.as_i64() {
        Some(n) => n.wrapping_neg().into(),
        None => value.as_f64().and_then(|n| Number::from_f64(-n)).map_or(value, Value::Number),
    }
}

fn picked(value: Value, pick: Pick, random: &mut Stream) -> Value {
    match (pick, value) {
        (Pick::One, Value::Array(mut elements)) if !elements.is_empty() => {
            let last = elements.len() as u64 - 1;
            elements.swap_remove(below(random.next_u64(), last) as usize)
        }
        (Pick::One, _) => Value::Null,
        (_, value) => value,
    }
}

/// A number in units of its last digit, of so many behind the point.
pub fn units(value: &Value, digits: u8) -> Option<i64> {
    let one = 10i64.pow(digits.into());
    match value.as_i64() {
        Some(n) => n.checked_mul(one),
        // The cast saturates, and sums have at most 2^53 units.
        None => value.as_f64().map(|n| (n * one as f64).round() as i64),
    }
}

/// Sets what is at a path; objects on the way are made, and elements of arrays must be there.
pub fn set(document: &mut Value, at: &str, value: Value) {
    let mut here = document;
    for step in path::steps(at) {
        here = match step {
            path::Step::Field(name) => {
                if !here.is_object() {
                    *here = Value::Object(Map::new());
                }
                &mut here[name]
            }
            path::Step::Position(n) => match here.get_mut(n as usize) {
                Some(element) => element,
                None => return,
            },
        };
    }
    *here = value;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn dates_move_in_their_format() {
        use DateFormat::{Date, Iso, Millis, Space};
        for (from, units, format, to) in [
            (json!("2024-01-01T00:00:00.500Z"), -3_600_000, Iso, json!("2023-12-31T23:00:00.500Z")),
            (json!("2024-01-01 00:00:00.500"), 500, Space, json!("2024-01-01 00:00:01.000")),
            (json!("2024-02-28"), 2, Date, json!("2024-03-01")),
            (json!(5_000), -1, Millis, json!(4_999)),
        ] {
            assert_eq!(moved(&from, units, format), Some(to), "{from}");
        }
        assert_eq!(moved(&json!("x"), 1, Iso), None);
    }

    #[test]
    fn numbers_are_exact_in_units() {
        assert_eq!(units(&json!(19.99), 2), Some(1999));
        assert_eq!(units(&json!(-0.07), 2), Some(-7));
        assert_eq!(units(&json!(3), 2), Some(300));
        assert_eq!((units(&json!(3), 0), units(&json!("3"), 0)), (Some(3), None));
        assert_eq!(negated(json!(2)), json!(-2));
        assert_eq!(negated(json!(2.5)), json!(-2.5));
    }

    #[test]
    fn a_value_is_set_at_its_path() {
        let mut document = json!({"a": {"b": 1}, "l": [1, {"x": 2}], "n": null});
        for (path, value) in [
            ("a.b", json!(2)),
            ("a.c.d", json!(3)),
            ("l[1].x", json!(4)),
            ("n.m", json!(5)),
            ("l[9]", json!(6)),
        ] {
            set(&mut document, path, value);
        }
        let expected = json!({"a": {"b": 2, "c": {"d": 3}}, "l": [1, {"x": 4}], "n": {"m": 5}});
        assert_eq!(document, expected);
    }
}
