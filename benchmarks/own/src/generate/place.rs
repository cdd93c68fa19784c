//! Which document and which element a value is made for.

use hoap_data::random::Stream;

use crate::plan::Plan;
use crate::plan::model::{DEPTH, Id, Make, Node, Object, Sets, Step, To, Way};

/// A place: a document, and elements of the arrays in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct At {
    /// The document's number.
    pub n: u64,
    /// Its parent's number, and its place among its parent's children.
    pub parent: u64,
    /// The place.
    pub seq: u64,
    /// The places in the arrays around the value, the outermost first.
    pub index: [u32; DEPTH + 1],
}

/// Whether a value is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum There {
    Value,
    Null,
    Absent,
}

impl Plan {
    /// The place of a whole document.
    #[inline]
    pub fn place(&self, collection: usize, n: u64) -> At {
        let (parent, seq) = match &self.collections[collection].parent {
            Some((_, family)) => family.parent(n),
            None => (0, n),
        };
        At { n, parent, seq, index: Default::default() }
    }

    /// The place of a new document whose parent is this one.
    pub fn adopted(&self, collection: usize, n: u64, parent: u64) -> At {
        let seq = self.collections[collection]
            .parent
            .as_ref()
            .map_or(n, |(_, family)| family.most() + n.saturating_sub(family.count()));
        At { n, parent, seq, index: Default::default() }
    }

    /// The random words of a field at a place.
    #[inline]
    pub fn random(&self, node: &Node, at: &At) -> Stream {
        let mut stream = node.stream.child(at.n);
        for index in &at.index[..node.depth] {
            stream = stream.child(u64::from(*index));
        }
        stream
    }

    /// The random words that a field's value is made of: its own, or those of the distinct value that
    /// it has.
    #[inline]
    pub fn words(&self, node: &Node, at: &At) -> Stream {
        let own = self.random(node, at);
        match &node.distinct {
            None => own,
            Some((draw, values)) => values.child(draw.of(own.at(0))),
        }
    }

    /// The set of more fields that an object has at a place.
    pub fn set(&self, object: &Object, at: &At) -> usize {
        let Some(Sets { choice, stream, .. }) = &object.sets else { return 0 };
        let mut stream = stream.child(at.n);
        for index in &at.index[..object.depth] {
            stream = stream.child(u64::from(*index));
        }
        choice.of(stream.at(0))
    }

    /// Whether a field is there.
    #[inline]
    pub fn there(&self, node: &Node, at: &At) -> There {
        let Some((absent, null)) = node.missing else { return There::Value };
        // A word that no value is made of, so that the share changes none.
        let word = self.random(node, at).at(u64::MAX);
        match word {
            _ if word < absent => There::Absent,
            _ if word < null => There::Null,
            _ => There::Value,
        }
    }

    /// The document that a `ref` refers to; `None` if there is none.
    pub fn referred(&self, id: Id, at: &At) -> Option<(usize, u64)> {
        let node = &self.nodes[id];
        if self.there(node, at) != There::Value {
            return None;
        }
        match &node.make {
            Make::Ref(collection, documents) => {
                let words = self.words(node, at);
                Some((*collection, documents.of([words.at(0), words.at(1)])))
            }
            Make::Parent(collection) => Some((*collection, at.parent)),
            _ => None,
        }
    }

    /// Follows a way of refs; `None` if one of them is missing.
    pub fn follow(&self, way: &Way, at: &At) -> Option<At> {
        let mut here = *at;
        for step in &way.steps {
            let Step::Ref(id) = step else { return None };
            let (collection, n) = self.referred(*id, &here)?;
            here = self.place(collection, n);
        }
        Some(here)
    }

    /// Calls `each` at every place that a way leads to.
    pub fn each(&self, steps: &[Step], at: &At, each: &mut dyn FnMut(&At)) {
        let Some((step, rest)) = steps.split_first() else { return each(at) };
        match step {
            Step::Ref(id) => {
                if let Some((collection, n)) = self.referred(*id, at) {
                    self.each(rest, &self.place(collection, n), each);
                }
            }
            Step::Each(id) => {
                let depth = self.nodes[*id].depth;
                let mut here = *at;
                for n in 0..self.length(*id, at) {
                    here.index[depth] = n as u32;
                    self.each(rest, &here, each);
                }
            }
            Step::Children(collection) => {
                let Some((_, family)) = &self.collections[*collection].parent else { return };
                for seq in 0..family.children(at.n) {
                    if let Some(child) = family.child(at.n, seq) {
                        self.each(rest, &self.place(*collection, child), each);
                    }
                }
            }
        }
    }

    /// How often a way leads somewhere.
    pub fn size(&self, way: &Way, at: &At) -> u64 {
        if let ([Step::Children(collection)], To::Here) = (&way.steps[..], way.to) {
            let parent = &self.collections[*collection].parent;
            return parent.as_ref().map_or(0, |(_, family)| family.children(at.n));
        }
        let mut size = 0;
        self.each(&way.steps, at, &mut |_| size += 1);
        size
    }

    /// Elements of an array or a map; 0 if it is not there.
    #[inline]
    pub fn length(&self, id: Id, at: &At) -> u64 {
        let node = &self.nodes[id];
        if self.there(node, at) != There::Value {
            return 0;
        }
        match &node.make {
            Make::Array(low, draw, _) | Make::Map(low, draw, ..) => {
                low + draw.of(self.words(node, at).at(0))
            }
            _ => 0,
        }
    }
}
