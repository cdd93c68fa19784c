//! Documents value by value, for files that have a column for each: of a collection every document
//! has the same columns, and what a document lacks is null.
//!
//! What has no column of its own is JSON text in one: maps, fields of several types, and objects and
//! arrays that may be missing.

use hoap_data::writer::{Field, Writer};
use hoap_files::TypedWriter;

use super::json;
use super::place::{At, There};
use crate::plan::Plan;
use crate::plan::model::{Id, Kind, Make, Member, Object};

/// A column, or several.
#[derive(Debug)]
pub struct Column {
    /// The name with quotes and colon; empty for an element.
    pub name: String,
    /// The fields that it has, each with the set of more fields that it belongs to.
    from: Vec<(Option<usize>, Id)>,
    /// What they are.
    pub what: What,
}

/// What a column has.
#[derive(Debug)]
pub enum What {
    /// Values of one type.
    Scalar(Kind),
    /// JSON text.
    Json,
    /// Columns of their own.
    Object(Vec<Column>),
    /// As many as there are elements.
    List(Box<Column>),
    /// So many elements.
    Tuple(Vec<Column>),
}

/// The columns of an object.
pub fn columns(plan: &Plan, object: &Object) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    let sets = object.sets.iter().flat_map(|of| of.sets.iter().enumerate());
    let sets =
        sets.flat_map(|(set, members)| members.iter().map(move |member| (Some(set), member)));
    let members = object.members.iter().map(|member| (None, member)).chain(sets);
    for (set, Member { json, id, .. }) in members {
        let node = &plan.nodes[*id];
        if node.hidden || node.kind == Kind::Null {
            continue;
        }
        // Without the comma.
        let quoted = String::from_utf8_lossy(&json[1..]).into_owned();
        let what = if set.is_none() { what(plan, *id) } else { simple(plan, *id) };
        match columns.iter_mut().find(|column| column.name == quoted) {
            None => columns.push(Column { name: quoted, from: vec![(set, *id)], what }),
            Some(column) => {
                let same =
                    matches!((&column.what, &what), (What::Scalar(a), What::Scalar(b)) if a == b);
                column.what = if same { what } else { What::Json };
                column.from.push((set, *id));
            }
        }
    }
    columns
}

/// What a field is that may be missing.
fn simple(plan: &Plan, id: Id) -> What {
    match plan.nodes[id].kind {
        Kind::Object | Kind::Array | Kind::Map | Kind::Mixed | Kind::Null => What::Json,
        kind => What::Scalar(kind),
    }
}

fn what(plan: &Plan, id: Id) -> What {
    let node = &plan.nodes[id];
    let element =
        |id: &Id| Column { name: String::new(), from: vec![(None, *id)], what: what(plan, *id) };
    match &node.make {
        _ if node.missing.is_some() => simple(plan, id),
        Make::Object(object) => What::Object(columns(plan, object)),
        Make::Array(.., of) => What::List(Box::new(element(of))),
        Make::Tuple(elements) if !elements.is_empty() => {
            let elements: Vec<Column> = elements.iter().map(element).collect();
            let first = match &elements[0].what {
                What::Scalar(kind) => Some(*kind),
                _ => None,
            };
            let alike =
                |of: &Column| matches!(&of.what, What::Scalar(kind) if Some(*kind) == first);
            if elements.iter().all(alike) { What::Tuple(elements) } else { What::Json }
        }
        _ => simple(plan, id),
    }
}

impl Plan {
    /// Writes the columns of an object that is there, or of an example of it.
    pub fn write_columns<W: TypedWriter>(
        &self,
        columns: &[Column],
        set: usize,
        at: Option<&At>,
        to: &mut W,
    ) {
        for column in columns {
            let of =
                column.from.iter().find(|(of, _)| at.is_none() || of.is_none_or(|of| of == set));
            let field = Field::of_text(&column.name);
            match of {
                None => to.null(field),
                Some((_, id)) => self.write_column(&column.what, *id, (field, at), to),
            }
        }
    }

    fn write_column<W: TypedWriter>(
        &self,
        what: &What,
        id: Id,
        (field, at): (Field<'_>, Option<&At>),
        to: &mut W,
    ) {
        let node = &self.nodes[id];
        match what {
            What::Json => {
                let mut text = Vec::new();
                match at {
                    Some(at) if !self.value(id, at, &mut text) || text == b"null" => to.null(field),
                    _ => write_text(field, &text, to),
                }
            }
            What::Scalar(kind) => self.write_scalar(*kind, id, (field, at), to),
            What::Object(columns) => {
                to.begin_object(field);
                if let Make::Object(object) = &node.make {
                    let set = at.map_or(0, |at| self.set(object, at));
                    self.write_columns(columns, set, at, to);
                }
                to.end_object();
            }
            What::List(element) => {
                to.begin_array(field);
                let of = element.from[0].1;
                let mut here = at.copied();
                for n in 0..at.map_or(1, |at| self.length(id, at)) {
                    if let Some(here) = &mut here {
                        here.index[node.depth] = n as u32;
                    }
                    self.write_column(&element.what, of, (Field::ELEMENT, here.as_ref()), to);
                }
                to.end_array();
            }
            What::Tuple(elements) => {
                to.begin_array(field);
                for element in elements {
                    self.write_column(&element.what, element.from[0].1, (Field::ELEMENT, at), to);
                }
                to.end_array();
            }
        }
    }

    fn write_scalar<W: TypedWriter>(
        &self,
        kind: Kind,
        id: Id,
        (field, at): (Field<'_>, Option<&At>),
        to: &mut W,
    ) {
        // An example has any value.
        let there = at.is_none_or(|at| self.there(&self.nodes[id], at) == There::Value);
        let exact = || at.map_or(Some(0), |at| self.exact(id, at));
        let mut text = Vec::new();
        match kind {
            _ if !there => to.null(field),
            Kind::Integer | Kind::Decimal(_) => match (exact(), kind) {
                (None, _) => to.null(field),
                (Some(units), Kind::Decimal(digits)) => to.decimal(field, units, digits),
                (Some(value), _) => to.signed(field, value),
            },
            Kind::Date(format) if json::is_text(format) => match exact() {
                None => to.null(field),
                Some(units) => {
                    json::date(units, format, &mut text);
                    to.instant(
                        field,
                        units.saturating_mul(format.unit()),
                        &String::from_utf8_lossy(&text),
                    );
                }
            },
            Kind::Date(_) => match exact() {
                None => to.null(field),
                Some(units) => to.signed(field, units),
            },
            Kind::Number => match at.map_or(Some(0.0), |at| self.real(id, at)) {
                None => to.null(field),
                Some(value) => to.number(field, value),
            },
            _ => {
                let Some(at) = at else {
                    return match kind {
                        Kind::Boolean => to.bool(field, false),
                        _ => write_text(field, b"", to),
                    };
                };
                match (self.raw(id, at, &mut text), kind) {
                    (false, _) => to.null(field),
                    (true, Kind::Boolean) => to.bool(field, text == b"true"),
                    (true, _) => write_text(field, &text, to),
                }
            }
        }
    }
}

/// Writes a text.
pub fn write_text(field: Field<'_>, text: &[u8], to: &mut impl Writer) {
    to.text(field, text.len(), |out| out[..text.len()].copy_from_slice(text));
}
