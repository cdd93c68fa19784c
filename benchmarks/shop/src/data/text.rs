//! Short strings, built on the stack.

use hoap_data::number::write_u64;
use hoap_data::writer::{Field, Writer};

/// Bytes that a [`Text`] holds.
const CAPACITY: usize = 80;
/// Bytes of scratch that [`write_u64`] needs after the end.
const SLACK: usize = 28;

/// A short ASCII string. Longer text is cut off; no value of this benchmark comes near the limit.
#[derive(Clone, Copy)]
pub(super) struct Text {
    bytes: [u8; CAPACITY + SLACK],
    len: usize,
}

impl Text {
    #[inline(always)]
    pub(super) fn new() -> Text {
        Text { bytes: [0; CAPACITY + SLACK], len: 0 }
    }

    /// The same with this text appended.
    #[inline(always)]
    pub(super) fn str(mut self, part: &str) -> Text {
        let len = part.len().min(CAPACITY - self.len);
        self.bytes[self.len..self.len + len].copy_from_slice(&part.as_bytes()[..len]);
        self.len += len;
        self
    }

    /// The same with this number appended.
    #[inline(always)]
    pub(super) fn number(mut self, number: u64) -> Text {
        self.len += write_u64(number, &mut self.bytes[self.len..]);
        self.len = self.len.min(CAPACITY);
        self
    }

    /// The same in lower case.
    #[inline(always)]
    pub(super) fn lower_case(mut self) -> Text {
        self.bytes[..self.len].make_ascii_lowercase();
        self
    }

    #[inline(always)]
    pub(super) fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }

    #[inline(always)]
    pub(super) fn write<W: Writer>(&self, field: Field, w: &mut W) {
        w.text(field, self.len, |out| out[..self.len].copy_from_slice(&self.bytes[..self.len]));
    }
}

/// Sixteen letters `a` to `p`, one from each four bits. Padding is most of a document, so its
/// letters must be cheap.
#[inline(always)]
pub(super) fn letters16(word: u64) -> [u8; 16] {
    const NIBBLES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const LETTER_A: u64 = 0x6161_6161_6161_6161;
    let halves = [word & NIBBLES, word >> 4 & NIBBLES];
    let [low, high] = halves.map(|nibbles| (nibbles + LETTER_A).to_le_bytes());
    let mut out = [0; 16];
    out[..8].copy_from_slice(&low);
    out[8..].copy_from_slice(&high);
    out
}

/// Decimal digits of a number.
pub(super) fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_letters() {
        assert_eq!(&letters16(0xf0e1_d2c3_b4a5_9687), b"hgfedcbaijklmnop");
        assert_eq!((letters16(0), letters16(u64::MAX)), ([b'a'; 16], [b'p'; 16]));
    }

    #[test]
    fn parts_in_order() {
        let text = Text::new().str("Ab").number(0).str("C").lower_case().number(u64::MAX);
        assert_eq!(text.as_str(), format!("ab0c{}", u64::MAX));
        let long = (0..20).fold(Text::new(), |text, _| text.number(u64::MAX).str("x"));
        assert_eq!(long.as_str().len(), CAPACITY);
        for n in [0, 1, 9, 10, 99, 100, u64::MAX] {
            assert_eq!(digits(n), n.to_string().len());
        }
    }
}
