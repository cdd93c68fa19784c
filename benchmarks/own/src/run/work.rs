//! What an operation has done, and what becomes of it: acknowledged, without effect, or unknown.

use std::sync::Arc;

use hoap_workload::{Error, ErrorKind};
use serde_json::Value;

use super::ledger::{Effect, Ledger, Place, has};
use super::numbers::There;
use super::shared::Shared;
use crate::plan::action::Known;

/// How commands have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// They are acknowledged.
    Done,
    /// They are surely without effect.
    Nothing,
    /// Nobody knows.
    Unknown,
}

impl End {
    /// What an error says of the commands that it ended.
    pub fn of(e: &Error) -> End {
        match e.kind {
            ErrorKind::Conflict
            | ErrorKind::NotFound
            | ErrorKind::Missing
            | ErrorKind::Throttled
            | ErrorKind::Invalid => End::Nothing,
            ErrorKind::Ambiguous
            | ErrorKind::Timeout
            | ErrorKind::Cancelled
            | ErrorKind::Unavailable
            // It is there, or others of its batch are.
            | ErrorKind::Duplicate
            | ErrorKind::Broken => End::Unknown,
        }
    }

    fn there(self, done: There, nothing: There) -> There {
        match self {
            End::Done => done,
            End::Nothing => nothing,
            End::Unknown => There::Perhaps,
        }
    }
}

/// What a command does.
#[derive(Debug)]
enum Did {
    Inserted(Place),
    /// And whether there was one.
    Deleted(Place, bool),
    Put(Place),
    Wrote(Place, usize, Effect),
}

/// What a client's commands do, and what it remembers of them.
pub struct Work {
    /// What all clients share.
    pub shared: Arc<Shared>,
    /// What it saw acknowledged.
    pub ledger: Ledger,
    /// What the commands do whose end is not known yet.
    open: Vec<Did>,
    /// New documents that the operation has drawn, and whether an insert was tried.
    claimed: Vec<(Place, bool)>,
    /// Documents to delete that it has drawn, likewise.
    doomed: Vec<(Place, bool)>,
    /// When the first command began whose end is not known.
    start: u64,
}

impl Work {
    /// Nothing yet.
    pub fn new(shared: Arc<Shared>) -> Work {
        Work {
            shared,
            ledger: Ledger::default(),
            open: Vec::new(),
            claimed: Vec::new(),
            doomed: Vec::new(),
            start: 0,
        }
    }

    /// Draws a new document.
    pub fn claim(&mut self, collection: usize, parent: Option<u64>) -> u64 {
        let number = self.shared.numbers[collection].claim(parent);
        self.claimed.push(((collection, number), false));
        number
    }

    /// Remembers a document that was drawn to be deleted.
    pub fn doom(&mut self, place: Place) {
        self.doomed.push((place, false));
    }

    /// Commands begin.
    pub fn begin(&mut self) {
        if self.open.is_empty() {
            self.start = self.shared.now();
        }
    }

    /// A command begins that inserts a document.
    pub fn inserts(&mut self, place: Place) {
        if let Some((_, tried)) = self.claimed.iter_mut().find(|(of, _)| *of == place) {
            *tried = true;
            self.open.push(Did::Inserted(place));
        }
    }

    /// A command begins that deletes a document. Returns false if another one does.
    pub fn deletes(&mut self, place: Place) -> bool {
        match self.doomed.iter_mut().find(|(of, _)| *of == place) {
            Some((_, tried)) => *tried = true,
            None if self.shared.numbers[place.0].delete(place.1) => {}
            None => return false,
        }
        self.open.push(Did::Deleted(place, true));
        true
    }

    /// The command that deletes a document has found none.
    pub fn found_nothing(&mut self, place: Place) {
        let deletes = self.open.iter_mut().rev().find_map(|did| match did {
            Did::Deleted(of, found) if *of == place => Some(found),
            _ => None,
        });
        deletes.into_iter().for_each(|found| *found = false);
    }

    /// A command begins that changes a field.
    pub fn writes(&mut self, place: Place, field: usize, effect: Effect) {
        let known = self.shared.workload.changed(place.0)[field].known;
        let is_added = matches!(effect, Effect::Added(_));
        if known != Known::Nothing && (is_added || has(self.shared.workload, place)) {
            self.open.push(Did::Wrote(place, field, effect));
        }
    }

    /// A command begins that puts a whole document: fields that are not added to are as it has them.
    pub fn puts(&mut self, place: Place, document: &Value) {
        self.open.push(Did::Put(place));
        let shared = self.shared.clone();
        for (field, of) in shared.workload.changed(place.0).iter().enumerate() {
            if of.known == Known::Last {
                let value = hoap_database::path::get(document, &of.path).cloned();
                self.writes(place, field, Effect::Set(value.unwrap_or_default()));
            }
        }
    }

    /// How many commands there are whose end is not known.
    pub fn mark(&self) -> usize {
        self.open.len()
    }

    /// The commands behind a mark are without effect.
    pub fn back_to(&mut self, mark: usize) {
        self.open.truncate(mark);
    }

    /// The commands have ended whose end was not known. `again` if they are run again then.
    pub fn settle(&mut self, end: End, again: bool) {
        let now = self.shared.now();
        let times = (self.start, (end == End::Done).then_some(now));
        for did in std::mem::take(&mut self.open) {
            match did {
                Did::Wrote(place, field, effect) if end != End::Nothing => {
                    if let Effect::Added(units) = effect {
                        self.ledger.note_sum((place.0, field), units, end == End::Done);
                    }
                    if has(self.shared.workload, place) {
                        self.ledger.note(place, field, effect, times);
                    }
                }
                Did::Put(place) if end != End::Nothing => {
                    self.shared.numbers[place.0].put(place.1, end.there(There::Yes, There::Yes));
                }
                Did::Wrote(..) | Did::Put(_) => {}
                Did::Inserted(place) => {
                    if end == End::Nothing && again {
                        self.claimed.iter_mut().for_each(|(_, tried)| *tried = false);
                        continue;
                    }
                    self.claimed.retain(|(of, _)| *of != place);
                    let there = end.there(There::Yes, There::No);
                    self.shared.numbers[place.0].inserted(place.1, there);
                }
                Did::Deleted(place, found) => {
                    let drawn = self.doomed.iter().any(|(of, _)| *of == place);
                    if end == End::Nothing && again && drawn {
                        continue;
                    }
                    self.doomed.retain(|(of, _)| *of != place);
                    let there = end.there(There::No, There::Yes);
                    let numbers = &self.shared.numbers[place.0];
                    match found || end != End::Done {
                        true => numbers.deleted(place.1, there, now),
                        false => numbers.absent(place.1, now),
                    }
                }
            }
        }
    }

    /// The operation is over: what it has drawn and not come to is free again.
    pub fn over(&mut self) {
        for ((collection, number), tried) in std::mem::take(&mut self.claimed) {
            let there = if tried { There::Perhaps } else { There::No };
            self.shared.numbers[collection].inserted(number, there);
        }
        for ((collection, number), tried) in std::mem::take(&mut self.doomed) {
            let there = if tried { There::Perhaps } else { There::Yes };
            self.shared.numbers[collection].deleted(number, there, 0);
        }
    }

    /// The client ends, perhaps amid commands.
    pub fn finish(mut self) -> Ledger {
        self.settle(End::Unknown, false);
        self.over();
        self.ledger
    }
}
