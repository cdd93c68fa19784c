//! The documents that operations and queries draw.

use super::dist::{self, Of};
use super::field::name_of;
use super::keys::{Entry, Keys, Read, Value};
use super::model::{Dist, Name};
use super::name;
use super::operand::{Reference, reference};
use super::wrong::Wrong;

/// A document that an operation draws.
#[derive(Debug)]
pub struct Draw {
    /// What the steps call it.
    pub name: Name,
    /// Its collection.
    pub collection: Name,
    /// Which one.
    pub which: Which,
}

/// Which document is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Which {
    /// One that is there; with this share one that never is.
    There {
        /// How it is drawn.
        dist: Dist,
        /// The share.
        miss: f64,
    },
    /// A new one, and whose child it is if its number does not say so.
    New(Option<Reference>),
}

/// `draw.NAME = { from, dist, miss }` or `{ new, parent }`.
pub fn draws(keys: &mut Keys<'_>) -> Read<Vec<Draw>> {
    let Some(draws) = keys.take("draw") else { return Ok(Vec::new()) };
    let draw = |Entry { key, key_at, value }: Entry<'_>| {
        if !name::is_plain(key) || ["now", "new"].contains(&key) {
            return Err(Wrong::new(key_at, format!("{key:?} cannot name a draw")));
        }
        let mut keys = value.keys("a draw")?;
        let name = Name { text: key.to_owned(), at: key_at };
        let (collection, which) = match keys.take("new") {
            Some(new) => {
                let parent = keys.take("parent").map(reference).transpose()?;
                (name_of(new)?, Which::New(parent))
            }
            None => (name_of(keys.need("from")?)?, there(&mut keys)?),
        };
        keys.end()?;
        Ok(Draw { name, collection, which })
    };
    draws.entries()?.into_iter().map(draw).collect()
}

/// `dist` and `miss` of a draw from what is there.
pub fn there(keys: &mut Keys<'_>) -> Read<Which> {
    let dist = dist::read(keys, Of::Draws, None)?;
    Ok(Which::There { dist, miss: keys.take("miss").map_or(Ok(0.0), Value::share)? })
}
