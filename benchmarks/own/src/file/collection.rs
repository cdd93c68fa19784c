//! Collections.

use super::dist::{self, Of};
use super::field::{Reader, name_of};
use super::keys::{Entry, Keys, Read, Value};
use super::model::{Arrange, Collection, Index, Name, Object, Pattern, Piece};
use super::range::{self, Range};
use super::wrong::{Wrong, instead};
use super::{name, pattern};

/// The most documents of a collection, and the most children of a parent.
const MOST: i64 = 1 << 44;
const MOST_CHILDREN: i64 = 1_000_000_000;
/// The most letters of a name: PostgreSQL cuts longer ones than 63 off.
const LONGEST: usize = 60;

impl Reader<'_> {
    /// A collection of this name.
    pub fn collection(self, Entry { key, key_at, value }: Entry<'_>) -> Read<Collection> {
        let name = plain(key, key_at, "a collection")?;
        let mut keys = value.keys("a collection")?;
        let per = keys.take("per").map(name_of).transpose()?;
        let count = count(keys.need("count")?, per.is_some())?;
        let bounds = (count.low as f64, count.high as f64);
        let dist = match per {
            Some(_) => dist::read(&mut keys, Of::Values, Some(bounds))?,
            None => super::model::Dist::Uniform,
        };
        let arrange = match keys.take("arrange") {
            None => Arrange::Mixed,
            Some(value) if per.is_some() => arrange(value)?,
            Some(value) => return Err(value.wrong("`arrange` belongs to a collection with `per`")),
        };
        let mut flag = |name, default| keys.take(name).map_or(Ok(default), Value::boolean);
        let (fixed, stored) = (flag("fixed", false)?, flag("stored", true)?);
        let key = key_pattern(&mut keys, per.is_some())?;
        let indexes = match keys.take("indexes") {
            None => Vec::new(),
            Some(value) => value.entries()?.into_iter().map(index).collect::<Read<_>>()?,
        };
        let document: Object = self.object(&mut keys)?;
        keys.end()?;
        Ok(Collection { name, count, per, dist, arrange, fixed, stored, key, indexes, document })
    }
}

/// A name of letters, digits and `_`.
fn plain(key: &str, at: usize, what: &str) -> Read<Name> {
    match name::is_plain(key) && key != "manifest" && key.len() <= LONGEST {
        true => Ok(Name { text: key.to_owned(), at }),
        false => {
            let rule =
                "up to 60 letters, digits and _, begins with no digit, and is not `manifest`";
            Err(Wrong::new(at, format!("{key:?} cannot name {what}: a name is of {rule}")))
        }
    }
}

fn count(value: Value<'_>, per: bool) -> Read<Range> {
    let range = range::lengths(value, if per { MOST_CHILDREN } else { MOST })?;
    match per || range.low == range.high {
        true => Ok(range),
        false => {
            Err(value.wrong("a range counts children: a collection without `per` has one number"))
        }
    }
}

fn arrange(value: Value<'_>) -> Read<Arrange> {
    let word = value.text()?;
    Ok(match word {
        "mixed" => Arrange::Mixed,
        "grouped" => Arrange::Grouped,
        "rounds" => Arrange::Rounds,
        _ => {
            let names = instead(word, ["mixed", "grouped", "rounds"]);
            return Err(value.wrong(format!("{word:?} is no arrangement{names}")));
        }
    })
}

/// The pattern of keys, from which a document's number can be read.
fn key_pattern(keys: &mut Keys<'_>, per: bool) -> Read<Pattern> {
    let Some(value) = keys.take("key") else { return pattern::parse("{n}", keys.at) };
    let key = pattern::read(value)?;
    let has = |piece: fn(&Piece) -> bool| key.pieces.iter().filter(|of| piece(of)).count();
    let numbers = has(|piece| {
        matches!(piece, Piece::Number(_) | Piece::Hash | Piece::Uuid | Piece::ObjectId)
    });
    let family =
        (has(|piece| matches!(piece, Piece::Parent)), has(|piece| matches!(piece, Piece::Seq(_))));
    let literal = has(|piece| matches!(piece, Piece::Literal(_)));
    let tells = match (numbers, family) {
        (1, (0, 0)) => true,
        (0, (1, 1)) => per,
        _ => false,
    };
    if !tells || numbers + family.0 + family.1 + literal != key.pieces.len() {
        return Err(value.wrong(
            "a key tells its number: it has {n}, {hash}, {uuid} or {objectid}, or {parent} and {seq}, \
             and else what is literal",
        ));
    }
    let side_by_side =
        |pair: &[Piece]| !pair.iter().any(|piece| matches!(piece, Piece::Literal(_)));
    if key.pieces.windows(2).any(side_by_side) {
        return Err(
            value.wrong("{parent} and {seq} need something between them, such as {parent}:{seq}")
        );
    }
    Ok(key)
}

fn index(Entry { key, key_at, value }: Entry<'_>) -> Read<Index> {
    let name = plain(key, key_at, "an index")?;
    let fields: Vec<Name> = value.list()?.into_iter().map(name_of).collect::<Read<_>>()?;
    match fields.is_empty() {
        false => Ok(Index { name, fields }),
        true => Err(value.wrong("an index has a field at least")),
    }
}

/// Texts by names of the user's.
pub fn texts(value: Value<'_>) -> Read<Vec<(Name, String)>> {
    let text = |Entry { key, key_at, value }: Entry<'_>| {
        Ok((Name { text: key.to_owned(), at: key_at }, value.text()?.to_owned()))
    };
    value.entries()?.into_iter().map(text).collect()
}
