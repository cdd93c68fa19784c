//! Freshness on a real database: what the probe sees beside transactions (spec §7).

use std::sync::Arc;
use std::time::{Duration, Instant};

use hoap_ch2::beside;
use hoap_ch2::checks::conditions::{Deliveries, conditions};
use hoap_ch2::data::Schema;
use hoap_ch2::freshness::{self, Board, COLLECTION, FIELD, Probes};
use hoap_ch2::terminal::{Options, Terminals};
use hoap_data::Part;
use hoap_database::Database;
use hoap_drive::{Client, Look, Outcome, Probe, Probing, Workload};
use hoap_record::Verdict;
use hoap_suites::ch2::checks::{nothing_lost, snapshot};
use hoap_suites::ch2::loaded::{Loaded, data, load_part};
use hoap_testing::wait;
use hoap_workload::load::Existing;
use hoap_workload::{ErrorKind, note};

use super::faults::drive;
use super::flaky::{Fate, Flaky};

const OPTIONS: Options = Options { seed: 3, retries: 20, think_times: false };

struct Bench {
    loaded: Loaded,
    flaky: Flaky,
    terminals: Terminals,
    board: Arc<Board>,
}

impl Bench {
    fn new(fate: fn(u64) -> Fate) -> Bench {
        let loaded = super::loaded(Schema::Ch2pp);
        let flaky = Flaky::new(&loaded.target, fate);
        let terminals = Terminals::new(flaky.database(), loaded.data, OPTIONS);
        let board = Board::new(terminals.mark());
        let terminals = terminals.counted(board.clone());
        wait(beside::prepare(&loaded.target, freshness::COLLECTION, false)).unwrap();
        Bench { loaded, flaky, terminals, board }
    }

    fn probes(&self) -> Probes {
        Probes::new(self.flaky.database(), self.board.clone(), Duration::from_millis(10))
    }

    fn counters(&self) -> Vec<(String, i64)> {
        wait(async {
            let mut session = self.loaded.target.analytics().unwrap().session().await.unwrap();
            session.counters(COLLECTION, FIELD).await.unwrap()
        })
    }

    fn caught_up(&self, limit: Duration) -> hoap_workload::Result<Duration> {
        let asked = self.board.ask();
        wait(freshness::caught_up(&self.flaky.database(), &self.board, &asked, limit, &|| false))
    }
}

/// SQLite's readers see whatever was committed: the probe must never miss an acknowledged commit,
/// whatever becomes of those whose answer is lost.
#[test]
fn queries_of_the_same_database_see_everything_acknowledged() {
    let bench = Bench::new(|n| match n % 11 {
        4 => Fate::AppliedUnheard,
        9 => Fate::Lost,
        _ => Fate::Acknowledged,
    });
    let running = std::sync::atomic::AtomicBool::new(true);
    let looks: Vec<Look> = std::thread::scope(|scope| {
        let looking = scope.spawn(|| {
            wait(async {
                let mut probe = bench.probes().probe().await.unwrap();
                let mut looks = Vec::new();
                while running.load(std::sync::atomic::Ordering::SeqCst) {
                    looks.push(probe.look().await.unwrap());
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                looks
            })
        });
        drive(&bench.terminals, 2, 200);
        running.store(false, std::sync::atomic::Ordering::SeqCst);
        looking.join().unwrap()
    });
    assert!(looks.len() > 5, "{}", looks.len());
    assert!(looks.iter().all(|look| look.unseen.is_zero()), "{looks:?}");
    assert!(looks.iter().any(|look| look.newest_seen.is_some()));
    assert!(bench.caught_up(Duration::ZERO).is_ok());
}

/// What the queries see stands still: the oldest commit since then grows old, and nothing else.
#[test]
fn queries_that_see_an_old_state_are_as_old_as_the_first_commit_they_miss() {
    let bench = Bench::new(|_| Fate::Acknowledged);
    drive(&bench.terminals, 2, 50);
    let mut probe = wait(bench.probes().probe()).unwrap();
    assert_eq!(wait(probe.look()).unwrap().unseen, Duration::ZERO);
    *bench.flaky.state.frozen.lock().unwrap() = Some(bench.counters());
    assert_eq!(wait(probe.look()).unwrap().unseen, Duration::ZERO, "nothing new to miss");

    let before = Instant::now();
    drive(&bench.terminals, 1, 10);
    let after = Instant::now();
    std::thread::sleep(Duration::from_millis(100));
    let asked = Instant::now();
    let look = wait(probe.look()).unwrap();
    // The first missed commit was acknowledged between `before` and `after`.
    assert!(look.unseen >= asked - after && look.unseen <= before.elapsed(), "{look:?}");
    assert!(look.newest_seen.unwrap() > look.unseen, "what is seen is older");

    let e = bench.caught_up(Duration::from_millis(50)).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable);
    assert!(e.to_string().contains("--catch-up-limit"), "{e}");
    let asked = bench.board.ask();
    let flaky = bench.flaky.database();
    let end = freshness::caught_up(&flaky, &bench.board, &asked, Duration::from_secs(60), &|| true);
    assert_eq!(wait(end).unwrap_err().kind, ErrorKind::Cancelled);
    *bench.flaky.state.frozen.lock().unwrap() = None;
    assert!(bench.caught_up(Duration::from_secs(60)).is_ok());
    assert_eq!(wait(probe.look()).unwrap().unseen, Duration::ZERO);
}

