//! The table that a load writes and a run finds again.

use hoap_workload::ErrorKind;
use hoap_workload::load::LoadSource;
use hoap_ycsb::UserTable;
use hoap_ycsb::data::{FieldLength, KeyOrder, RecordSpec};
use serde_json::json;

#[test]
fn a_note_leads_back_to_the_table() {
    let lengths = [
        FieldLength::Constant(7),
        FieldLength::Uniform { min: 2, max: 9 },
        FieldLength::Zipfian { min: 2, max: 9 },
    ];
    for (length, share) in lengths.into_iter().zip(["0", "0.21", "0.5"]) {
        for order in [KeyOrder::Hashed, KeyOrder::Ordered] {
            let spec = RecordSpec {
                seed: 1 << 63 | 5,
                start: 10,
                count: 77,
                fields: 3,
                length,
                compressibility: share.parse().unwrap(),
                order,
                zero_padding: 9,
                prefix: "f_".parse().unwrap(),
            };
            let table = UserTable::new("t_1", spec).unwrap();
            let again = UserTable::from_parameters(&table.parameters()).unwrap();
            assert_eq!(again.name(), "t_1");
            assert_eq!(again, table);
            assert_eq!(again.table().fields, ["f_0", "f_1", "f_2"]);
        }
    }
}

/// Equal exactly where the bytes are: each parameter is in the note.
#[test]
fn every_parameter_is_noted() {
    let parameters = |change: fn(&mut RecordSpec)| {
        let mut spec = RecordSpec::default();
        change(&mut spec);
        UserTable::new("usertable", spec).unwrap().parameters()
    };
    let base = parameters(|_| {});
    let changes: [fn(&mut RecordSpec); 10] = [
        |s| s.seed = 2,
        |s| s.start = 1,
        |s| s.count = 2,
        |s| s.fields = 2,
        |s| s.length = FieldLength::Constant(2),
        |s| s.length = FieldLength::Uniform { min: 100, max: 100 },
        |s| s.compressibility = "0.5".parse().unwrap(),
        |s| s.order = KeyOrder::Ordered,
        |s| s.zero_padding = 2,
        |s| s.prefix = "x".parse().unwrap(),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        assert_ne!(parameters(change), base, "change {number}");
    }
    let other = UserTable::new("other", RecordSpec::default()).unwrap();
    assert_ne!(other.parameters(), base);
    assert_eq!(
        (other.benchmark(), other.collections(), other.indexes()),
        ("ycsb", vec!["other"], vec![])
    );
}

#[test]
fn a_note_that_cannot_be_used_is_refused() {
    let mut note = UserTable::new("usertable", RecordSpec::default()).unwrap().parameters();
    // 1 had values of 32 characters.
    for version in [1, 99] {
        note["version"] = json!(version);
        let error = UserTable::from_parameters(&note).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unavailable);
        let expected = format!("data version {version}, this program makes version 2");
        assert!(error.to_string().contains(&expected), "{error}");
    }
    for (name, value) in [
        ("order", json!("x")),
        ("field_length_distribution", json!("x")),
        ("records", json!(0)),
        ("fields", json!(null)),
    ] {
        let mut note = UserTable::new("usertable", RecordSpec::default()).unwrap().parameters();
        note[name] = value;
        assert!(UserTable::from_parameters(&note).is_err(), "{name}");
    }
    assert!(UserTable::from_parameters(&json!({})).is_err());
}
