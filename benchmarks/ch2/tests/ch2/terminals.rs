//! What terminals draw and how they wait, whatever the database answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use hoap_ch2::data::{DataSet, Schema, Spec};
use hoap_ch2::mix::Kind;
use hoap_ch2::terminal::{Options, Terminal, Terminals};
use hoap_data::Part;
use hoap_database::engine::{
    About, Calls, Done, Engine, OpenTransaction, Read, Session, Transactions,
};
use hoap_database::failure::Failure;
use hoap_database::{Access, Condition, Database, Find, Patch, Patched, Row};
use hoap_drive::{Client, Outcome, Workload};
use hoap_record::Description;
use hoap_record::witness::Level;
use hoap_testing::scanned::only_reads;
use hoap_workload::ErrorKind;
use serde_json::Value;

/// A database without a document, whose transactions do not begin: of every so many the last one
/// does, and none where that is 0.
#[derive(Clone)]
struct Refusing {
    kind: ErrorKind,
    one_of: u32,
    begun: Arc<AtomicU32>,
}

impl Engine for Refusing {
    fn about(&self) -> About {
        About::new("Refusing", "refusing:", &[], Calls::InProcess)
    }

    fn description(&self) -> Description {
        unreachable!("nothing is recorded of it")
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        Some(self)
    }
}

#[async_trait]
impl Transactions for Refusing {
    fn isolation(&self) -> Option<Level> {
        None
    }

    async fn transaction_session(&self) -> Done<Box<dyn Session>> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl Session for Refusing {
    async fn begin<'a>(&'a mut self, _: Access) -> Done<Box<dyn OpenTransaction + 'a>> {
        let begun = 1 + self.begun.fetch_add(1, Ordering::Relaxed);
        match begun.is_multiple_of(self.one_of) {
            true => Ok(Box::new(Empty)),
            false => Err(Failure::new(self.kind, "no")),
        }
    }
}

struct Empty;

#[async_trait]
impl OpenTransaction for Empty {
    fn is_over(&self) -> bool {
        false
    }

    async fn get(&mut self, read: Read<'_>) -> Done<Vec<Option<Row>>> {
        Ok(read.keys.iter().map(|_| None).collect())
    }

    async fn find(&mut self, _: Find<'_>) -> Done<Vec<(String, Row)>> {
        Ok(Vec::new())
    }

    async fn insert(&mut self, _: &str, _: &[(&str, &Value)]) -> Done<()> {
        only_reads()
    }

    async fn put(&mut self, _: &str, _: &str, _: &Value) -> Done<()> {
        only_reads()
    }

    async fn patch(
        &mut self,
        _: &str,
        _: &str,
        _: &[Patch<'_>],
        _: &[Condition<'_>],
    ) -> Done<Patched> {
        only_reads()
    }

    async fn delete(&mut self, _: &str, _: &str) -> Done<bool> {
        only_reads()
    }

    async fn commit(&mut self) -> Done<()> {
        Ok(())
    }

    async fn rollback(&mut self) -> Done<()> {
        Ok(())
    }
}

fn terminals(kind: ErrorKind, one_of: u32, options: Options) -> Terminals {
    let data = DataSet::new(Spec::new(Schema::Ch2pp, 3)).unwrap();
    let database = Refusing { kind, one_of, begun: Arc::default() };
    Terminals::new(Database::new(database), data, options)
}

fn on_a_runtime<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

const OPTIONS: Options = Options { seed: 7, retries: 2, think_times: false };

/// The kinds of so many transactions of a terminal, and the counts of all that it drew.
async fn drawn(mut terminal: Terminal, transactions: usize) -> (Vec<usize>, String) {
    let mut kinds = Vec::new();
    for _ in 0..transactions {
        kinds.push(terminal.next().kind);
        terminal.run().await;
    }
    (kinds, format!("{:?}", terminal.finish().tally.drawn))
}

/// Inputs are a function of the seed, the terminal and the number of its transaction: neither a
/// conflict nor which terminal connected first changes one.
#[test]
fn neither_conflicts_nor_the_order_of_connecting_change_an_input() {
    let all = |kind, order: [usize; 2], part| {
        on_a_runtime(async move {
            let terminals = terminals(kind, 0, OPTIONS).of(part);
            let mut all = Vec::new();
            for number in order {
                let terminal = terminals.client(number).await.unwrap();
                all.push((number, drawn(terminal, 40).await));
            }
            all.sort_by_key(|(number, _)| *number);
            all
        })
    };
    let [one, other] = [1, 2].map(|part| Part { part, of: 2 });
    let smooth = all(ErrorKind::Unavailable, [0, 1], one);
    assert_eq!(smooth, all(ErrorKind::Conflict, [0, 1], one));
    assert_eq!(smooth, all(ErrorKind::Conflict, [1, 0], one));
    assert_ne!(smooth[0].1, smooth[1].1);
    let others = all(ErrorKind::Unavailable, [0, 1], other);
    assert!(others.iter().all(|(_, drawn)| smooth.iter().all(|(_, ours)| ours != drawn)));
}

/// TPC-C 2.1.6.1 has one C in a run, however many drivers make it.
#[test]
fn all_drivers_of_a_run_have_its_constants() {
    let of = |seed, part| {
        let options = Options { seed, ..OPTIONS };
        terminals(ErrorKind::Conflict, 0, options).of(Part { part, of: 16 }).constants()
    };
    assert!((2..=16).all(|part| of(7, part) == of(7, 1)));
    assert_ne!(of(7, 1), of(8, 1));
}

/// Each of the ten transactions of a Delivery waits as a transaction of its own does, from the
/// shortest time on. Carried over, the waits of the ten would be as long as those of ten times as
/// many conflicts in one.
#[test]
fn the_waits_of_a_delivery_do_not_carry_over_its_districts() {
    let retries = 4;
    let options = Options { retries, ..OPTIONS };
    on_a_runtime(async {
        // What ten transactions take that are given up after as many conflicts.
        let mut alone = terminals(ErrorKind::Conflict, 0, options).client(0).await.unwrap();
        let mut ten = Duration::ZERO;
        for _ in 0..10 {
            alone.next();
            let start = Instant::now();
            assert_eq!(alone.run().await.retries, retries);
            ten += start.elapsed();
        }
        let of_five = terminals(ErrorKind::Conflict, retries + 1, options);
        let mut terminal = of_five.client(0).await.unwrap();
        while terminal.next().kind != Kind::Delivery as usize {}
        let start = Instant::now();
        let completion = terminal.run().await;
        assert!(matches!(completion.outcome, Outcome::Done), "{completion:?}");
        assert_eq!(completion.retries, 10 * retries);
        assert!(start.elapsed() < 5 * ten, "{:?}, ten alone {ten:?}", start.elapsed());
    });
}
