//! Keys, and the number that a key tells.

use hoap_data::random::mix;
use hoap_data::writer::extra_text;

use super::json;
use super::place::At;
use crate::plan::Plan;
use crate::plan::model::Piece;

/// A keyed bijection on all numbers of 64 bits.
fn hash(n: u64, key: u64) -> u64 {
    mix(n ^ key)
}

/// The UUID of a number: 62 bits of its hash and what is left of it in the rest, version 4.
fn uuid(n: u64, key: u64) -> [u8; 36] {
    let (high, low) = (hash(n, key), hash(n, !key));
    let bits = u128::from(high) << 64 | u128::from(low);
    let version = bits & !(0xf << 76) | 0x4 << 76;
    let bits = version & !(0x3 << 62) | 0x2 << 62;
    let digits = extra_text([(bits >> 64) as u64, bits as u64]);
    let mut text = [b'-'; 36];
    for (to, from) in [(0, 0..8), (9, 8..12), (14, 12..16), (19, 16..20), (24, 20..32)] {
        text[to..to + from.len()].copy_from_slice(&digits[from]);
    }
    text
}

/// The second of the first ObjectId, 2024-01-01.
const FIRST: u64 = 1_704_067_200;

/// The ObjectId of a number, which rises with it: seconds, what is the same for all, and a counter.
fn object_id(n: u64, key: u64) -> String {
    let seconds = (FIRST + (n >> 24)) as u32;
    format!("{seconds:08x}{:010x}{:06x}", key >> 24, n & 0xff_ffff)
}

/// The inverse of a multiplication with an odd number, by Newton's iteration.
const fn inverse(odd: u64) -> u64 {
    let mut of = odd;
    let mut bits = 3;
    while bits < 64 {
        of = of.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(of)));
        bits *= 2;
    }
    of
}

/// The number of a hash.
fn unhash(mut z: u64, key: u64) -> u64 {
    z = z ^ (z >> 31) ^ (z >> 62);
    z = z.wrapping_mul(const { inverse(0x94d0_49bb_1331_11eb) });
    z = z ^ (z >> 27) ^ (z >> 54);
    z = z.wrapping_mul(const { inverse(0xbf58_476d_1ce4_e5b9) });
    (z ^ (z >> 30) ^ (z >> 60)) ^ key
}

/// What a part of a key tells of its document.
#[derive(Clone, Copy, Default)]
struct Told {
    n: Option<u64>,
    parent: Option<u64>,
    seq: Option<u64>,
}

impl Plan {
    /// Appends the key of a document.
    pub fn key(&self, collection: usize, at: &At, out: &mut Vec<u8>) {
        for piece in &self.collections[collection].key {
            self.numbered(piece, at, out);
        }
    }

    /// Appends a piece that the document's number decides.
    pub fn numbered(&self, piece: &Piece, at: &At, out: &mut Vec<u8>) {
        match piece {
            Piece::Literal(text) => out.extend_from_slice(text.as_bytes()),
            Piece::Number(width) => json::padded(at.n, *width, out),
            Piece::Seq(width) => json::padded(at.seq, *width, out),
            Piece::Parent(collection) => {
                let parent = self.place(*collection, at.parent);
                self.key(*collection, &parent, out);
            }
            Piece::Hash(key) => out.extend_from_slice(&extra_text([hash(at.n, *key), 0])[..16]),
            Piece::Uuid(key) => out.extend_from_slice(&uuid(at.n, *key)),
            Piece::ObjectId(key) => out.extend_from_slice(object_id(at.n, *key).as_bytes()),
            Piece::Way(_) | Piece::Random(..) => {}
        }
    }

    /// The number of the document of a collection that has this key at its place; `None` if none
    /// has.
    pub fn number(
        &self,
        collection: usize,
        key: &str,
        place: &dyn Fn(usize, u64) -> At,
    ) -> Option<u64> {
        let mut text = Vec::new();
        let mut has = |n: &u64| {
            text.clear();
            self.key(collection, &place(collection, *n), &mut text);
            text == key.as_bytes()
        };
        let pieces = &self.collections[collection].key;
        self.told(pieces, key, Told::default(), place, &mut |told| {
            let numbers = match told {
                Told { n: Some(n), .. } => vec![n],
                Told { parent: Some(parent), seq: Some(seq), .. } => {
                    self.children_at(collection, parent, seq)
                }
                _ => Vec::new(),
            };
            numbers.into_iter().find(&mut has)
        })
    }

