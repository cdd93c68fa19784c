//! TOML with errors of one line.

use serde::de::DeserializeOwned;

/// Reads the text.
///
/// # Errors
/// In words, with the line: "line 7: unknown field `prize`, expected …".
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|e| {
        let words = e.message().split_whitespace().collect::<Vec<_>>().join(" ");
        match e.span() {
            Some(span) => {
                let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
                format!("line {line}: {words}")
            }
            None => words,
        }
    })
}
