//! Names and paths.

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To a field of an object.
    Field(String),
    /// To an element, from 0.
    Position(usize),
}

/// The steps of `a.b[2].'first.name'`; `None` if it is no path.
pub fn path(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text;
    loop {
        let (name, behind) = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'')?,
            None => {
                let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                let end = rest.find(|c| !plain(c)).unwrap_or(rest.len());
                rest.split_at(end)
            }
        };
        if name.is_empty() {
            return None;
        }
        steps.push(Step::Field(name.to_owned()));
        rest = behind;
        while let Some(behind) = rest.strip_prefix('[') {
            let (position, behind) = behind.split_once(']')?;
            let digits = position.bytes().all(|b| b.is_ascii_digit()) && position.len() < 10;
            steps.push(Step::Position(position.parse().ok().filter(|_| digits)?));
            rest = behind;
        }
        if rest.is_empty() {
            return Some(steps);
        }
        rest = rest.strip_prefix('.')?;
    }
}

/// Whether it can be the name of a collection or an index: a letter or `_`, then digits, too.
pub fn is_plain(name: &str) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    name.bytes().all(word) && !name.starts_with(|c: char| c.is_ascii_digit()) && !name.is_empty()
}

/// Whether it can be the name of a workload, an operation or a query: a tag in the logs of response
/// times, and a word of `--mix`.
pub fn is_title(name: &str) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
    name.bytes().all(word) && !name.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_names_and_positions() {
        let field = |name: &str| Step::Field(name.into());
        assert_eq!(
            path("a.b[2].c"),
            Some(vec![field("a"), field("b"), Step::Position(2), field("c")])
        );
        assert_eq!(path("'first.name'.x-1"), Some(vec![field("first.name"), field("x-1")]));
        for bad in
            ["", ".", "a.", "a b", "a[", "a[]", "a[x]", "a[-1]", "'a", "''", "a..b", "$a", "ä"]
        {
            assert_eq!(path(bad), None, "{bad}");
        }
    }
}
