//! Runs the steps of an operation.

use hoap_data::random::Stream;
use hoap_database::{Access, Transaction, patches};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::numbers::There;
use super::shared::Drawn;
use super::slots::{Answered, Slot, Tested, Values};
use super::work::{End, Work};
use crate::file::step::Verb;
use crate::plan::action::{Each, Operation, Source, Step, Target};

/// How an operation went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It was done, with so many documents in its answers.
    Done(u64),
    /// A condition did not hold.
    Refused,
}

/// What the steps of an operation have.
pub struct Steps<'a, 't> {
    /// The transaction, or the commands one after the other.
    pub tx: &'a mut Transaction<'t>,
    /// Which of both.
    pub access: Access,
    /// What they do.
    pub work: &'a mut Work,
    /// Documents and answers.
    pub slots: &'a mut [Slot],
    /// The random numbers of the operation, the same each time that it is run again.
    pub random: Stream,
    /// When the transaction or the commands began, by the ledger's clock.
    pub begun: u64,
}

/// A document that a step is about.
pub(super) struct Aim {
    /// Its key.
    pub key: String,
    /// Its number; `None` if no document has this key.
    pub number: Option<u64>,
}

impl Steps<'_, '_> {
    /// Runs all steps.
    ///
    /// # Errors
    /// Those of the database, and [`ErrorKind::Broken`] if an answer is wrong.
    pub async fn run(&mut self, operation: &Operation) -> Result<Flow> {
        let (mut rows, mut writes) = (0, false);
        for step in &operation.steps {
            let reads = step.verb.reads();
            for one in self.each(step) {
                if let Some((into, slot)) = one {
                    self.slots[into] = slot;
                }
                match self.step(step).await? {
                    Flow::Refused => return Ok(Flow::Refused),
                    Flow::Done(found) if reads => rows += found,
                    Flow::Done(found) => writes |= found > 0,
                }
            }
        }
        Ok(Flow::Done(if writes { rows.max(1) } else { rows }))
    }

    /// What a step is done for: once, or for each of these.
    pub(super) fn each(&self, step: &Step) -> Vec<Option<(usize, Slot)>> {
        let plan = &self.work.shared.workload.plan;
        match &step.each {
            None => vec![None],
            Some(Each::Answers { of, into }) => match &self.slots[*of] {
                Slot::Answers(answers) => {
                    let one = |one: &Answered| Some((*into, Slot::Answers(vec![one.clone()])));
                    answers.iter().map(one).collect()
                }
                _ => Vec::new(),
            },
            Some(Each::Elements { of, way, array, into }) => {
                let (Slot::Document(Drawn { at, .. }) | Slot::Element(at)) = &self.slots[*of]
                else {
                    return Vec::new();
                };
                let Some(at) = plan.follow(way, at) else { return Vec::new() };
                let depth = plan.nodes[*array].depth;
                let element = |n: u64| {
                    let mut here = at;
                    here.index[depth] = n as u32;
                    Some((*into, Slot::Element(here)))
                };
                (0..plan.length(*array, &at)).map(element).collect()
            }
        }
    }

    pub(super) fn values(&self) -> Values<'_> {
        Values { shared: &self.work.shared, slots: &*self.slots }
    }

    pub(super) fn value(&mut self, source: &Source) -> Value {
        let mut random = self.random;
        let value = self.values().of(source, &mut random);
        self.random = random;
        value
    }

    pub(super) fn tests(&mut self, step: &Step) -> Vec<Tested> {
        let mut random = self.random;
        let values = self.values();
        let tests = step.conditions.iter().map(|test| values.test(test, &mut random)).collect();
        self.random = random;
        tests
    }

    pub(super) async fn step(&mut self, step: &Step) -> Result<Flow> {
        self.work.begin();
        match step.verb {
            Verb::Read => self.read(step).await,
            Verb::Find => self.find(step).await,
            Verb::Scan => self.scan(step).await,
            Verb::Insert => self.insert(step).await,
            Verb::Put => self.put(step).await,
            Verb::Patch => self.patch(step).await,
            Verb::Delete => self.delete(step).await,
            Verb::Query => Ok(Flow::Done(0)),
        }
    }

    /// The documents that a step is about.
    pub(super) fn aims(&mut self, step: &Step) -> Vec<Aim> {
        let shared = self.work.shared.clone();
        let by_key =
            |key: &str| Aim { key: key.to_owned(), number: shared.number(step.collection, key) };
        match &step.target {
            Target::Slot(slot) => match &self.slots[*slot] {
                Slot::Document(Drawn { collection, at, miss, .. }) => {
                    let key = shared.workload.key(*collection, at);
                    vec![Aim { key, number: (!miss).then_some(at.n) }]
                }
                Slot::Answers(answers) => {
                    answers.iter().take(1).map(|one| by_key(&one.key)).collect()
                }
                _ => Vec::new(),
            },
            Target::Keys(source) => match self.value(source) {
                Value::Array(keys) => keys.iter().filter_map(Value::as_str).map(by_key).collect(),
                Value::String(key) => vec![by_key(&key)],
                _ => Vec::new(),
            },
            Target::Search => Vec::new(),
        }
    }

    pub(super) fn collection(&self, step: &Step) -> &'static str {
        &self.work.shared.workload.plan.collections[step.collection].name
    }

    /// Whether a document may rightly be absent.
    pub(super) fn may_miss(&self, step: &Step, aim: &Aim) -> bool {
        let of = &self.work.shared.numbers[step.collection];
        step.expect.is_some() || aim.number.is_none_or(|number| of.there(number) != There::Yes)
    }

    /// A document is not there that a step is about: an error unless that may be, so that nothing
    /// was found.
    pub(super) fn missing(&self, step: &Step, aim: &Aim) -> Result<u64> {
        if self.may_miss(step, aim) {
            return Ok(u64::from(aim.number.is_none()));
        }
        let tried = format!("{} {} {}", step.verb.word(), self.collection(step), aim.key);
        Err(Error::new(ErrorKind::NotFound, tried, "there is no such document"))
    }

    /// The end of a command, which is not known of a transaction's.
    pub(super) fn ended(&mut self, end: End) {
        if self.access == Access::Each {
            self.work.settle(end, false);
        }
    }

    pub(super) fn each_alone<T>(&mut self, done: Result<T>) -> Result<T> {
        self.ended(done.as_ref().map_or_else(End::of, |_| End::Done));
        done
    }
}

/// Whether all tests hold for a document.
pub(super) fn hold(tests: &[Tested], document: &Value) -> bool {
    tests.iter().all(|test| patches::holds(&test.condition(), document))
}