    /// The numbers that the child of a parent at a place may have: a loaded one, and a new one that
    /// goes on with the rounds or names its parent.
    fn children_at(&self, collection: usize, parent: u64, seq: u64) -> Vec<u64> {
        let Some((parents, family)) = &self.collections[collection].parent else {
            return Vec::new();
        };
        let mut numbers: Vec<u64> = family.child(parent, seq).into_iter().collect();
        if let Some(round) = seq.checked_sub(family.most()) {
            let parents = self.collections[*parents].count;
            let rounds = round.checked_mul(parents).and_then(|n| n.checked_add(parent));
            let new = [rounds, Some(round)].into_iter().flatten();
            numbers.extend(new.filter_map(|n| n.checked_add(family.count())));
        }
        numbers
    }

    /// What a key tells, of which the text behind other pieces is left. `end` is asked at its end,
    /// whether that is a key.
    fn told(
        &self,
        pieces: &[Piece],
        text: &str,
        told: Told,
        place: &dyn Fn(usize, u64) -> At,
        end: &mut dyn FnMut(Told) -> Option<u64>,
    ) -> Option<u64> {
        let Some((piece, rest)) = pieces.split_first() else {
            return if text.is_empty() { end(told) } else { None };
        };
        let fixed = |length: usize| text.split_at_checked(length);
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        match piece {
            Piece::Literal(literal) => {
                self.told(rest, text.strip_prefix(literal.as_str())?, told, place, end)
            }
            Piece::Number(_) | Piece::Seq(_) => {
                let digits = text.bytes().take_while(u8::is_ascii_digit).count();
                (1..=digits).rev().find_map(|length| {
                    let (digits, behind) = text.split_at(length);
                    let number = digits.parse().ok();
                    let told = match piece {
                        Piece::Number(_) => Told { n: number, ..told },
                        _ => Told { seq: number, ..told },
                    };
                    number.and_then(|_| self.told(rest, behind, told, place, &mut *end))
                })
            }
            Piece::Parent(parents) => (1..=text.len()).find_map(|length| {
                let (key, behind) = text.split_at_checked(length)?;
                let parent = self.number(*parents, key, place)?;
                self.told(rest, behind, Told { parent: Some(parent), ..told }, place, &mut *end)
            }),
            Piece::Hash(key) => {
                let (digits, behind) = fixed(16)?;
                let n = Some(unhash(hex(digits)?, *key));
                self.told(rest, behind, Told { n, ..told }, place, end)
            }
            Piece::Uuid(key) => {
                let (digits, behind) = fixed(36)?;
                // The version takes the place of the two highest bits.
                let low = hex(&digits.get(19..)?.replace('-', ""))? & (u64::MAX >> 2);
                let numbers = (0..4u64).map(|bits| unhash(low | bits << 62, !*key));
                let n = numbers.into_iter().find(|n| uuid(*n, *key) == digits.as_bytes());
                self.told(rest, behind, Told { n: Some(n?), ..told }, place, end)
            }
            Piece::ObjectId(_) => {
                let (digits, behind) = fixed(24)?;
                let seconds = hex(digits.get(..8)?)?.checked_sub(FIRST)?;
                let n = Some(seconds << 24 | hex(digits.get(18..)?)?);
                self.told(rest, behind, Told { n, ..told }, place, end)
            }
            Piece::Way(_) | Piece::Random(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_tells_its_number() {
        for n in [0, 1, 7, 1 << 33, u64::MAX, 0x0123_4567_89ab_cdef] {
            for key in [0, 3, u64::MAX, 0xfedc_ba98_7654_3210] {
                assert_eq!(unhash(hash(n, key), key), n);
            }
        }
    }

    #[test]
    fn object_ids_rise_and_uuids_are_of_version_4() {
        let numbers = [0, 1, 0xff_fffe, 0xff_ffff, 0x100_0000, 1 << 40];
        let ids: Vec<String> =
            numbers.iter().map(|n| object_id(*n, 0x1234_5678_9abc_def0)).collect();
        assert!(ids.is_sorted() && ids.iter().all(|id| id.len() == 24), "{ids:?}");
        let text = String::from_utf8(uuid(7, 3).to_vec()).unwrap();
        assert!(text.as_bytes()[14] == b'4' && b"89ab".contains(&text.as_bytes()[19]), "{text}");
    }
}
