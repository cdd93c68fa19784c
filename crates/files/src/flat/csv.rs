//! Documents as rows of CSV.

use hoap_data::Timestamp;
use hoap_data::writer::{ExtraField, Field, TEXT_SLACK, Writer, extra_text};

use super::{Place, Relation};
use crate::typed::TypedWriter;

impl Relation {
    /// A writer that appends the rows of documents to the text of each table.
    pub(crate) fn writer<'a>(&'a self, out: Vec<&'a mut Vec<u8>>) -> Csv<'a> {
        Csv {
            relation: self,
            rows: vec![0; out.len()],
            out,
            row: 0,
            columns: Vec::with_capacity(self.keyed),
            key: Vec::new(),
            table: 0,
            array: 0,
            open: Vec::new(),
        }
    }
}

/// Writes documents as rows. Every value is followed by a comma; the end of a row replaces the last
/// one by a line feed.
pub struct Csv<'a> {
    relation: &'a Relation,
    out: Vec<&'a mut Vec<u8>>,
    /// Number of rows of each table.
    pub(crate) rows: Vec<u64>,
    /// Start of the document's own row.
    row: usize,
    /// Ends of its first columns, comma included, as far as they contain keys.
    columns: Vec<usize>,
    /// A key that is copied from one table to another.
    key: Vec<u8>,
    /// The table of the next values.
    table: usize,
    /// The array that begins next.
    array: usize,
    /// Arrays that have begun and not ended, the outermost first.
    open: Vec<Open>,
}

/// An open array.
struct Open {
    array: usize,
    place: Place,
    /// Elements that have begun.
    number: u64,
    /// The table of the values before it.
    before: usize,
}

impl Csv<'_> {
    pub(crate) fn begin_document(&mut self) {
        self.row = self.out[0].len();
        self.columns.clear();
        self.array = 0;
        self.table = 0;
    }

    /// Ends a row; the document's own is its last.
    pub(crate) fn end_row(&mut self) {
        if let Some(last) = self.out[self.table].last_mut() {
            *last = b'\n';
        }
        self.rows[self.table] += 1;
    }

    /// Whether the elements of the innermost array are rows.
    #[inline]
    fn in_rows(&self) -> bool {
        matches!(self.open.last(), Some(Open { place: Place::Table(_), .. }))
    }

    /// Begins a value, and a row where the value is one. Returns whether it is.
    #[inline]
    fn begin(&mut self, field: Field<'_>) -> bool {
        if !field.is_element() {
            return false;
        }
        let Some(open) = self.open.last_mut() else { return false };
        open.number += 1;
        self.array = open.array + 1;
        let row = self.in_rows();
        if row {
            self.begin_row();
        }
        row
    }

    /// Begins a row of an array's table with the document's key and the numbers of the enclosing
    /// elements.
    fn begin_row(&mut self) {
        let table = &self.relation.tables[self.table];
        self.key.clear();
        for &place in &table.key {
            let start = if place == 0 { self.row } else { self.columns[place - 1] };
            self.key.extend_from_slice(&self.out[0][start..self.columns[place]]);
        }
        let out = &mut self.out[self.table];
        out.extend_from_slice(&self.key);
        if table.numbered {
            for open in &self.open {
                push_number(out, open.number);
                out.push(b',');
            }
        }
    }

    /// Writes a value that needs no quotes.
    #[inline]
    fn put(&mut self, field: Field<'_>, write: impl FnOnce(&mut Vec<u8>)) {
        let row = self.begin(field);
        let out = &mut self.out[self.table];
        write(out);
        out.push(b',');
        if self.table == 0 && self.columns.len() < self.relation.keyed {
            self.columns.push(self.out[0].len());
        }
        if row {
            self.end_row();
        }
    }
}

impl Writer for Csv<'_> {
    fn begin_object(&mut self, field: Field<'_>) {
        self.begin(field);
    }

    fn end_object(&mut self) {
        // In an array's table an object is a row; elsewhere its fields are columns.
        if self.in_rows() {
            self.end_row();
        }
    }

    fn begin_array(&mut self, field: Field<'_>) {
        self.begin(field);
        let (array, before) = (self.array, self.table);
        let place = self.relation.arrays.get(array).map_or(Place::Columns, |a| a.place);
        if let Place::Table(table) = place {
            self.table = table;
        }
        self.open.push(Open { array, place, number: 0, before });
        self.array += 1;
    }

    fn end_array(&mut self) {
        if let Some(Open { array, before, .. }) = self.open.pop() {
            self.table = before;
            self.array = self.relation.arrays.get(array).map_or(array + 1, |a| a.next);
        }
    }

    fn null(&mut self, field: Field<'_>) {
        self.put(field, |_| ());
    }

    fn bool(&mut self, field: Field<'_>, value: bool) {
        let text: &[u8] = if value { b"true" } else { b"false" };
        self.put(field, |out| out.extend_from_slice(text));
    }

    fn int(&mut self, field: Field<'_>, value: u64) {
        self.put(field, |out| push_number(out, value));
    }

    fn cents(&mut self, field: Field<'_>, value: i64) {
        self.put(field, |out| {
            if value < 0 {
                out.push(b'-');
            }
            push_decimal(out, value.unsigned_abs(), 2);
        });
    }

    fn ratio(&mut self, field: Field<'_>, value: u32) {
        self.put(field, |out| push_decimal(out, value.into(), 4));
    }

    fn timestamp(&mut self, field: Field<'_>, value: Timestamp) {
        self.put(field, |out| out.extend_from_slice(&value.to_bytes()));
    }

    fn text(&mut self, field: Field<'_>, len: usize, fill: impl FnOnce(&mut [u8])) {
        self.put(field, |out| {
            let start = out.len();
            out.resize(start + len + TEXT_SLACK, 0);
            fill(&mut out[start..]);
            out.truncate(start + len);
            // An empty field is null; an empty text is quoted.
            if len == 0 || out[start..].iter().any(|b| b",\"\r\n".contains(b)) {
                let raw = out.split_off(start);
                out.push(b'"');
                for byte in raw {
                    out.extend_from_slice(if byte == b'"' {
                        b"\"\""
                    } else {
                        std::slice::from_ref(&byte)
                    });
                }
                out.push(b'"');
            }
        });
    }

    fn extra(&mut self, _: &'static ExtraField, words: [u64; 2]) {
        let out = &mut self.out[self.table];
        out.extend_from_slice(&extra_text(words));
        out.push(b',');
    }
}

impl TypedWriter for Csv<'_> {
    fn signed(&mut self, field: Field<'_>, value: i64) {
        self.decimal(field, value, 0);
    }

    fn decimal(&mut self, field: Field<'_>, units: i64, digits: u8) {
        self.put(field, |out| {
            if units < 0 {
                out.push(b'-');
            }
            push_decimal(out, units.unsigned_abs(), digits.into());
        });
    }

    fn number(&mut self, field: Field<'_>, value: f64) {
        self.put(field, |out| out.extend_from_slice(value.to_string().as_bytes()));
    }

    fn instant(&mut self, field: Field<'_>, _: i64, text: &str) {
        self.put(field, |out| out.extend_from_slice(text.as_bytes()));
    }
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
}
