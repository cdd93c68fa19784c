//! Customers' last names.

/// The syllables of TPC-C 4.3.2.3, by digit.
const SYLLABLES: [&str; 10] =
    ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

/// Bytes of the longest name.
const LONGEST: usize = 15;

/// The last name of a number from 0 to 999: a syllable for each of its three digits (TPC-C
/// 4.3.2.3). Of a larger number the last three digits count.
pub fn last_name(number: u32) -> String {
    syllables(number).concat()
}

fn syllables(number: u32) -> [&'static str; 3] {
    [number / 100, number / 10, number].map(|n| SYLLABLES[(n % 10) as usize])
}

/// The name and its length, without allocation.
pub(super) fn last_name_bytes(number: u32) -> ([u8; LONGEST], usize) {
    let mut out = [0; LONGEST];
    let mut len = 0;
    for syllable in syllables(number) {
        out[len..len + syllable.len()].copy_from_slice(syllable.as_bytes());
        len += syllable.len();
    }
    (out, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TPC-C 4.3.2.3: the example 371 is PRICALLYOUGHT; all thousand differ.
    #[test]
    fn names() {
        assert_eq!(last_name(371), "PRICALLYOUGHT");
        assert_eq!(last_name(40), "BARPRESBAR");
        let mut all: Vec<String> = (0..1000).map(last_name).collect();
        for (number, name) in all.iter().enumerate() {
            let (bytes, len) = last_name_bytes(number as u32);
            assert_eq!(&bytes[..len], name.as_bytes());
        }
        assert_eq!(all.iter().map(String::len).max(), Some(LONGEST));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 1000);
        assert_eq!(last_name(u32::MAX), last_name(u32::MAX % 1000));
    }
}
