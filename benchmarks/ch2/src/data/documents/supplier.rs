//! Suppliers, nations and regions: the collections that CH2 takes from TPC-H.

use hoap_data::number::digits8;
use hoap_data::random::Draws;
use hoap_data::writer::{Field, Writer};
use hoap_data::{NATIONS, REGIONS, field};

use super::UNIT;
use super::address::{Address, address_fields};
use super::text::alphanumerics;
use crate::data::collection::{Collection, Ids};
use crate::data::{DataSet, Schema};

// Words of a supplier; a nation and a region have scalars and a comment.
const SCALARS: u64 = 0;
const PHONE: u64 = 1;
const MARK: u64 = 2;
const ADDRESS: u64 = 16;
const COMMENT: u64 = 32;

/// Largest magnitude of a negative and of a positive balance in cents (TPC-H 4.2.3, S_ACCTBAL).
const MAX_DEBT: i64 = 1000 * UNIT - 1;
const MAX_CREDIT: i64 = 10_000 * UNIT - 1;

/// Suppliers of each marked kind (TPC-H 4.2.3, S_COMMENT: five times the scale factor, here 1).
const MARKED: u64 = 5;
/// The words of a marked comment, with other text between them (TPC-H 4.2.3, S_COMMENT).
const MARK_HEAD: &[u8] = b"Customer";
const MARK_TAILS: [&[u8]; 2] = [b"Recommends", b"Complaints"];

impl DataSet {
    #[inline(always)]
    pub(crate) fn supplier<W: Writer>(&self, ids: Ids, w: &mut W) {
        let [.., id] = ids;
        let words = self.words(Collection::Supplier, ids);
        let mut draws = words.draws(SCALARS);
        let balance = draws.below((MAX_DEBT + MAX_CREDIT) as u64 + 1) as i64 - MAX_DEBT;
        let comment_len = draws.within(25, 100);
        let nation = self.choices().nation_of_supplier(id);
        w.begin_object(Field::ELEMENT);
        w.int(field!("su_suppkey"), id.into());
        w.text(field!("su_name"), 18, |out| {
            // TPC-H 4.2.3: the key in nine digits.
            out[..10].copy_from_slice(b"Supplier#0");
            out[10..18].copy_from_slice(&digits8(id).to_le_bytes());
        });
        let address = Address::new(words.skip(ADDRESS));
        if self.spec().schema == Schema::Ch2pp {
            w.begin_object(field!("su_address"));
            address.write(address_fields!("su"), w);
            w.end_object();
        } else {
            address.write_joined(field!("su_address"), w);
        }
        w.int(field!("su_nationkey"), NATIONS[nation].1.into());
        let phone = phone(nation, words.draws(PHONE));
        w.text(field!("su_phone"), phone.len(), |out| out[..phone.len()].copy_from_slice(&phone));
        w.cents(field!("su_acctbal"), balance);
        let mark = MARK_TAILS.get((self.choices().comment_rank(id) / MARKED) as usize);
        alphanumerics(w, field!("su_comment"), words.skip(COMMENT), comment_len, |out| {
            if let Some(tail) = mark {
                write_mark(&mut out[..comment_len as usize], tail, words.draws(MARK));
            }
        });
        w.end_object();
    }

    #[inline(always)]
    pub(crate) fn nation<W: Writer>(&self, ids: Ids, w: &mut W) {
        let [.., position] = ids;
        let (name, key, region) = NATIONS[position as usize];
        let words = self.words(Collection::Nation, ids);
        w.begin_object(Field::ELEMENT);
        w.int(field!("n_nationkey"), key.into());
        w.str(field!("n_name"), name);
        w.int(field!("n_regionkey"), region.into());
        let len = words.draws(SCALARS).within(31, 114); // TPC-H 4.2.3, N_COMMENT
        alphanumerics(w, field!("n_comment"), words.skip(COMMENT), len, |_| ());
        w.end_object();
    }

    #[inline(always)]
    pub(crate) fn region<W: Writer>(&self, ids: Ids, w: &mut W) {
        let [.., key] = ids;
        let words = self.words(Collection::Region, ids);
        w.begin_object(Field::ELEMENT);
        w.int(field!("r_regionkey"), key.into());
        w.str(field!("r_name"), REGIONS[key as usize]);
        let len = words.draws(SCALARS).within(31, 115); // TPC-H 4.2.3, R_COMMENT
        alphanumerics(w, field!("r_comment"), words.skip(COMMENT), len, |_| ());
        w.end_object();
    }
}

/// TPC-H 4.2.2.9: the nation's position plus ten, and three local numbers, `10-100-100-1000` to
/// `71-999-999-9999`.
fn phone(nation: usize, mut draws: Draws) -> [u8; 15] {
    let country = nation as u64 + 10;
    let [a, b] = [draws.within(100, 999), draws.within(100, 999)];
    let c = draws.within(1000, 9999);
    let mut out = *b"00-000-000-0000";
    for (range, number) in [(0..2, country), (3..6, a), (7..10, b), (11..15, c)] {
        let digits = digits8(number as u32).to_le_bytes();
        out[range.clone()].copy_from_slice(&digits[8 - range.len()..]);
    }
    out
}

/// Writes the two words of a mark at a random place in the comment, a random distance apart.
fn write_mark(comment: &mut [u8], tail: &[u8], mut draws: Draws) {
    let spare = comment.len() - MARK_HEAD.len() - tail.len();
    let between = draws.below(spare as u64 + 1) as usize;
    let start = draws.below((spare - between) as u64 + 1) as usize;
    let end_of_head = start + MARK_HEAD.len();
    comment[start..end_of_head].copy_from_slice(MARK_HEAD);
    comment[end_of_head + between..][..tail.len()].copy_from_slice(tail);
}
