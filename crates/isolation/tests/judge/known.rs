//! Histories from the literature, and their smallest variations.

use super::*;
use Kind::*;

const NONE: Option<Level> = None;
const READ_UNCOMMITTED: Option<Level> = Some(Level::ReadUncommitted);
const READ_COMMITTED: Option<Level> = Some(Level::ReadCommitted);
const SNAPSHOT: Option<Level> = Some(Level::Snapshot);
const SERIALIZABLE: Option<Level> = Some(Level::Serializable);
const STRICT: Option<Level> = Some(Level::StrictSerializable);

#[test]
fn one_after_the_other_is_strict_serializable() {
    shows("", &[], STRICT);
    let witness = shows(
        "committed 0-1 r1= w1=1
         rolled-back 2-3 r1=1 w1=2
         unknown 2-4 r1=1 w1=3
         committed 5-6 r1=1 r2= w2=4 w2=5 r2=4,5
         committed 7-8 r2=4,5 r1=1 w1=6
         committed 9-10 r1=1,6 r2=4,5",
        &[],
        STRICT,
    );
    assert_eq!((witness.committed, witness.rolled_back, witness.unknown), (4, 1, 1));
    assert_eq!((witness.reads, witness.writes), (10, 6));
}

/// Adya 1999, 4.2.1: H_wcycle. Both documents were written by both, in different orders.
#[test]
fn g0() {
    let cycle = "committed a1=1 a2=2
                 committed a1=3 a2=4
                 committed r1=1,3 r2=4,2";
    let witness = shows(cycle, &[WriteCycle], NONE);
    assert_eq!(witness.anomalies[0].example.transactions.len(), 2);
    shows(
        "committed a1=1 a2=2
         committed a1=3 a2=4
         committed r1=1,3 r2=2,4",
        &[],
        STRICT,
    );
}

/// Adya 1999, 4.2.2: H_1a, and an update on top of it.
#[test]
fn g1a_aborted_reads() {
    let witness = shows(
        "rolled-back r1= w1=1
         committed r1=1",
        &[AbortedRead],
        READ_UNCOMMITTED,
    );
    assert_eq!(
        witness.anomalies[0].example.words,
        ["T1 wrote 1 to document 1 and rolled back; T2 read it there."]
    );
    shows(
        "rolled-back a1=1
         committed a1=2
         committed r1=1,2",
        &[AbortedRead],
        READ_UNCOMMITTED,
    );
    // One that failed as well may read anything.
    shows("rolled-back r1= w1=1\nrolled-back r1=1", &[], STRICT);
}

/// Adya 1999, 4.2.2: H_1b.
#[test]
fn g1b_intermediate_reads() {
    let both = "committed r1= w1=1 w1=2\n";
    shows(&format!("{both}committed r1=1"), &[IntermediateRead], READ_UNCOMMITTED);
    shows(&format!("{both}committed r1=1,2"), &[], STRICT);
    shows(
        &format!("{both}unknown r1=1 w2=3\ncommitted r2=3"),
        &[IntermediateRead],
        READ_UNCOMMITTED,
    );
}

/// Adya 1999, 4.2.2: H_1c, and one through a write.
#[test]
fn g1c() {
    let witness = shows(
        "committed a1=1 r2=2
         committed a2=2 r1=1",
        &[InformationCycle],
        READ_UNCOMMITTED,
    );
    assert_eq!(
        witness.anomalies[0].example.words[..2],
        ["T2 read T1's 2 in document 2.", "T1 read T2's 1 in document 1."]
    );
    shows(
        "committed a1=1 a2=2
         committed a1=3 r2=2
         committed r1=3,1",
        &[InformationCycle],
        READ_UNCOMMITTED,
    );
}

/// Berenson et al. 1995, A5A; Adya 1999, 4.3: H_read-skew.
#[test]
fn g_single() {
    let witness = shows(
        "committed r1= r2=2
         committed r1= w1=1 r2= w2=2",
        &[ReadSkew],
        READ_COMMITTED,
    );
    assert_eq!(
        witness.anomalies[0].example.words[..2],
        ["T1 read document 1 without T2's 1.", "T1 read T2's 2 in document 2."]
    );
    // A read that does not repeat.
    shows(
        "committed r1= r1=1
         committed r1= w1=1",
        &[ReadSkew],
        READ_COMMITTED,
    );
}

