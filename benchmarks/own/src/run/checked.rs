//! What each document must be before and after a run: of this all levels of check are made.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use hoap_data::random::Stream;
use hoap_database::path;
use hoap_workload::Result;
use hoap_workload::alike::{same, unlike};
use hoap_workload::checks::{Checked, Document, Expected, Wanted};
use hoap_workload::load::LoadSource;
use serde_json::{Map, Value};

use super::ledger::{Ledger, Place, has};
use super::numbers::There;
use super::shared::Shared;
use super::slots::units;
use crate::file::name::is_plain;
use crate::plan::action::{Changed, Known};

/// The most documents of a collection that are looked for of those that were made or deleted.
const LOOKED_FOR: u64 = 100_000;

/// What was found before a run on data that earlier runs have changed.
#[derive(Debug, Default)]
pub struct Before {
    /// How many documents each stored collection has.
    pub counts: Vec<u64>,
    /// Documents of the ledger's sample: the changed fields as they were, or that there was none.
    pub documents: HashMap<Place, Option<Vec<Value>>>,
}

/// That nobody knows what a field must be.
fn any() -> Wanted<'static> {
    Wanted::Fits(Box::new(|_, _| None))
}

/// What is known of the documents.
pub struct Owed<'a> {
    /// What all clients share.
    pub shared: &'a Shared,
    /// What they saw acknowledged; `None` before a run.
    pub ledger: Option<&'a Ledger>,
    /// What was found before the run; `None` if the data was as loaded.
    pub before: Option<&'a Before>,
    /// Whether documents are read whole, not by the names of their fields.
    pub whole: bool,
}

impl Owed<'_> {
    fn source(&self) -> &&'static crate::workload::Workload {
        &self.shared.workload
    }

    /// What a changed field was before the run; `None` if nobody knows.
    fn was(&self, place: Place, field: usize, made: &Value) -> Option<Value> {
        match self.before {
            _ if self.shared.numbers[place.0].is_new(place.1) => Some(made.clone()),
            None => Some(made.clone()),
            Some(before) => {
                before.documents.get(&place)?.as_ref().map(|values| values[field].clone())
            }
        }
    }

    /// What a changed field must be.
    fn wanted(
        &self,
        place: Place,
        (at, field): (usize, &Changed),
        made: &Value,
    ) -> Wanted<'static> {
        let Some(ledger) = self.ledger else { return any() };
        if field.known == Known::Nothing || !has(self.shared.workload, place) {
            return any();
        }
        let was = self.was(place, at, made);
        let written = ledger.of(place, at).cloned().unwrap_or_default();
        let path = field.shape.clone();
        match (field.known, was) {
            (Known::Sum(digits), Some(was)) => {
                let Some(was) = units(&was, digits) else { return any() };
                Wanted::Fits(Box::new(move |found, _| {
                    let now = units(found, digits);
                    let fits = now.is_some_and(|now| written.fits(now.saturating_sub(was)));
                    let one = 10f64.powi(digits.into());
                    (!fits).then(|| {
                        format!(
                            "{path} is {found}, it must be {} and {} that was added",
                            was as f64 / one,
                            written.added as f64 / one
                        )
                    })
                }))
            }
            (Known::Last, was) if was.is_some() || written.is_overwritten() => {
                let was = was.filter(|_| !written.is_overwritten());
                Wanted::Fits(Box::new(move |found, _| {
                    let mut may = written.last.iter().map(|write| &write.value).chain(&was);
                    if may.any(|value| same(value, found)) {
                        return None;
                    }
                    let last = written.last.last().map(|write| &write.value).or(was.as_ref());
                    Some(unlike(&path, found, last.unwrap_or(&Value::Null)))
                }))
            }
            _ => any(),
        }
    }
}

impl Checked for Owed<'_> {
    type Key = Place;

    fn source(&self) -> &dyn LoadSource {
        Owed::source(self)
    }

    fn loaded(&self, at: usize, index: u64) -> Place {
        (self.shared.workload.stored[at], index)
    }

    fn place(&self, (collection, number): Place) -> (usize, String) {
        let stored = &self.shared.workload.stored;
        let at = stored.iter().position(|of| *of == collection).unwrap_or_default();
        (at, self.shared.workload.key(collection, &self.shared.place(collection, number)))
    }

    fn expected(&self, place: Place) -> Result<Expected<'_>> {
        let (collection, number) = place;
        let made = self.shared.workload.made(collection, &self.shared.place(collection, number));
        let whole = Value::Object(made);
        // Before the first run nothing has changed.
        let as_loaded = self.ledger.is_none() && self.before.is_none();
        let fields = self.shared.workload.changed(collection).iter().enumerate();
        let fields = fields.filter(|_| !as_loaded);
        let wanted: Vec<_> = fields
            .map(|(at, field)| {
                let made = path::get(&whole, &field.path).unwrap_or(&Value::Null);
                (field.shape.clone(), self.wanted(place, (at, field), made))
            })
            .collect();
        let Value::Object(made) = whole else { return Ok(Expected::Absent) };
        // No scan can name the others.
        let made: Map<String, Value> =
            made.into_iter().filter(|(name, _)| self.whole || is_plain(name)).collect();
        let unknown: Vec<String> = match self.shared.is_adopted_elsewhere(collection, number) {
            true => made.keys().cloned().collect(),
            false => Vec::new(),
        };
        let unknown = unknown.into_iter().map(|name| (name, any()));
        let mut document = Document::of(made);
        for (shape, wanted) in unknown.chain(wanted) {
            document = document.but(shape, wanted);
        }
        let was = self.before.and_then(|of| of.documents.get(&place).cloned());
        let numbers = &self.shared.numbers[collection];
        let there = match numbers.there(number) {
            There::No => There::No,
            _ if was == Some(None) => numbers.put_since(number),
            there => there,
        };
        Ok(match there {
            There::No => Expected::Absent,
            There::Yes => Expected::There(document),
            There::Perhaps if matches!(was, Some(Some(_))) && !numbers.moved(number) => {
                Expected::There(document)
            }
            There::Perhaps => Expected::Perhaps(document),
        })
    }

    fn written(&self) -> Option<Vec<Place>> {
        let ledger = self.ledger?;
        let mut all: Vec<Place> = ledger.written.keys().copied().collect();
        for collection in &self.shared.workload.stored {
            let of = self.shared.numbers[*collection].written(LOOKED_FOR);
            all.extend(of.into_iter().map(|number| (*collection, number)));
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    fn compares(&self) -> String {
        "what was inserted, changed and deleted, and acknowledged, with what is there".into()
    }

    fn count(&self, at: usize) -> RangeInclusive<u64> {
        let collection = self.shared.workload.stored[at];
        let loaded = self.shared.numbers[collection].loaded();
        let before = match self.before {
            None => loaded,
            Some(before) => match before.counts.get(at) {
                Some(count) => *count,
                None => return 0..=u64::MAX,
            },
        };
        self.shared.numbers[collection].count(before)
    }

    fn moved(&self, at: usize) -> bool {
        let as_loaded = self.ledger.is_none() && self.before.is_none();
        !as_loaded && self.shared.numbers[self.shared.workload.stored[at]].moves()
    }

    fn drawn(&self, size: u64, random: &mut Stream) -> Vec<Place> {
        let mut drawn = Vec::new();
        for collection in &self.shared.workload.stored {
            let count = self.shared.numbers[*collection].loaded();
            let chosen = hoap_workload::checks::sample::choose(count, size, random);
            drawn.extend(chosen.into_iter().map(|number| (*collection, number)));
        }
        drawn
    }
}
