//! The steps that read.

use hoap_database::path::{self, WHOLE};
use hoap_database::{Bounds, Find, Intent, Last, Order, Row};
use hoap_workload::Result;
use serde_json::{Map, Value};

use super::answers::{Looked, Sought};
use super::scanned::Scanned;
use super::shared::Drawn;
use super::slots::{Answered, Slot, set};
use super::steps::{Flow, Steps, hold};
use crate::plan::action::{Search, Step};
use crate::plan::draw::below;

impl Steps<'_, '_> {
    pub(super) async fn read(&mut self, step: &Step) -> Result<Flow> {
        let aims = self.aims(step);
        let tests = self.tests(step);
        let paths = paths(step, !tests.is_empty());
        let name = self.collection(step);
        let keys: Vec<String> = aims.iter().map(|aim| aim.key.clone()).collect();
        let rows = match &keys[..] {
            [] => Vec::new(),
            [key] => vec![self.tx.get(name, key, &paths, Intent::Look).await?],
            keys => self.tx.get_many(name, keys, &paths, Intent::Look).await?,
        };
        let mut asked = 0;
        for (aim, row) in aims.iter().zip(&rows) {
            let (key, found, begun) = (&*aim.key, row.as_ref(), self.begun);
            let looked = Looked { key, number: aim.number, found, begun };
            asked += u64::from(row.is_none() && self.may_miss(step, aim));
            if self.work.shared.check {
                self.work.shared.check_read(step, &paths, looked)?;
            }
        }
        let found = keys.into_iter().zip(rows).filter_map(|(key, row)| Some((key, row?)));
        let answers: Vec<Answered> = found.map(|(key, row)| answered(key, &paths, row)).collect();
        let refused = answers.iter().any(|one| !hold(&tests, &one.document));
        let count = answers.len() as u64;
        if let Some(slot) = step.answer {
            self.slots[slot] = Slot::Answers(answers);
        }
        Ok(if refused { Flow::Refused } else { Flow::Done(count + asked) })
    }

    pub(super) async fn find(&mut self, step: &Step) -> Result<Flow> {
        let Some(search) = &step.search else { return Ok(Flow::Done(0)) };
        let sought = self.sought(search);
        let paths = paths(step, search.pages.high > 1);
        let (limit, pages) = (self.drawn(search.limit), self.drawn(Some(search.pages)));
        let mut found: Vec<(String, Row)> = Vec::new();
        let mut values = Vec::new();
        for page in 0..pages.unwrap_or(1) {
            let last = found.last().filter(|_| page > 0);
            values.clear();
            if let Some((_, row)) = last {
                let rest = &search.index.fields[sought.values.len()..];
                let of = |path: &String| path::get(&row[0], path).cloned().unwrap_or_default();
                values.extend(rest.iter().map(of));
            }
            let last = last.map(|(key, _)| Last { values: &values, key });
            let [min, max] = &sought.bounds;
            let range =
                search.range.as_ref().map(|_| Bounds { min: min.as_ref(), max: max.as_ref() });
            let answer = self.tx.find(Find {
                index: &search.index,
                prefix: &sought.values,
                range,
                order: if search.descending { Order::Descending } else { Order::Ascending },
                pages: (search.pages.high > 1).then_some(last),
                limit: limit.map(|limit| limit as usize),
                fields: &paths,
                intent: Intent::Look,
            });
            let answer = answer.await?;
            let ends = limit.is_none_or(|limit| (answer.len() as u64) < limit);
            found.extend(answer);
            if ends {
                break;
            }
        }
        let most = limit.map_or(u64::MAX, |limit| limit.saturating_mul(pages.unwrap_or(1)));
        let sought = Sought { most, ..sought };
        let shared = self.work.shared.clone();
        if shared.check {
            shared.check_found(step, (search, &sought), (&paths, &found))?;
        }
        let none = found.is_empty() && shared.finds_none(step, search, &sought);
        let count = found.len() as u64 + u64::from(none);
        if let Some(slot) = step.answer {
            let answers = found.into_iter().map(|(key, row)| answered(key, &paths, row));
            self.slots[slot] = Slot::Answers(answers.collect());
        }
        Ok(Flow::Done(count))
    }

    /// Documents from a key on, in the order of the keys.
    pub(super) async fn scan(&mut self, step: &Step) -> Result<Flow> {
        let (Some(search), Some(aim)) = (&step.search, self.aims(step).into_iter().next()) else {
            return Ok(Flow::Done(0));
        };
        let paths = paths(step, false);
        let most = self.drawn(search.limit).unwrap_or(0);
        let start = Value::from(aim.key.as_str());
        let found = self.tx.find(Find {
            range: Some(Bounds { min: Some(&start), max: None }),
            limit: Some(most as usize),
            fields: &paths,
            ..Find::by(&search.index, &[])
        });
        let found = found.await?;
        let shared = self.work.shared.clone();
        if shared.check {
            let scanned = Scanned { start: &aim.key, most, begun: self.begun };
            shared.check_scanned(step, &scanned, (&paths, &found))?;
        }
        let none = found.is_empty() && (most == 0 || self.may_miss(step, &aim));
        let count = found.len() as u64 + u64::from(none);
        if let Some(slot) = step.answer {
            let answers = found.into_iter().map(|(key, row)| answered(key, &paths, row));
            self.slots[slot] = Slot::Answers(answers.collect());
        }
        Ok(Flow::Done(count))
    }

    pub(super) fn sought(&mut self, search: &Search) -> Sought {
        let mut random = self.random;
        let values = self.values();
        let equal = search.equal.iter().map(|source| values.of(source, &mut random)).collect();
        let bounds = search.range.as_ref().map(|range| values.bounds(range, &mut random));
        let drawn = search.drawn.and_then(|slot| match &self.slots[slot] {
            Slot::Document(Drawn { at, .. }) => Some(at.n),
            _ => None,
        });
        self.random = random;
        Sought { values: equal, bounds: bounds.unwrap_or_default(), most: u64::MAX, drawn }
    }

    /// A number from a range.
    pub(super) fn drawn(&mut self, range: Option<crate::file::range::Range>) -> Option<u64> {
        let range = range?;
        let most = range.high.saturating_sub(range.low).max(0) as u64;
        Some(range.low.max(0) as u64 + below(self.random.next_u64(), most))
    }
}

/// The paths that a step reads.
fn paths(step: &Step, whole: bool) -> Vec<&str> {
    match step.fields.is_empty() || whole {
        true => vec![WHOLE],
        false => step.fields.iter().map(String::as_str).collect(),
    }
}

/// A document of an answer.
fn answered(key: String, paths: &[&str], mut row: Row) -> Answered {
    let document = match paths {
        [WHOLE] => row.pop().unwrap_or_default(),
        paths => {
            let mut document = Value::Object(Map::new());
            for (path, value) in paths.iter().zip(row) {
                set(&mut document, path, value);
            }
            document
        }
    };
    Answered { key, document }
}
