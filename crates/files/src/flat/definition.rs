//! How the documents of a benchmark become tables.

/// How the documents of a benchmark become tables.
#[derive(Debug)]
pub struct Flat {
    /// Whether the column of a field in an object is prefixed with the object's name, as in
    /// `address_city`, because field names are not unique in a document.
    pub qualified: bool,
    /// Arrays of a fixed length whose elements become columns: the array and those columns.
    pub spread: &'static [(&'static str, &'static [&'static str])],
    /// All other arrays.
    pub tables: &'static [Child],
}

/// An array that becomes a table.
#[derive(Debug)]
pub struct Child {
    /// Its name, `outer.inner` for an array in the elements of another one. Where the elements are
    /// arrays, the innermost elements are the rows.
    pub array: &'static str,
    /// The name of the table and of its files.
    pub table: &'static str,
    /// The key of the document: its fields, each with the column that repeats it.
    pub key: &'static [(&'static str, &'static str)],
    /// Columns of an element's positions in the enclosing arrays, counted from 1, outermost first.
    /// Empty where a column of the elements identifies them in the array's order.
    pub positions: &'static [&'static str],
    /// Column of the element itself, where it is not an object.
    pub element: &'static str,
}
