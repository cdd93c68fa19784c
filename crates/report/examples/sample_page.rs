//! Prints the summary of a sample run of the tests, and writes its page: `sample_page OUT.html
//! RUN…` with these runs on it, each `ch2pp` or another benchmark's name.
#![allow(clippy::print_stdout)]

use hoap_report::{Loaded, Style, html, summary};
use hoap_testing::runs;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().unwrap_or_else(|| "sample.html".to_string());
    let mut benchmarks: Vec<String> = arguments.collect();
    if benchmarks.is_empty() {
        benchmarks.push("ch2pp".to_string());
    }
    let runs: Vec<_> = benchmarks
        .iter()
        .zip(1u32..)
        .map(|(benchmark, n)| {
            let (seed, speed) = (u64::from(n), 1.0 + 0.2 * f64::from(n));
            let folder = match benchmark.as_str() {
                "ch2pp" => runs::folder(seed, speed),
                plain => runs::plain::folder(plain, seed, speed),
            };
            let directory = tempfile::tempdir().unwrap();
            folder.write(directory.path());
            Loaded { name: format!("run {n}"), ..Loaded::open(directory.path()).unwrap() }
        })
        .collect();
    let style = Style { folder: Some("runs/first try"), ..Style::default() };
    std::fs::write(&out, html(&runs)).expect("the page can be written");
    print!("{}", summary(&runs[0].run, style));
}
