//! What the terminal shows, without what depends on time: a line for each paragraph and each row of
//! a table, the cells apart by " | ", numbers with their units as "#".

/// Lines that a run has or has not depending on how fast the machine is.
const NOISE: [&str; 12] = [
    "did not reach its rate",
    "in flight when its window ended",
    "nothing succeeded",
    "the drivers measured at the same time",
    "it was ready",
    "orders grew from",
    "retries of all",
    "history grew from",
    "this driver's machine",
    "this driver's process",
    "a core of the driver",
    "busy at most; the driver",
];

/// Behind these a number is no measurement and stays.
const COUNTED: [&str; 10] = [
    "tx",
    "query",
    "queries",
    "client",
    "clients",
    "conditions",
    "ledger",
    "other",
    "warehouse",
    "runs",
];

const UNITS: [&str; 16] = [
    "ns", "µs", "ms", "s", "min", "h", "d", "B", "kB", "MB", "GB", "TB", "%", "kB/s", "MB/s",
    "GB/s",
];

/// Whether a run may have or lack this line.
fn is_noise(line: &str) -> bool {
    NOISE.iter().any(|words| line.contains(words))
}

/// The text of a run's summary. Lines of noise are left out, but for those with one of these words,
/// which this run has on every machine. With `once` equal rows are one, and whether a rate was
/// reached and why it does not hold is left open: there may be any number of probes.
pub fn terminal(text: &str, surely: &[&str], once: bool) -> String {
    let mut out = String::new();
    let mut rows = std::collections::BTreeSet::new();
    for line in paragraphs(text) {
        if is_noise(&line) && !surely.iter().any(|words| line.contains(words)) {
            continue;
        }
        let line = match line.split_once("started ") {
            Some((size, rest)) if rest.contains(" UTC, took ") && rest.contains(", hoap ") => {
                format!("{size}started <started>")
            }
            _ => line,
        };
        let cells: Vec<&str> =
            line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let line = match cells.as_slice() {
            [what @ ("machine" | "started"), ..] => format!("{what} | <{what}>"),
            cells => cells.iter().map(|cell| mask(&scrub(cell))).collect::<Vec<_>>().join(" | "),
        };
        let line = match once {
            // Behind this come the reasons.
            true if line.starts_with("No rate was found") => match line.split_once(" do not: ") {
                Some((answer, _)) => format!("{answer} do not: <why>"),
                None => line,
            },
            true => line.replace(" | NO | ", " | yes | "),
            false => line,
        };
        if once && line.contains(" | ") && !rows.insert(line.clone()) {
            continue;
        }
        // Of blank lines around remarks that were all left out one stays.
        if line.is_empty() && (out.is_empty() || out.ends_with("\n\n")) {
            continue;
        }
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// Each line without what [`scrub`] takes away.
pub fn scrub_lines(text: &str) -> String {
    text.lines().map(|line| scrub(line) + "\n").collect()
}

/// The lines, those that were broken put together again.
fn paragraphs(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let prose = |line: &str| !line.is_empty() && !line.contains("  ");
        match lines.last_mut() {
            Some(last) if line.starts_with("  ") && !last.is_empty() => {
                last.push(' ');
                last.push_str(line.trim());
            }
            Some(last)
                if prose(last) && last.len() > 60 && prose(line) && !line.starts_with("! ") =>
            {
                last.push(' ');
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

/// The text with "#" for each number with its unit that is no count of `COUNTED`. Numbers that are
/// part of a word (Q01, p99) stay.
pub fn mask(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        at += 1;
        let next = words.get(at).copied().unwrap_or("");
        if word == "<" && next.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let Some((before, mut behind)) = number(word) else {
            out.push(word.to_owned());
            continue;
        };
        let bare = |word: &'static str, next: &str| {
            next.trim_end_matches([',', ';', ':', ')', '.']) == word
        };
        if behind.is_empty() && COUNTED.iter().any(|word| bare(word, next)) {
            out.push(word.to_owned());
            continue;
        }
        let mut next = next;
        while behind.is_empty() {
            let Some(unit) = UNITS.iter().find(|unit| bare(unit, next)) else { break };
            behind = &next[unit.len()..];
            at += 1;
            // "12 min 3 s" is one number.
            match words.get(at).copied().and_then(number) {
                Some(("", "")) if behind.is_empty() && ["min", "h", "d"].contains(unit) => {
                    at += 1;
                    next = words.get(at).copied().unwrap_or("");
                }
                _ => break,
            }
        }
        out.push(format!("{before}#{behind}"));
    }
    out.join(" ")
}

/// What is before and behind the number that the word is.
fn number(word: &str) -> Option<(&str, &str)> {
    let start = word.trim_start_matches(['(', '-', '+']);
    let before = &word[..word.len() - start.len()];
    if !start.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let rest = start.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
    let digits = &start[..start.len() - rest.len()];
    let end = digits.trim_end_matches(['.', ',']);
    let mut behind = &start[end.len()..];
    if let Some(power) = behind.strip_prefix('e') {
        behind = power.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
    }
    Some((before.trim_end_matches(['-', '+']), behind))
}

/// The text without the path of the program, times of day and seeds that nobody knows.
pub fn scrub(text: &str) -> String {
    let text = text.replace(env!("CARGO_BIN_EXE_hoap"), "hoap");
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let after_seed = words.last().is_some_and(|last| last == "--sample-seed");
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let is_time = digits == 4 && word.contains('T') && word.matches('-').count() == 2;
        words.push(match (after_seed, is_time) {
            (true, _) => format!("<seed>{}", word.trim_start_matches(|c: char| c.is_ascii_digit())),
            (_, true) => "<time>".to_owned(),
            _ => word.to_owned(),
        });
    }
    words.join(" ")
}

#[test]
fn measurements_are_masked_and_nothing_else() {
    for (text, masked) in [
        ("1 tx, 1 query", "1 tx, 1 query"),
        ("4 clients, 99.72/s", "4 clients, #/s"),
        ("3 h 12 min (1.20 GB/s) in 12.3 s.", "# (#) in #."),
        ("< 1 µs, 1.7e-4, –, p99.9 Q01 χ² 9.3", "#, #, –, p99.9 Q01 χ² #"),
        ("12 conditions, 5 ledger checks", "12 conditions, 5 ledger checks"),
        ("SQLite 3.54.1, sqlite:t.db", "SQLite #, sqlite:t.db"),
    ] {
        assert_eq!(mask(text), masked);
    }
    assert_eq!(terminal("a  1.5 ms\n   and 2\n\nb\n", &[], false), "a | # and #\n\nb\n");
}
