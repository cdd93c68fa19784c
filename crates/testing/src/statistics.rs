//! Whether what was drawn fits its distribution.

use std::ops::RangeInclusive;

/// Values that should be uniform over a closed range, collected from documents.
pub struct Uniform {
    name: &'static str,
    range: RangeInclusive<i64>,
    values: Vec<i64>,
}

impl Uniform {
    /// None yet; `name` is for the message.
    pub fn new(name: &'static str, range: RangeInclusive<i64>) -> Self {
        Uniform { name, range, values: Vec::new() }
    }

    /// One more, which must be in the range.
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

/// Of lower case.
pub const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
/// Of base 10.
pub const DIGITS: &str = "0123456789";
/// Digits and letters, by their bytes.
pub const ALPHANUMERICS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

impl Strings {
    /// None yet; `name` is for the message.
    pub fn new(name: &'static str, characters: &'static str, lengths: RangeInclusive<i64>) -> Self {
        let counts = vec![0; characters.len()];
        Strings { lengths: Uniform::new(name, lengths), characters, counts }
    }

    /// One more.
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

    /// Lengths and characters.
    pub fn check(self) {
        assert_even(self.lengths.name, &self.counts);
        self.lengths.check();
    }

    /// Only the characters.
    pub fn check_characters(self) {
        assert_even(self.lengths.name, &self.counts);
    }
}
