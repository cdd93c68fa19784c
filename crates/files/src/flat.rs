//! The flat, relational form: a table for each collection, objects spread into columns, arrays into
//! tables of their own that repeat the key of the document. Written as CSV.

use std::ops::Range;

use hoap_data::writer::{ExtraField, Field, TEXT_SLACK, Writer, extra_text};
use hoap_data::{Collection, DataSet, Timestamp};

use crate::error::{Error, Result};
use crate::shape::{Kind, Node, Shape};

/// An array that becomes a table.
struct Child {
    array: &'static str,
    table: &'static str,
    /// The key of the document: a field of it, and the column of the table that repeats it.
    key: &'static [(&'static str, &'static str)],
    /// Column of the place in the array, counted from 1, where no column of the elements tells
    /// them apart in the array's order.
    position: Option<&'static str>,
    /// Column of the element itself where it is no object.
    element: &'static str,
}

const CUSTOMER_KEY: &[(&str, &str)] =
    &[("c_w_id", "c_w_id"), ("c_d_id", "c_d_id"), ("c_id", "c_id")];

/// Every array that becomes a table. The lines of an order take TPC-C's names (clause 1.3.1).
const CHILDREN: [Child; 5] = [
    Child {
        array: "o_orderline",
        table: "orderline",
        key: &[("o_w_id", "ol_w_id"), ("o_d_id", "ol_d_id"), ("o_id", "ol_o_id")],
        position: None,
        element: "",
    },
    Child {
        array: "c_addresses",
        table: "customer_address",
        key: CUSTOMER_KEY,
        position: Some("c_address_position"),
        element: "",
    },
    Child {
        array: "c_phones",
        table: "customer_phone",
        key: CUSTOMER_KEY,
        position: Some("c_phone_position"),
        element: "",
    },
    Child {
        array: "c_item_categories",
        table: "customer_item_category",
        key: CUSTOMER_KEY,
        position: Some("c_category_position"),
        element: "c_item_category",
    },
    Child {
        array: "i_categories",
        table: "item_category",
        key: &[("i_id", "i_id")],
        position: Some("i_category_position"),
        element: "i_category",
    },
];

/// Arrays of a fixed length whose elements become columns, as in CH2 and TPC-C.
const SPREAD: [(&str, &[&str]); 1] = [(
    "s_dists",
    &[
        "s_dist_01",
        "s_dist_02",
        "s_dist_03",
        "s_dist_04",
        "s_dist_05",
        "s_dist_06",
        "s_dist_07",
        "s_dist_08",
        "s_dist_09",
        "s_dist_10",
    ],
)];

/// A table of the flat form.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    /// Places, among the document's own columns, of the key that it repeats.
    key: Vec<usize>,
    /// Whether rows are numbered after the key.
    numbered: bool,
}

impl Table {
    fn new(name: &str) -> Table {
        Table { name: name.to_owned(), columns: Vec::new(), key: Vec::new(), numbered: false }
    }

    /// The first line of the table's file.
    pub(crate) fn header(&self) -> String {
        self.columns.join(",") + "\n"
    }
}

/// Where the elements of an array go.
#[derive(Clone, Copy, Debug)]
enum Place {
    Columns,
    Table(usize),
}

/// The tables of a collection.
#[derive(Debug)]
pub(crate) struct Relation {
    /// The collection's own first.
    pub(crate) tables: Vec<Table>,
    /// The arrays of a document, in its order.
    arrays: Vec<Place>,
    /// How many of the document's own columns keys are among.
    keyed: usize,
}

impl Relation {
    /// # Errors
    /// An array that no table is known for.
    pub(crate) fn new(collection: Collection, shape: &Shape) -> Result<Relation> {
        let mut relation =
            Relation { tables: vec![Table::new(collection.name())], arrays: Vec::new(), keyed: 0 };
        relation.spread(&shape.fields)?;
        let keys = relation.tables.iter().flat_map(|t| &t.key);
        relation.keyed = keys.map(|place| place + 1).max().unwrap_or(0);
        Ok(relation)
    }

