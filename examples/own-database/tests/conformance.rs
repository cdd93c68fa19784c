//! What every database promises, of this one; and this one at the command line.

use std::process::Command;

use hoap_database::Database;
use own_database::Memory;

fn fresh() -> (Database, ()) {
    (Database::new(Memory::default()), ())
}

hoap_suites::document_tests!(fresh);
hoap_suites::key_value_tests!(fresh);
hoap_suites::conformance_tests!(fresh: operations_on_a_table_that_is_gone_are_missing);

/// What `hoap` prints, and whether it ended well.
fn hoap(words: &str) -> (String, bool) {
    let mut hoap = Command::new(env!("CARGO_BIN_EXE_own-database"));
    let out = hoap.args(words.split(' ')).output().unwrap();
    let (told, said) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (format!("{told}{said}"), out.status.success())
}

#[test]
fn hoap_lists_it_examines_it_and_refuses_what_it_lacks() {
    let (listed, _) = hoap("targets");
    assert!(listed.contains("memory:NAME") && listed.contains("sqlite:"), "{listed}");
    let (examined, passed) = hoap("doctor memory:a");
    assert!(passed && examined.contains("records"), "{examined}");
    let (refused, passed) = hoap("run ch2 --operational memory:a --dry-run");
    assert!(!passed && refused.contains("it has no transactions"), "{refused}");
}
