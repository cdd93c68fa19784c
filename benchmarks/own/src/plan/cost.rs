//! What fields cost to make. A small file can name large documents, so each is bounded before one is
//! made.

use super::collections::Counted;
use super::model::{Id, To, Way};
use super::names::{Members, Names};
use crate::file::model::{Alphabet, Dist, Length, Literal, Make, Pattern, Piece};
use crate::file::range::Range;
use crate::file::wrong::Wrong;
use crate::generate::json;

/// The most bytes of a document. Databases have up to 20 MB; that all lengths are at their highest
/// at once is rare.
const MOST: u64 = 256 << 20;
/// The most fields of which each is made of the next one.
pub const MOST_LINKS: u32 = 64;
/// The most ranks of zipfian distributions that are summed up before the first document.
const MOST_RANKS: u64 = 100_000_000;
/// Ranks of one that are summed up.
const RANKS: u64 = 1_000_000;
/// Bytes of a number, a date or a name.
const SMALL: u64 = 32;
/// Bytes of a word with its space.
const WORD: u64 = 8;

/// What a field costs at most.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Bytes that are written, or fields that are computed.
    work: u64,
    /// Fields of which each is made of the next one.
    pub links: u32,
}

impl Cost {
    fn of(work: u64) -> Cost {
        Cost { work, links: 0 }
    }

    fn and(self, other: Cost) -> Cost {
        let work = self.work.saturating_add(other.work);
        Cost { work, links: self.links.max(other.links) }
    }

    fn or(self, other: Cost) -> Cost {
        Cost { work: self.work.max(other.work), links: self.links.max(other.links) }
    }

    fn times(self, times: i128) -> Cost {
        let times = u64::try_from(times).unwrap_or(u64::MAX);
        Cost { work: self.work.saturating_mul(times).saturating_add(times), ..self }
    }
}

/// What the cost of a field is made of.
pub struct Parts<'a, 'f> {
    /// The fields.
    pub names: &'a Names<'f>,
    /// What each names.
    pub ways: &'a [Vec<Way>],
    /// The costs that are known.
    pub known: &'a dyn Fn(Id) -> Cost,
    /// How often a way may lead to its end.
    pub times: &'a dyn Fn(&Way) -> i128,
}

impl Parts<'_, '_> {
    /// The cost of a field whose parts are known.
    pub fn cost(&self, id: Id) -> Cost {
        let declared = &self.names.declared[id];
        let part = |id: &Id| (self.known)(*id);
        let inner = declared.inner.iter().map(part);
        let named = self.ways[id].iter().map(|way| self.cost_of(way));
        let named = named.fold(Cost::of(SMALL), Cost::and);
        let length = |of: &Length| i128::from(of.range.high);
        let of = match &declared.field.make {
            Make::Constant(literal) => Cost::of(bytes(literal)),
            Make::Values { values, .. } => Cost::of(values.iter().map(bytes).max().unwrap_or(0)),
            Make::Words(of) => Cost::of(WORD).times(length(of)),
            Make::Text(_, of) => Cost::of(1).times(length(of)),
            // Four characters for three bytes.
            Make::Binary(of) => Cost::of(2).times(length(of)),
            Make::Pattern(pattern) => named.and(key(self.names, declared.collection, pattern)),
            Make::Ref { name, .. } => match self.names.referred(id, name) {
                Ok(to) => key(self.names, to, &self.names.file.collections[to].key),
                Err(_) => named,
            },
            Make::Array(of, _) | Make::Map { length: of, .. } => {
                inner.fold(Cost::default(), Cost::and).times(length(of))
            }
            Make::Object(_) => members(&declared.members, &part),
            Make::Variants(_) | Make::Given { .. } => {
                named.and(inner.fold(Cost::default(), Cost::or))
            }
            _ => inner.fold(named, Cost::and),
        };
        // Quotes, brackets and what stands between two fields.
        Cost { work: of.work.saturating_add(SMALL), links: of.links + 1 }
    }

    /// The cost of what a way leads to, as often as it leads there.
    fn cost_of(&self, way: &Way) -> Cost {
        let of = match way.to {
            To::Field(id) => (self.known)(id),
            To::Key(of) => key(self.names, of, &self.names.file.collections[of].key),
            // How many children there are is known.
            To::Here if way.steps.len() == 1 => return Cost::of(SMALL),
            _ => Cost::of(SMALL),
        };
        of.times((self.times)(way))
    }
}

