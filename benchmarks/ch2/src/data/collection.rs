//! The eleven collections, and the arithmetic between a document's index and its key.

use hoap_data::{NATIONS, named};

named! {
    /// A collection of CH2 and CH2++, in the order of the specification's table.
    #[derive(PartialOrd, Ord, Hash)]
    #[allow(missing_docs)] // The names say it all.
    Collection, "collection":
    Warehouse = "warehouse",
    District = "district",
    Customer = "customer",
    History = "history",
    Orders = "orders",
    Neworder = "neworder",
    Stock = "stock",
    Item = "item",
    Supplier = "supplier",
    Nation = "nation",
    Region = "region",
}

/// Parts of a key, outermost first, filled from the left with zeros.
pub(crate) type Ids = [u32; 3];

/// One part of a collection's keys: `count` consecutive numbers from `first`.
#[derive(Clone, Copy, Debug)]
struct KeyPart {
    count: u32,
    first: u32,
}

/// The keys of one collection: every combination of its parts, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    /// Outermost first; those before `start` are not part of the key and have count one.
    parts: [KeyPart; 3],
    start: usize,
    /// Whether the last part is a position in [`NATIONS`] instead of the number itself.
    nations: bool,
}

impl Keys {
    /// Parts as (count, first number).
    pub(crate) fn new<const N: usize>(parts: [(u32, u32); N]) -> Keys {
        const { assert!(N <= 3) };
        let start = 3 - N;
        let mut all = [KeyPart { count: 1, first: 0 }; 3];
        for (slot, (count, first)) in all[start..].iter_mut().zip(parts) {
            *slot = KeyPart { count, first };
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
            let len = hoap_data::number::write_u64(u64::from(id), &mut digits);
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
