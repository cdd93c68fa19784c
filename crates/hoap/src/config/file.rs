//! A file of the command line: where a flag names it, and what is wrong in it.

use std::ffi::OsString;
use std::path::PathBuf;

/// The file that a flag names, where it is there.
pub fn of_flag(argv: &[OsString], flag: &str) -> Option<PathBuf> {
    let mut words = argv.iter().skip(1);
    while let Some(word) = words.next() {
        if word == flag {
            return words.next().map(PathBuf::from);
        }
        let value = word.to_str().and_then(|word| word.strip_prefix(flag)?.strip_prefix('='));
        if let Some(value) = value {
            return Some(PathBuf::from(value));
        }
    }
    None
}

/// Why the text is no TOML, without the line itself: it may hold a password.
pub fn unread(text: &str, e: &toml::de::Error) -> String {
    let words = e.message().split_whitespace().collect::<Vec<_>>().join(" ");
    match e.span().and_then(|span| text.get(..span.start)) {
        Some(before) => format!("line {}: {words}", before.matches('\n').count() + 1),
        None => words,
    }
}
