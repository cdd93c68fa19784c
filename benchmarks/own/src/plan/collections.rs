//! Numbers of documents: at a scale, parents before their children.

use hoap_data::random::Stream;

use super::draw::Draw;
use super::family::Family;
use super::names::Names;
use crate::file::wrong::Wrong;

/// The most documents of a collection.
const MOST: u64 = 1 << 53;
/// The most collections of which each has the next one's children.
const MOST_DEEP: usize = 16;

/// Documents of a collection, and its parents with the family.
pub type Counted = (u64, Option<(usize, Family)>);

/// The numbers of all collections. `streams` has one for each.
pub fn count(names: &Names<'_>, scale: f64, streams: &[Stream]) -> Result<Vec<Counted>, Wrong> {
    let mut counted: Vec<Option<Counted>> = Vec::new();
    counted.resize_with(streams.len(), || None);
    for at in 0..streams.len() {
        let mut way = vec![at];
        while let Some(parent) = names.parent_of(way[way.len() - 1])? {
            if way.contains(&parent) {
                let name = &names.file.collections[at].name;
                return Err(Wrong::new(name.at, format!("{} is its own parent", name.text)));
            }
            if way.len() == MOST_DEEP {
                let name = &names.file.collections[at].name;
                let message = format!("{} has parents of parents: {MOST_DEEP} at most", name.text);
                return Err(Wrong::new(name.at, message));
            }
            way.push(parent);
        }
        for &at in way.iter().rev() {
            if counted[at].is_none() {
                let parent = names.parent_of(at)?;
                let parent =
                    parent.map(|parent| (parent, counted[parent].as_ref().map_or(0, |of| of.0)));
                counted[at] = Some(one(names, at, parent, (scale, streams[at]))?);
            }
        }
    }
    Ok(counted.into_iter().flatten().collect())
}

fn one(
    names: &Names<'_>,
    at: usize,
    parent: Option<(usize, u64)>,
    (scale, stream): (f64, Stream),
) -> Result<Counted, Wrong> {
    let of = &names.file.collections[at];
    let counted = match parent {
        None if of.fixed || of.count.low == 0 => (of.count.low as u64, None),
        // The cast saturates, and what is too much is refused below.
        None => (((of.count.low as f64 * scale).round() as u64).max(1), None),
        Some((parent, parents)) => {
            let draw = Draw::plain(&of.dist, of.count);
            let most = parents.saturating_mul(of.count.high as u64);
            if most > MOST {
                return Err(too_many(of));
            }
            let family = Family::new(parents, of.count.low as u64, &draw, of.arrange, stream);
            (family.count(), Some((parent, family)))
        }
    };
    match counted.0 <= MOST {
        true => Ok(counted),
        false => Err(too_many(of)),
    }
}

fn too_many(of: &crate::file::model::Collection) -> Wrong {
    Wrong::new(
        of.name.at,
        format!("{} has more than 2^53 documents: choose another scale", of.name.text),
    )
}
