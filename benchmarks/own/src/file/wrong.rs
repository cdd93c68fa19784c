//! Where a workload file is wrong, and what is.

use hoap_workload::{Error, ErrorKind};

/// What is wrong with a workload file, and the byte at which it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The byte.
    pub at: usize,
    /// One sentence, without a full stop.
    pub message: String,
}

impl Wrong {
    /// An error at this byte.
    pub fn new(at: usize, message: impl Into<String>) -> Wrong {
        Wrong { at, message: message.into() }
    }

    /// The error for the user: `shop.toml:14:1` was tried, and this came back.
    pub fn of_file(self, name: &str, text: &str) -> Error {
        let (line, column) = place(text, self.at);
        Error::new(ErrorKind::Invalid, format!("{name}:{line}:{column}"), self.message)
    }
}

/// Line and column, from 1; columns are characters.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line..].chars().count() + 1)
}

/// "; did you mean `key`?" if one of the names is near, else "; there are key, count and fields".
pub fn instead<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let slips = slips(name);
    let near = names.iter().map(|known| (strsim::osa_distance(name, known), known));
    match near.min() {
        None => String::new(),
        Some((distance, known)) if distance <= slips => format!("; did you mean `{known}`?"),
        Some(_) => {
            format!("; there {} {}", if names.len() == 1 { "is" } else { "are" }, listed(&names))
        }
    }
}

/// How many slips a name may have: one in three letters, two in five.
fn slips(name: &str) -> usize {
    (name.chars().count() + 1) / 3
}

/// Whether a name is another one with slips.
pub fn is_slip(name: &str, of: &str) -> bool {
    strsim::osa_distance(name, of) <= slips(name)
}

/// "customers, orders and products".
pub fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_1() {
        let text = "a\nbü = 1\n";
        for (at, expected) in [(0, (1, 1)), (2, (2, 1)), (5, (2, 3)), (99, (3, 1))] {
            assert_eq!(place(text, at), expected, "{at}");
        }
    }
}
