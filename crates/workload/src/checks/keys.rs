//! Whether the keys that a scan finds are those that they must be, in 32 bytes however many there are.
//!
//! A number of documents does not tell one that is lost where another is there twice.

use std::hash::{BuildHasher, RandomState};

/// The keys of documents, as the sum of hashes that are drawn for them alone: of other keys, or of one
/// key twice in the place of another, the sum is another one but for one chance in 2^64.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    hash: RandomState,
    sum: u128,
}

impl Keys {
    /// Adds a key.
    pub fn add(&mut self, key: &str) {
        // Fewer than 2^64 numbers below 2^64.
        self.sum += u128::from(self.hash.hash_one(key));
    }

    /// Whether they are these, each once.
    pub fn are(&self, wanted: impl IntoIterator<Item = String>) -> bool {
        let hashes = wanted.into_iter().map(|key| u128::from(self.hash.hash_one(key)));
        self.sum == hashes.sum()
    }
}

/// What is told of a collection with other keys than it must have.
pub fn others(collection: &str) -> String {
    format!(
        "{collection} has as many documents as it must have, but a key that it must not have, or one \
         twice, and lacks another"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_same_in_any_order_and_each_once() {
        let wanted = || (0..1000).map(|n| n.to_string());
        let read = |keys: &mut dyn Iterator<Item = u64>| {
            let mut all = Keys::default();
            keys.for_each(|n| all.add(&n.to_string()));
            all.are(wanted())
        };
        assert!(read(&mut (0..1000).rev()));
        assert!(!read(&mut (0..999)) && !read(&mut (0..1001)));
        for other in [0, 998, 1000, u64::MAX] {
            assert!(!read(&mut (0..999).chain([other])), "{other}");
        }
        // Two that are there twice, and two that lack.
        assert!(!read(&mut (0..998).chain([0, 1])));
    }
}