    /// Makes columns of fields.
    fn spread(&mut self, fields: &[Node]) -> Result<()> {
        for field in fields {
            match &field.kind {
                Kind::Unknown | Kind::Scalar { .. } => {
                    self.tables[0].columns.push(field.name.clone());
                }
                Kind::Object(fields) => self.spread(fields)?,
                Kind::List(element) => {
                    let place = self.place(&field.name, element)?;
                    self.arrays.push(place);
                }
            }
        }
        Ok(())
    }

    /// Makes columns, or a table, of an array.
    fn place(&mut self, array: &str, element: &Node) -> Result<Place> {
        if let Some((_, columns)) = SPREAD.iter().find(|(name, _)| *name == array) {
            self.tables[0].columns.extend(columns.iter().map(|c| (*c).to_owned()));
            return Ok(Place::Columns);
        }
        let unknown = || {
            let advice = "choose another format";
            Error::usage(format!("csv has no table for what {array} holds: {advice}"))
        };
        let child = CHILDREN.iter().find(|c| c.array == array).ok_or_else(unknown)?;
        let mut table = Table::new(child.table);
        for (of_document, column) in child.key {
            let place = self.tables[0].columns.iter().position(|c| c == of_document);
            table.key.push(place.ok_or_else(unknown)?);
            table.columns.push((*column).to_owned());
        }
        table.columns.extend(child.position.map(str::to_owned));
        table.numbered = child.position.is_some();
        match &element.kind {
            Kind::Object(fields) => {
                for field in fields {
                    match field.kind {
                        Kind::Scalar { .. } => table.columns.push(field.name.clone()),
                        _ => return Err(unknown()),
                    }
                }
            }
            _ => table.columns.push(child.element.to_owned()),
        }
        self.tables.push(table);
        Ok(Place::Table(self.tables.len() - 1))
    }

    /// Appends the rows of some documents to the text of each table, and says how many rows each
    /// table got.
    pub(crate) fn write(
        &self,
        data: &DataSet,
        collection: Collection,
        range: Range<u64>,
        out: Vec<&mut Vec<u8>>,
    ) -> Vec<u64> {
        let mut writer = Csv {
            relation: self,
            rows: vec![0; out.len()],
            out,
            row: 0,
            columns: Vec::with_capacity(self.keyed),
            key: Vec::new(),
            table: 0,
            array: 0,
            number: 0,
        };
        for index in range {
            writer.begin_document();
            data.write(collection, index, &mut writer);
            writer.end_row();
        }
        writer.rows
    }
}

/// Writes documents as rows. Every value is followed by a comma; the end of a row puts a line feed in
/// place of the last.
struct Csv<'a> {
    relation: &'a Relation,
    out: Vec<&'a mut Vec<u8>>,
    rows: Vec<u64>,
    /// Where the document's own row begins.
    row: usize,
    /// Where its first columns end, comma included, as far as keys are among them.
    columns: Vec<usize>,
    /// A key on its way from one table to another.
    key: Vec<u8>,
    /// The table that values go to.
    table: usize,
    /// Arrays of the document that have begun.
    array: usize,
    /// Elements of the array that have begun.
    number: u64,
}

impl Csv<'_> {
    fn begin_document(&mut self) {
        self.row = self.out[0].len();
        self.columns.clear();
        self.array = 0;
        self.table = 0;
    }

    fn end_row(&mut self) {
        if let Some(last) = self.out[self.table].last_mut() {
            *last = b'\n';
        }
        self.rows[self.table] += 1;
    }

    /// Begins a row of an array's table: the document's key and the number of the element.
    fn begin_element(&mut self) {
        let table = &self.relation.tables[self.table];
        self.key.clear();
        for &place in &table.key {
            let start = if place == 0 { self.row } else { self.columns[place - 1] };
            self.key.extend_from_slice(&self.out[0][start..self.columns[place]]);
        }
        self.number += 1;
        let out = &mut self.out[self.table];
        out.extend_from_slice(&self.key);
        if table.numbered {
            push_number(out, self.number);
            out.push(b',');
        }
    }

    /// Writes a value that needs no quotes.
    #[inline]
    fn put(&mut self, field: Field, write: impl FnOnce(&mut Vec<u8>)) {
        let element = self.table > 0 && field == Field::ELEMENT;
        if element {
            self.begin_element();
        }
        let out = &mut self.out[self.table];
        write(out);
        out.push(b',');
        if self.table == 0 && self.columns.len() < self.relation.keyed {
            self.columns.push(self.out[0].len());
        }
        if element {
            self.end_row();
        }
    }
}

