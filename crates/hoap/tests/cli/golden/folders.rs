//! What the report commands make of run folders that never change: each byte of it.
//!
//! The folders are those of real runs, but for the machine, which they name otherwise, the line
//! breaks of `run.json` and the drivers' `ledger.json`, which are left out for their size.

use std::path::Path;

use super::held::Golden;
use super::page::without_code;
use super::place::{Place, names};
use super::terminal::scrub_lines;

/// A place with copies of these folders.
fn place(folders: &[&str]) -> Place {
    let (p, from) =
        (Place::new(), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/golden/folders"));
    for folder in folders {
        for name in names(&from.join(folder)) {
            let to = p.path(folder).join(&name);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(from.join(folder).join(&name), to).unwrap();
        }
    }
    std::fs::copy(from.join("prices.toml"), p.path("prices.toml")).unwrap();
    p
}

/// Runs a command and pins what it prints and how it ends.
fn printed(golden: &mut Golden, p: &Place, name: &str, line: &str) {
    golden.text(name, &p.run(line).transcript(str::to_owned));
}

/// Pins each table. The mark of their folder has a random number.
fn tables(golden: &mut Golden, p: &Place) {
    for name in names(&p.path("tables")).iter().filter(|name| name.ends_with(".csv")) {
        golden.text(&format!("tables/{name}"), &p.read(&format!("tables/{name}")));
    }
}

/// The page of these runs, what the command prints, and each table.
fn page(test: &str, folders: &[&str], words: &str) {
    let (p, mut golden) = (place(folders), Golden::of(test));
    let line = format!("report {} -o page.html {words}", folders.join(" "));
    printed(&mut golden, &p, "printed.txt", &line);
    golden.text("page.html", &without_code(&p.read("page.html")));
    tables(&mut golden, &p);
    let bytes = p.ok(&format!("{line} --json")).out;
    // The size of the page is that of the code in it, too.
    let bytes: serde_json::Value = serde_json::from_str(&bytes).unwrap();
    let keys: Vec<&str> = bytes.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["page", "bytes", "csv", "remarks"]);
    assert_eq!(bytes["bytes"], p.read("page.html").len());
    golden.text("remarks.json", &format!("{:#}\n", bytes["remarks"]));
}

#[test]
fn a_page_of_transactions_and_queries() {
    page("page-hybrid", &["hybrid-1"], "--csv tables --published");
}

#[test]
fn a_page_of_an_open_loop() {
    page("page-open", &["open"], "");
}

#[test]
fn a_page_of_two_configurations_with_prices() {
    let words = "--prices prices.toml --nodes 3 --quantity storage-gb=500";
    page("page-two", &["repeated-1/01", "repeated-2/01"], words);
}

/// Its tables alone: the page of so many probes is large.
#[test]
fn a_search() {
    let (p, mut golden) = (place(&["search"]), Golden::of("page-search"));
    printed(&mut golden, &p, "printed.txt", "report search -o page.html --csv tables");
    tables(&mut golden, &p);
}

#[test]
fn prices() {
    let (p, mut golden) = (place(&["hybrid-1", "open"]), Golden::of("price"));
    let line = "price hybrid-1 open --prices prices.toml --nodes 3 --quantity storage-gb=500";
    printed(&mut golden, &p, "text.txt", line);
    printed(&mut golden, &p, "json.txt", &format!("{line} --json"));
}

#[test]
fn comparisons() {
    for (test, folders, gates) in [
        ("compare-hybrid", ["hybrid-1", "hybrid-2"], "tpm<-90%,power>10x"),
        ("compare-repeated", ["repeated-1", "repeated-2"], "ops<-3%,p99>10x"),
    ] {
        let (p, mut golden) = (place(&folders), Golden::of(test));
        let line = format!("compare {} --fail-if {gates}", folders.join(" "));
        for format in ["text", "markdown", "junit"] {
            let line = format!("{line} --format {format}");
            printed(&mut golden, &p, &format!("{format}.txt"), &line);
        }
        printed(&mut golden, &p, "json.txt", &format!("{line} --json"));
    }
}

#[test]
fn runs_that_do_not_compare() {
    let (p, mut golden) = (place(&["hybrid-1", "open"]), Golden::of("compare-refused"));
    printed(&mut golden, &p, "text.txt", "compare hybrid-1 open");
}

/// The summary of a run in the terminal, too: each byte of its tables.
#[test]
fn a_run_of_two_drivers() {
    let (p, mut golden) = (place(&["driver-1", "driver-2"]), Golden::of("merge"));
    printed(&mut golden, &p, "printed.txt", "merge driver-1 driver-2 -o whole");
    for name in names(&p.path("whole")) {
        let text = p.read(&format!("whole/{name}"));
        golden.text(&name, &scrub_lines(&text));
    }
}
