//! How what this crate writes begins, so that no other file is replaced by it.

use hoap_record::output::Kind;

/// What the head of a [page](mod@crate::page) says of who made it.
pub(crate) const GENERATOR: &str = "<meta name=\"generator\" content=\"hoap\">";

/// A [page](mod@crate::page).
pub const PAGE: Kind = Kind {
    name: "a page",
    begins: |head| head.starts_with("<!doctype html>\n") && head.contains(GENERATOR),
};

/// A comparison for a machine, [`crate::compare::junit`].
pub const JUNIT: Kind = Kind {
    name: "a JUnit file",
    begins: |head| {
        let rest = head.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        rest.is_some_and(|rest| rest.starts_with("<testsuites name=\"hoap compare\""))
    },
};

/// A comparison for a reader, [`crate::compare::plain`] and [`crate::compare::markdown`].
pub const COMPARISON: Kind = Kind {
    name: "a comparison",
    begins: |head| {
        let counts = |line: &str| line.starts_with("Headlines: ") && line.contains(" undecided");
        head.lines().any(counts)
    },
};

/// [`crate::summary`] and [`crate::summary_markdown`].
pub const SUMMARY: Kind = Kind {
    name: "the text of a run",
    begins: |head| {
        let title: Vec<&str> = head.lines().take(5).collect();
        let title = title.join(" ");
        title.contains(" on ") && title.contains("started ") && title.contains(", hoap ")
    },
};

/// [`crate::ycsb()`]. YCSB itself tells of its garbage collectors.
pub const YCSB: Kind = Kind {
    name: "the lines of a run as YCSB prints them",
    begins: |head| {
        head.starts_with("[OVERALL], RunTime(ms), ")
            && head.contains(", Operations, ")
            && !head.contains("[TOTAL_GC")
    },
};

/// The table of all operations, [`crate::csv()`].
pub const OPERATIONS: Kind = Kind {
    name: "a table of operations",
    begins: |head| {
        let first = head.lines().next().unwrap_or_default();
        let columns = first.strip_prefix("run,").unwrap_or(first);
        columns.starts_with("step,operation,done,") || columns.starts_with("step,transaction,done,")
    },
};

/// The records of runs as one JSON object.
pub const RECORDS: Kind =
    Kind { name: "the JSON of a run", begins: |head| head.starts_with("{\"runs\":[{\"folder\":") };
