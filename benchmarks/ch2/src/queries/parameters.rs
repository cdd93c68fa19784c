//! Values for the parameters of the queries.
//!
//! A timestamp is a string in the form of the documents, `YYYY-MM-DD HH:MM:SS.ffffff`. Nations and
//! regions are given by name. Amounts, quantities, carriers and warehouses are integers. Everything
//! else is a string, including the digits of Q22. Years count from the year of START_DATE, so that
//! every RUN_DATE selects the same part of the history.

use std::fmt;
use std::str::FromStr;

use hoap_data::random::Stream;
use hoap_data::{Date, NATIONS, REGIONS};
use hoap_workload::answers::Query;
use hoap_workload::{Error, ErrorKind};
use serde_json::{Value, json};

use crate::data::Spec;

/// Parameters by name, in the order of [`Query::parameters`].
pub type Parameters = Vec<(String, Value)>;

/// The source of a query's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterSet {
    /// Those of the published runs.
    Reference,
    /// Fixed values for which no answer is empty at one warehouse with the default seed, so that an
    /// answer check compares rows for every query.
    Check,
    /// Drawn from each query's domain.
    Random {
        /// Seed of the run.
        seed: u64,
        /// Number of the query stream.
        stream: u64,
        /// Number of the loop of the stream, so that each loop has other parameters.
        turn: u64,
    },
}

impl ParameterSet {
    /// "ref", "check" or "random".
    pub fn name(self) -> &'static str {
        match self {
            ParameterSet::Reference => "ref",
            ParameterSet::Check => "check",
            ParameterSet::Random { .. } => "random",
        }
    }

    /// The parameters of a query on a data set.
    pub fn parameters(self, spec: &Spec, query: &Query) -> Parameters {
        let values = Draw::new(spec, query, self).values(query.number);
        debug_assert_eq!(values.len(), query.parameters.len());
        query.parameters.iter().map(|name| name.to_string()).zip(values).collect()
    }
}

impl fmt::Display for ParameterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads "ref" and "check"; random parameters need a seed.
impl FromStr for ParameterSet {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self, Error> {
        [ParameterSet::Reference, ParameterSet::Check]
            .into_iter()
            .find(|p| p.name() == s)
            .ok_or_else(|| {
                Error::new(ErrorKind::Invalid, "read the name of a parameter set", format!("{s:?}"))
                    .advise("use ref or check")
            })
    }
}

/// Tags of the random streams of this file: one for random parameters, one for the warehouses that
/// replace the published ones of Q19 in a small data set.
const TAG_RANDOM: u64 = u64::from_be_bytes(*b"qryparam");
const TAG_WAREHOUSES: u64 = u64::from_be_bytes(*b"qry19whs");

/// The warehouses of Q19 in the published runs, chosen for 100 warehouses.
const Q19_WAREHOUSES: [[u32; 3]; 3] = [[37, 29, 70], [78, 17, 6], [91, 95, 15]];

/// The draw of one set of parameters.
struct Draw<'a> {
    spec: &'a Spec,
    set: ParameterSet,
    /// The source of random values.
    random: Stream,
}

impl<'a> Draw<'a> {
    fn new(spec: &'a Spec, query: &Query, set: ParameterSet) -> Self {
        let number = u64::from(query.number);
        let random = match set {
            ParameterSet::Random { seed, stream, turn } => {
                Stream::new(seed, &[TAG_RANDOM, stream, turn, number])
            }
            _ => Stream::new(spec.seed, &[TAG_WAREHOUSES, number]),
        };
        Draw { spec, set, random }
    }

    /// One value: the published one, that of the check, or a drawn one.
    fn pick<T>(&mut self, reference: T, check: T, random: impl FnOnce(&mut Stream) -> T) -> T {
        match self.set {
            ParameterSet::Reference => reference,
            ParameterSet::Check => check,
            ParameterSet::Random { .. } => random(&mut self.random),
        }
    }

