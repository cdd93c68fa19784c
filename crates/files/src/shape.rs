//! The shape of a collection's documents, learned from the generator itself, so that there is no
//! second description that could be wrong.

use std::collections::HashSet;

use hoap_data::Timestamp;
use hoap_data::writer::{ExtraField, Field, TEXT_SLACK, Writer, extra_text};

use crate::typed::TypedWriter;

/// A column whose share of distinct values is below this is worth a dictionary.
const MOSTLY_DIFFERENT: f64 = 0.95;

/// A value of a document.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Value {
    Null,
    Bool(bool),
    Int(u64),
    /// Hundredths.
    Cents(i64),
    /// Ten-thousandths.
    Ratio(u32),
    Timestamp(Timestamp),
    Signed(i64),
    /// Units of the last digit, and digits behind the point.
    Decimal(i64, u8),
    Number(f64),
    /// Microseconds since 1970.
    Instant(i64),
    Text(String),
    Extra(String),
    Object(Vec<(String, Value)>),
    List(Vec<Value>),
}

/// The types of scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Bool,
    Int,
    Cents,
    Ratio,
    Timestamp,
    /// Digits behind the point.
    Decimal(u8),
    Number,
    Instant,
    Text,
    Extra,
}

/// A field of a collection's documents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Whether it is null in some document.
    pub(crate) nullable: bool,
}

/// The type of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Only nulls so far.
    Unknown,
    /// `repeats`: whether values repeat often.
    Scalar {
        scalar: Scalar,
        repeats: bool,
    },
    Object(Vec<Node>),
    /// The element, which has no name.
    List(Box<Node>),
}

/// The fields of a collection's documents.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) fields: Vec<Node>,
}

impl Shape {
    /// The shape that holds all of these documents.
    pub(crate) fn of(documents: &[Value]) -> Shape {
        let mut root = Node { name: String::new(), kind: Kind::Unknown, nullable: false };
        let mut seen = Seen::default();
        for document in documents {
            merge(&mut root, document);
        }
        mark_repeats(&mut root, &documents.iter().collect::<Vec<_>>(), &mut seen);
        let fields = match root.kind {
            Kind::Object(fields) => fields,
            _ => Vec::new(),
        };
        Shape { fields }
    }

    /// The shape of documents like this one, of which any value may be missing.
    pub(crate) fn like(example: &Value, documents: &[Value]) -> Shape {
        let mut root = Node { name: String::new(), kind: Kind::Unknown, nullable: false };
        merge(&mut root, example);
        mark_repeats(&mut root, &documents.iter().collect::<Vec<_>>(), &mut Seen::default());
        any_missing(&mut root);
        match root.kind {
            Kind::Object(fields) => Shape { fields },
            _ => Shape { fields: Vec::new() },
        }
    }
}

/// Says of each value that it may be missing.
fn any_missing(node: &mut Node) {
    match &mut node.kind {
        Kind::Unknown | Kind::Scalar { .. } => node.nullable = true,
        Kind::Object(nodes) => nodes.iter_mut().for_each(any_missing),
        Kind::List(element) => any_missing(element),
    }
}

/// Widens `node` so that it holds `value`.
fn merge(node: &mut Node, value: &Value) {
    let scalar = match value {
        Value::Null => {
            node.nullable = true;
            return;
        }
        Value::Bool(_) => Scalar::Bool,
        Value::Int(_) | Value::Signed(_) => Scalar::Int,
        Value::Decimal(_, digits) => Scalar::Decimal(*digits),
        Value::Number(_) => Scalar::Number,
        Value::Instant(_) => Scalar::Instant,
        Value::Cents(_) => Scalar::Cents,
        Value::Ratio(_) => Scalar::Ratio,
        Value::Timestamp(_) => Scalar::Timestamp,
        Value::Text(_) => Scalar::Text,
        Value::Extra(_) => Scalar::Extra,
        Value::Object(values) => {
            if !matches!(node.kind, Kind::Object(_)) {
                node.kind = Kind::Object(Vec::new());
            }
            let Kind::Object(nodes) = &mut node.kind else { return };
            for (position, (name, value)) in values.iter().enumerate() {
                if nodes.len() == position {
                    let name = name.clone();
                    nodes.push(Node { name, kind: Kind::Unknown, nullable: false });
                }
                assert_eq!(nodes[position].name, *name, "documents differ in their fields");
                merge(&mut nodes[position], value);
            }
            return;
        }
        Value::List(values) => {
            if !matches!(node.kind, Kind::List(_)) {
                let element = Node { name: String::new(), kind: Kind::Unknown, nullable: false };
                node.kind = Kind::List(Box::new(element));
            }
            let Kind::List(element) = &mut node.kind else { return };
            values.iter().for_each(|value| merge(element, value));
            return;
        }
    };
    node.kind = Kind::Scalar { scalar, repeats: true };
}