#[test]
fn a_database_that_comes_back_is_waited_for() {
    let bench = Bench::new(|_| Fate::Acknowledged);
    drive(&bench.terminals, 1, 20);
    let down = &bench.flaky.state.down;
    down.store(true, std::sync::atomic::Ordering::SeqCst);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            down.store(false, std::sync::atomic::Ordering::SeqCst);
        });
        let took = bench.caught_up(Duration::from_secs(60)).unwrap();
        assert!(took >= Duration::from_millis(150), "{took:?}");
    });
}

/// Every writing transaction moves its client's counter, and no other one does.
#[test]
fn each_commit_moves_its_clients_counter_and_the_data_stays_what_it_is() {
    let bench = Bench::new(|_| Fate::Acknowledged);
    let documents = bench.loaded.target.documents().unwrap();
    let take = || snapshot(&bench.loaded);
    let before = take();
    let (memory, failed) = drive(&bench.terminals, 2, 150);
    assert!(failed.is_empty());
    let ledger = &memory.ledger;
    let deliveries: u64 = ledger.deliveries.len() as u64;
    let commits = ledger.orders.len() as u64 + ledger.payments.len() as u64 + deliveries;
    let counters = bench.counters();
    assert_eq!(counters.len(), 2);
    // A NewOrder that rolls back, and a district without an order, give no number.
    assert_eq!(counters.iter().map(|(_, n)| *n as u64).sum::<u64>(), commits);
    let after = take();
    let deliveries = Deliveries::OfLedger { before: &before.districts, ledger };
    let mut checks = conditions(&after, &bench.loaded.data, deliveries, "test");
    checks.extend(nothing_lost(&bench.loaded, &before, &after, ledger));
    assert!(checks.iter().all(|c| c.verdict == Verdict::Pass), "{checks:#?}");

    // A later step goes on with the same documents; the next run begins without them.
    drive(&bench.terminals, 3, 5);
    assert_eq!(bench.counters().len(), 3);
    wait(beside::prepare(&bench.loaded.target, freshness::COLLECTION, false)).unwrap();
    assert_eq!(bench.counters(), []);
    load_part(&bench.loaded.target, &bench.loaded.data, Part::WHOLE, Existing::Replace).unwrap();
    assert!(!wait(documents.any_exists(&[COLLECTION])).unwrap(), "replaced data has none");
}

/// Each driver prepares for itself, before the others begin or after.
#[test]
fn one_driver_among_several_leaves_the_counters_of_the_others() {
    let bench = Bench::new(|_| Fate::Acknowledged);
    wait(freshness::mark(&bench.loaded.target, &bench.board)).unwrap();
    let other =
        Board::new(Terminals::new(bench.flaky.database(), bench.loaded.data, OPTIONS).mark());
    wait(beside::prepare(&bench.loaded.target, freshness::COLLECTION, true)).unwrap();
    wait(freshness::mark(&bench.loaded.target, &other)).unwrap();
    assert_eq!(bench.counters().len(), 2);
    drive(&bench.terminals, 2, 20);
    let counters = bench.counters();
    assert_eq!(counters.len(), 3);
    // Neither board takes the other's counters for its own.
    assert!(bench.board.shows_all(&bench.board.ask(), &counters));
    assert!(other.shows_all(&other.ask(), &counters));
}

#[test]
fn counters_that_somebody_removes_fail_and_say_so() {
    let bench = Bench::new(|_| Fate::Acknowledged);
    wait(async {
        let mut client = bench.terminals.client(0).await.unwrap();
        beside::prepare(&bench.loaded.target, freshness::COLLECTION, false).await.unwrap();
        loop {
            client.next();
            if let Outcome::Failed(e) = client.run().await.outcome {
                assert_eq!(e.kind, ErrorKind::Broken);
                assert!(e.to_string().contains("removed the counters"), "{e}");
                return;
            }
        }
    });
}

#[test]
fn the_other_database_must_hold_the_same_data() {
    let one = super::loaded(Schema::Ch2pp);
    let loaded = wait(note::read(one.target.documents().unwrap())).unwrap().unwrap();
    let same = |target: &Database| {
        let limit = Duration::from_millis(30);
        wait(freshness::same_data(target, &loaded, limit, &|| false))
    };
    same(&one.target).unwrap();
    same(&super::loaded(Schema::Ch2pp).target).unwrap();
    let e = same(&super::loaded(Schema::Ch2).target).unwrap_err();
    assert_eq!((e.kind, e.answer.contains("ch2, not ch2pp")), (ErrorKind::Invalid, true), "{e}");
    let mut spec = *data(Schema::Ch2pp).spec();
    spec.seed += 1;
    let e = same(&Loaded::of(super::fresh, hoap_ch2::data::DataSet::new(spec).unwrap()).target)
        .unwrap_err();
    assert!(e.kind == ErrorKind::Invalid && e.answer.contains("seed"), "{e}");

    let dir = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", dir.path().join("none.db").display());
    let empty = wait(hoap_databases::open(&url)).unwrap();
    let e = same(&empty).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable);
    assert!(e.answer.contains("no data of hoap"), "{e}");
}
