//! What `--config` keeps to, whatever the file: for tests and under `cfg(fuzzing)`.
//! `hoap_testing::fuzz` says what a target is.

use std::ffi::OsString;

use super::{ParseError, parse};

/// A password that no file has by accident.
const SECRET: &str = "hunter2";

/// A command line in the first line, and its configuration file in those after it.
pub fn config(input: &[u8]) {
    let at = input.iter().position(|b| *b == b'\n').unwrap_or(input.len());
    let (Ok(typed), file) = (std::str::from_utf8(&input[..at]), &input[at..]) else { return };
    // What is typed has none, and names no other file.
    if typed.contains(SECRET) || typed.contains("config") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hoap.toml");
    std::fs::write(&path, file).unwrap();
    let mut argv: Vec<OsString> = vec!["hoap".into(), "--config".into(), path.into()];
    argv.extend(typed.split_whitespace().map(OsString::from));
    if let Err(ParseError::Usage(failure)) = parse(argv) {
        let told = format!("{failure:?}");
        // In the form for debugging a line's end is an escape.
        assert!(!told.contains("\\n") && !told.contains("\\r"), "{told}");
        assert!(!told.contains(SECRET), "{told}");
    }
}

#[cfg(test)]
#[test]
fn config_files() {
    hoap_testing::fuzz::round("config", config);
}
