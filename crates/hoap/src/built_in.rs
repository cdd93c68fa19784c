//! The benchmarks: those of this program, and those that another adds to it.

use std::sync::OnceLock;

use hoap_conduct::data::DataEntry;
use hoap_conduct::registry::{Benchmark, Entry};
use hoap_workload::answers::Questions;

/// Those of this program, in the order in which they are listed.
static BUILT_IN: [&Benchmark; 4] =
    [&hoap_ch2::BENCHMARK, &hoap_ycsb::BENCHMARK, &hoap_shop::BENCHMARK, &hoap_own::BENCHMARK];

static ADDED: OnceLock<Vec<&Benchmark>> = OnceLock::new();

/// Adds benchmarks, once, before the command line is read.
pub fn add(benchmarks: &[&'static Benchmark]) {
    let _ = ADDED.set(benchmarks.to_vec());
}

fn all() -> impl Iterator<Item = &'static Benchmark> {
    BUILT_IN.into_iter().chain(ADDED.get().into_iter().flatten().copied())
}

/// What can be loaded and made into files.
pub fn data() -> impl Iterator<Item = &'static dyn DataEntry> {
    all().flat_map(|benchmark| benchmark.data.iter().copied())
}

/// What can be run.
pub fn runs() -> impl Iterator<Item = &'static dyn Entry> {
    all().flat_map(|benchmark| benchmark.runs.iter().copied())
}

/// What the benchmark of this name runs on: the data of its name, or the only one.
pub fn data_of(run: &str) -> Option<&'static dyn DataEntry> {
    let of = all().find(|benchmark| benchmark.runs.iter().any(|entry| entry.name() == run))?;
    let named = of.data.iter().find(|data| data.name() == run);
    named.or(of.data.first().filter(|_| of.data.len() == 1)).copied()
}

/// What answers in files may be of.
pub fn questions() -> Vec<&'static Questions> {
    runs().filter_map(Entry::questions).collect()
}

#[cfg(test)]
mod tests {
    use hoap_conduct::registry::of_run;
    use hoap_ycsb::PRESETS;

    use super::*;

    #[test]
    fn a_run_is_of_the_benchmark_that_its_folder_names() {
        let of_run = |benchmark: &str| of_run(runs(), benchmark);
        let name = |benchmark: &str| of_run(benchmark).map(Entry::name);
        for entry in runs() {
            assert_eq!(name(entry.name()), Some(entry.name()));
        }
        let custom = of_run("ycsb-custom: 70 % read, 30 % update, zipfian").unwrap();
        assert_eq!(custom.other_name(), Some("ycsb-custom"));
        for none in ["ycsb", "ycsb-", "ycsb-x", "ch2x", "ch", ""] {
            assert_eq!(name(none), None, "{none}");
        }
        for preset in &PRESETS {
            assert_eq!(name(preset.name), Some(preset.name));
        }
    }

    #[test]
    fn every_run_has_its_data() {
        let data = |run: &str| data_of(run).map(DataEntry::name);
        for (run, wanted) in
            [("ch2", "ch2"), ("ch2pp", "ch2pp"), ("ycsb-b", "ycsb"), ("join", "shop")]
        {
            assert_eq!(data(run), Some(wanted), "{run}");
        }
        assert!(runs().all(|run| data(run.name()).is_some()));
        assert_eq!(data("ycsb"), None);
    }
}
