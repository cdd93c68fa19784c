//! Values as numbers.

use super::place::{At, There};
use crate::file::model::Literal;
use crate::plan::Plan;
use crate::plan::draw::{below, unit};
use crate::plan::model::{Id, Kind, Make, Node, To, Way};

impl Plan {
    /// An exact number at the end of a way: of a decimal in units of its last digit, of a date in
    /// those of its format.
    pub fn exact_at(&self, way: &Way, at: &At) -> Option<i64> {
        if way.steps.is_empty() {
            return self.exact_to(way.to, at);
        }
        self.exact_to(way.to, &self.follow(way, at)?)
    }

    fn exact_to(&self, to: To, at: &At) -> Option<i64> {
        match to {
            To::Field(id) => self.exact(id, at),
            To::Number => Some(at.n as i64),
            To::Seq => Some(at.seq as i64),
            To::Index(depth) => Some(at.index[depth].into()),
            To::Here => Some(1),
            To::Key(_) => None,
        }
    }

    /// The exact number that a field is: see [`Plan::exact_at`]. `None` if it is missing or no number.
    pub fn exact(&self, id: Id, at: &At) -> Option<i64> {
        let node = &self.nodes[id];
        match self.there(node, at) {
            There::Value => self.exact_of(node, at),
            _ => None,
        }
    }

    /// That of a field that is there.
    pub fn exact_of(&self, node: &Node, at: &At) -> Option<i64> {
        let word = || self.words(node, at).at(0);
        let unit = || match node.kind {
            Kind::Date(format) => format.unit(),
            _ => 1,
        };
        Some(match &node.make {
            Make::Integer(low, draw) | Make::Decimal(low, draw) | Make::Date(low, draw) => {
                low.wrapping_add(draw.of(word()) as i64)
            }
            Make::Unique(low, permutation) => low.wrapping_add(permutation.apply(at.n) as i64),
            Make::Constant(literal, _) => return exact(literal),
            Make::Values(choice, values) => return exact(&values[choice.of(word())].0),
            Make::Rising(first, span, count) => {
                let [n, count, span] = [at.n, *count, *span as u64].map(u128::from);
                // In units of 2^-32 of a part of the span, of which the jitter is one at most.
                let place = (n << 32) + u128::from(word() >> 32);
                let micros = (place.saturating_mul(span) / count) >> 32;
                first.saturating_add(i64::try_from(micros).unwrap_or(i64::MAX)).div_euclid(unit())
            }
            Make::Series(first, every, jitter) => {
                let step = every.saturating_mul(i64::try_from(at.seq).unwrap_or(i64::MAX));
                let jitter = below(word(), jitter.saturating_sub(1)) as i64;
                first.saturating_add(step).saturating_add(jitter).div_euclid(unit())
            }
            Make::After(way, low, draw) => {
                self.exact_at(way, at)?.checked_add(low.checked_add(draw.of(word()) as i64)?)?
            }
            Make::Size(way) => self.size(way, at) as i64,
            Make::Sum(way) => {
                let mut sum = 0i64;
                self.each(&way.steps, at, &mut |at| {
                    sum = sum.saturating_add(self.exact_to(way.to, at).unwrap_or(0));
                });
                sum
            }
            Make::Product(factors) => {
                let mut factors = factors.iter().map(|way| self.exact_at(way, at));
                factors.try_fold(1i64, |product, factor| product.checked_mul(factor?))?
            }
            Make::Copy(way) => return self.exact_at(way, at),
            Make::Variants(..) | Make::Given(..) => return self.exact(self.chosen(node, at)?, at),
            _ => return None,
        })
    }

    /// The double that a field is, whatever number it is.
    pub fn real(&self, id: Id, at: &At) -> Option<f64> {
        let node = &self.nodes[id];
        match self.there(node, at) {
            There::Value => self.real_of(node, at),
            _ => None,
        }
    }

    /// That of a field that is there.
    pub fn real_of(&self, node: &Node, at: &At) -> Option<f64> {
        match &node.make {
            Make::Number(low, high, curve) => {
                let share = unit(self.words(node, at).at(0));
                let value = match curve {
                    None => low + (high - low) * share,
                    Some(curve) => curve.at(share),
                };
                Some(value.clamp(*low, *high))
            }
            Make::Constant(Literal::Number(n), _) => Some(*n),
            Make::Values(choice, values) if node.kind == Kind::Number => {
                match &values[choice.of(self.words(node, at).at(0))].0 {
                    Literal::Number(n) => Some(*n),
                    other => exact(other).map(|n| n as f64),
                }
            }
            Make::Sum(way) if node.kind == Kind::Number => {
                let mut sum = 0.0;
                self.each(&way.steps, at, &mut |at| sum += self.real_to(way.to, at).unwrap_or(0.0));
                Some(sum)
            }
            Make::Product(factors) if node.kind == Kind::Number => {
                let mut factors =
                    factors.iter().map(|way| self.real_to(way.to, &self.follow(way, at)?));
                factors.try_fold(1.0, |product, factor| Some(product * factor?))
            }
            Make::Copy(way) => self.real_to(way.to, &self.follow(way, at)?),
            Make::Variants(..) | Make::Given(..) => self.real(self.chosen(node, at)?, at),
            _ => {
                let exact = self.exact_of(node, at)? as f64;
                Some(match node.kind {
                    // Both are exact below 2^53, so the quotient is the double that JSON reads.
                    Kind::Decimal(digits) => exact / 10f64.powi(digits.into()),
                    _ => exact,
                })
            }
        }
    }

    fn real_to(&self, to: To, at: &At) -> Option<f64> {
        match to {
            To::Field(id) => self.real(id, at),
            to => self.exact_to(to, at).map(|n| n as f64),
        }
    }

    /// The field that a variant or a `given` has at a place.
    pub fn chosen(&self, node: &Node, at: &At) -> Option<Id> {
        match &node.make {
            Make::Variants(choice, ids) => Some(ids[choice.of(self.words(node, at).at(0))]),
            Make::Given(way, when, otherwise) => {
                let mut value = Vec::new();
                self.raw_at(way, at, &mut value);
                let when = when.iter().find(|(text, _)| text.as_bytes() == value);
                when.map(|(_, id)| *id).or(*otherwise)
            }
            _ => None,
        }
    }
}

fn exact(literal: &Literal) -> Option<i64> {
    match literal {
        Literal::Integer(n) => Some(*n),
        Literal::Decimal(units, _) => Some(*units),
        Literal::Date(micros, format) => Some(micros.div_euclid(format.unit())),
        _ => None,
    }
}
