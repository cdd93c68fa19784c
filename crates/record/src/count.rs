//! Whole numbers as people write them.

/// A whole number as people write it: `5000`, `5k`, `2M`, `2.5M`; k is a thousand, M a million.
///
/// # Errors
/// Says what a count is.
pub fn count<T: TryFrom<u64>>(s: &str) -> Result<T, String> {
    let wrong = || "a count is a whole number, also with k or M, such as 5000, 5k or 2.5M".into();
    let (digits, zeros) = match s.as_bytes().last() {
        Some(b'k') => (&s[..s.len() - 1], 3),
        Some(b'M') => (&s[..s.len() - 1], 6),
        _ => (s, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits =
        !whole.is_empty() && format!("{whole}{fraction}").bytes().all(|b| b.is_ascii_digit());
    if !all_digits || digits.ends_with('.') || fraction.len() > zeros {
        return Err(wrong());
    }
    // The digits behind the point take the place of as many zeros.
    let number = format!("{whole}{fraction}{}", "0".repeat(zeros - fraction.len()));
    let number: u64 = number.parse().map_err(|_| wrong())?;
    T::try_from(number).map_err(|_| format!("{s} is more than there can be"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_people_write_them() {
        for (text, number) in [
            ("0", 0),
            ("5000", 5_000),
            ("5k", 5_000),
            ("2M", 2_000_000),
            ("2.5M", 2_500_000),
            ("0.001k", 1),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(count::<u64>(text), Ok(number), "{text}");
        }
        let wrong = [
            "", "k", ".5k", "5.", "5.k", "1.2345k", "1.5", "-1", "+1", "1e3", "5K", "5 k", "5kk",
            "1_000", "é",
        ];
        for text in wrong.into_iter().chain(["18446744073709551616", "99999999999999999999M"]) {
            assert!(count::<u64>(text).is_err(), "{text}");
        }
        assert_eq!(count::<u32>("5M"), Ok(5_000_000));
        assert!(count::<u32>("5000M").unwrap_err().contains("more than"));
    }
}
