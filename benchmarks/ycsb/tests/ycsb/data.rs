//! Records of YCSB: spec nosql §1 and YCSB 0.17.

use std::collections::HashSet;

use hoap_ycsb::data::{FieldLength, KeyOrder, RecordSpec, Records, fnv_hash64};

fn records(change: impl FnOnce(&mut RecordSpec)) -> Records {
    let mut spec = RecordSpec::default();
    change(&mut spec);
    Records::new(spec).expect("valid")
}

fn key_text(records: &Records, n: u64) -> String {
    let mut text = String::new();
    records.append_key(records.key(n), &mut text);
    text
}

fn value(records: &Records, n: u64, field: u16, version: u64) -> Vec<u8> {
    let mut out = Vec::new();
    records.append_value(records.key(n), field, version, &mut out);
    out
}

/// Spec §1, "FNV-1a 64 as YCSB does": what `site.ycsb.Utils.hash` of core-0.17.0.jar returns.
#[test]
fn keys_are_ycsbs() {
    for (number, hash) in JAR_HASHES {
        assert_eq!(fnv_hash64(number), hash, "{number}");
        assert_eq!(key_text(&records(|_| {}), number), format!("user{hash}"));
    }
}

/// `CoreWorkload.buildKeyName`: zeros fill up to `zeropadding` digits and never cut.
#[test]
fn zero_padding() {
    let padded = |order, zero_padding| {
        records(|s| {
            s.order = order;
            s.zero_padding = zero_padding;
        })
    };
    assert_eq!(key_text(&padded(KeyOrder::Ordered, 1), 5), "user5");
    assert_eq!(key_text(&padded(KeyOrder::Ordered, 8), 5), "user00000005");
    assert_eq!(key_text(&padded(KeyOrder::Ordered, 2), 12_345), "user12345");
    assert_eq!(key_text(&padded(KeyOrder::Hashed, 0), 0), "user6284781860667377211");
    assert_eq!(key_text(&padded(KeyOrder::Hashed, 21), 0), "user006284781860667377211");
}

#[test]
fn the_text_of_a_key_leads_back_to_it() {
    for order in [KeyOrder::Ordered, KeyOrder::Hashed] {
        for zero_padding in [0, 1, 8, 24] {
            let records = records(|s| (s.order, s.zero_padding) = (order, zero_padding));
            for n in (0..2000).chain([1 << 40, (1 << 62) - 1]) {
                let text = key_text(&records, n);
                assert_eq!(records.parse_key(&text), Some(records.key(n)), "{text}");
                for wrong in [format!("{text} "), format!("x{text}"), text.replace("user", "user+")]
                {
                    assert_eq!(records.parse_key(&wrong), None, "{wrong}");
                }
            }
            for wrong in
                ["", "user", "user-", "userx", "user99999999999999999999", "userä", "user1-"]
            {
                assert_eq!(records.parse_key(wrong), None, "{wrong}");
            }
        }
    }
}

