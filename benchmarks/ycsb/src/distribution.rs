//! The request distributions: the draw of an operation's record.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hoap_data::permutation::Permutation;
use hoap_data::random::Stream;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::{Value, json};

use crate::data::{Exponent, THETA, Zipf, fnv_hash64};

/// A request distribution (YCSB's `requestdistribution`), with the constants of YCSB's generators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Every record is equally likely.
    Uniform,
    /// YCSB's scrambled zipfian: it draws from a fixed population of ten billion and hashes the
    /// rank onto the records, so the hottest record gets 3.78 % of the requests for any number of
    /// records.
    Zipfian,
    /// A zipfian over the existing records; each rank has a record of its own.
    ZipfianExact,
    /// YCSB's zipfian over the age of records, the newest being the most popular. The shape of the
    /// curve stays that of the table's first size ([`Zipf::grown`]): in a table g times that size,
    /// the records of age 2 to 2g − 1 are never drawn.
    Latest,
    /// A zipfian over the age of records, for the current size of the table.
    LatestExact,
    /// `operations` of the requests go to the first `data` of the records, each 0 to 1.
    #[allow(missing_docs)]
    Hotspot { data: f64, operations: f64 },
    /// Exponential over the age: `percentile` (0 to 100) of the requests go to the newest
    /// `fraction` (0 to 1) of the records.
    #[allow(missing_docs)]
    Exponential { percentile: f64, fraction: f64 },
    /// One record after the other, all clients together.
    Sequential,
}

impl Distribution {
    /// Whether the zipfian constant decides its draws.
    pub const fn is_zipfian(self) -> bool {
        matches!(
            self,
            Distribution::Zipfian
                | Distribution::ZipfianExact
                | Distribution::Latest
                | Distribution::LatestExact
        )
    }

    /// The name in properties and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Distribution::Uniform => "uniform",
            Distribution::Zipfian => "zipfian",
            Distribution::ZipfianExact => "zipfian-exact",
            Distribution::Latest => "latest",
            Distribution::LatestExact => "latest-exact",
            Distribution::Hotspot { .. } => "hotspot",
            Distribution::Exponential { .. } => "exponential",
            Distribution::Sequential => "sequential",
        }
    }
}

/// Draws of [`Distribution::Zipfian`] are repeated where at least one number in this many exists.
const FEW: u64 = 4096;

/// The records that requests select from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySpace {
    /// Numbers from which this driver draws (`insertstart`, `insertcount`).
    pub requests: Range<u64>,
    /// Records of the table before the run (`recordcount`); new ones begin with this number.
    pub records: u64,
    /// The number of new records to make room for. YCSB expects twice the average number of
    /// inserts, so that the popular records stay the same while the table grows.
    pub expected: u64,
}

impl KeySpace {
    /// The size of the range that [`Distribution::Zipfian`] hashes onto. Numbers of records that do
    /// not exist yet are drawn again. `CoreWorkload.init` gives the generator the inclusive upper
    /// end start + count + expected.
    pub fn room(&self) -> u64 {
        self.count().saturating_add(self.expected).saturating_add(1)
    }

    fn count(&self) -> u64 {
        self.requests.end.saturating_sub(self.requests.start).max(1)
    }

    /// Refuses records so few among the numbers that [`Distribution::Zipfian`] hashes onto that
    /// YCSB would draw thousands of times for a key, or for ever. From one in [`FEW`] on it is some
    /// ten thousand draws of ten nanoseconds at worst: the cold ranks, which are spread evenly, have
    /// a good part of all draws.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] of such records.
    pub fn check(&self, distribution: Distribution) -> Result<()> {
        let (records, room) = (self.records.saturating_sub(self.requests.start), self.room());
        if distribution != Distribution::Zipfian || records >= room / FEW {
            return Ok(());
        }
        let answer = format!(
            "YCSB's zipfian makes room for twice the inserts of operationcount, and fewer than one \
             in {FEW} of the numbers has a record: a key would take thousands of draws, or never come"
        );
        let tried = format!("draw from {records} records among {room} numbers");
        Err(Error::new(ErrorKind::Invalid, tried, answer).advise(
            "lower operationcount, load more records, or set requestdistribution=zipfian-exact",
        ))
    }

    /// The entry in a run's record: the numbers requested, and the room made for new ones where it
    /// changes the draws.
    pub fn noted(&self, distribution: Distribution, exponent: Exponent) -> Value {
        let mut note = json!({
            "distribution": distribution.name(),
            "first": self.requests.start,
            "count": self.count(),
        });
        if distribution.is_zipfian() && exponent.theta() != THETA {
            note["zipfian_constant"] = json!(exponent.theta());
        }
        if distribution == Distribution::Zipfian {
            note["expected_inserts"] = json!(self.expected);
            note["drawn_from"] = json!(self.room());
        }
        note
    }
}

/// Draws record numbers for one client, without locks and without allocations.
#[derive(Clone, Debug)]
pub struct Keys(Draw);

#[derive(Clone, Debug)]
enum Draw {
    Uniform(Range<u64>),
    Scrambled {
        zipf: Zipf,
        start: u64,
        room: u64,
    },
    Exact {
        exponent: Exponent,
        zipf: Zipf,
        scatter: Permutation,
        space: KeySpace,
        readable: u64,
    },
    /// `first` is the initial population of ages of YCSB's generator.
    Latest {
        exponent: Exponent,
        zipf: Zipf,
        first: Option<u64>,
        readable: u64,
    },
    Hotspot {
        hot: Range<u64>,
        cold: Range<u64>,
        share: f64,
    },
    Exponential {
        rate: f64,
        readable: u64,
        covered: f64,
    },
    Sequential {
        range: Range<u64>,
        drawn: Arc<AtomicU64>,
    },
}

