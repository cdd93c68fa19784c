//! The transcript in the README is what `hoap demo` prints, but for what it measures.

use super::place::Place;
use super::terminal::terminal;

/// The text without what depends on the machine, such as with how many clients it does most. With
/// the pair there are two runs, so that the verdict has no answer of one.
fn masked(text: &str) -> Vec<String> {
    let shown = terminal(text, &[], false);
    let alike = |line: &str| {
        let line =
            line.replace("4 tx, ", "1 tx, ").replace("transaction clients", "transaction client");
        match line.strip_prefix("verdict: ").and_then(|line| line.split_once("; ")) {
            Some((_, checks)) => format!("verdict: {checks}"),
            None => line,
        }
    };
    shown.lines().map(alike).filter(|line| !line.is_empty()).collect()
}

/// The first text between fences that begins with these words.
fn transcript(document: &str, begin: &str) -> String {
    let path = format!("{}/../../{document}", env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(path).unwrap();
    let mut texts = document.split("```text\n").skip(1).filter(|text| text.starts_with(begin));
    texts.next().unwrap().split("\n```").next().unwrap().to_owned()
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
            "" => false,
            _ => of_freshness,
        };
        if of_freshness && !of_pair {
            continue;
        }
        of_pair = match line {
            _ if line.starts_with("The same transactions, with the queries on columns") => true,
            _ if line.starts_with("Throughput by configuration") => true,
            _ if line.starts_with("$ hoap report") || line.starts_with("Done in") => false,
            _ => of_pair,
        };
        let lines = if of_pair { &mut pair } else { &mut rest };
        let line = line.replace("rows=hoap-demo/run columns=hoap-demo/pair", "hoap-demo/run");
        lines.push(line.replace(" --freshness on", ""));
    }
    (pair.join("\n"), rest.join("\n"))
}

#[test]
fn the_readmes_transcript_is_what_the_demo_prints() {
    let told = transcript("README.md", "A scaled-down CH2++");
    let p = Place::new();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "exec \"$0\" demo 2>&1", env!("CARGO_BIN_EXE_hoap")]);
    let demo = shell.current_dir(p.path("")).output().unwrap();
    let printed = String::from_utf8(demo.stdout).unwrap();
    assert!(demo.status.success(), "{printed}");
    // On a slow machine a step may take long enough to tell how far it is.
    let printed: Vec<&str> = printed.lines().filter(|l| !l.starts_with("progress ")).collect();
    let (pair, rest) = apart(&printed);
    assert_eq!(masked(&rest), masked(&told));
    let told = match cfg!(feature = "duckdb") {
        true => transcript("docs/targets/duckdb.md", "The same transactions"),
        false => String::new(),
    };
    assert_eq!(masked(&pair), masked(&told));
}
