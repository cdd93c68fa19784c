//! The benchmarks that the tests know.

use hoap_files::Versioned;
use serde_json::{Map, Value};

/// The data set of a manifest.
pub fn known(benchmark: &str, parameters: &Map<String, Value>) -> Option<Versioned> {
    let all = [&hoap_ch2::BENCHMARK, &hoap_ycsb::BENCHMARK, &hoap_shop::BENCHMARK];
    let entry = all.into_iter().flat_map(|of| of.data).find(|entry| entry.name() == benchmark)?;
    Some(entry.of_parameters(parameters))
}
