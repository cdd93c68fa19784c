//! Commits whose answers are lost: the ledger accounts for every acknowledged one, and takes those
//! of unknown fate as there or not.

use std::sync::atomic::Ordering;
use std::time::Duration;

use hoap_ch2::beside;
use hoap_ch2::checks::conditions::{Deliveries, conditions};
use hoap_ch2::checks::counters;
use hoap_ch2::data::Schema;
use hoap_ch2::freshness::{self, Board};
use hoap_ch2::mix::Kind;
use hoap_ch2::queries::{ParameterSet, QuerySet, Texts};
use hoap_ch2::stream::{Asked, Streams};
use hoap_ch2::terminal::{Memory, Options, Terminals};
use hoap_drive::{Client, Outcome, Workload};
use hoap_record::{Check, Verdict};
use hoap_suites::ch2::checks::{nothing_lost, snapshot};
use hoap_testing::wait;
use hoap_workload::ErrorKind;
use hoap_workload::checks::watch::ALONE;

use super::flaky::{Fate, Flaky};

/// Runs one terminal after the other, `operations` each, and counts failures of any kind.
pub fn drive(terminals: &Terminals, clients: usize, operations: usize) -> (Memory, Vec<ErrorKind>) {
    let (mut memory, mut failed) = (Memory::default(), Vec::new());
    for number in 0..clients {
        wait(async {
            let mut client = terminals.client(number).await.unwrap();
            for _ in 0..operations {
                client.next();
                if let Outcome::Failed(e) = client.run().await.outcome {
                    failed.push(e.kind);
                }
            }
            memory.merge(client.finish());
        });
    }
    (memory, failed)
}

/// Runs 600 operations on a database with these fates and checks the data as `hoap run` does.
fn run(fate: fn(u64) -> Fate) -> (Memory, Vec<ErrorKind>, Vec<Check>) {
    let loaded = super::loaded(Schema::Ch2pp);
    let before = snapshot(&loaded);
    let flaky = Flaky::new(&loaded.target, fate).database();
    let options = Options { seed: 7, retries: 20, think_times: false };
    let terminals = Terminals::new(flaky.clone(), loaded.data, options);
    let board = Board::new(terminals.mark());
    let terminals = terminals.counted(board.clone());
    wait(beside::prepare(&loaded.target, freshness::COLLECTION, false)).unwrap();
    let (memory, failed) = drive(&terminals, 3, 200);
    let ledger = &memory.ledger;
    let after = snapshot(&loaded);
    let deliveries = Deliveries::OfLedger { before: &before.districts, ledger };
    let mut checks = conditions(&after, &loaded.data, deliveries, "test");
    checks.extend(nothing_lost(&loaded, &before, &after, ledger));
    (memory, failed, checks)
}

fn failed(checks: &[Check]) -> Vec<&Check> {
    checks.iter().filter(|c| c.verdict == Verdict::Fail).collect()
}

#[test]
fn commits_of_unknown_fate_are_kept_apart_and_both_fates_are_right() {
    let fates: [fn(u64) -> Fate; 3] = [
        |n| if n % 9 == 4 { Fate::AppliedUnheard } else { Fate::Acknowledged },
        |n| if n % 9 == 4 { Fate::Lost } else { Fate::Acknowledged },
        |n| match n % 9 {
            4 => Fate::AppliedUnheard,
            8 => Fate::Lost,
            _ => Fate::Acknowledged,
        },
    ];
    for fate in fates {
        let (memory, errors, checks) = run(fate);
        let ledger = &memory.ledger;
        assert!(!errors.is_empty() && errors.iter().all(|kind| *kind == ErrorKind::Ambiguous));
        let orders: u64 = ledger.ambiguous_orders.values().sum();
        let deliveries: u64 = ledger.ambiguous_deliveries.values().sum();
        let payments = ledger.ambiguous_payments.len() as u64;
        assert!(orders > 0 && payments > 0 && deliveries > 0, "{orders} {payments} {deliveries}");
        assert_eq!(orders + payments + deliveries, errors.len() as u64, "each is one failure");
        assert!(!ledger.orders.is_empty() && !ledger.payments.is_empty());
        assert_eq!(failed(&checks), [] as [&Check; 0]);
    }
}