impl Writer for Csv<'_> {
    fn begin_object(&mut self, field: Field) {
        if self.table > 0 && field == Field::ELEMENT {
            self.begin_element();
        }
    }

    fn end_object(&mut self) {
        // In an array's table an object is a row; elsewhere its fields are columns.
        if self.table > 0 {
            self.end_row();
        }
    }

    fn begin_array(&mut self, _: Field) {
        if let Some(Place::Table(table)) = self.relation.arrays.get(self.array) {
            self.table = *table;
            self.number = 0;
        }
        self.array += 1;
    }

    fn end_array(&mut self) {
        self.table = 0;
    }

    fn null(&mut self, field: Field) {
        self.put(field, |_| ());
    }

    fn bool(&mut self, field: Field, value: bool) {
        let text: &[u8] = if value { b"true" } else { b"false" };
        self.put(field, |out| out.extend_from_slice(text));
    }

    fn int(&mut self, field: Field, value: u64) {
        self.put(field, |out| push_number(out, value));
    }

    fn cents(&mut self, field: Field, value: i64) {
        self.put(field, |out| {
            if value < 0 {
                out.push(b'-');
            }
            push_decimal(out, value.unsigned_abs(), 2);
        });
    }

    fn ratio(&mut self, field: Field, value: u32) {
        self.put(field, |out| push_decimal(out, value.into(), 4));
    }

    fn timestamp(&mut self, field: Field, value: Timestamp) {
        self.put(field, |out| out.extend_from_slice(&value.to_bytes()));
    }

    fn text(&mut self, field: Field, len: usize, fill: impl FnOnce(&mut [u8])) {
        self.put(field, |out| {
            let start = out.len();
            out.resize(start + len + TEXT_SLACK, 0);
            fill(&mut out[start..]);
            out.truncate(start + len);
            // An empty field is null, an empty text is not.
            if len == 0 || out[start..].iter().any(|c| matches!(c, b',' | b'"' | b'\n' | b'\r')) {
                quote(out, start);
            }
        });
    }

    fn extra(&mut self, _: &'static ExtraField, words: [u64; 2]) {
        let out = &mut self.out[self.table];
        out.extend_from_slice(&extra_text(words));
        out.push(b',');
    }
}

/// Puts quotes around what follows `start`, and doubles those in it (RFC 4180, section 2).
#[cold]
fn quote(out: &mut Vec<u8>, start: usize) {
    let text = out.split_off(start);
    out.push(b'"');
    for c in text {
        if c == b'"' {
            out.push(c);
        }
        out.push(c);
    }
    out.push(b'"');
}

fn push_number(out: &mut Vec<u8>, value: u64) {
    push_decimal(out, value, 0);
}

/// Appends `value`, the last `decimals` of its digits after a point.
fn push_decimal(out: &mut Vec<u8>, mut value: u64, decimals: usize) {
    // 20 digits, a point, and a zero before it.
    let mut text = [0; 22];
    let mut at = text.len();
    loop {
        at -= 1;
        text[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if text.len() - at == decimals {
            at -= 1;
            text[at] = b'.';
        } else if value == 0 && text.len() - at > decimals {
            break;
        }
    }
    out.extend_from_slice(&text[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let text = |value, decimals| {
            let mut out = Vec::new();
            push_decimal(&mut out, value, decimals);
            String::from_utf8(out).unwrap()
        };
        for value in [0, 1, 9, 10, 99, 100, 12_345, u64::MAX] {
            assert_eq!(text(value, 0), value.to_string());
            assert_eq!(text(value, 2), format!("{}.{:02}", value / 100, value % 100));
            assert_eq!(text(value, 4), format!("{}.{:04}", value / 10_000, value % 10_000));
        }
    }

    #[test]
    fn quotes() {
        let mut out = b"1,a \"b\", c".to_vec();
        quote(&mut out, 2);
        assert_eq!(out, b"1,\"a \"\"b\"\", c\"");
    }
}
