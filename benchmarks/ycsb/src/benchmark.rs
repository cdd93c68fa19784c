//! What the command line lists.

use hoap_conduct::data::{DataEntry, DataLine};
use hoap_conduct::offer::BenchmarkLine;
use hoap_conduct::registry::{Benchmark, Entry};

use crate::documents::RecordFlags;
use crate::flags::Flags;
use crate::preset::{PRESETS, Preset};

/// YCSB.
pub static BENCHMARK: Benchmark = Benchmark { data: &DATA, runs: &RUNS };

static DATA: [&dyn DataEntry; 1] = [&DataLine::<RecordFlags> {
    name: "ycsb",
    about: "The records of YCSB; in files each has its key as the field _id",
    collections: &[],
    variant: (),
}];

static RUNS: [&dyn Entry; PRESETS.len()] = [
    &letter(&PRESETS[0]),
    &letter(&PRESETS[1]),
    &letter(&PRESETS[2]),
    &letter(&PRESETS[3]),
    &letter(&PRESETS[4]),
    &letter(&PRESETS[5]),
    &letter(&PRESETS[6]),
];

const fn letter(preset: &'static Preset) -> BenchmarkLine<Flags> {
    BenchmarkLine { name: preset.name, about: preset.about, variant: preset, questions: None }
}
