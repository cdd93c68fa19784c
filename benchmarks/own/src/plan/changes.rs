//! What the operations of a file do to its collections, and what can be known of it afterwards.

use hoap_database::path::{self, Step};

use super::action::{Changed, Changes, Draw, Known, Target, To, Which};
use crate::file::step::Verb;

/// How a field is changed, as far as the operations are read.
#[derive(Clone, Copy, Default)]
struct Ways {
    sets: bool,
    adds: Option<u8>,
    appends: bool,
}

/// What was found of each collection.
pub struct Found(Vec<(Changes, Vec<Ways>)>);

impl Found {
    /// Nothing yet, of so many collections.
    pub fn of(collections: usize) -> Found {
        let mut found = Vec::new();
        found.resize_with(collections, || {
            (Changes { oldest_only: true, ..Changes::default() }, Vec::new())
        });
        Found(found)
    }

    /// A step that does this to documents of a collection.
    pub fn step(&mut self, verb: Verb, collection: usize, (draws, target): (&[Draw], &Target)) {
        let changes = &mut self.0[collection].0;
        match (verb, target) {
            (Verb::Insert, _) => changes.inserts = true,
            (Verb::Put, Target::Slot(slot)) if draws_new(draws, *slot) => changes.inserts = true,
            (Verb::Put, _) => changes.puts = true,
            (Verb::Delete, target) => {
                changes.deletes = true;
                let oldest = |draw: &Draw| match &draw.which {
                    Which::Once(documents) => documents.is_oldest(),
                    _ => false,
                };
                let is_drawn =
                    |draw: &&Draw| matches!(target, Target::Slot(of) if *of == draw.slot);
                changes.oldest_only &= draws.iter().find(is_drawn).is_some_and(oldest);
            }
            _ => {}
        }
    }

    /// A change of a field. Returns the place of the field.
    pub fn change(&mut self, collection: usize, path: &str, to: &To) -> usize {
        let (changes, ways) = &mut self.0[collection];
        let known = changes.fields.iter().position(|field| field.path == path);
        let at = known.unwrap_or_else(|| {
            let shape = shape(path);
            let known = Known::Nothing;
            changes.fields.push(Changed { path: path.to_owned(), shape, known });
            ways.push(Ways::default());
            ways.len() - 1
        });
        match to {
            To::Set(_) | To::Remove => ways[at].sets = true,
            To::Add(_, digits) => ways[at].adds = Some(*digits),
            To::Append(_) => ways[at].appends = true,
        }
        at
    }

    /// What the operations do to each collection.
    pub fn changes(self) -> Vec<Changes> {
        let known = |(mut changes, ways): (Changes, Vec<Ways>)| {
            let paths: Vec<String> = changes.fields.iter().map(|of| of.path.clone()).collect();
            for (at, (field, ways)) in changes.fields.iter_mut().zip(ways).enumerate() {
                let meets = |(other, path): (usize, &String)| {
                    let within =
                        path::is_within(path, &field.path) || path::is_within(&field.path, path);
                    other != at && within
                };
                field.known = match ways {
                    _ if paths.iter().enumerate().any(meets) => Known::Nothing,
                    Ways { sets: false, adds: Some(digits), appends: false } if !changes.puts => {
                        Known::Sum(digits)
                    }
                    Ways { adds: None, appends: false, .. } => Known::Last,
                    _ => Known::Nothing,
                };
            }
            changes
        };
        self.0.into_iter().map(known).collect()
    }
}

/// A path without quotes, up to its first position: elements of an array have the array's path.
fn shape(path: &str) -> String {
    let names = path::steps(path).map_while(|step| match step {
        Step::Field(name) => Some(name),
        Step::Position(_) => None,
    });
    names.collect::<Vec<_>>().join(".")
}

/// Whether a slot has a new document.
pub fn draws_new(draws: &[Draw], slot: usize) -> bool {
    draws.iter().any(|draw| draw.slot == slot && matches!(draw.which, Which::New(_)))
}