    /// The values of a query's parameters, in order.
    fn values(&mut self, query: u8) -> Vec<Value> {
        let start = self.spec.run_date.add_years(-7);
        // Year 0 is the year of START_DATE, 2014 for the published RUN_DATE.
        let y = i64::from(start.year());
        let first = |year: i64, month: i64| Month { year: y + year, month };
        match query {
            1 => {
                let after = self.pick(first(0, 7).first(), first(3, 1).first(), |r| {
                    midnight(start.add_days(r.uniform(180..=240)))
                });
                vec![json!(after)]
            }
            2 => {
                let region = self.pick("Europ", "America", region);
                vec![json!(region), json!(self.pick('b', 'm', letter))]
            }
            3 => {
                let state = self.pick('a', 'K', |r| nation(r).initial);
                let day = self.pick(15, 31, |r| r.uniform(1..=31));
                vec![json!(state), json!(first(3, 3).day(day))]
            }
            4 => self.months((first(1, 7), first(3, 2)), (first(1, 1), first(5, 12)), 3),
            5 => {
                let region = self.pick("Asia", "Middle East", region);
                let mut values = self.year((2, 4));
                values.insert(0, json!(region));
                values
            }
            6 => {
                let mut values = self.year((2, 5));
                values.push(json!(self.pick(600, 700, |r| r.uniform(500..=700))));
                values
            }
            7 => {
                let (a, b) = self.pick(("Germany", "Cambodia"), ("Peru", "Kenya"), two_nations);
                vec![json!(a), json!(b), json!(first(3, 1).first()), json!(first(4, 12).day(31))]
            }
            8 => {
                let reference = ("Germany", "Europe");
                let (nation, region) = self.pick(reference, ("Singapore", "Asia"), |r| {
                    let nation = nation(r);
                    (nation.name, nation.region)
                });
                let data = self.pick('b', 'e', letter);
                let (from, to) = (first(3, 1).first(), first(4, 12).day(31));
                vec![json!(nation), json!(region), json!(data), json!(from), json!(to)]
            }
            9 => vec![json!(self.pick("bb".into(), "xy".into(), letters))],
            10 => self.months((first(1, 10), first(2, 3)), (first(1, 1), first(3, 12)), 3),
            11 => vec![json!(self.pick("Germany", "Brazil", |r| nation(r).name))],
            12 => self.year((2, 3)),
            13 => vec![json!(self.pick(8, 5, |r| r.uniform(5..=10)))],
            14 => self.months((first(3, 9), first(4, 8)), (first(1, 1), first(5, 12)), 1),
            15 => self.months((first(4, 1), first(1, 8)), (first(1, 1), first(5, 12)), 3),
            16 => vec![json!(self.pick("zz".into(), "aa".into(), letters))],
            17 => vec![json!(self.pick('b', 'e', letter))],
            18 => vec![json!(self.pick(200, 300, |r| r.uniform(200..=300)))],
            19 => self.alternatives(),
            20 => {
                let nation = self.pick("Germany", "Cameroon", |r| nation(r).name);
                let data = self.pick("co".into(), "tg".into(), letters);
                let mut values = self.year((2, 1));
                if self.set == ParameterSet::Reference {
                    // The published runs count this year alone from noon to noon.
                    values = [y + 2, y + 3].map(|year| json!(noon(year))).to_vec();
                }
                values.splice(0..0, [json!(nation), json!(data)]);
                values
            }
            21 => {
                let nation = self.pick("Peru", "Chile", |r| nation(r).name);
                let december = first(self.pick(3, 5, |r| r.uniform(0..=6)), 12);
                vec![json!(nation), json!(december.first()), json!(december.day(31))]
            }
            22 => {
                let digits = self.pick("1234567".into(), "0246813".into(), seven_digits);
                let december = first(self.pick(-1, 3, |r| r.uniform(-1..=6)), 12);
                let digits = digits.chars().map(|c| json!(c));
                digits.chain([json!(december.first()), json!(december.day(31))]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// So many months, from the first day of one between `earliest` and `latest`.
    fn months(
        &mut self,
        (reference, check): (Month, Month),
        (earliest, latest): (Month, Month),
        number: i64,
    ) -> Vec<Value> {
        let from = self.pick(reference, check, |r| month(r, earliest, latest));
        vec![json!(from.first()), json!(from.plus(number).first())]
    }

    /// A year, from 1 January to 1 January. The years of the published runs and of the check count
    /// from the year of START_DATE, as do the random years 1 to 5.
    fn year(&mut self, (reference, check): (i64, i64)) -> Vec<Value> {
        let start = i64::from(self.spec.run_date.add_years(-7).year());
        let year = start + self.pick(reference, check, |r| r.uniform(1..=5));
        let january = |year| Month { year, month: 1 }.first();
        vec![json!(january(year)), json!(january(year + 1))]
    }

    /// Q19: an ending of i_data, a range of quantities and three warehouses, three times.
    fn alternatives(&mut self) -> Vec<Value> {
        const PUBLISHED: [(char, i64); 3] = [('h', 7), ('t', 16), ('m', 24)];
        const CHECK: [(char, i64); 3] = [('a', 1), ('k', 20), ('w', 30)];
        let mut values = Vec::new();
        for i in 0..3 {
            let starts = [1..=10, 10..=20, 20..=30][i].clone();
            let (data, low) = self.pick(PUBLISHED[i], CHECK[i], |r| (letter(r), r.uniform(starts)));
            values.extend([json!(data), json!(low), json!(low + 10)]);
            values.extend((0..3).map(|j| json!(self.warehouse(Q19_WAREHOUSES[i][j]))));
        }
        values
    }

    /// The published warehouse where all of them exist, else a random existing one.
    fn warehouse(&mut self, published: u32) -> i64 {
        let warehouses = i64::from(self.spec.warehouses);
        let all_exist = Q19_WAREHOUSES.iter().flatten().all(|&w| w <= self.spec.warehouses);
        match self.set {
            ParameterSet::Reference if all_exist => i64::from(published),
            _ => self.random.uniform(1..=warehouses),
        }
    }
}

/// Noon of 1 January.
fn noon(year: i64) -> String {
    format!("{year:04}-01-01 12:00:00.000000")
}

/// A month: calendar year, and number from 1.
#[derive(Clone, Copy)]
struct Month {
    year: i64,
    month: i64,
}

impl Month {
    fn day(self, day: i64) -> String {
        format!("{:04}-{:02}-{day:02} 00:00:00.000000", self.year, self.month)
    }

    fn first(self) -> String {
        self.day(1)
    }

    fn plus(self, months: i64) -> Month {
        let months = self.year * 12 + self.month - 1 + months;
        Month { year: months.div_euclid(12), month: months.rem_euclid(12) + 1 }
    }
}

fn midnight(date: Date) -> String {
    format!("{date} 00:00:00.000000")
}

fn month(random: &mut Stream, first: Month, last: Month) -> Month {
    let months = (last.year - first.year) * 12 + last.month - first.month;
    first.plus(random.uniform(0..=months))
}

fn letter(random: &mut Stream) -> char {
    (b'a'..=b'z').nth(random.uniform(0..=25) as usize).map_or('a', char::from)
}

fn letters(random: &mut Stream) -> String {
    [letter(random), letter(random)].iter().collect()
}

fn region(random: &mut Stream) -> &'static str {
    REGIONS[random.uniform(0..=REGIONS.len() as i64 - 1) as usize]
}

/// A nation in the queries.
struct Nation {
    name: &'static str,
    /// First character of its customers' states: the character of its key.
    initial: char,
    region: &'static str,
}

fn nation(random: &mut Stream) -> Nation {
    nation_at(random.uniform(0..=NATIONS.len() as i64 - 1) as usize)
}

fn nation_at(position: usize) -> Nation {
    let (name, key, region) = NATIONS[position];
    Nation { name, initial: char::from_u32(key).unwrap_or('?'), region: REGIONS[region as usize] }
}

/// Two different nations.
fn two_nations(random: &mut Stream) -> (&'static str, &'static str) {
    let last = NATIONS.len() as i64 - 1;
    let a = random.uniform(0..=last);
    let b = random.uniform(0..=last - 1);
    let b = if b < a { b } else { b + 1 };
    (nation_at(a as usize).name, nation_at(b as usize).name)
}

/// Seven different digits.
fn seven_digits(random: &mut Stream) -> String {
    let mut digits: Vec<char> = ('0'..='9').collect();
    (0..7).map(|_| digits.remove(random.uniform(0..=digits.len() as i64 - 1) as usize)).collect()
}

#[cfg(test)]
mod tests;
