//! Keys, and the number that a key tells.

use hoap_data::random::mix;
use hoap_data::writer::extra_text;

use super::json;
use super::place::At;
use crate::plan::model::{Piece, Plan};

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

/// The ObjectId of a number, which rises with it: seconds, what is the same for all, and a counter.
fn object_id(n: u64, key: u64) -> String {
    /// 2024-01-01.
    const FIRST: u64 = 1_704_067_200;
    let seconds = (FIRST + (n >> 24)) as u32;
    format!("{seconds:08x}{:010x}{:06x}", key >> 24, n & 0xff_ffff)
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
