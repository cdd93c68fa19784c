//! What is known of the numbers of a field.

use serde_json::Number;

use super::distinct::{Distinct, hash};
use super::frequent::Frequent;
use super::sample::Sample;

/// Numbers of a field that are kept.
const KEPT: usize = 4096;
/// Digits behind the point that a decimal may have.
pub const MOST_DIGITS: usize = 15;

/// Numbers of a field.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// How many.
    pub count: u64,
    /// How many are integers of 64 bits.
    pub integers: u64,
    /// The lowest and the highest.
    pub ends: (f64, f64),
    /// Those of the integers.
    pub integer_ends: (i64, i64),
    /// How many have so many digits behind their point, the last one for more.
    pub digits: [u64; MOST_DIGITS + 2],
    /// Frequent values, as bits of a double.
    pub frequent: Frequent<u64>,
    /// Distinct values.
    pub distinct: Distinct,
    sample: Sample<f64>,
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers {
            count: 0,
            integers: 0,
            ends: (f64::INFINITY, f64::NEG_INFINITY),
            integer_ends: (i64::MAX, i64::MIN),
            digits: [0; MOST_DIGITS + 2],
            frequent: Frequent::default(),
            distinct: Distinct::default(),
            sample: Sample::new(KEPT),
        }
    }
}

/// Digits behind the point of the shortest text that reads back; 16 of one with an exponent.
fn digits(value: f64) -> usize {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    match text.split_once('.') {
        _ if text.contains('e') => MOST_DIGITS + 1,
        Some((_, "0")) | None => 0,
        Some((_, behind)) => behind.len().min(MOST_DIGITS + 1),
    }
}

impl Numbers {
    /// Takes a number in.
    pub fn add(&mut self, number: &Number) {
        let value = number.as_f64().unwrap_or(0.0);
        self.count += 1;
        self.ends = (self.ends.0.min(value), self.ends.1.max(value));
        match number.as_i64() {
            Some(n) => {
                self.integers += 1;
                self.integer_ends = (self.integer_ends.0.min(n), self.integer_ends.1.max(n));
                self.digits[0] += 1;
                self.distinct.add(hash(&n.to_le_bytes()), 1);
            }
            None => {
                self.digits[digits(value)] += 1;
                self.distinct.add(hash(&value.to_bits().to_be_bytes()), 1);
            }
        }
        self.frequent.add(&value.to_bits(), 1);
        self.sample.add(|| value);
    }

    /// Takes in what another one has.
    pub fn merge(&mut self, other: &Numbers) {
        self.count += other.count;
        self.integers += other.integers;
        self.ends = (self.ends.0.min(other.ends.0), self.ends.1.max(other.ends.1));
        let (low, high) = other.integer_ends;
        self.integer_ends = (self.integer_ends.0.min(low), self.integer_ends.1.max(high));
        self.digits.iter_mut().zip(other.digits).for_each(|(of, more)| *of += more);
        self.frequent.merge(&other.frequent);
        self.distinct.merge(&other.distinct);
        self.sample.merge(&other.sample);
    }

    /// A sample in order, with the ends of all.
    pub fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.sample.values().to_vec();
        if !self.sample.is_all() {
            sorted.extend([self.ends.0, self.ends.1]);
        }
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    }
}

/// Lengths or numbers of elements.
#[derive(Clone, Debug)]
pub struct Lengths {
    /// How many.
    pub count: u64,
    /// Their sum.
    pub sum: u64,
    /// The lowest and the highest.
    pub ends: (u64, u64),
    sample: Sample<u32>,
}

impl Default for Lengths {
    fn default() -> Self {
        Lengths { count: 0, sum: 0, ends: (u64::MAX, 0), sample: Sample::new(KEPT) }
    }
}

impl Lengths {
    /// Takes a length in, so many times.
    pub fn add(&mut self, length: usize, times: u64) {
        let length = length as u64;
        self.count += times;
        self.sum += length * times;
        self.ends = (self.ends.0.min(length), self.ends.1.max(length));
        (0..times.min(KEPT as u64)).for_each(|_| self.sample.add(|| length as u32));
    }

    /// Takes in what another one has.
    pub fn merge(&mut self, other: &Lengths) {
        self.count += other.count;
        self.sum += other.sum;
        self.ends = (self.ends.0.min(other.ends.0), self.ends.1.max(other.ends.1));
        self.sample.merge(&other.sample);
    }

    /// A sample in order, with the ends of all.
    pub fn sorted(&self) -> Vec<f64> {
        let mut sorted: Vec<f64> = self.sample.values().iter().map(|n| f64::from(*n)).collect();
        if !self.sample.is_all() {
            sorted.extend([self.ends.0 as f64, self.ends.1 as f64]);
        }
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    }

    /// Their mean.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }
}
