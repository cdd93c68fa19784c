//! Properties in YCSB's forms: files in Java's format (`-P`) and `key=value` (`-p`).

use std::collections::BTreeMap;
use std::path::Path;

use hoap_record::input;
use hoap_workload::{Error, ErrorKind, Result};

use crate::preset::Preset;

/// Properties in order of precedence: a later value replaces an earlier one.
///
/// As in YCSB, files come first, in their order, then single properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    values: BTreeMap<String, String>,
}

impl Properties {
    /// No properties: each has its default.
    pub fn new() -> Self {
        Properties::default()
    }

    /// Those of a preset.
    pub fn preset(preset: &Preset) -> Self {
        let values = preset.properties.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        Properties { values }
    }

    /// Adds those of a file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where it cannot be read.
    pub fn file(&mut self, path: &Path) -> Result<()> {
        let tried = || format!("read properties file {}", path.display());
        let bytes = input::named(path).map_err(|e| Error::new(ErrorKind::Invalid, tried(), e))?;
        self.text(&bytes).map_err(|answer| Error::new(ErrorKind::Invalid, tried(), answer))
    }

    /// Adds those of a file's text, in ISO 8859-1 as `java.util.Properties.load` reads it.
    ///
    /// Our own, since the crate `java-properties` 2.0 loses a last line that ends in a backslash,
    /// refuses surrogate pairs, and takes the text for windows-1252.
    ///
    /// # Errors
    /// Says what is wrong with which line.
    pub fn text(&mut self, bytes: &[u8]) -> std::result::Result<(), String> {
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err("it is UTF-16: save it as UTF-8 or ISO 8859-1".into());
        }
        // Editors put the mark of UTF-8 before what Java reads as ISO 8859-1.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text: String = bytes.iter().copied().map(char::from).collect();
        let text = text.replace("\r\n", "\n");
        let mut lines = text.split(['\n', '\r']).enumerate();
        while let Some((number, line)) = lines.next() {
            let line = line.trim_start_matches(BLANKS);
            if line.is_empty() || line.starts_with(['#', '!']) {
                continue;
            }
            let mut whole = line.to_owned();
            // An odd number of backslashes at the end continues the line.
            while whole.len() % 2 != whole.trim_end_matches('\\').len() % 2 {
                whole.pop();
                whole.push_str(lines.next().map_or("", |(_, l)| l.trim_start_matches(BLANKS)));
            }
            let (key, value) = split(&whole);
            let unescape = |s| unescape(s).map_err(|e| format!("line {}: {e}", number + 1));
            self.values.insert(unescape(key)?, unescape(value)?);
        }
        Ok(())
    }

    /// Adds one in the command line's form, `key=value`, without escapes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where it has no key or no `=`.
    pub fn pair(&mut self, pair: &str) -> Result<()> {
        match pair.split_once('=') {
            Some((key, value)) if !key.is_empty() => self.set(key, value),
            _ => {
                return Err(Error::new(
                    ErrorKind::Invalid,
                    format!("take property {pair:?}"),
                    "it is not of the form key=value",
                )
                .advise("write -p operationcount=100000"));
            }
        }
        Ok(())
    }

    /// Sets one.
    pub fn set(&mut self, key: &str, value: &str) {
        self.values.insert(key.to_owned(), value.to_owned());
    }

    /// The value of one that was set.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// All that were set, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }
}

/// White space within a line.
const BLANKS: [char; 3] = [' ', '\t', '\x0c'];

/// A line's key and value, separated by the first `=`, `:` or white space without a backslash.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = line.find(|c: char| {
        let ends = !escaped && (c == '=' || c == ':' || BLANKS.contains(&c));
        escaped = c == '\\' && !escaped;
        ends
    });
    let Some(end) = end else { return (line, "") };
    let rest = line[end..].trim_start_matches(BLANKS);
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (&line[..end], value.trim_start_matches(BLANKS))
}

fn unescape(text: &str) -> std::result::Result<String, String> {
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let unit = match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('t')) => u16::from(b'\t'),
            ('\\', Some('n')) => u16::from(b'\n'),
            ('\\', Some('r')) => u16::from(b'\r'),
            ('\\', Some('f')) => 0x0c,
            ('\\', Some('u')) => {
                let digits: String = chars.by_ref().take(4).collect();
                let whole = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
                let unit = whole.then(|| u16::from_str_radix(&digits, 16).ok()).flatten();
                unit.ok_or_else(|| format!("\\u{digits} is not \\u and four hexadecimal digits"))?
            }
            ('\\', Some(other)) => other as u16,
            ('\\', None) => continue,
            // Latin-1: one unit holds it.
            (other, _) => other as u16,
        };
        units.push(unit);
    }
    Ok(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests;
