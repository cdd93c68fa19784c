//! `hoap` with the benchmark of this example.

use std::process::ExitCode;

fn main() -> ExitCode {
    hoap::main(&[], &[&own_benchmark::BENCHMARK])
}