/// Spec §1: ten fields of 100 bytes, `field0` to `field9`; version 0 of each.
#[test]
fn the_document() {
    let records = records(|_| {});
    let mut text = Vec::new();
    records.append(7, &mut text);
    let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    let fields = json.as_object().expect("an object");
    assert_eq!(fields.len(), 10);
    for (field, (name, text)) in fields.iter().enumerate() {
        assert_eq!(name, &format!("field{field}"));
        let text = text.as_str().expect("a string").as_bytes();
        assert_eq!((text.len(), text), (100, &value(&records, 7, field as u16, 0)[..]));
    }
    assert_eq!(text.len(), 10 * (100 + r#""field0":"","#.len()) + 1);
}

/// Spec §1, data integrity: a value is a function of key, field and version; any other is not
/// taken for it, at lengths that state the whole version as at those that do not.
#[test]
fn a_value_is_checked_alone() {
    let versions = [0, 1, 31, 32, 1 << 59, 1 << 60, 0x0123_4567_89ab_cdef, u64::MAX];
    for length in (3..40).chain([100, 1000]) {
        let records = records(|s| s.length = FieldLength::Constant(length));
        let (mut seen, mut wrong) = (0, 0);
        for n in 0..30 {
            for version in versions {
                let right = value(&records, n, 3, version);
                assert_eq!(right.len(), length as usize);
                let (key, wanted) = (records.key(n), records.stated(version, right.len()));
                assert_eq!(records.check(key, 3, &right), Some(wanted));
                if length >= 26 {
                    assert_eq!(wanted, version);
                }
                let elsewhere =
                    [records.check(records.key(n + 30), 3, &right), records.check(key, 4, &right)];
                seen += elsewhere.len();
                wrong += elsewhere.iter().flatten().count();
                assert_eq!(records.check(key, 3, &right[1..]), None);
                assert_eq!(records.check(key, 10, &right), None);
            }
        }
        // Each byte that does not state the version is right by chance once in 32 or 64.
        let chance = 32f64.powi((length as i32 / 2).clamp(1, 13) - length as i32) * seen as f64;
        assert!(wrong as f64 <= chance + 5.0 * chance.sqrt() + 0.5, "{length}: {wrong} of {seen}");
    }
}

/// Every change of a byte of a full-length value is seen, in the version as in the rest, also where
/// a compressor saves three quarters of it.
#[test]
fn a_changed_byte_is_seen() {
    for compressibility in ["0", "0.75"] {
        let records = records(|s| s.compressibility = compressibility.parse().unwrap());
        let right = value(&records, 11, 2, 77);
        assert_eq!(right.len(), 100);
        for at in 0..right.len() {
            for other in [b'0', b'O', b'P', b'"', b'b', b'\\', b'|', 0, 255] {
                let mut changed = right.clone();
                changed[at] = other;
                let expected = (changed == right).then_some(77);
                assert_eq!(records.check(records.key(11), 2, &changed), expected, "{at} {other}");
            }
        }
    }
}

/// What a field of one byte can tell: the lowest digit of its version, and no more.
#[test]
fn a_field_of_one_byte() {
    let records = records(|s| s.length = FieldLength::Constant(1));
    let mut seen = HashSet::new();
    for version in 0..100 {
        let byte = value(&records, 1, 0, version);
        assert!(matches!(byte[..], [b' '..=b'?' | b'b']) && byte != b"\"", "{byte:?}");
        assert_eq!(records.check(records.key(1), 0, &byte), Some(version % 32));
        assert!(records.check(records.key(9), 5, &byte).is_some());
        seen.insert(byte);
    }
    assert_eq!(seen.len(), 32);
    assert_eq!(records.check(records.key(9), 5, b"P"), None);
    assert_eq!(records.check(records.key(9), 5, b""), None);
}

#[test]
fn lengths_follow_their_distribution() {
    let count = |length| {
        let records = records(|s| s.length = length);
        let mut counts = vec![0u32; 51];
        for n in 0..20_000 {
            let text = value(&records, n, 1, n % 7);
            counts[text.len()] += 1;
            assert!(records.check(records.key(n), 1, &text).is_some());
        }
        counts
    };
    let uniform = count(FieldLength::Uniform { min: 11, max: 50 });
    assert!(uniform[..11].iter().all(|&n| n == 0));
    // 20,000 draws over 40 lengths: 500 each, five standard deviations are 110.
    assert!(uniform[11..].iter().all(|&n| (390..=610).contains(&n)), "{uniform:?}");
    let zipfian = count(FieldLength::Zipfian { min: 11, max: 50 });
    assert!(zipfian[..11].iter().all(|&n| n == 0));
    // The first of 40 ranks has 1 / 4.32 of all draws.
    assert!((4500..4760).contains(&zipfian[11]), "{zipfian:?}");
    assert!(zipfian[11] > zipfian[12] && zipfian[12] > zipfian[20] && zipfian[20] > zipfian[50]);
}

#[test]
fn parts_are_the_whole() {
    let records = records(|s| (s.start, s.count) = (100, 1003));
    for of in [1, 2, 7, 1003, 5000] {
        let mut next = 100;
        for part in 1..=of {
            let range = records.part(part, of);
            assert_eq!(range.start, next);
            next = range.end;
        }
        assert_eq!(next, 1103);
    }
    for (part, of) in [(0, 3), (4, 3), (1, 0), (0, 0)] {
        assert!(records.part(part, of).is_empty());
    }
}

/// Another seed gives other values and the same keys; no two values are alike.
#[test]
fn seeds() {
    let (one, two) = (records(|_| {}), records(|s| s.seed = 2));
    let mut seen = HashSet::new();
    for n in 0..500 {
        assert_eq!(key_text(&one, n), key_text(&two, n));
        for records in [&one, &two] {
            for field in 0..2 {
                assert!(seen.insert(value(records, n, field, 0)));
            }
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |change: fn(&mut RecordSpec)| {
        let mut spec = RecordSpec::default();
        change(&mut spec);
        Records::new(spec).expect_err("refused").to_string()
    };
    assert_eq!(refused(|s| s.count = 0), "0 records: use at least 1");
    assert!(refused(|s| s.start = u64::MAX).contains("use numbers below 2^62"));
    assert_eq!(refused(|s| s.fields = 0), "0 fields: use at least 1");
    assert!(refused(|s| s.zero_padding = 257).contains("at most 256 digits"));
    assert!(refused(|s| s.length = FieldLength::Constant(0)).contains("at least 1 byte"));
    let backwards = |s: &mut RecordSpec| s.length = FieldLength::Uniform { min: 3, max: 2 };
    assert!(refused(backwards).contains("not above the greatest"));
    assert!(refused(|s| s.length = FieldLength::Constant(1 << 30)).contains("at most 64 MiB"));
    for prefix in ["", "a\"b", "ä", "a b", &"x".repeat(33)] {
        assert!(prefix.parse::<hoap_ycsb::data::FieldPrefix>().is_err(), "{prefix}");
    }
    assert!("sorted".parse::<KeyOrder>().is_err());
}

/// The bytes of DATA_VERSION 2: a change here is a new data version.
#[test]
fn golden() {
    assert_eq!(hoap_ycsb::data::DATA_VERSION, 2);
    let records = records(|s| (s.fields, s.length) = (2, FieldLength::Constant(30)));
    let mut text = Vec::new();
    records.append(1, &mut text);
    assert_eq!(
        String::from_utf8(text).expect("ASCII"),
        r#"{"field0":",Ov5;t$;8>Yw8Di<Wz,Kf7!!4!x-8g","field1":"7:=>1b5/}12!/|'/8`,?c12&</+/S."}"#
    );
}

/// Numbers and their hashes, printed by the jar.
const JAR_HASHES: [(u64, i64); 18] = [
    (0, 6_284_781_860_667_377_211),
    (1, 8_517_097_267_634_966_620),
    (2, 1_820_151_046_732_198_393),
    (9, 9_105_318_085_603_802_964),
    (255, 8_064_062_821_143_829_734),
    (256, 2_056_600_594_528_442_646),
    (999, 2_071_219_101_098_386_137),
    (1_000, 5_952_875_239_596_136_740),
    (65_535, 8_476_454_546_330_126_581),
    (65_536, 3_733_039_891_711_757_428),
    (1_000_000, 1_011_632_231_655_643_464),
    (123_456_789, 2_350_796_791_908_741_607),
    (4_294_967_295, 5_673_037_472_935_113_441),
    (4_294_967_296, 634_246_865_027_890_484),
    (9_999_999_999, 3_605_131_173_811_637_474),
    (10_000_000_000, 1_201_321_332_300_452_516),
    (1_099_511_627_776, 6_908_947_124_047_430_886),
    (4_611_686_018_427_387_903, 8_289_619_981_819_972_355),
];
