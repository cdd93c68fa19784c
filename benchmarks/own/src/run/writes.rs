//! The steps that write.

use hoap_database::path::{self, WHOLE};
use hoap_database::{Change, Condition, Intent, Patch, Patched};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::ledger::Effect;
use super::shared::Drawn;
use super::slots::{Slot, Tested, set, units};
use super::steps::{Flow, Steps, hold};
use crate::generate::place::At;
use crate::plan::action::{Step, Target, To};

impl Steps<'_, '_> {
    /// The document of a step that makes one: as it was made, but for what the step sets.
    pub(super) fn made(&mut self, step: &Step, at: &At) -> Value {
        let mut document = Value::Object(self.work.shared.workload.made(step.collection, at));
        for change in &step.changes {
            if let To::Set(source) = &change.to {
                let value = self.value(source);
                set(&mut document, &change.path, value);
            }
        }
        document
    }

    pub(super) async fn insert(&mut self, step: &Step) -> Result<Flow> {
        let Target::Slot(slot) = &step.target else { return Ok(Flow::Done(0)) };
        let Slot::Document(Drawn { collection, at, more, .. }) = &self.slots[*slot] else {
            return Ok(Flow::Done(0));
        };
        let collection = *collection;
        let all: Vec<At> = [*at].into_iter().chain(more.iter().copied()).collect();
        let mut documents = Vec::with_capacity(all.len());
        for at in &all {
            let document = self.made(step, at);
            self.work.inserts((collection, at.n));
            for change in &step.changes {
                let value = path::get(&document, &change.path).cloned().unwrap_or_default();
                self.work.writes((collection, at.n), change.field, Effect::Set(value));
            }
            documents.push((self.work.shared.workload.key(collection, at), document));
        }
        let documents: Vec<(&str, &Value)> =
            documents.iter().map(|(key, document)| (key.as_str(), document)).collect();
        let name = self.collection(step);
        let done = self.tx.insert_many(name, &documents).await;
        self.each_alone(done).map(|()| Flow::Done(all.len() as u64))
    }

    pub(super) async fn put(&mut self, step: &Step) -> Result<Flow> {
        let Target::Slot(slot) = &step.target else { return Ok(Flow::Done(0)) };
        let Slot::Document(Drawn { collection, at, .. }) = &self.slots[*slot] else {
            return Ok(Flow::Done(0));
        };
        let (collection, at) = (*collection, *at);
        let document = self.made(step, &at);
        self.work.inserts((collection, at.n));
        self.work.puts((collection, at.n), &document);
        let key = self.work.shared.workload.key(collection, &at);
        let name = self.collection(step);
        let done = self.tx.put(name, &key, &document).await;
        self.each_alone(done).map(|()| Flow::Done(1))
    }

    pub(super) async fn patch(&mut self, step: &Step) -> Result<Flow> {
        let mut rows = 0;
        for aim in self.aims(step) {
            let tests = self.tests(step);
            let conditions: Vec<Condition<'_>> = tests.iter().map(Tested::condition).collect();
            let mark = self.work.mark();
            let mut patches = Vec::with_capacity(step.changes.len());
            for change in &step.changes {
                let (to, effect) = self.change(&change.to, &change.path)?;
                patches.push(Patch { path: &change.path, change: to });
                if let (Some(number), Some(effect)) = (aim.number, effect) {
                    self.work.writes((step.collection, number), change.field, effect);
                }
            }
            let name = self.collection(step);
            let done = self.tx.patch_if(name, &aim.key, &patches, &conditions).await;
            if !matches!(done, Ok(Patched::Done) | Err(_)) {
                self.work.back_to(mark);
            }
            match self.each_alone(done)? {
                Patched::Done => rows += 1,
                Patched::Refused => return Ok(Flow::Refused),
                Patched::Missing => rows += self.missing(step, &aim)?,
            }
        }
        Ok(Flow::Done(rows))
    }

    /// A change of a field as databases take it, and as the ledger does.
    pub(super) fn change(&mut self, to: &To, path: &str) -> Result<(Change, Option<Effect>)> {
        Ok(match to {
            To::Set(source) => {
                let value = self.value(source);
                (Change::Set(value.clone()), Some(Effect::Set(value)))
            }
            To::Add(source, digits) => {
                let value = self.value(source);
                let Some(units) = units(&value, *digits) else {
                    let tried = format!("add to {path}");
                    return Err(Error::new(
                        ErrorKind::Invalid,
                        tried,
                        format!("{value} is no number"),
                    ));
                };
                let change = match digits {
                    0 => Change::AddInteger(units),
                    digits => Change::AddDecimal { units, digits: *digits },
                };
                (change, Some(Effect::Added(units)))
            }
            To::Append(source) => (Change::Append(self.value(source)), None),
            To::Remove => (Change::Remove, Some(Effect::Set(Value::Null))),
        })
    }

    pub(super) async fn delete(&mut self, step: &Step) -> Result<Flow> {
        let mut rows = 0;
        for aim in self.aims(step) {
            let name = self.collection(step);
            let tests = self.tests(step);
            if !tests.is_empty() {
                let row = self.tx.get(name, &aim.key, &[WHOLE], Intent::Change).await?;
                let document = row.and_then(|mut row| row.pop()).unwrap_or_default();
                if !document.is_null() && !hold(&tests, &document) {
                    return Ok(Flow::Refused);
                }
            }
            if !aim.number.is_none_or(|number| self.work.deletes((step.collection, number))) {
                // Another client deletes it.
                rows += 1;
                continue;
            }
            let done = self.tx.delete(name, &aim.key).await;
            if let (Ok(false), Some(number)) = (&done, aim.number) {
                self.work.found_nothing((step.collection, number));
            }
            let was = self.each_alone(done)?;
            rows += match was {
                true => 1,
                false if step.is_aimed() => self.missing(step, &aim)?,
                false => 1,
            };
        }
        Ok(Flow::Done(rows))
    }
}
