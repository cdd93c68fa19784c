use std::fmt;

/// An impossible parameter of a data set. Its line says what was given, what is wrong with it and
/// what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError(String);

impl SpecError {
    /// An error that says this.
    pub fn new(message: impl Into<String>) -> Self {
        SpecError(message.into())
    }

    /// The error of a name that is none of `names`: [`named!`](crate::named).
    pub fn unknown(what: &str, name: &str, names: &[&str]) -> Self {
        SpecError(format!("{what} {} is unknown: use one of {}", quoted(name), names.join(", ")))
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SpecError {}

/// User input for an error message: on one line, shortened.
pub fn quoted(input: &str) -> String {
    let short: String = input.chars().take(40).collect();
    let dots = if short.len() < input.len() { "…" } else { "" };
    format!("'{}{dots}'", short.escape_debug())
}
