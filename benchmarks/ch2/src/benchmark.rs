//! What the command line lists.

use hoap_conduct::data::{DataEntry, DataLine};
use hoap_conduct::offer::BenchmarkLine;
use hoap_conduct::registry::{Benchmark, Entry};

use crate::data::{Collection, Schema};
use crate::documents::DataFlags;
use crate::queries::catalogue::{CH2, CH2PP};
use crate::run::Flags;

/// CH2 and CH2++.
pub static BENCHMARK: Benchmark = Benchmark { data: &DATA, runs: &RUNS };

/// The names of the collections.
static COLLECTIONS: [&str; Collection::ALL.len()] = {
    let mut names = [""; Collection::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = Collection::ALL[at].name();
        at += 1;
    }
    names
};

static DATA: [&dyn DataEntry; 2] = [
    &DataLine::<DataFlags> {
        name: Schema::Ch2.name(),
        about: "CH2, the first version: flat names and addresses",
        collections: &COLLECTIONS,
        variant: Schema::Ch2,
    },
    &DataLine::<DataFlags> {
        name: Schema::Ch2pp.name(),
        about: "CH2++: nested documents, arrays, extra fields",
        collections: &COLLECTIONS,
        variant: Schema::Ch2pp,
    },
];

static RUNS: [&dyn Entry; 2] = [
    &BenchmarkLine::<Flags> {
        name: Schema::Ch2.name(),
        about: "CH2: transactions and queries on the same documents",
        variant: Schema::Ch2,
        questions: Some(&CH2),
    },
    &BenchmarkLine::<Flags> {
        name: Schema::Ch2pp.name(),
        about: "CH2++: transactions and queries on the same documents",
        variant: Schema::Ch2pp,
        questions: Some(&CH2PP),
    },
];
