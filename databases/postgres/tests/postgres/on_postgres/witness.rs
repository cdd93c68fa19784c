//! The isolation that PostgreSQL shows at each level.

use hoap_record::{Level, Witness};
use hoap_suites::witness::{anomalies, kept};

use super::fresh_with;

fn at(level: &str, promised: Level) -> Witness {
    let (target, _schema) = fresh_with(&format!("&isolation={level}"));
    kept(&target, (6, 80), promised, &[])
}

/// What a level shows in at most five runs: clients that a busy machine lets run one after the other
/// show nothing.
fn until(level: &str, found: Level) -> Witness {
    let mut runs = (0..5).map(|_| at(level, found));
    let mut witness = runs.next().unwrap();
    while witness.found > Some(found) {
        let Some(next) = runs.next() else { break };
        witness = next;
    }
    witness
}

#[test]
fn read_committed_loses_updates_and_reads_skewed() {
    let witness = at("read-committed", Level::ReadCommitted);
    assert_eq!(witness.found, Some(Level::ReadCommitted));
    let seen = anomalies(&witness);
    for expected in ["lost update (P4)", "read skew (G-single)"] {
        assert!(seen.contains(&expected), "{seen:?}");
    }
}

#[test]
fn repeatable_read_has_write_skew_and_nothing_worse() {
    let witness = until("repeatable-read", Level::Snapshot);
    assert_eq!(witness.found, Some(Level::Snapshot));
    assert_eq!(anomalies(&witness)[0], "write skew (G2-item)", "{witness:#?}");
}

/// Nor do transactions that only read: beside serializable ones a snapshot alone may show what no
/// order explains.
#[test]
fn nothing_contradicts_serializable() {
    let witness = at("serializable", Level::Serializable);
    assert!(witness.found >= Some(Level::Serializable), "{witness:#?}");
}
