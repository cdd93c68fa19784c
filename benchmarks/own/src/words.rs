//! What a workload file means, in words.

use std::collections::{BTreeMap, BTreeSet};

use crate::file::draw::Which;
use crate::file::model::Dist;
use crate::file::operation::Operation;
use crate::file::step::{Step, Target, Verb};
use crate::generate::order;
use crate::workload::Workload;

/// Documents of a collection from which their size is estimated, and what they may cost.
const MEASURED: u64 = 200;
const MOST_COST: u64 = 64 << 20;

impl Workload {
    /// Its documents and its operations, a line each.
    pub fn words(&self) -> String {
        let mut lines = vec![format!("{} at scale {}:", self.file.name, self.scale)];
        for at in 0..self.plan.collections.len() {
            lines.push(format!("  {}", self.collection(at)));
        }
        let changed = changed(&self.file.operations);
        for (of, fields) in &changed {
            let fields: Vec<String> =
                fields.iter().map(|(field, by)| format!("{field} ({by})")).collect();
            lines.push(format!(
                "  operations change of {of}: {}; all else stays as loaded",
                fields.join(", ")
            ));
        }
        let all: f64 = self.file.operations.iter().map(|operation| operation.weight).sum();
        for operation in &self.file.operations {
            let share = 100.0 * operation.weight / all;
            let steps: Vec<String> = operation.steps.iter().map(|of| step(operation, of)).collect();
            let how = match (steps.len(), operation.atomic) {
                (1, _) => "",
                (_, true) => "in one transaction: ",
                (_, false) => "one after the other: ",
            };
            lines.push(format!(
                "  {} ({share:.0} %): {how}{}",
                operation.name.text,
                steps.join("; then ")
            ));
        }
        let scans = |at: &usize| {
            let mut steps = self.plan.operations.iter().flat_map(|of| &of.steps);
            steps.any(|step| step.verb == Verb::Scan && step.collection == *at)
        };
        lines.extend((0..self.plan.collections.len()).filter(scans).map(|at| self.compared(at)));
        lines.join("\n")
    }

    /// What is compared of the scans of a collection.
    fn compared(&self, at: usize) -> String {
        let left_out = match order::is_known(&self.plan, at) {
            true => {
                "that none is left out which was loaded, unless its delete has begun; not that new \
                 ones are among them"
            }
            false => {
                "not that none is left out: their keys are not in the order of the numbers, and too \
                 many to sort"
            }
        };
        let name = &self.plan.collections[at].name;
        format!("  scans of {name}: compared are each document, their order and limit; {left_out}")
    }

    fn collection(&self, at: usize) -> String {
        let of = &self.plan.collections[at];
        let made = of.count.min(MEASURED).min((MOST_COST / of.cost.max(1)).max(1));
        let (mut text, mut bytes) = (Vec::new(), 0);
        for n in 0..made {
            text.clear();
            self.plan.document(at, &self.plan.place(at, n * (of.count / made.max(1))), &mut text);
            bytes += text.len() as u64;
        }
        let bytes = bytes / made.max(1);
        let parent = of.parent.as_ref().map_or_else(String::new, |(parent, family)| {
            let parent = &self.plan.collections[*parent].name;
            format!(", up to {} of each of {parent}", family.most())
        });
        let stored = if of.stored { "" } else { ", not loaded" };
        let indexes: Vec<String> = of
            .indexes
            .iter()
            .map(|(name, fields)| format!("{name} ({})", fields.join(", ")))
            .collect();
        let indexes = match indexes.is_empty() {
            true => String::new(),
            false => format!("; indexes {}", indexes.join(", ")),
        };
        format!(
            "{}: {} documents of about {bytes} bytes{parent}{stored}{indexes}",
            of.name, of.count
        )
    }
}

/// The fields that operations change, by collection, each with the first operation that does.
fn changed(operations: &[Operation]) -> BTreeMap<&str, BTreeMap<&str, &str>> {
    let mut changed: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for operation in operations {
        for of in &operation.steps {
            let Some(collection) = collection(operation, &of.target) else { continue };
            let fields = of.set.iter().chain(&of.add).chain(&of.append).map(|(name, _)| name);
            for name in fields.chain(&of.remove) {
                let of = changed.entry(collection).or_default();
                of.entry(&name.text).or_insert(&operation.name.text);
            }
        }
    }
    changed
}

/// The collection of a step's document, if a draw or the step names it.
fn collection<'o>(operation: &'o Operation, target: &'o Target) -> Option<&'o str> {
    match target {
        Target::Of(name, _) => Some(&name.text),
        Target::Drawn(reference) => {
            let draw = operation.draws.iter().find(|draw| draw.name.text == reference.name)?;
            Some(&draw.collection.text)
        }
    }
}

/// What a step does.
fn step(operation: &Operation, of: &Step) -> String {
    let what = collection(operation, &of.target).unwrap_or("a document of an answer");
    let each = of.each.as_ref().map_or(String::new(), |(_, reference)| {
        let path = reference.path.as_ref().map_or(String::new(), |path| format!(".{}", path.text));
        format!("for each of ${}{path} ", reference.name)
    });
    let which = match (&of.target, &of.key) {
        (_, Some(_)) => " by its key".to_owned(),
        (Target::Of(_, Which::There { dist, miss }), None) if of.verb != Verb::Find => {
            let miss = if *miss > 0.0 {
                format!(", {} % that never are", miss * 100.0)
            } else {
                String::new()
            };
            format!(" ({}{miss})", drawn(dist))
        }
        _ => String::new(),
    };
    let fields: BTreeSet<&str> = of.filter.iter().map(|(name, _)| name.text.as_str()).collect();
    let by = match fields.is_empty() {
        true => String::new(),
        false => format!(" by {}", fields.into_iter().collect::<Vec<_>>().join(", ")),
    };
    let order = if of.verb == Verb::Scan { " in the order of keys" } else { "" };
    let limit = of.limit.map_or(String::new(), |limit| format!(", {} at most", limit.high));
    let refused = if of.condition.is_empty() { "" } else { ", refused unless its `if` holds" };
    format!("{each}{} {what}{which}{by}{order}{limit}{refused}", of.verb.word())
}

fn drawn(dist: &Dist) -> &'static str {
    match dist {
        Dist::Zipfian { .. } => "zipfian",
        Dist::Hotspot { .. } => "hotspot",
        Dist::Latest { .. } => "the newest most",
        Dist::Oldest => "the oldest",
        _ => "uniform",
    }
}
