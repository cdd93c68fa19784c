//! TOML that people read: a line for each field, with dotted keys, so that their order is kept.

/// A value of the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Toml {
    /// A number, a text or another value, as it is written.
    Leaf(String),
    /// A list.
    List(Vec<Toml>),
    /// A table, in its order.
    Table(Vec<(String, Toml)>),
}

/// Columns of a line before a table becomes several.
const WIDE: usize = 110;

/// A table of these keys.
pub fn table<const N: usize>(entries: [(&str, Toml); N]) -> Toml {
    Toml::Table(entries.map(|(key, value)| (key.to_owned(), value)).into())
}

/// A number or another value as it is written.
pub fn leaf(value: impl ToString) -> Toml {
    Toml::Leaf(value.to_string())
}

/// A text.
pub fn text(value: &str) -> Toml {
    Toml::Leaf(quoted(value))
}

/// A text in quotes.
pub fn quoted(value: &str) -> String {
    let mut out = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if u32::from(c) < 0x20 || c == '\u{7f}' => {
                out.push_str(&format!("\\u{:04X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A key: bare if it can be.
pub fn key(name: &str) -> String {
    let bare = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    match !name.is_empty() && name.bytes().all(bare) {
        true => name.to_owned(),
        false => quoted(name),
    }
}

impl Toml {
    /// With one more key, if it is a table.
    #[must_use]
    pub fn with(mut self, name: &str, value: Toml) -> Toml {
        if let Toml::Table(entries) = &mut self {
            entries.push((name.to_owned(), value));
        }
        self
    }

    /// On one line.
    pub fn inline(&self) -> String {
        let all = |of: Vec<String>| of.join(", ");
        match self {
            Toml::Leaf(text) => text.clone(),
            Toml::List(list) => format!("[{}]", all(list.iter().map(Toml::inline).collect())),
            Toml::Table(entries) if entries.is_empty() => "{}".into(),
            Toml::Table(entries) => {
                let entry =
                    |(name, value): &(String, Toml)| format!("{} = {}", key(name), value.inline());
                format!("{{ {} }}", all(entries.iter().map(entry).collect()))
            }
        }
    }

    /// Appends it as the value of a dotted key, on as many lines as people want to read.
    pub fn lines(&self, path: &str, out: &mut String) {
        let line = self.inline();
        let is_long = path.len() + line.len() + 3 > WIDE;
        match self {
            Toml::Table(entries) if !entries.is_empty() && (is_long || self.has_fields()) => {
                for (name, value) in entries {
                    value.lines(&format!("{path}.{}", key(name)), out);
                }
            }
            Toml::List(list) if is_long && list.iter().any(|of| matches!(of, Toml::Table(_))) => {
                out.push_str(&format!("{path} = [\n"));
                list.iter().for_each(|of| out.push_str(&format!("  {},\n", of.inline())));
                out.push_str("]\n");
            }
            _ => out.push_str(&format!("{path} = {line}\n")),
        }
    }

    fn has_fields(&self) -> bool {
        match self {
            Toml::Table(entries) => {
                entries.iter().any(|(name, of)| name == "fields" || of.has_fields())
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_toml() {
        for name in ["a", "first.name", "", "$é", "x\"y\\z", "\u{1}\n\t\u{7f}\r", "a b", "-1_"] {
            let of = table([("x", table([("fields", table([(name, text(name))]))]))]);
            let mut lines = String::new();
            of.lines("top", &mut lines);
            let read: ::toml::Table = lines.parse().unwrap_or_else(|e| panic!("{lines}: {e}"));
            assert_eq!(read["top"]["x"]["fields"][name].as_str(), Some(name), "{lines}");
        }
    }
}
