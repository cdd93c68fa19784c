//! Paths in SQL++.

use std::fmt::Write;

use hoap_database::path::{Step, steps};

/// Appends a checked path of a field of the document that a variable names: ``d.`a`.`b`[3]``.
pub fn path(variable: &str, path: &str, out: &mut String) {
    out.push_str(variable);
    for step in steps(path) {
        let _ = match step {
            Step::Field(name) => write!(out, ".`{}`", name.replace('`', "``")),
            Step::Position(n) => write!(out, "[{n}]"),
        };
    }
}
