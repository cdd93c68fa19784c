//! The bytes of DATA_VERSION 1. A change of any digest here is a new data version: raise
//! [`hoap_ch2::data::DATA_VERSION`] with it.

use hoap_ch2::data::DATA_VERSION;
use hoap_ch2::data::{Collection, DataSet, ExtraFields, Schema, Spec};
use sha2::{Digest, Sha256};

/// SHA-256 over `key`, a tab, the document and a line end, for every document.
fn digest(data: &DataSet, collection: Collection) -> String {
    let mut hash = Sha256::new();
    let (mut key, mut line) = (String::new(), Vec::new());
    for index in 0..data.count(collection) {
        key.clear();
        data.append_key(collection, index, &mut key);
        line.clear();
        line.extend_from_slice(key.as_bytes());
        line.push(b'\t');
        data.append(collection, index, &mut line);
        line.push(b'\n');
        hash.update(&line);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn digests(data: &DataSet) -> Vec<(&'static str, String)> {
    Collection::ALL.map(|collection| (collection.name(), digest(data, collection))).to_vec()
}

fn assert_digests(data: &DataSet, expected: [(&'static str, &str); 11]) {
    assert_eq!(DATA_VERSION, 1);
    let expected = expected.map(|(name, digest)| (name, digest.to_owned())).to_vec();
    assert_eq!(digests(data), expected);
}

/// W = 2, seed 1, scale-down 20.
fn small(schema: Schema) -> DataSet {
    let mut spec = Spec::new(schema, 2);
    spec.scale_down = 20;
    DataSet::new(spec).expect("valid")
}

#[test]
fn small_ch2() {
    assert_digests(&small(Schema::Ch2), SMALL_CH2);
}

#[test]
fn small_ch2pp() {
    assert_digests(&small(Schema::Ch2pp), SMALL_CH2PP);
}

/// Another seed, another RUN_DATE, other extra fields, a single warehouse.
#[test]
fn other_parameters() {
    let mut spec = Spec::new(Schema::Ch2pp, 1);
    spec.seed = 20_260_101;
    spec.run_date = "2024-02-29".parse().expect("a day");
    spec.extra_fields = ExtraFields { customer: 128, orders: 1, item: 0 };
    spec.scale_down = 100;
    assert_digests(&DataSet::new(spec).expect("valid"), OTHER);
}

/// The customers of W = 1 in full.
#[test]
fn customers_in_full() {
    let customers = [Schema::Ch2, Schema::Ch2pp].map(|schema| {
        digest(&DataSet::new(Spec::new(schema, 1)).expect("valid"), Collection::Customer)
    });
    assert_eq!(customers, CUSTOMERS);
}
const SMALL_CH2: [(&str, &str); 11] = [
    ("warehouse", "f7dd70f2695ebbd86638d26416788325d6aef07c87ca7dce08c70e2d8d70e5b0"),
    ("district", "cbc13a3dff7944c4a5c59b679903d51bf36b09e4946f4eb2b325286267337d64"),
    ("customer", "22d641dcbbc42a0c2232a9266724a9678eb2ca47027fb385d3e2b2919772efb8"),
    ("history", "1879d1201129c0c4e94f7ddf1b2814cc5d12f9e3fccef31014727380a737de61"),
    ("orders", "c27b2f7e62294aef2930d3f027f824c7ab4c5857ceac6cfe220241cd32bd10e7"),
    ("neworder", "3ad35643d48db44ee12a0885f0ceda16402f0fb1d504930a040a1dcbe4f61e32"),
    ("stock", "096d4e88eb1ab4d09a5cb008b39bfae826b09ab83e4abe7a330f0eb7e91d6ea8"),
    ("item", "c4b33dc0225bf32a7f8e16357e813d0147189160d0b187393bedcf77dad62f38"),
    ("supplier", "bd460eec9ebba8118efec361fc962fd750191afac3e785fec6c4796c20fb1abb"),
    ("nation", "b24f156790f71eaff74ece6034e98a5414e3be40fe7fe6402ecb96d4531fd15e"),
    ("region", "66282dba362db3b6e3c345423dca7d2147031e155825de09ecfec2471da3d1ec"),
];

const SMALL_CH2PP: [(&str, &str); 11] = [
    ("warehouse", "8e9526a79f7af52ba570818c3cfa43f74cb24f5de334458cbf7cbb00e3a52e2b"),
    ("district", "267f8fbd799d4e9d5385f28f69c94ac99cfde0dc5bb73e39dcc327eca4082744"),
    ("customer", "3998ee352965bd689db550c48d503fe6a33078a3e87db9afd3a832992153f3f7"),
    ("history", "1879d1201129c0c4e94f7ddf1b2814cc5d12f9e3fccef31014727380a737de61"),
    ("orders", "64d4a9f424fd052ded31408943f055a7066ee51b0f693c4251f83c1f035f93b7"),
    ("neworder", "3ad35643d48db44ee12a0885f0ceda16402f0fb1d504930a040a1dcbe4f61e32"),
    ("stock", "9b67dbe68338ce5a927855945b005d33fbc68fa14c7c85782f17faf61676a20d"),
    ("item", "00afd77590ae571a0c6b7c69a9ec05a99b817fe7a59f31bf2b5594261bbbd422"),
    ("supplier", "4cbc4f84441d5115e42b5c5454e1da5c37d720c22154ffea24451b2f2c8c7d9d"),
    ("nation", "b24f156790f71eaff74ece6034e98a5414e3be40fe7fe6402ecb96d4531fd15e"),
    ("region", "66282dba362db3b6e3c345423dca7d2147031e155825de09ecfec2471da3d1ec"),
];

const OTHER: [(&str, &str); 11] = [
    ("warehouse", "8cf38dface8eb7472c7efb715613a61299fbe1b885510dcc5be78dbcf8ee1348"),
    ("district", "0b00f75b4ce114dbe03c849de2869d2f7e436d8f7ad3446d20fbfa1b6d4d2e2e"),
    ("customer", "99eecbbcdc4eb073ed5c15fc845bddd525ef156cf305a5cac1e8e0c0cb8ec126"),
    ("history", "e652abe41e6e69f90ebc3b987dcefb6d08e142da3dda9b1a05dea996afdb8dad"),
    ("orders", "da47e3f61b73e95a398ee2bf549c31831ca7f3e555c96fa87310eff19b6dc252"),
    ("neworder", "0d0a00d43e018d86208ab91669279ab450118c51f1356a0d499f88215dac85c3"),
    ("stock", "a89f86c8b194bfdd1a3c303a1dd01cfd8fbbdbe1493e4af07b09680db017db57"),
    ("item", "0f4916b22a639b6108bb83866882679e07283c29222470a75e8af014d5047be2"),
    ("supplier", "a00946d0efe61be3b85cea5dee8f8cc46ca253a6251a5efe5d21498451a889d9"),
    ("nation", "7dc0827ddaef2845db6bbeb3f85ed99d65e66b1a9e10eb81909a1b14f86a9250"),
    ("region", "03cf8885c95ffffa1a178bb4c9d779dcc0982ea6eecc79d85a30bb8c0dccc617"),
];

const CUSTOMERS: [&str; 2] = [
    "2ed00f93f31b1d1cf3152968d56b360cfedb46d99543f2940487ba8acb97906f",
    "7cd15fba4ec1f60492dfa3ba0ab27bb307de18fc55d8f0a7a2f6fc2b18d1f7f2",
];
