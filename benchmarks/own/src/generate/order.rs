//! The order of the keys of a collection: which loaded document comes behind which.

use crate::plan::Plan;
use crate::plan::model::Piece;

/// The most documents whose keys are sorted in memory, if their numbers do not tell the order.
pub const MOST_SORTED: u64 = 1 << 20;

/// The loaded documents of a collection in the order of the bytes of their keys.
#[derive(Debug)]
pub struct Order {
    collection: usize,
    count: u64,
    kind: Kind,
}

/// How a place in the order tells the number of its document.
#[derive(Debug)]
enum Kind {
    /// Keys rise with the numbers.
    Rising,
    /// Keys end with their numbers, without zeros before: 0, 1, 10, 11, 2.
    Decimal,
    /// The numbers in their order.
    Sorted(Box<[u32]>),
}

impl Order {
    /// That of a collection; `None` if it has more than [`MOST_SORTED`] documents, whose numbers do
    /// not tell it.
    pub fn of(plan: &Plan, collection: usize) -> Option<Order> {
        let count = plan.collections[collection].count;
        let kind = match told(&plan.collections[collection].key, count) {
            Some(kind) => kind,
            None if !is_known(plan, collection) => return None,
            None => {
                let mut numbers: Vec<u32> = (0..count as u32).collect();
                numbers.sort_by_cached_key(|n| key(plan, collection, (*n).into()));
                Kind::Sorted(numbers.into())
            }
        };
        Some(Order { collection, count, kind })
    }

    /// The number of the document at a place, from 0; `None` behind the last one.
    pub fn number(&self, place: u64) -> Option<u64> {
        (place < self.count).then(|| match &self.kind {
            Kind::Rising => place,
            Kind::Decimal => decimal(place, self.count),
            Kind::Sorted(numbers) => numbers[place as usize].into(),
        })
    }

    /// The place of the first document whose key is this one or behind it.
    pub fn from(&self, plan: &Plan, start: &str) -> u64 {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            let number = self.number(middle).unwrap_or_default();
            match *key(plan, self.collection, number) < *start.as_bytes() {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

/// Whether the order of a collection's keys can be told.
pub fn is_known(plan: &Plan, collection: usize) -> bool {
    let of = &plan.collections[collection];
    of.count <= MOST_SORTED || told(&of.key, of.count).is_some()
}

fn key(plan: &Plan, collection: usize, number: u64) -> Vec<u8> {
    let mut key = Vec::new();
    plan.key(collection, &plan.place(collection, number), &mut key);
    key
}

/// What the numbers of so many documents tell of the order of their keys: the first piece decides
/// that is not the same in all of them.
fn told(pieces: &[Piece], count: u64) -> Option<Kind> {
    let first = pieces.iter().position(|piece| !matches!(piece, Piece::Literal(_)))?;
    match pieces[first] {
        Piece::ObjectId(_) => Some(Kind::Rising),
        Piece::Number(digits) => {
            let digits = u32::try_from(digits).unwrap_or(u32::MAX).max(1);
            let is_last = first + 1 == pieces.len();
            match 10u64.checked_pow(digits).is_none_or(|numbers| count <= numbers) {
                true => Some(Kind::Rising),
                false => (digits == 1 && is_last).then_some(Kind::Decimal),
            }
        }
        _ => None,
    }
}

/// The number at a place among the texts of the first `count` numbers.
fn decimal(place: u64, count: u64) -> u64 {
    let Some(mut left) = place.checked_sub(1) else { return 0 };
    let mut number = 1;
    while left > 0 {
        // Those that begin with this number's digits.
        let (mut with, mut low, mut high) = (0, number, number + 1);
        while low < count {
            with += high.min(count) - low;
            (low, high) = (low * 10, high * 10);
        }
        match left.checked_sub(with) {
            Some(behind) => (left, number) = (behind, number + 1),
            None => (left, number) = (left - 1, number * 10),
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_the_order_of_their_texts() {
        for count in [1, 2, 9, 10, 11, 99, 100, 101, 109, 110, 1234, 20_001] {
            let mut texts: Vec<String> = (0..count).map(|n: u64| n.to_string()).collect();
            texts.sort();
            let found = (0..count).map(|place| decimal(place, count).to_string());
            assert!(found.eq(texts), "{count}");
        }
    }
}
