//! What all clients of a run share.

use std::collections::BTreeSet;
use std::time::Instant;

use hoap_data::Part;
use hoap_data::random::Stream;
use hoap_workload::clients::ClientStreams;

use super::numbers::Numbers;
use crate::file::step::Verb;
use crate::generate::order::Order;
use crate::generate::place::At;
use crate::plan::action::{Draw, Operation, Which};
use crate::plan::draw::{Choice, below};
use crate::workload::Workload;

/// How far behind the last document the numbers begin of documents that never are.
pub const NEVER: u64 = 1 << 40;

/// A document that was drawn.
#[derive(Debug)]
pub struct Drawn {
    /// Its collection.
    pub collection: usize,
    /// Its place.
    pub at: At,
    /// Whether it is one that never is.
    pub miss: bool,
    /// The others of its batch.
    pub more: Vec<At>,
}

/// What all clients of a run share.
pub struct Shared {
    /// The workload.
    pub workload: &'static Workload,
    /// The documents of each collection of the plan.
    pub numbers: Vec<Numbers>,
    /// Which operation is drawn how often.
    pub mix: Choice,
    /// The operations of the mix, by their places in the plan, with their weights.
    pub weights: Vec<(usize, f64)>,
    /// Whether every answer is compared.
    pub check: bool,
    /// The order of the keys of each collection of the plan, if scans of it are compared and it can
    /// be told.
    pub orders: Vec<Option<Order>>,
    /// The seed of all draws.
    pub seed: u64,
    /// The random numbers of the clients.
    pub clients: ClientStreams,
    /// When the clock of the ledger began.
    pub epoch: Instant,
    /// The collections whose new documents may have a parent that their draw names.
    pub adopts: Vec<bool>,
}

impl Shared {
    /// Of a workload whose operations have these weights.
    pub fn new(
        workload: &'static Workload,
        weights: &[(usize, f64)],
        (check, seed, part): (bool, u64, Part),
    ) -> Shared {
        let plan = &workload.plan;
        let numbers =
            plan.collections.iter().zip(&plan.changes).map(|(of, changes)| {
                Numbers::new(of.count, part, changes.inserts || changes.deletes)
            });
        let mut adopts = vec![false; plan.collections.len()];
        for draw in plan.operations.iter().flat_map(|of| &of.draws) {
            adopts[draw.collection] |= matches!(draw.which, Which::New(Some(_)));
        }
        let steps = weights.iter().flat_map(|(at, _)| &plan.operations[*at].steps);
        let scans = steps.filter(|step| step.verb == Verb::Scan && check);
        let scanned: BTreeSet<usize> = scans.map(|step| step.collection).collect();
        let all = 0..plan.collections.len();
        let orders = all.map(|at| scanned.contains(&at).then(|| Order::of(plan, at)).flatten());
        let of: Vec<f64> = weights.iter().map(|(_, weight)| *weight).collect();
        Shared {
            workload,
            numbers: numbers.collect(),
            mix: Choice::new(of.len(), &of, &crate::file::model::Dist::Uniform),
            weights: weights.to_vec(),
            check,
            orders: orders.collect(),
            seed,
            clients: ClientStreams::default(),
            epoch: Instant::now(),
            adopts,
        }
    }

    /// The operations of the mix.
    pub fn operations(&self) -> impl Iterator<Item = &'static Operation> {
        let all = &self.workload.plan.operations;
        self.weights.iter().map(move |(at, _)| &all[*at])
    }

    /// Nanoseconds since the clock of the ledger began.
    pub fn now(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// A document that is drawn of those that are there, or of those that never are.
    pub fn there(&self, draw: &Draw, random: &mut Stream) -> Drawn {
        let (collection, numbers) = (draw.collection, &self.numbers[draw.collection]);
        let (number, miss) = match &draw.which {
            Which::There(_, miss) if random.next_u64() < *miss => {
                (numbers.loaded() + NEVER + below(random.next_u64(), NEVER), true)
            }
            Which::There(documents, _) => (numbers.draw(documents, random), false),
            Which::Once(_) | Which::New(_) => (0, false),
        };
        Drawn { collection, at: self.place(collection, number), miss, more: Vec::new() }
    }

    /// The place of a document.
    pub fn place(&self, collection: usize, number: u64) -> At {
        let plan = &self.workload.plan;
        match self.parent(collection, number) {
            None => plan.place(collection, number),
            Some(parent) => plan.adopted(collection, number, parent),
        }
    }

    /// The parent of a new document whose draw named it.
    fn parent(&self, collection: usize, number: u64) -> Option<u64> {
        let adopts = self.adopts[collection];
        adopts.then(|| self.numbers[collection].parent(number)).flatten()
    }

    /// Whether a document may have a parent that only an earlier run knows, or another driver: then
    /// nobody knows its fields.
    pub fn is_adopted_elsewhere(&self, collection: usize, number: u64) -> bool {
        let numbers = &self.numbers[collection];
        self.adopts[collection] && number >= numbers.loaded() && !numbers.is_new(number)
    }

    /// The number of the document that has this key.
    pub fn number(&self, collection: usize, key: &str) -> Option<u64> {
        let place = |collection: usize, number: u64| self.place(collection, number);
        self.workload.plan.number(collection, key, &place)
    }
}
