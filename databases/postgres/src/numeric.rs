//! `numeric` in PostgreSQL's binary format: a count of digits, the weight of the first, the sign,
//! the number of decimals that are shown, and the digits, each of 10,000 (`numeric_send` in
//! PostgreSQL's `numeric.c`).

const BASE_DIGITS: i32 = 4;
const POSITIVE: u16 = 0;
const NEGATIVE: u16 = 0x4000;

/// The decimal text of a number; `None` for NaN, the infinities, and what is no numeric.
pub(super) fn decode(raw: &[u8]) -> Option<String> {
    let words: Vec<u16> =
        raw.chunks_exact(2).map(|word| u16::from_be_bytes([word[0], word[1]])).collect();
    let [count, weight, sign, scale, digits @ ..] = &words[..] else { return None };
    if !raw.len().is_multiple_of(2)
        || digits.len() != usize::from(*count)
        || !matches!(*sign, POSITIVE | NEGATIVE)
    {
        return None;
    }
    let weight = i32::from(weight.cast_signed());
    let digit = |at: i32| {
        let index = usize::try_from(weight - at).ok();
        index.and_then(|i| digits.get(i)).copied().unwrap_or(0)
    };
    let mut text = String::new();
    for at in (0..=weight.max(0)).rev() {
        text.push_str(&format!("{:04}", digit(at)));
    }
    let whole = text.trim_start_matches('0');
    let mut text = if whole.is_empty() { "0".to_owned() } else { whole.to_owned() };
    if *scale > 0 {
        let mut decimals = String::new();
        let mut at = -1;
        while decimals.len() < usize::from(*scale) {
            decimals.push_str(&format!("{:04}", digit(at)));
            at -= 1;
        }
        decimals.truncate(usize::from(*scale));
        text.push('.');
        text.push_str(&decimals);
    }
    if *sign == NEGATIVE {
        text.insert(0, '-');
    }
    Some(text)
}

/// The binary form of a number of JSON: `-12.50`, `1e-7`. `None` where it has too many digits.
pub(super) fn encode(json: &str) -> Option<Vec<u8>> {
    let (sign, number) = match json.strip_prefix('-') {
        Some(rest) => (NEGATIVE, rest),
        None => (POSITIVE, json),
    };
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (number, 0),
    };
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if exponent.unsigned_abs() > 2000 || whole.len() + decimals.len() > 2000 {
        return None;
    }
    let mut digits = format!("{whole}{decimals}");
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // The number is 0.digits × 10^point.
    let mut point = i32::try_from(whole.len()).ok()? + exponent;
    let scale = (i32::try_from(decimals.len()).ok()? - exponent).max(0);
    // Groups of four digits begin at a multiple of four from the point.
    let before = point.rem_euclid(BASE_DIGITS);
    if before != 0 {
        let zeros = usize::try_from(BASE_DIGITS - before).ok()?;
        digits.insert_str(0, &"0".repeat(zeros));
        point += BASE_DIGITS - before;
    }
    while !digits.len().is_multiple_of(4) {
        digits.push('0');
    }
    let mut groups: Vec<u16> = digits
        .as_bytes()
        .chunks(4)
        .map(|g| g.iter().fold(0, |n, b| n * 10 + u16::from(b - b'0')))
        .collect();
    let mut weight = point / BASE_DIGITS - 1;
    while groups.last() == Some(&0) {
        groups.pop();
    }
    while groups.first() == Some(&0) {
        groups.remove(0);
        weight -= 1;
    }
    if groups.is_empty() {
        weight = 0;
    }
    let mut raw = Vec::with_capacity(8 + groups.len() * 2);
    for word in [
        u16::try_from(groups.len()).ok()?,
        i16::try_from(weight).ok()?.cast_unsigned(),
        if groups.is_empty() { POSITIVE } else { sign },
        u16::try_from(scale).ok()?,
    ] {
        raw.extend_from_slice(&word.to_be_bytes());
    }
    for group in groups {
        raw.extend_from_slice(&group.to_be_bytes());
    }
    Some(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_with_their_decimals() {
        for (json, text) in [
            ("0", "0"),
            ("0.00", "0.00"),
            ("-0", "0"),
            ("1", "1"),
            ("-12.50", "-12.50"),
            ("9999", "9999"),
            ("10000", "10000"),
            ("123456789.01234", "123456789.01234"),
            ("0.0001", "0.0001"),
            ("0.00001", "0.00001"),
            ("1e-7", "0.0000001"),
            ("1.5e3", "1500"),
            ("1.25E+1", "12.5"),
            ("1e20", "100000000000000000000"),
            ("-9223372036854775808", "-9223372036854775808"),
        ] {
            let raw = encode(json).unwrap();
            assert_eq!(decode(&raw).as_deref(), Some(text), "{json}: {raw:?}");
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_manual() {
        // 12345.678: digits 1, 2345, 6780; the first has weight 1; three decimals.
        let raw = [0, 3, 0, 1, 0, 0, 0, 3, 0, 1, 0x09, 0x29, 0x1A, 0x7C];
        assert_eq!(encode("12345.678").unwrap(), raw);
        assert_eq!(decode(&raw).unwrap(), "12345.678");
    }

    #[test]
    fn what_is_no_number_is_none() {
        assert_eq!(decode(&[0, 0, 0, 0, 0xC0, 0, 0, 0]), None, "NaN");
        assert_eq!(decode(&[0, 0, 0, 0, 0xD0, 0, 0, 0]), None, "infinity");
        assert_eq!(decode(&[0, 2, 0, 0, 0, 0, 0, 0, 0, 1]), None);
        assert_eq!(decode(&[1, 2, 3]), None);
        for bad in ["x", "1e9999", "1e99999999999"] {
            assert_eq!(encode(bad), None, "{bad}");
        }
    }
}
