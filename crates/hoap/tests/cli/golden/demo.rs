//! The recording in the README is what `hoap demo` prints, but for what it measures.

use super::place::Place;
use super::terminal::terminal;

/// The text without what depends on the machine, such as with how many clients it does most. With
/// the pair there are two runs, so that the verdict has no answer of one.
fn masked(text: &str) -> Vec<String> {
    let shown = terminal(text, &[], false);
    let alike = |line: &str| {
        let line = line.replace("4 tx", "1 tx").replace("of # tx alone", "of 1 tx alone");
        // Of several runs the verdict says so.
        let line = line.replace(", nothing failed", "");
        match line.strip_prefix("verdict: ").and_then(|line| line.split_once("; ")) {
            Some((_, checks)) => format!("verdict: {checks}"),
            None => line,
        }
    };
    shown.lines().map(alike).filter(|line| !line.is_empty()).collect()
}

/// What the README's recording shows, of a program with DuckDB: a `<text>` a line, in pieces where it
/// is wide.
fn recorded() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pictures/demo.svg");
    let picture = std::fs::read_to_string(path).unwrap();
    let texts = picture.lines().filter(|line| line.starts_with("<text"));
    let shown =
        texts.map(|text| text.split('<').filter_map(|piece| Some(piece.split_once('>')?.1)));
    let shown: Vec<String> = shown.map(|pieces| pieces.collect()).collect();
    assert_eq!(shown[0], "$ hoap demo");
    shown[1..].join("\n").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// What the demo prints of the pair, and the rest as a demo without it: with the pair, the first run
/// measures freshness too.
fn apart(printed: &[&str]) -> (String, String) {
    let (mut pair, mut rest, mut of_pair) = (Vec::new(), Vec::new(), false);
    let mut of_freshness = false;
    for line in printed {
        // The remark, which is the last one, ends with an empty line.
        of_freshness = match line.trim() {
            _ if line.starts_with("! freshness was measured") => true,
            _ if line.starts_with("Freshness: age") => true,
            _ if line.starts_with("Freshness, p99") => true,
            // Its row among the answers ends with the next one.
            _ if line.starts_with("Checks  ") => false,
            "" => false,
            _ => of_freshness,
        };
        if of_freshness && !of_pair {
            continue;
        }
        of_pair = match line {
            _ if line.starts_with("The same transactions, with the queries on columns") => true,
            _ if line.starts_with("columns against rows: ") => true,
            _ if line.starts_with("$ hoap report") || line.starts_with("folder ") => false,
            _ => of_pair,
        };
        let lines = if of_pair { &mut pair } else { &mut rest };
        let line = line.replace("rows=hoap-demo/run columns=hoap-demo/pair", "hoap-demo/run");
        lines.push(line.replace(" --freshness on", ""));
    }
    (pair.join("\n"), rest.join("\n"))
}

/// The lines without what a slow or busy machine adds: how far a command is, remarks on the driver's
/// machine, and the table of the audit, which ends with an empty line and for which a slow one does
/// too few transactions.
fn everywhere(printed: &str) -> Vec<&str> {
    let (mut of_audit, mut of_machine) = (false, false);
    let kept = printed.lines().filter(|line| {
        of_audit = line.starts_with("Audit of the mix") || of_audit && !line.trim().is_empty();
        of_machine = (line.starts_with("! ") && line.contains("driver")
            || line.starts_with("Machine  "))
            || of_machine && line.starts_with("  ");
        let answers = line.starts_with("answers ") && line.contains(" % Q");
        !(of_audit || of_machine || answers || line.starts_with("progress "))
    });
    kept.collect()
}

#[test]
fn the_readmes_recording_is_what_the_demo_prints() {
    let p = Place::new();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "exec \"$0\" demo 2>&1", env!("CARGO_BIN_EXE_hoap")]);
    let demo = shell.current_dir(p.path("")).output().unwrap();
    let printed = String::from_utf8(demo.stdout).unwrap();
    assert!(demo.status.success(), "{printed}");
    let (pair, rest) = apart(&everywhere(&printed));
    let told = recorded();
    let (told_pair, told) = apart(&everywhere(&told));
    assert_eq!(masked(&rest), masked(&told));
    if cfg!(feature = "duckdb") {
        assert_eq!(masked(&pair), masked(&told_pair));
    }
}
