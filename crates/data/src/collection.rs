//! The eleven collections, and the arithmetic between a document's index and its key.

use std::fmt;
use std::str::FromStr;

use crate::error::{SpecError, quoted};
use crate::geography::NATIONS;

/// A collection of CH2 and CH2++.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // The names say it all.
pub enum Collection {
    Warehouse,
    District,
    Customer,
    History,
    Orders,
    Neworder,
    Stock,
    Item,
    Supplier,
    Nation,
    Region,
}

impl Collection {
    /// All of them, in the order of the specification's table.
    pub const ALL: [Collection; 11] = [
        Collection::Warehouse,
        Collection::District,
        Collection::Customer,
        Collection::History,
        Collection::Orders,
        Collection::Neworder,
        Collection::Stock,
        Collection::Item,
        Collection::Supplier,
        Collection::Nation,
        Collection::Region,
    ];

    /// The name in a database.
    pub const fn name(self) -> &'static str {
        match self {
            Collection::Warehouse => "warehouse",
            Collection::District => "district",
            Collection::Customer => "customer",
            Collection::History => "history",
            Collection::Orders => "orders",
            Collection::Neworder => "neworder",
            Collection::Stock => "stock",
            Collection::Item => "item",
            Collection::Supplier => "supplier",
            Collection::Nation => "nation",
            Collection::Region => "region",
        }
    }
}

impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Collection {
    type Err = SpecError;

    fn from_str(s: &str) -> Result<Collection, SpecError> {
        Collection::ALL.into_iter().find(|c| c.name() == s).ok_or_else(|| {
            let names = Collection::ALL.map(Collection::name).join(", ");
            SpecError::new(format!("collection {} is unknown: use one of {names}", quoted(s)))
        })
    }
}

/// Parts of a key, outermost first, filled from the left with zeros.
pub(crate) type Ids = [u32; 3];

/// One part of a collection's keys: `count` consecutive numbers from `first`.
#[derive(Clone, Copy, Debug)]
struct Part {
    count: u32,
    first: u32,
}

/// The keys of one collection: every combination of its parts, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    /// Outermost first; those before `start` are not part of the key and have count one.
    parts: [Part; 3],
    start: usize,
    /// Whether the last part is a position in [`NATIONS`] instead of the number itself.
    nations: bool,
}

impl Keys {
    /// Parts as (count, first number).
    pub(crate) fn new<const N: usize>(parts: [(u32, u32); N]) -> Keys {
        const { assert!(N <= 3) };
        let start = 3 - N;
        let mut all = [Part { count: 1, first: 0 }; 3];
        for (slot, (count, first)) in all[start..].iter_mut().zip(parts) {
            *slot = Part { count, first };
        }
        Keys { parts: all, start, nations: false }
    }

    /// The nations' keys, code points with gaps.
    pub(crate) fn of_nations() -> Keys {
        Keys { nations: true, ..Keys::new([(NATIONS.len() as u32, 0)]) }
    }

    /// Number of keys.
    pub(crate) fn count(&self) -> u64 {
        self.parts.iter().map(|p| u64::from(p.count)).product()
    }

    /// The parts of the key at an index below [`Keys::count`]; of a nation, its position.
    #[inline]
    pub(crate) fn ids(&self, index: u64) -> Ids {
        let [a, b, c] = self.parts;
        let rest = index / u64::from(c.count);
        [
            a.first + (rest / u64::from(b.count)) as u32,
            b.first + (rest % u64::from(b.count)) as u32,
            c.first + (index % u64::from(c.count)) as u32,
        ]
    }

    /// Appends the key.
    pub(crate) fn append(&self, index: u64, out: &mut String) {
        let mut ids = self.ids(index);
        if self.nations {
            ids[2] = NATIONS[ids[2] as usize].1;
        }
        let mut digits = [0; 28];
        for (i, &id) in ids[self.start..].iter().enumerate() {
            if i > 0 {
                out.push('.');
            }
            let len = crate::number::write_u64(u64::from(id), &mut digits);
            out.extend(digits[..len].iter().map(|&d| char::from(d)));
        }
    }

    /// The inverse of [`Keys::append`]; `None` for every other text.
    pub(crate) fn index_of(&self, key: &str) -> Option<u64> {
        let mut texts = key.split('.');
        let mut index = 0;
        for part in &self.parts[self.start..] {
            let number = canonical_number(texts.next()?)?;
            let position = if self.nations {
                NATIONS.iter().position(|n| n.1 == number)? as u32
            } else {
                number.checked_sub(part.first).filter(|&n| n < part.count)?
            };
            index = index * u64::from(part.count) + u64::from(position);
        }
        texts.next().is_none().then_some(index)
    }
}

/// A number as keys write it: digits only, no leading zero.
fn canonical_number(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    if digits && !leading_zero { text.parse().ok() } else { None }
}