type Seen = HashSet<String>;

/// Marks the scalars whose values repeat, given all values of the node.
fn mark_repeats(node: &mut Node, values: &[&Value], seen: &mut Seen) {
    match &mut node.kind {
        Kind::Unknown => (),
        Kind::Scalar { scalar: Scalar::Extra, repeats } => *repeats = false,
        Kind::Scalar { repeats, .. } => {
            seen.clear();
            seen.extend(values.iter().map(|v| format!("{v:?}")));
            *repeats = (seen.len() as f64) < values.len() as f64 * MOSTLY_DIFFERENT;
        }
        Kind::Object(nodes) => {
            for (position, node) in nodes.iter_mut().enumerate() {
                let inner: Vec<&Value> = values
                    .iter()
                    .filter_map(|v| match v {
                        Value::Object(values) => values.get(position).map(|(_, v)| v),
                        _ => None,
                    })
                    .collect();
                mark_repeats(node, &inner, seen);
            }
        }
        Kind::List(element) => {
            let inner: Vec<&Value> = values
                .iter()
                .flat_map(|v| match v {
                    Value::List(values) => values.as_slice(),
                    _ => &[],
                })
                .collect();
            mark_repeats(element, &inner, seen);
        }
    }
}

/// Builds a [`Value`].
pub struct Tree {
    /// Open objects and arrays, each with its name.
    open: Vec<(String, Value)>,
    pub(crate) root: Value,
}

impl Default for Tree {
    fn default() -> Self {
        Tree { open: Vec::new(), root: Value::Null }
    }
}

impl Tree {
    fn put(&mut self, name: &str, value: Value) {
        match self.open.last_mut() {
            Some((_, Value::Object(fields))) => fields.push((name.to_owned(), value)),
            Some((_, Value::List(elements))) => elements.push(value),
            _ => self.root = value,
        }
    }

    fn end(&mut self) {
        if let Some((name, value)) = self.open.pop() {
            self.put(&name, value);
        }
    }
}

impl Writer for Tree {
    fn begin_object(&mut self, field: Field<'_>) {
        self.open.push((field.name().to_owned(), Value::Object(Vec::new())));
    }

    fn end_object(&mut self) {
        self.end();
    }

    fn begin_array(&mut self, field: Field<'_>) {
        self.open.push((field.name().to_owned(), Value::List(Vec::new())));
    }

    fn end_array(&mut self) {
        self.end();
    }

    fn null(&mut self, field: Field<'_>) {
        self.put(field.name(), Value::Null);
    }

    fn bool(&mut self, field: Field<'_>, value: bool) {
        self.put(field.name(), Value::Bool(value));
    }

    fn int(&mut self, field: Field<'_>, value: u64) {
        self.put(field.name(), Value::Int(value));
    }

    fn cents(&mut self, field: Field<'_>, value: i64) {
        self.put(field.name(), Value::Cents(value));
    }

    fn ratio(&mut self, field: Field<'_>, value: u32) {
        self.put(field.name(), Value::Ratio(value));
    }

    fn timestamp(&mut self, field: Field<'_>, value: Timestamp) {
        self.put(field.name(), Value::Timestamp(value));
    }

    fn text(&mut self, field: Field<'_>, len: usize, fill: impl FnOnce(&mut [u8])) {
        let mut text = vec![0; len + TEXT_SLACK];
        fill(&mut text);
        text.truncate(len);
        self.put(field.name(), Value::Text(String::from_utf8_lossy(&text).into_owned()));
    }

    fn extra(&mut self, field: &'static ExtraField, words: [u64; 2]) {
        let text = String::from_utf8_lossy(&extra_text(words)).into_owned();
        self.put(field.name(), Value::Extra(text));
    }
}

impl TypedWriter for Tree {
    fn signed(&mut self, field: Field<'_>, value: i64) {
        self.put(field.name(), Value::Signed(value));
    }

    fn decimal(&mut self, field: Field<'_>, units: i64, digits: u8) {
        self.put(field.name(), Value::Decimal(units, digits));
    }

    fn number(&mut self, field: Field<'_>, value: f64) {
        self.put(field.name(), Value::Number(value));
    }

    fn instant(&mut self, field: Field<'_>, micros: i64, _: &str) {
        self.put(field.name(), Value::Instant(micros));
    }
}
