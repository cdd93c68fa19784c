//! How the documents of a benchmark become tables.

/// How the documents of a benchmark become tables.
#[derive(Debug)]
pub struct Flat {
    /// Whether a column of a field in an object has the object's name before its own, `address_city`,
    /// because names of fields are not unique in a document.
    pub qualified: bool,
    /// Arrays of a fixed length whose elements become columns: the array and those columns.
    pub spread: &'static [(&'static str, &'static [&'static str])],
    /// All other arrays.
    pub tables: &'static [Child],
}

/// An array that becomes a table.
#[derive(Debug)]
pub struct Child {
    /// Its name; of an array in the elements of another one `outer.inner`. Where the elements are
    /// arrays themselves, the innermost elements are the rows.
    pub array: &'static str,
    /// The table's name, which its files have.
    pub table: &'static str,
    /// The key of the document: a field of it, and the column of the table that repeats it.
    pub key: &'static [(&'static str, &'static str)],
    /// Columns of the places in the arrays around an element, counted from 1, outermost first. None
    /// where a column of the elements tells them apart in the array's order.
    pub positions: &'static [&'static str],
    /// Column of the element itself where it is no object.
    pub element: &'static str,
}
