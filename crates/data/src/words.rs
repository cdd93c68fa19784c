//! Counts with their nouns, for messages.

use std::fmt::Display;

/// The noun after a count: `one` for 1, else `more`.
pub fn noun<'a>(n: impl TryInto<u64>, one: &'a str, more: &'a str) -> &'a str {
    if matches!(n.try_into(), Ok(1)) { one } else { more }
}

/// The count with its noun: "1 query", "2 queries".
pub fn counted(n: impl TryInto<u64> + Display + Copy, one: &str, more: &str) -> String {
    format!("{n} {}", noun(n, one, more))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_the_only_number_with_a_word_of_its_own() {
        let words = [0usize, 1, 2, 11, 21, 101].map(|n| counted(n, "query", "queries"));
        assert_eq!(
            words,
            ["0 queries", "1 query", "2 queries", "11 queries", "21 queries", "101 queries"]
        );
        assert_eq!([-1i64, 1].map(|n| noun(n, "row is", "rows are")), ["rows are", "row is"]);
    }
}