#[test]
fn a_commit_that_was_acknowledged_and_not_applied_is_found_among_those_of_unknown_fate() {
    let (_, _, checks) = run(|n| match n % 9 {
        4 => Fate::AppliedUnheard,
        8 if n > 100 => Fate::Lie,
        _ => Fate::Acknowledged,
    });
    let failed: Vec<&str> = failed(&checks).iter().map(|c| c.name.as_str()).collect();
    for name in ["nothing lost: NewOrder", "nothing lost: Payment"] {
        assert!(failed.contains(&name), "{name} saw nothing, only {failed:?} did");
    }
}

/// A database may be at work of its own: what the checks read by key is asked for again, and not
/// for ever.
#[test]
fn checks_run_a_transaction_again_that_conflicts() {
    let loaded = super::loaded(Schema::Ch2pp);
    let flaky = Flaky::new(&loaded.target, |_| Fate::Acknowledged);
    let counters = |conflicts: u64| {
        flaky.state.conflicts.store(conflicts, Ordering::SeqCst);
        wait(counters::read(&flaky.database(), &loaded.data, true, &ALONE))
    };
    let undisturbed = counters(0).unwrap();
    let disturbed = counters(5).unwrap();
    assert_eq!(flaky.state.conflicts.load(Ordering::SeqCst), 0);
    assert_eq!(disturbed.districts, undisturbed.districts);
    let e = counters(1000).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
    assert!(flaky.state.conflicts.load(Ordering::SeqCst) > 900);
}

/// However many retries it is allowed, a step ends: what has met a conflict is not begun again when
/// nobody waits for it.
#[test]
fn a_transaction_that_is_given_up_is_not_tried_again() {
    let loaded = super::loaded(Schema::Ch2);
    let flaky = Flaky::new(&loaded.target, |_| Fate::Conflict);
    let options = Options { seed: 7, retries: u32::MAX, think_times: false };
    let terminals = Terminals::new(flaky.database(), loaded.data, options);
    wait(async {
        let mut client = terminals.client(0).await.unwrap();
        let give_up = client.canceller().unwrap();
        // The first that writes.
        while Kind::ALL[client.next().kind] != Kind::NewOrder {}
        let commits = || flaky.state.commits.load(Ordering::SeqCst);
        let others = async {
            while commits() < 5 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            give_up();
            commits()
        };
        let (done, tried) = tokio::join!(client.run(), others);
        let Outcome::Failed(e) = done.outcome else { panic!("{done:?}") };
        assert_eq!(e.kind, ErrorKind::Cancelled, "{e}");
        assert!(commits() <= tried + 1, "{} after {tried}", commits());
        let Memory { ledger, .. } = client.finish();
        assert!(ledger.orders.is_empty() && ledger.ambiguous_orders.is_empty());
    });
}

/// As a standby ends queries that read what it has to replay.
#[test]
fn a_query_that_a_conflict_ends_runs_again_and_is_counted() {
    let loaded = super::loaded(Schema::Ch2pp);
    let flaky = Flaky::new(&loaded.target, |_| Fate::Acknowledged);
    let texts = Texts::embedded(Schema::Ch2pp, "sqlite", QuerySet::Naive).unwrap();
    let asks = Asked { data: loaded.data, texts, parameters: ParameterSet::Check };
    let streams = Streams::new(flaky.database(), asks);
    wait(async {
        let mut client = streams.client(0).await.unwrap();
        for (conflicts, done) in [(3, true), (0, true), (1000, false)] {
            flaky.state.conflicts.store(conflicts, Ordering::SeqCst);
            client.next();
            let end = client.run().await;
            assert_eq!(matches!(end.outcome, Outcome::Done), done, "{end:?}");
            assert_eq!(u64::from(end.retries), if done { conflicts } else { 20 });
        }
    });
    let lines = streams.warnings();
    assert_eq!(lines.len(), 2, "{lines:?}");
    for times in ["3 times", "20 times"] {
        let told = |line: &&String| line.contains(&format!("warned {times}: it ran again after"));
        assert!(lines.iter().any(|line| told(&line)), "{lines:?}");
    }
}
