//! What the tests share: data sets, parsed documents, and statistics.

use std::ops::RangeInclusive;

use hoap_data::{Collection, DataSet, ExtraFields, Schema, Spec, Timestamp};
use serde_json::Value;

pub fn data_set(schema: Schema, warehouses: u32, scale_down: u32) -> DataSet {
    let mut spec = Spec::new(schema, warehouses);
    spec.scale_down = scale_down;
    if schema == Schema::Ch2pp {
        spec.extra_fields = ExtraFields::all(2);
    }
    DataSet::new(spec).expect("a valid specification")
}

pub fn text(data: &DataSet, collection: Collection, index: u64) -> String {
    let mut out = Vec::new();
    data.append(collection, index, &mut out);
    String::from_utf8(out).expect("UTF-8")
}

pub fn key(data: &DataSet, collection: Collection, index: u64) -> String {
    let mut out = String::new();
    data.append_key(collection, index, &mut out);
    out
}

pub fn document(data: &DataSet, collection: Collection, index: u64) -> Value {
    serde_json::from_str(&text(data, collection, index)).expect("JSON")
}

/// The document with this key.
pub fn document_at(data: &DataSet, collection: Collection, key: &str) -> Value {
    document(data, collection, data.index_of(collection, key).expect("a key of the load"))
}

/// All documents of a collection, parsed.
pub fn documents(data: &DataSet, collection: Collection) -> impl Iterator<Item = Value> + use<> {
    let data = *data;
    (0..data.count(collection)).map(move |index| document(&data, collection, index))
}

pub fn int(document: &Value, field: &str) -> i64 {
    document[field].as_i64().unwrap_or_else(|| panic!("{field} of {document} is no integer"))
}

pub fn string<'a>(document: &'a Value, field: &str) -> &'a str {
    document[field].as_str().unwrap_or_else(|| panic!("{field} of {document} is no string"))
}

pub fn list<'a>(document: &'a Value, field: &str) -> &'a [Value] {
    document[field].as_array().unwrap_or_else(|| panic!("{field} of {document} is no array"))
}

/// A number in units of 1 / `per`.
pub fn scaled(document: &Value, field: &str, per: f64) -> i64 {
    let number = document[field].as_f64();
    (number.unwrap_or_else(|| panic!("{field} of {document} is no number")) * per).round() as i64
}

pub fn cents(document: &Value, field: &str) -> i64 {
    scaled(document, field, 100.0)
}

/// Microseconds since 1970 of a date string.
pub fn micros(document: &Value, field: &str) -> i64 {
    string(document, field).parse::<Timestamp>().expect("a timestamp").micros()
}

/// Values that should be uniform over a closed range, collected from documents.
pub struct Uniform {
    name: &'static str,
    range: RangeInclusive<i64>,
    values: Vec<i64>,
}

impl Uniform {
    pub fn new(name: &'static str, range: RangeInclusive<i64>) -> Self {
        Uniform { name, range, values: Vec::new() }
    }

    pub fn add(&mut self, value: i64) {
        assert!(self.range.contains(&value), "{}: {value} is not in {:?}", self.name, self.range);
        self.values.push(value);
    }

    /// Both ends occur (or, in a range too wide for that, values close to them), and chi-squared
    /// over up to 64 cells is neither too large nor too small.
    pub fn check(self) {
        let Uniform { name, range, values } = self;
        let (low, high) = (i128::from(*range.start()), i128::from(*range.end()));
        let width = high - low + 1;
        let count = values.len() as i128;
        assert!(count >= 100, "{name}: {count} values are too few to judge");
        let far = if count >= 20 * width { 0 } else { 20 * width / count };
        let smallest = i128::from(*values.iter().min().expect("values"));
        let largest = i128::from(*values.iter().max().expect("values"));
        assert!(smallest - low <= far, "{name}: {smallest} is the smallest of {range:?}");
        assert!(high - largest <= far, "{name}: {largest} is the largest of {range:?}");
        let cells = width.min(64).min(count / 20);
        let mut seen = vec![0u64; cells as usize];
        for value in values {
            seen[((i128::from(value) - low) * cells / width) as usize] += 1;
        }
        let first = |cell: i128| (cell * width + cells - 1) / cells;
        let expected = (0..cells)
            .map(|cell| count as f64 * (first(cell + 1) - first(cell)) as f64 / width as f64);
        assert_fits(name, &seen, &expected.collect::<Vec<_>>());
    }
}

/// Counts as equal as chance makes them.
pub fn assert_even(name: &str, seen: &[u64]) {
    let total: u64 = seen.iter().sum();
    assert_fits(name, seen, &vec![total as f64 / seen.len() as f64; seen.len()]);
}

/// Chi-squared of counts against expected ones, within 4.5 standard deviations after the
/// cube-root transformation of Wilson and Hilferty.
pub fn assert_fits(name: &str, seen: &[u64], expected: &[f64]) {
    assert_eq!(seen.len(), expected.len());
    let square = |(&s, &e): (&u64, &f64)| (s as f64 - e).powi(2) / e;
    let chi_squared: f64 = seen.iter().zip(expected).map(square).sum();
    let freedom = seen.len() as f64 - 1.0;
    if freedom < 1.0 {
        return;
    }
    let spread = 2.0 / (9.0 * freedom);
    let deviation = ((chi_squared / freedom).cbrt() - (1.0 - spread)) / spread.sqrt();
    assert!(deviation.abs() < 4.5, "{name}: chi-squared {chi_squared} of {freedom}: {seen:?}");
}

/// Probability `share` of `seen` among `of`, within 4.5 standard deviations.
pub fn assert_share(name: &str, seen: usize, of: usize, share: f64) {
    let (seen, of) = (seen as f64, of as f64);
    let deviation = (seen - of * share) / (of * share * (1.0 - share)).sqrt();
    assert!(deviation.abs() < 4.5, "{name}: {seen} of {of} is not {share}");
}

/// Lengths and characters of strings whose lengths are uniform over a range.
pub struct Strings {
    lengths: Uniform,
    characters: &'static str,
    counts: Vec<u64>,
}

pub const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
pub const DIGITS: &str = "0123456789";
pub const ALPHANUMERICS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

impl Strings {
    pub fn new(name: &'static str, characters: &'static str, lengths: RangeInclusive<i64>) -> Self {
        let counts = vec![0; characters.len()];
        Strings { lengths: Uniform::new(name, lengths), characters, counts }
    }

    pub fn add(&mut self, value: &str) {
        self.lengths.add(value.len() as i64);
        self.add_characters(value);
    }

    /// Characters of a string whose length is no choice of its own.
    pub fn add_characters(&mut self, value: &str) {
        for c in value.chars() {
            let position = self.characters.find(c);
            let place =
                position.unwrap_or_else(|| panic!("{}: '{c}' in {value}", self.lengths.name));
            self.counts[place] += 1;
        }
    }

    pub fn check(self) {
        assert_even(self.lengths.name, &self.counts);
        self.lengths.check();
    }

    /// Only the characters.
    pub fn check_characters(self) {
        assert_even(self.lengths.name, &self.counts);
    }
}

/// The eight characters that ORIGINAL stands for are gone; the rest counts.
pub fn without_original(data: &str) -> (bool, String) {
    match data.split_once("ORIGINAL") {
        Some((head, tail)) => (true, format!("{head}{tail}")),
        None => (false, data.to_owned()),
    }
}
