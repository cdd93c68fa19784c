//! The transcript in the README is what `hoap demo` prints, but for what it measures.

use crate::place::Place;
use crate::terminal::terminal;

/// The text without what depends on the machine; how much a fast one audits, too.
fn masked(text: &str) -> Vec<String> {
    let shown = terminal(text, &[], false);
    let verdict = |line: &str| line.replace(" | pass", " | skip");
    shown.lines().map(verdict).filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_readmes_transcript_is_what_the_demo_prints() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let told = readme.split("```text\n").nth(1).unwrap().split("\n```").next().unwrap();
    let p = Place::new();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "exec \"$0\" demo 2>&1", env!("CARGO_BIN_EXE_hoap")]);
    let demo = shell.current_dir(p.path("")).output().unwrap();
    let printed = String::from_utf8(demo.stdout).unwrap();
    assert!(demo.status.success(), "{printed}");
    // On a slow machine a step may take long enough to tell how far it is.
    let printed: Vec<&str> = printed.lines().filter(|l| !l.starts_with("progress ")).collect();
    assert_eq!(masked(&printed.join("\n")), masked(told));
}
