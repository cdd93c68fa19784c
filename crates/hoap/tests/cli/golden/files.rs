//! The other files of a run folder, without what depends on time.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use super::place;

/// `samples.csv`: the header, and the phases of each kind in each step. The rows of what ended
/// after the window are left out: a fast machine has none. Of steps above `steps` there may be any
/// number.
pub fn samples(text: &str, steps: usize) -> String {
    let mut lines = text.lines();
    let mut out = format!("{}\n", lines.next().unwrap_or(""));
    let mut rows = BTreeSet::new();
    for line in lines {
        let row: Vec<&str> = line.split(',').collect();
        let (step, phase, kind) = (row[0].parse::<usize>().unwrap(), row[1], row[4]);
        if phase != "grace" {
            let more = if step > steps { " and more" } else { "" };
            let fields = row.len();
            let step = step.min(steps + 1);
            rows.insert((step, format!("step {step}{more}: {phase}, {kind}, {fields} fields")));
        }
    }
    for (_, row) in rows {
        let _ = writeln!(out, "{row}");
    }
    out
}

/// `queries.csv` without the times and what counts nowhere: the executions between the last
/// measured loop and the end of the step. The answers' numbers of rows are left out in steps with
/// transactions.
pub fn queries(text: &str, untouched: &[usize]) -> String {
    let mut lines = text.lines();
    let mut out = String::new();
    if let Some(header) = lines.next() {
        let _ = writeln!(out, "{header}");
    }
    for line in lines {
        let mut row: Vec<&str> = line.splitn(9, ',').collect();
        if ["extra", "cancelled"].contains(&row[1]) {
            continue;
        }
        for column in [5, 6] {
            assert!(row[column].parse::<f64>().is_ok(), "{line}");
            row[column] = "#";
        }
        if !untouched.contains(&row[0].parse().unwrap()) {
            row[7] = "#";
        }
        let _ = writeln!(out, "{}", row.join(","));
    }
    out
}

/// The names of a folder's files; of the interval logs the header and the tags. Of logs above
/// `steps` there may be any number.
pub fn listing(folder: &Path, steps: usize) -> String {
    let mut out = String::new();
    for name in place::names(folder) {
        let log = name.strip_prefix("step-").and_then(|name| name.strip_suffix(".hlog"));
        let number: usize = log.map_or(0, |number| number.parse().unwrap());
        if number > steps {
            continue;
        }
        let _ = writeln!(out, "{name}");
        if log.is_some() {
            let text = std::fs::read_to_string(folder.join(&name)).unwrap();
            let lines: BTreeSet<String> = text.lines().map(log_line).collect();
            for line in lines {
                let _ = writeln!(out, "  {line}");
            }
        }
    }
    out
}

fn log_line(line: &str) -> String {
    match line.strip_prefix("Tag=") {
        Some(interval) => {
            let mut fields: Vec<&str> = interval.split(',').collect();
            fields[1..4].fill("#");
            let last = fields.last_mut().unwrap();
            // The cookie of a compressed histogram of the second version.
            *last = last.get(..5).unwrap_or("");
            format!("Tag={}", fields.join(","))
        }
        None => line.chars().filter(|c| !c.is_ascii_digit()).collect(),
    }
}
