//! Whether an answer is what the file makes, as far as no operation changes it.

use std::ops::RangeInclusive;

use hoap_database::path::{self, WHOLE};
use hoap_database::{Bounds, Condition, Is, Row, patches};
use hoap_workload::alike::{same, unlike};
use hoap_workload::checks::Found;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::numbers::There;
use super::shared::Shared;
use crate::file::range::Range;
use crate::file::step::Expect;
use crate::generate::place::At;
use crate::plan::action::{Search, Step};
use crate::plan::model::Kind;

/// What is wrong with an answer.
pub(super) type Judged = std::result::Result<(), String>;

/// The error of an answer that is wrong.
pub(super) fn broken(tried: String, answer: String) -> Error {
    Error::new(ErrorKind::Broken, tried, answer).advise(
        "the database answers wrongly, or its data was changed: load it again to tell which",
    )
}

/// A document that was read by its key.
pub struct Looked<'a> {
    /// Its key.
    pub key: &'a str,
    /// Its number; `None` if no document has this key.
    pub number: Option<u64>,
    /// What was answered.
    pub found: Option<&'a Row>,
    /// When the transaction or the command began, by the ledger's clock.
    pub begun: u64,
}

impl Shared {
    /// Holds the answer to a read against the file.
    ///
    /// # Errors
    /// [`ErrorKind::Broken`].
    pub fn check_read(&self, step: &Step, paths: &[&str], of: Looked<'_>) -> Result<()> {
        let there = match (step.expect, of.number) {
            (Some(Expect::Any), _) => There::Perhaps,
            (Some(Expect::Between(Range { high: 0, .. })), _) | (_, None) => There::No,
            (_, Some(number)) => self.numbers[step.collection].there_since(number, of.begun),
        };
        let judged = match (there, of.found, of.number) {
            (There::Yes, None, _) => Err("there is no such document".to_owned()),
            (There::No, Some(_), _) => Err("it is there, and must not be".to_owned()),
            (_, Some(row), Some(number)) if !self.is_adopted_elsewhere(step.collection, number) => {
                self.document(step.collection, &self.place(step.collection, number), (paths, row))
            }
            _ => Ok(()),
        };
        let name = &self.workload.plan.collections[step.collection].name;
        judged.map_err(|answer| broken(format!("read {name} {}", of.key), answer))
    }

    /// Holds the values at these paths of a document against what was made.
    pub(super) fn document(
        &self,
        collection: usize,
        at: &At,
        (paths, row): (&[&str], &Row),
    ) -> Judged {
        if let ([WHOLE], [Value::Object(found)]) = (paths, &row[..]) {
            let document = self.workload.unchanged(collection, at);
            let found = Found { fields: found, tells: true };
            return match document.wrong(found).into_iter().next() {
                Some(wrong) => Err(wrong),
                None => Ok(()),
            };
        }
        let made = Value::Object(self.workload.made(collection, at));
        let stays =
            paths.iter().zip(row).filter(|(path, _)| !self.workload.changes(collection, path));
        for (path, found) in stays {
            let made = path::get(&made, path).unwrap_or(&Value::Null);
            if !same(made, found) {
                return Err(unlike(path, found, made));
            }
        }
        Ok(())
    }

    /// Holds the documents that a find found against the file. `values` are what its first fields
    /// must be, `most` how many it may find.
    ///
    /// # Errors
    /// [`ErrorKind::Broken`].
    pub fn check_found(
        &self,
        step: &Step,
        (search, sought): (&Search, &Sought),
        (paths, found): (&[&str], &[(String, Row)]),
    ) -> Result<()> {
        let collection = step.collection;
        let wrong = |answer: String| {
            let values = Value::from(sought.values.clone());
            broken(
                format!("find {} by {} {values}", search.index.collection, search.index.name),
                answer,
            )
        };
        let mut order: Option<Value> = None;
        for (key, row) in found {
            let Some(number) = self.number(collection, key) else {
                return Err(wrong(format!("{key} came back, which the file does not make")));
            };
            if self.is_adopted_elsewhere(collection, number) {
                continue;
            }
            let at = self.place(collection, number);
            self.document(collection, &at, (paths, row))
                .and_then(|()| self.matches(collection, &at, (search, sought)))
                .map_err(|answer| wrong(format!("{key}: {answer}")))?;
            order = self.in_order(collection, &at, (search, order)).map_err(&wrong)?;
        }
        let numbers = found.iter().map(|(key, _)| key).collect::<std::collections::BTreeSet<_>>();
        if numbers.len() < found.len() {
            return Err(wrong("a document came back twice".into()));
        }
        as_many(&self.wanted(step, search, sought), found.len()).map_err(wrong)
    }

