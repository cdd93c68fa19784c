//! A file, compiled.

use hoap_data::random::Stream;

use super::action::{Changes, Operation, Query};
use super::model::{Collection, Node};

/// All collections of a file at a scale.
#[derive(Debug)]
pub struct Plan {
    /// The collections, in the order of the file.
    pub collections: Vec<Collection>,
    /// All fields.
    pub nodes: Vec<Node>,
    /// The stream of what is no field's: permutations of numbers.
    pub root: Stream,
    /// What is done with them.
    pub operations: Vec<Operation>,
    /// The queries.
    pub queries: Vec<Query>,
    /// What that changes, by collection.
    pub changes: Vec<Changes>,
}

impl Plan {
    /// The collection of this name.
    pub fn collection(&self, name: &str) -> Option<usize> {
        self.collections.iter().position(|of| of.name == name)
    }
}