/// A growing population is measured again when it has grown by more than one part in this many. The
/// cold records left out until then are too unlikely for any number of draws to show.
const GROWTH: u64 = 4096;

impl Keys {
    /// [`Keys::with`] YCSB's zipfian constant.
    pub fn new(distribution: Distribution, space: &KeySpace) -> Self {
        Keys::with(distribution, Exponent::ycsb(), space)
    }

    /// The distribution over these records; `exponent` is that of the zipfian ones. Clones share
    /// the position of [`Distribution::Sequential`]. [`Distribution::Zipfian`] draws until a record
    /// exists: [`KeySpace::check`] first.
    pub fn with(distribution: Distribution, exponent: Exponent, space: &KeySpace) -> Self {
        let (start, count) = (space.requests.start, space.count());
        let ages = ages(space.records);
        Keys(match distribution {
            Distribution::Uniform => Draw::Uniform(start..start + count),
            Distribution::Zipfian => {
                let (zipf, room) = (Zipf::scrambled(exponent), space.room());
                Draw::Scrambled { zipf, start, room }
            }
            Distribution::ZipfianExact => Draw::Exact {
                exponent,
                zipf: Zipf::with(exponent, count),
                scatter: Permutation::new(count, SCATTER),
                space: space.clone(),
                readable: space.records,
            },
            Distribution::Latest | Distribution::LatestExact => {
                let first = (distribution == Distribution::Latest).then_some(ages);
                let zipf = Zipf::with(exponent, ages);
                Draw::Latest { exponent, zipf, first, readable: space.records }
            }
            Distribution::Hotspot { data, operations } => {
                let hot = (count as f64 * data) as u64;
                let (hot, cold) =
                    (start..start + hot.min(count), start + hot.min(count)..start + count);
                // A set without records gets no requests; YCSB would divide by zero.
                let share = match (hot.is_empty(), cold.is_empty()) {
                    (true, _) => 0.0,
                    (_, true) => 1.0,
                    _ => operations,
                };
                Draw::Hotspot { hot, cold, share }
            }
            Distribution::Exponential { percentile, fraction } => {
                let rate = -(1.0 - percentile / 100.0).ln() / (space.records as f64 * fraction);
                Draw::Exponential { rate, readable: 0, covered: 0.0 }
            }
            Distribution::Sequential => {
                Draw::Sequential { range: start..start + count, drawn: Arc::default() }
            }
        })
    }

    /// The next record number, below `readable`, the number of existing records.
    #[inline]
    pub fn next(&mut self, stream: &mut Stream, readable: u64) -> u64 {
        match &mut self.0 {
            Draw::Uniform(range) => within(stream, range),
            Draw::Scrambled { zipf, start, room } => loop {
                let hash = fnv_hash64(zipf.rank(stream.unit()));
                let number = *start + hash.unsigned_abs() % *room;
                // The room for new records is drawn again, as in YCSB.
                if number < readable {
                    return number;
                }
            },
            Draw::Exact { exponent, zipf, scatter, space, readable: seen } => {
                let Range { start, end } = space.requests;
                if grew(seen, readable) {
                    *zipf = Zipf::with(*exponent, end - start + (readable - space.records));
                }
                // Ranks beyond the first records belong to new ones, so popular records stay
                // popular.
                let rank = zipf.rank(stream.unit());
                match rank < end - start {
                    true => start + scatter.apply(rank),
                    false => space.records + (rank - (end - start)),
                }
            }
            Draw::Latest { exponent, zipf, first, readable: seen } => {
                if grew(seen, readable) {
                    let ages = ages(readable);
                    *zipf = match first {
                        Some(first) => Zipf::grown(*exponent, *first, ages),
                        None => Zipf::with(*exponent, ages),
                    };
                }
                readable.saturating_sub(1)
                    - zipf.rank(stream.unit()).min(readable.saturating_sub(1))
            }
            Draw::Hotspot { hot, cold, share } => {
                let set = if stream.chance(*share) { hot } else { cold };
                within(stream, set)
            }
            Draw::Exponential { rate, readable: seen, covered } => {
                // YCSB draws again where the age is beyond the oldest record. Drawing from the
                // covered part of the distribution gives the same result at once.
                if *seen != readable {
                    *seen = readable;
                    *covered = -(-*rate * readable as f64).exp_m1();
                }
                let age = (-(-stream.unit() * *covered).ln_1p() / *rate) as u64;
                readable.saturating_sub(1).saturating_sub(age)
            }
            Draw::Sequential { range, drawn } => {
                let n = drawn.fetch_add(1, Ordering::Relaxed);
                range.start + n % (range.end - range.start)
            }
        }
    }
}

/// The permutation of the ranks of [`Distribution::ZipfianExact`]: a fixed one, so that the popular
/// records are always the same.
const SCATTER: u64 = u64::from_be_bytes(*b"scatter\0");

/// The population of ages: one less than the number of records, as in SkewedLatestGenerator, so
/// record 0 is never drawn.
fn ages(readable: u64) -> u64 {
    readable.saturating_sub(1)
}

/// Whether the population must be measured again; notes the new size.
#[inline(always)]
fn grew(seen: &mut u64, readable: u64) -> bool {
    let grown = readable.saturating_sub(*seen) > *seen / GROWTH;
    if grown {
        *seen = readable;
    }
    grown
}

#[inline(always)]
fn within(stream: &mut Stream, range: &Range<u64>) -> u64 {
    let length = range.end - range.start;
    range.start + ((u128::from(stream.next_u64()) * u128::from(length)) >> 64) as u64
}