    /// Whether a document is one that was looked for.
    fn matches(&self, collection: usize, at: &At, (search, sought): (&Search, &Sought)) -> Judged {
        let made = Value::Object(self.workload.made(collection, at));
        let holds = |path: &str, is: Is<'_>| {
            self.workload.changes(collection, path)
                || patches::holds(&Condition { path, is }, &made)
        };
        for (path, value) in search.index.fields.iter().zip(&sought.values) {
            if !holds(path, Is::Equal(value)) {
                let value = unlike(path, path::get(&made, path).unwrap_or(&Value::Null), value);
                return Err(value);
            }
        }
        let [min, max] = &sought.bounds;
        let bounds = Bounds { min: min.as_ref(), max: max.as_ref() };
        match search.index.fields.get(sought.values.len()) {
            Some(path) if search.range.is_some() && !holds(path, Is::Within(bounds)) => {
                Err(format!("its {path} is not in the range"))
            }
            _ => Ok(()),
        }
    }

    /// Whether a document stands where it must behind the one before; its value of the first field
    /// of the order. Texts have the database's own order, but those of dates have one.
    fn in_order(
        &self,
        collection: usize,
        at: &At,
        (search, before): (&Search, Option<Value>),
    ) -> std::result::Result<Option<Value>, String> {
        let plan = &self.workload.plan;
        let Some(path) = search.index.fields.get(search.equal.len()) else { return Ok(None) };
        let members = &plan.collections[collection].document.members;
        let kind = members.iter().find(|of| of.name == *path).map(|of| plan.nodes[of.id].kind);
        let ordered = match kind {
            Some(kind) => {
                matches!(kind, Kind::Integer | Kind::Decimal(_) | Kind::Number | Kind::Date(_))
            }
            None => false,
        };
        if !ordered || self.workload.changes(collection, path) {
            return Ok(None);
        }
        let value = self.workload.made(collection, at).remove(path).unwrap_or_default();
        if value.is_null() {
            return Ok(before);
        }
        let (min, max) = match search.descending {
            true => (None, before.as_ref()),
            false => (before.as_ref(), None),
        };
        if before.is_some() {
            let document = serde_json::json!({ "v": value });
            let is = Is::Within(Bounds { min, max });
            if !patches::holds(&Condition { path: "v", is }, &document) {
                let before = before.unwrap_or_default();
                return Err(format!("{path} {value} stands behind {before}"));
            }
        }
        Ok(Some(value))
    }

    /// How many documents a find finds.
    fn wanted(&self, step: &Step, search: &Search, sought: &Sought) -> RangeInclusive<u64> {
        let most = sought.most;
        match step.expect {
            Some(Expect::Any) => return 0..=u64::MAX,
            Some(Expect::Between(Range { low, high })) => {
                return low.max(0) as u64..=high.max(0) as u64;
            }
            None => {}
        }
        let numbers = &self.numbers[step.collection];
        if let Some(children) = self.children(step.collection, search, sought) {
            let there = children.filter(|n| numbers.there(*n) == There::Yes).count() as u64;
            let all = self.children(step.collection, search, sought).map_or(0, Iterator::count);
            return there.min(most)..=(all as u64).saturating_add(numbers.new_at_most()).min(most);
        }
        match sought.drawn_is_there(numbers) {
            true => 1.min(most)..=most,
            false => 0..=most,
        }
    }

    /// The loaded children of the parent that a find is for, if it finds all of them.
    fn children<'s>(
        &'s self,
        collection: usize,
        search: &Search,
        sought: &Sought,
    ) -> Option<impl Iterator<Item = u64> + use<'s>> {
        let path = search.index.fields.first()?;
        if self.workload.changes(collection, path) {
            return None;
        }
        let parent = self.number(search.children_of?, sought.values.first()?.as_str()?)?;
        let (_, family) = self.workload.plan.collections[collection].parent.as_ref()?;
        Some((0..family.children(parent)).filter_map(move |seq| family.child(parent, seq)))
    }

    /// Whether a find rightly finds nothing.
    pub fn finds_none(&self, step: &Step, search: &Search, sought: &Sought) -> bool {
        *self.wanted(step, search, sought).start() == 0
            && (step.expect.is_some() || search.children_of.is_some())
    }
}

/// Whether so many documents came back as must.
pub(super) fn as_many(wanted: &RangeInclusive<u64>, found: usize) -> Judged {
    match (wanted.contains(&(found as u64)), wanted.start() == wanted.end()) {
        (true, _) => Ok(()),
        (false, true) => Err(format!("{found} came back, not {}", wanted.start())),
        (false, false) => {
            Err(format!("{found} came back, not {} to {}", wanted.start(), wanted.end()))
        }
    }
}

/// What a find looked for.
#[derive(Debug)]
pub struct Sought {
    /// The values of its first fields.
    pub values: Vec<Value>,
    /// The bounds of the next one.
    pub bounds: [Option<Value>; 2],
    /// The most that it finds.
    pub most: u64,
    /// The number of the drawn document whose values they are.
    pub drawn: Option<u64>,
}

impl Sought {
    fn drawn_is_there(&self, numbers: &super::numbers::Numbers) -> bool {
        self.drawn.is_some_and(|number| numbers.there(number) == There::Yes)
    }
}
