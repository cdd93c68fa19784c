//! The flat, relational form, written as CSV: a table for each collection, objects spread into
//! columns, arrays as tables of their own that repeat the key of the document.

mod csv;
mod definition;

use crate::error::{Error, Result};
use crate::shape::{Kind, Node, Shape};

pub use csv::Csv;
pub use definition::{Child, Flat};

/// A table of the flat form.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    /// Positions, among the document's own columns, of the key that it repeats.
    key: Vec<usize>,
    /// Whether rows are numbered after the key.
    numbered: bool,
}

impl Table {
    fn new(name: &str) -> Table {
        Table { name: name.to_owned(), columns: Vec::new(), key: Vec::new(), numbered: false }
    }

    /// The header line of the table's file.
    pub(crate) fn header(&self) -> String {
        self.columns.join(",") + "\n"
    }
}

/// The destination of an array's elements.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Columns of the enclosing table.
    Columns,
    /// Rows of a table.
    Table(usize),
    /// Nothing: they are arrays with destinations of their own.
    Arrays,
}

/// An array of the documents.
#[derive(Clone, Copy, Debug)]
struct Array {
    place: Place,
    /// The next array outside this one.
    next: usize,
}

/// The tables of a collection.
#[derive(Debug)]
pub(crate) struct Relation {
    /// The collection's own first.
    pub(crate) tables: Vec<Table>,
    /// The arrays of a document, in the order in which they begin.
    arrays: Vec<Array>,
    /// The number of the document's own columns up to the last key.
    keyed: usize,
}

impl Relation {
    /// # Errors
    /// An array without a table in the definition.
    pub(crate) fn new(name: &str, flat: &Flat, shape: &Shape) -> Result<Relation> {
        let mut relation =
            Relation { tables: vec![Table::new(name)], arrays: Vec::new(), keyed: 0 };
        relation.spread(flat, &shape.fields, "")?;
        let keys = relation.tables.iter().flat_map(|t| &t.key);
        relation.keyed = keys.map(|place| place + 1).max().unwrap_or(0);
        Ok(relation)
    }

    /// Makes columns of fields.
    fn spread(&mut self, flat: &Flat, fields: &[Node], before: &str) -> Result<()> {
        for field in fields {
            let column = format!("{before}{}", field.name);
            match &field.kind {
                Kind::Unknown | Kind::Scalar { .. } => self.tables[0].columns.push(column),
                Kind::Object(fields) => {
                    let before = if flat.qualified { column + "_" } else { String::new() };
                    self.spread(flat, fields, &before)?;
                }
                Kind::List(element) => self.array(flat, &field.name, element, 1)?,
            }
        }
        Ok(())
    }

    /// Makes columns or a table of an array at this depth, which counts the array itself.
    fn array(&mut self, flat: &Flat, name: &str, element: &Node, depth: usize) -> Result<()> {
        let number = self.arrays.len();
        self.arrays.push(Array { place: Place::Arrays, next: 0 });
        let spread = flat.spread.iter().find(|(array, _)| *array == name);
        let place = match (spread, &element.kind) {
            (Some((_, columns)), _) => {
                self.tables[0].columns.extend(columns.iter().map(|c| (*c).to_owned()));
                Place::Columns
            }
            (None, Kind::List(inner)) => {
                self.array(flat, name, inner, depth + 1)?;
                Place::Arrays
            }
            (None, _) => Place::Table(self.table(flat, name, element, depth)?),
        };
        self.arrays[number] = Array { place, next: self.arrays.len() };
        Ok(())
    }

    /// Makes a table of an array's elements, and of the arrays in them.
    fn table(&mut self, flat: &Flat, name: &str, element: &Node, depth: usize) -> Result<usize> {
        let unknown = || {
            Error::usage(format!("csv has no table for what {name} holds: choose another format"))
        };
        let child = flat.tables.iter().find(|c| c.array == name).ok_or_else(unknown)?;
        let numbered = !child.positions.is_empty();
        if child.positions.len() != if numbered { depth } else { 0 } || (depth > 1 && !numbered) {
            return Err(unknown());
        }
        let mut table = Table { numbered, ..Table::new(child.table) };
        for (of_document, column) in child.key {
            let place = self.tables[0].columns.iter().position(|c| c == of_document);
            table.key.push(place.ok_or_else(unknown)?);
            table.columns.push((*column).to_owned());
        }
        table.columns.extend(child.positions.iter().map(|c| (*c).to_owned()));
        let number = self.tables.len();
        self.tables.push(table);
        match &element.kind {
            Kind::Object(fields) => {
                for field in fields {
                    match &field.kind {
                        Kind::Unknown | Kind::Scalar { .. } => {
                            self.tables[number].columns.push(field.name.clone());
                        }
                        Kind::List(inner) => {
                            let name = format!("{name}.{}", field.name);
                            self.array(flat, &name, inner, depth + 1)?;
                        }
                        Kind::Object(_) => return Err(unknown()),
                    }
                }
            }
            // Without a name: an array of objects that was empty in every probed document.
            _ if child.element.is_empty() => return Err(unknown()),
            _ => self.tables[number].columns.push(child.element.to_owned()),
        }
        Ok(number)
    }
}
