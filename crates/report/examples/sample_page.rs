//! Prints the summary of the sample run of the tests, and writes its page: `sample_page OUT.html [N]`
//! with N runs on it.
#[path = "../tests/common/mod.rs"]
mod common;

use hoap_report::{Style, html, summary};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().unwrap_or_else(|| "sample.html".to_string());
    let folder = common::folder(1, 1.0);
    let style = Style { colour: false, folder: Some("runs/first try"), page: Some(&out) };
    let runs: Vec<_> = (1..=arguments.next().map_or(1, |n| n.parse().expect("a number")))
        .map(|n: u64| common::folder(n, 1.0 + 0.2 * n as f64).loaded(&format!("run {n}")))
        .collect();
    std::fs::write(&out, html(&runs)).expect("the page can be written");
    print!("{}", summary(&folder.run, style));
}
