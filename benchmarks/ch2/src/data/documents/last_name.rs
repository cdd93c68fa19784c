//! Customers' last names.

/// The syllables of TPC-C 4.3.2.3, by digit.
const SYLLABLES: [&str; 10] =
    ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

/// Bytes of three words.
const NAME_BUFFER: usize = 24;

/// The syllables padded to a word, and their lengths.
static WORDS: [([u8; 8], usize); 10] = {
    let mut words = [([0; 8], 0); 10];
    let mut n = 0;
    while n < words.len() {
        let syllable = SYLLABLES[n].as_bytes();
        words[n].0.split_at_mut(syllable.len()).0.copy_from_slice(syllable);
        words[n].1 = syllable.len();
        n += 1;
    }
    words
};

/// The last name of a number from 0 to 999: a syllable for each of its three digits (TPC-C
/// 4.3.2.3). Larger numbers use their last three digits.
pub fn last_name(number: u32) -> String {
    [number / 100, number / 10, number].map(|n| SYLLABLES[(n % 10) as usize]).concat()
}

/// The name, followed by undefined bytes, and its length. Each syllable is copied as one word.
#[inline(always)]
pub(super) fn last_name_bytes(number: u32) -> ([u8; NAME_BUFFER], usize) {
    let mut out = [0; NAME_BUFFER];
    let mut len = 0;
    for unit in [100, 10, 1] {
        let (word, syllable) = WORDS[(number / unit % 10) as usize];
        out[len..len + 8].copy_from_slice(&word);
        len += syllable;
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
        assert_eq!(all.iter().map(String::len).max(), Some(15));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 1000);
        assert_eq!(last_name(u32::MAX), last_name(u32::MAX % 1000));
    }
}
