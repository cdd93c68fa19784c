//! Distributions, compiled: a random word in, a number out.

use hoap_data::permutation::Permutation;

use super::curve::{Curve, Zipf};
use crate::file::model::Dist;
use crate::file::range::Range;

/// A word as a number in [0, 1).
pub fn unit(word: u64) -> f64 {
    (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A word as a number in 0..=most.
pub fn below(word: u64, most: u64) -> u64 {
    ((u128::from(word) * (u128::from(most) + 1)) >> 64) as u64
}

/// The word below which a share of all words lies.
pub fn threshold(share: f64) -> u64 {
    // The cast saturates: a share of 1 is all but one of 2^64.
    (share * 2f64.powi(64)) as u64
}

/// Draws an integer from a range, as its distance from the lowest.
#[derive(Clone, Debug)]
pub enum Draw {
    /// The range has one.
    One,
    /// All alike: the highest distance.
    Uniform(u64),
    /// The lowest is the most frequent.
    Zipfian(Zipf),
    /// By a curve of values, of which one is so many integers.
    Curve {
        /// The curve.
        curve: Curve,
        /// Integers of one.
        unit: f64,
        /// The range.
        range: Range,
    },
}

impl Draw {
    /// A draw from a range of integers, of which `unit` are one of the distribution's values.
    pub fn new(dist: &Dist, range: Range, unit: f64) -> Draw {
        let most = range.high.wrapping_sub(range.low) as u64;
        match dist {
            _ if most == 0 => Draw::One,
            Dist::Zipfian { theta } => Draw::Zipfian(Zipf::new(most.saturating_add(1), *theta)),
            _ => match Curve::new(dist, range.low as f64 / unit, range.high as f64 / unit) {
                Some(curve) => Draw::Curve { curve, unit, range },
                None => Draw::Uniform(most),
            },
        }
    }

    /// A draw of lengths or numbers.
    pub fn plain(dist: &Dist, range: Range) -> Draw {
        Draw::new(dist, range, 1.0)
    }

    /// The distance that this word draws.
    #[inline]
    pub fn of(&self, word: u64) -> u64 {
        match self {
            Draw::One => 0,
            Draw::Uniform(most) => below(word, *most),
            _ => self.quantile(unit(word)),
        }
    }

    /// The distance below which this share lies.
    pub fn quantile(&self, share: f64) -> u64 {
        match self {
            Draw::One => 0,
            Draw::Uniform(most) => ((share * (*most as f64 + 1.0)) as u64).min(*most),
            Draw::Zipfian(zipf) => zipf.rank(share),
            Draw::Curve { curve, unit, range } => {
                let value = libm::floor(curve.at(share) * unit + 0.5) as i64;
                value.clamp(range.low, range.high).wrapping_sub(range.low) as u64
            }
        }
    }
}

/// Draws one of a list.
#[derive(Clone, Debug)]
pub enum Choice {
    /// By a distribution.
    Draw(Draw),
    /// By weights: the words at which each begins to be another one.
    Weights(Box<[u64]>),
}

impl Choice {
    /// One of `n`, by these weights if there are some.
    pub fn new(n: usize, weights: &[f64], dist: &Dist) -> Choice {
        if weights.is_empty() {
            let range = Range { low: 0, high: n as i64 - 1 };
            return Choice::Draw(Draw::plain(dist, range));
        }
        let all: f64 = weights.iter().sum();
        let mut so_far = 0.0;
        let ends = weights.iter().map(|weight| {
            so_far += weight;
            threshold(so_far / all)
        });
        let mut ends: Vec<u64> = ends.collect();
        // The last one that is possible has what is left by rounding.
        let last = weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
        ends.truncate(last);
        Choice::Weights(ends.into())
    }

    /// The one that this word draws.
    #[inline]
    pub fn of(&self, word: u64) -> usize {
        match self {
            Choice::Draw(draw) => draw.of(word) as usize,
            Choice::Weights(ends) => ends.partition_point(|end| *end <= word),
        }
    }
}

/// Draws a document of a collection by its number.
#[derive(Clone, Debug)]
pub struct Documents {
    count: u64,
    /// Which number has which rank: the same for all draws of a collection.
    hot: Permutation,
    by: By,
}

#[derive(Clone, Debug)]
enum By {
    Uniform,
    Zipfian(Zipf),
    /// So many documents get the words below this.
    Hotspot(u64, u64),
    /// Zipfian from the newest.
    Latest(Zipf),
    /// The oldest.
    Oldest,
}

impl Documents {
    /// A draw from so many documents.
    pub fn new(dist: &Dist, count: u64, hot: Permutation) -> Documents {
        let by = match dist {
            Dist::Zipfian { theta } => By::Zipfian(Zipf::new(count, *theta)),
            Dist::Latest { theta } => By::Latest(Zipf::new(count, *theta)),
            Dist::Hotspot { hot, hits } => {
                let hot = ((count as f64 * hot) as u64).clamp(1, count.max(1));
                By::Hotspot(hot, threshold(*hits))
            }
            Dist::Oldest => By::Oldest,
            _ => By::Uniform,
        };
        Documents { count, hot, by }
    }

    /// Whether it draws the oldest.
    pub fn is_oldest(&self) -> bool {
        matches!(self.by, By::Oldest)
    }

    /// The place that two words draw among documents that are there from `oldest` to before `end`,
    /// which may be other numbers of documents than there were at first.
    pub fn among(&self, words: [u64; 2], oldest: u64, end: u64) -> u64 {
        let last = end.saturating_sub(1);
        match &self.by {
            By::Uniform => oldest.min(last) + below(words[0], last - oldest.min(last)),
            By::Latest(zipf) => last - zipf.rank(unit(words[0])).min(last),
            By::Oldest => oldest.min(last),
            By::Zipfian(_) | By::Hotspot(..) => self.of(words),
        }
    }

    /// The number that two words draw.
    #[inline]
    pub fn of(&self, words: [u64; 2]) -> u64 {
        let last = self.count.saturating_sub(1);
        match &self.by {
            By::Oldest => 0,
            By::Uniform => below(words[0], last),
            By::Zipfian(zipf) => self.hot.apply(zipf.rank(unit(words[0]))),
            By::Latest(zipf) => last - zipf.rank(unit(words[0])).min(last),
            By::Hotspot(hot, hits) => match words[0] < *hits || *hot == self.count {
                true => self.hot.apply(below(words[1], hot - 1)),
                false => self.hot.apply(hot + below(words[1], last - hot)),
            },
        }
    }
}