/// Berenson et al. 1995, P4: both read the same version and both replaced it.
#[test]
fn lost_updates() {
    let both = "committed r1= w1=1
                committed r1= w1=2\n";
    let witness = shows(both, &[LostUpdate], READ_COMMITTED);
    assert_eq!(witness.anomalies[0].count, 1);
    shows(&format!("{both}committed r1=1\ncommitted r1=2"), &[LostUpdate], READ_COMMITTED);
    shows(&format!("{both}committed r1=2 w1=3\ncommitted r1=2,3"), &[LostUpdate], READ_COMMITTED);
    // One that was overwritten without having been seen.
    shows("committed r1= w1=1\ncommitted a1=2\ncommitted r1=2", &[LostUpdate], READ_COMMITTED);
    let three = shows(&format!("{both}committed r1= w1=3"), &[LostUpdate], READ_COMMITTED);
    assert_eq!(three.anomalies[0].count, 2);
    // It only counts where both did.
    shows("committed r1= w1=1\nrolled-back r1= w1=2", &[], STRICT);
    shows("committed r1= w1=1\nunknown r1= w1=2\ncommitted r1=1", &[], STRICT);
    shows("committed r1= w1=1\nunknown r1= w1=2\ncommitted r1=2", &[LostUpdate], READ_COMMITTED);
}

/// Berenson et al. 1995, A5B.
#[test]
fn g2_item() {
    let witness = shows(
        "committed r1= r2= w1=1
         committed r1= r2= w2=2",
        &[WriteSkew],
        SNAPSHOT,
    );
    let example = &witness.anomalies[0].example;
    assert_eq!(example.words[0], "T1 read document 2 without T2's 2.");
    assert_eq!(example.words[1], "T2 read document 1 without T1's 1.");
    assert_eq!(example.edges.len(), 2);
    // Fekete, O'Neil and O'Neil 2004: only the one that just reads shows it.
    shows(
        "committed r1= r2= w1=1
         committed r2= w2=2
         committed r1= r2=2",
        &[WriteSkew],
        SNAPSHOT,
    );
    shows(
        "committed r1= r2= w1=1
         committed r2= w2=2
         committed r1= r2=",
        &[],
        STRICT,
    );
}

/// Cerone and Gotsman 2018, long fork: two readers see two writers in different orders.
#[test]
fn g_nonadjacent() {
    shows(
        "committed r1= w1=1
         committed r2= w2=2
         committed r1=1 r2=
         committed r1= r2=2",
        &[NonAdjacent],
        READ_COMMITTED,
    );
}

/// Kingsbury and Alvaro 2020, 7.1 (TiDB): T1 did not see 5, and then wrote on top of it.
#[test]
fn tidb_of_elle() {
    let before = "committed a34=2\ncommitted a34=1\n";
    let text = format!(
        "{before}committed r34=2,1 a36=55 a34=4
         committed a34=5
         committed r34=2,1,5,4"
    );
    let witness = shows(&text, &[ReadSkew], READ_COMMITTED);
    let words = &witness.anomalies[0].example.words;
    assert!(words.contains(&"T1 read document 34 without T2's 5.".to_string()), "{words:?}");
    assert!(words.contains(&"T1 wrote 4 over T2's version of document 34.".to_string()));
}

/// Kingsbury and Alvaro 2020, 7.3 (FaunaDB): a transaction that does not see its own append.
#[test]
fn internal_inconsistency() {
    shows("committed a1=6 r1=", &[Internal], NONE);
    shows("committed r1= w1=1 w1=2 r1=1", &[Internal], NONE);
    shows("committed r1= w1=1 w1=2 r1=2,1", &[Internal], NONE);
    shows("committed r1= w1=1 r1=1 w1=2 r1=1,2", &[], STRICT);
}

