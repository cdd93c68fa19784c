//! What the page's words mean: the lines of `docs/glossary.md`.

const GLOSSARY: &str = include_str!("../../../../docs/glossary.md");

/// Words that the glossary explains one of.
pub struct Explained<'a> {
    /// What stands before it.
    pub before: &'a str,
    /// The word.
    pub word: &'a str,
    /// What stands behind it.
    pub behind: &'a str,
    /// What it means.
    pub meaning: &'static str,
}

/// The first of these words that the glossary has.
pub fn explained(words: &str) -> Option<Explained<'_>> {
    let found =
        all().filter_map(|(word, meaning)| Some((place(words, word)?, word.len(), meaning)));
    let (from, length, meaning) = found.min_by_key(|(from, ..)| *from)?;
    let (before, rest) = words.split_at(from);
    let (word, behind) = rest.split_at(length);
    Some(Explained { before, word, behind, meaning })
}

/// Words and their meanings, in order.
fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = GLOSSARY.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.filter_map(|row| row.split_once(" | ")).skip(1)
}

/// Where a word, or its plural, stands among words, whatever its case.
fn place(words: &str, word: &str) -> Option<usize> {
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    words.char_indices().map(|(from, _)| from).find(|from| {
        let (before, rest) = words.split_at(*from);
        let Some((found, behind)) = rest.split_at_checked(word.len()) else { return false };
        let behind = behind.strip_prefix('s').unwrap_or(behind);
        let whole = apart(before.chars().next_back()) && apart(behind.chars().next());
        whole && found.eq_ignore_ascii_case(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_the_glossary_is_explained_wherever_it_stands() {
        assert!(all().count() > 10);
        for (word, meaning) in all() {
            let found = explained(word).map(|of| (of.before, of.word, of.behind, of.meaning));
            assert_eq!(found, Some(("", word, "", meaning)));
            assert!(meaning.len() > 20 && !meaning.contains('|'), "{word}: {meaning}");
        }
        for (words, found) in [
            ("lower bounds", Some("lower bound")),
            ("Freshness, p99", Some("Freshness")),
            ("tpM ratio", Some("tpM")),
            ("Queries per hour (QpH) and power", Some("QpH")),
            ("powerful avoidance", None),
            ("×", None),
        ] {
            assert_eq!(explained(words).map(|of| of.word), found, "{words}");
        }
    }
}