/// What a document of each collection costs at most. Documents that are too large are refused, and
/// distributions that take too long to prepare.
pub fn check(
    names: &Names<'_>,
    documents: &[Members],
    costs: &[Cost],
    counted: &[Counted],
) -> Result<Vec<u64>, Wrong> {
    let part = |id: &Id| costs[*id];
    let all = documents.iter().map(|of| members(of, &part).and(Cost::of(SMALL)).work);
    let all: Vec<u64> = all.collect();
    let too_large = |work: &u64| *work > MOST;
    if let Some(at) = all.iter().position(too_large) {
        let (members_of, of) = (&documents[at], &names.file.collections[at]);
        let members = members_of.0.iter().chain(members_of.1.iter().flatten());
        let largest = members.max_by_key(|(_, id)| costs[*id].work);
        let (name, at) = largest
            .map_or(("it", of.name.at), |(name, id)| (name.as_str(), names.declared[*id].at));
        let most = MOST >> 20;
        let message = format!("{name} may make a document of more than {most} MB: shorten it");
        return Err(Wrong::new(at, message));
    }
    let mut sum = 0;
    for declared in &names.declared {
        sum += ranks(names, &declared.field.make, declared.collection, counted);
        if sum > MOST_RANKS {
            let message = "zipfian distributions have more than 100 million ranks together";
            return Err(Wrong::new(declared.field.at, message));
        }
    }
    Ok(all)
}

/// Ranks of a field's distribution that are summed up.
fn ranks(names: &Names<'_>, make: &Make, collection: usize, counted: &[Counted]) -> u64 {
    let range = |of: &Range| of.high.abs_diff(of.low);
    let (dist, ranks) = match make {
        Make::Integer { range: of, dist, .. }
        | Make::Decimal { range: of, dist, .. }
        | Make::After { by: of, dist, .. } => (dist, range(of)),
        Make::Number { dist, .. } => (dist, RANKS),
        Make::Values { values, dist, .. } => (dist, values.len() as u64),
        Make::Words(of) | Make::Text(_, of) | Make::Binary(of) | Make::Array(of, _) => {
            (&of.dist, range(&of.range))
        }
        Make::Map { length: of, .. } => (&of.dist, range(&of.range)),
        Make::Ref { name, dist } => {
            let to = names.collection(name).unwrap_or(collection);
            (dist, counted[to].0)
        }
        _ => return 0,
    };
    match dist {
        Dist::Zipfian { .. } => ranks.min(RANKS),
        _ => 0,
    }
}

/// The cost of an object: its fields, and the costliest set of more fields.
fn members((all, sets): &Members, part: &dyn Fn(&Id) -> Cost) -> Cost {
    let sum = |members: &Vec<(String, Id)>| {
        let each = members.iter().map(|(name, id)| part(id).and(Cost::of(text(name))));
        each.fold(Cost::default(), Cost::and)
    };
    sum(all).and(sets.iter().map(sum).fold(Cost::default(), Cost::or))
}

/// The cost of the pieces of a pattern that are no fields.
fn key(names: &Names<'_>, collection: usize, pattern: &Pattern) -> Cost {
    let piece = |piece: &Piece| match piece {
        Piece::Literal(literal) => Cost::of(text(literal)),
        Piece::Random(Alphabet::Words, range) => Cost::of(WORD).times(range.high.into()),
        Piece::Random(_, range) => Cost::of(1).times(range.high.into()),
        Piece::Parent => match names.parent_of(collection) {
            Ok(Some(parent)) => key(names, parent, &names.file.collections[parent].key),
            _ => Cost::default(),
        },
        _ => Cost::of(SMALL),
    };
    pattern.pieces.iter().map(piece).fold(Cost::default(), Cost::and)
}

fn bytes(literal: &Literal) -> u64 {
    match literal {
        Literal::Text(of) => text(of),
        _ => SMALL,
    }
}

/// Bytes of a text in JSON.
fn text(of: &str) -> u64 {
    let mut out = Vec::new();
    json::text(of.as_bytes(), &mut out);
    out.len() as u64
}