/// Kingsbury and Alvaro 2020, 4.2.1 and 4.3.1: values in no or in several orders.
#[test]
fn lists_that_cannot_be() {
    shows("committed r1=9", &[Unwritten], NONE);
    shows("committed a2=1\ncommitted r1=1", &[Unwritten], NONE);
    shows("committed a1=1\ncommitted r1=1,1", &[Duplicate], NONE);
    shows("committed a1=1\ncommitted a1=2\ncommitted r1=1,2,1", &[Duplicate], NONE);
    let two = "committed a1=1\ncommitted a1=2\n";
    let incompatible = [IncompatibleOrders];
    shows(&format!("{two}committed r1=1,2\ncommitted r1=2,1"), &incompatible, READ_UNCOMMITTED);
    shows(&format!("{two}committed r1=1\ncommitted r1=2"), &incompatible, READ_UNCOMMITTED);
    shows(
        "committed r1= w1=1\ncommitted r1=1 w1=2\ncommitted r1=2",
        &incompatible,
        READ_UNCOMMITTED,
    );
    let text = "committed r1=2\ncommitted r1= w1=1\ncommitted r1=1 w1=2";
    shows(text, &[IncompatibleOrders, LostUpdate], READ_UNCOMMITTED);
    shows(
        "committed r1= w1=1\ncommitted r1=1 w1=2\ncommitted r1=1,2 w1=3
         committed r1=1,2,3\ncommitted r1=2,3",
        &incompatible,
        READ_UNCOMMITTED,
    );
}

#[test]
fn time_counts_only_for_the_strict_level() {
    let stale = "committed 0-10 r1= w1=1
                 committed 11-20 r1=";
    let witness = shows(stale, &[StaleRead], SERIALIZABLE);
    assert_eq!(witness.anomalies[0].example.words[1], "T1 began 0.000 ms after T2 had ended.");
    // At the same time.
    shows("committed 0-10 r1= w1=1\ncommitted 10-20 r1=", &[], STRICT);
    // An acknowledgement that did not come has no time.
    shows("unknown 0-10 r1= w1=1\ncommitted 11-20 r1=\ncommitted 11-20 r1=1", &[], STRICT);
    // The first began before the second did and may take effect after it.
    shows("committed 0-50 r1= w1=1\ncommitted 20-30 r1=\ncommitted 40-60 r1=1", &[], STRICT);
    // Seen by the one that had ended, and not by the one that began afterwards.
    let cycle = "committed 0-10 r1=1
                 committed 0-100 r1= w1=1
                 committed 20-30 r1=";
    shows(cycle, &[TimeCycle], SERIALIZABLE);
}

#[test]
fn unknown_outcomes_are_right_either_way() {
    let text = "unknown r1= w1=1\nunknown r1=1 w1=2 r2= w2=3\ncommitted ";
    shows(&format!("{text}r1="), &[], STRICT);
    shows(&format!("{text}r1=1,2 r2=3"), &[], STRICT);
    // The second is there, so the first one is, too.
    shows(&format!("{text}r2=3 r1="), &[ReadSkew], READ_COMMITTED);
}

#[test]
fn what_is_no_history_is_refused() {
    let says = |text| judge(&history(text), None).unwrap_err();
    assert_eq!(says("committed w1=1\ncommitted w2=1"), "the value 1 is written twice");
    assert_eq!(says("committed 5-4 r1="), "attempt 0 ended before it began");
}

#[test]
fn a_promise_is_broken_by_less_than_it() {
    let skew = history("committed r1= r2= w1=1\ncommitted r1= r2= w2=2");
    for (promised, broken) in [
        (None, false),
        (Some(Level::ReadCommitted), false),
        (Some(Level::Snapshot), false),
        (Some(Level::Serializable), true),
    ] {
        assert_eq!(judge(&skew, promised).unwrap().broken(), broken, "{promised:?}");
    }
    let nothing = history("committed r1=9");
    assert!(judge(&nothing, Some(Level::ReadUncommitted)).unwrap().broken());
}
