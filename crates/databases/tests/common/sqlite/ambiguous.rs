//! YCSB on a real database whose answers are sometimes lost: the checks after the run take those
//! writes as there or not, and find one that was acknowledged and is not there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hoap_database::engine::{Done, RecordSession, RecordStore};
use hoap_database::failure::Failure;
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_database::{Documents, KeyValue};
use hoap_databases::sqlite::SqliteEngine;
use hoap_drive::{Client, Outcome, Workload};
use hoap_record::{Check, Verdict};
use hoap_workload::ErrorKind;
use hoap_workload::checks::watch::ALONE;
use hoap_workload::checks::{At, Level};
use hoap_workload::load::{Existing, Load, load};
use hoap_ycsb::{Memory, PRESETS, Properties, Setup, UserTable, Ycsb};

use super::conformance::wait;
use super::fresh;

/// What becomes of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Acknowledged,
    AppliedUnheard,
    Lost,
    Lie,
}

/// SQLite behind a connection that loses answers; `fate` says what becomes of the nth write.
struct Flaky {
    inner: SqliteEngine,
    writes: Arc<AtomicU64>,
    fate: fn(u64) -> Fate,
}

struct FlakySession {
    inner: <SqliteEngine as RecordStore>::Session,
    writes: Arc<AtomicU64>,
    fate: fn(u64) -> Fate,
}

impl RecordStore for Flaky {
    type Session = FlakySession;

    async fn record_session(&self, table: &Table) -> Done<FlakySession> {
        let inner = self.inner.record_session(table).await?;
        Ok(FlakySession { inner, writes: self.writes.clone(), fate: self.fate })
    }
}

impl FlakySession {
    fn fate(&self) -> Fate {
        (self.fate)(self.writes.fetch_add(1, Ordering::SeqCst))
    }
}

fn unknown<T>() -> Done<T> {
    Err(Failure::new(ErrorKind::Unavailable, "the connection was lost").unsure())
}

impl RecordSession for FlakySession {
    async fn read(&mut self, key: &str, fields: Fields, into: &mut Record) -> Done<bool> {
        self.inner.read(key, fields, into).await
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Done<()> {
        match self.fate() {
            Fate::Acknowledged => self.inner.insert(key, record).await,
            Fate::AppliedUnheard => self.inner.insert(key, record).await.and(unknown()),
            Fate::Lost => unknown(),
            Fate::Lie => Ok(()),
        }
    }

    async fn update(&mut self, key: &str, record: &Record) -> Done<bool> {
        match self.fate() {
            Fate::Acknowledged => self.inner.update(key, record).await,
            Fate::AppliedUnheard => self.inner.update(key, record).await.and(unknown()),
            Fate::Lost => unknown(),
            Fate::Lie => Ok(true),
        }
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        match self.fate() {
            Fate::Acknowledged => self.inner.delete(key).await,
            Fate::AppliedUnheard => self.inner.delete(key).await.and(unknown()),
            Fate::Lost => unknown(),
            Fate::Lie => Ok(true),
        }
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        self.inner.scan(start, count, fields, scanned).await
    }
}

/// Two clients, one after the other, 400 operations each; then the checks after the run.
fn run(preset: &str, fate: fn(u64) -> Fate) -> (Vec<ErrorKind>, Vec<Check>) {
    let (target, _dir) = fresh();
    let mut properties = Properties::preset(PRESETS.iter().find(|p| p.name == preset).unwrap());
    for pair in ["recordcount=50", "fieldcount=2", "fieldlength=20"] {
        properties.pair(pair).unwrap();
    }
    let setup = Setup::new(&properties).unwrap();
    let table = UserTable::new(&setup.table, setup.load_spec()).unwrap();
    let documents: Documents<'_> = target.documents().unwrap();
    let what = Load::whole(table.clone(), Existing::Refuse);
    wait(load(documents, what, Arc::new(|| false), &mut |_| ())).unwrap();
    let inner = target.engine::<SqliteEngine>().unwrap().clone();
    let flaky = Flaky { inner, writes: Arc::default(), fate };
    let ycsb = Ycsb::new(KeyValue::alone("flaky:", flaky), &table, setup).unwrap();
    let (mut memory, mut failed) = (Memory::nothing(), Vec::new());
    for number in 0..2 {
        wait(async {
            let mut client = ycsb.client(number).await.unwrap();
            for _ in 0..400 {
                client.next();
                if let Outcome::Failed(e) = client.run().await.outcome {
                    failed.push(e.kind);
                }
            }
            memory.merge(client.finish());
        });
    }
    let at = At { target: &target, level: Level::Full, when: "after the run", watch: &ALONE };
    (failed, wait(ycsb.check(&at, Some(&memory))).unwrap())
}

#[test]
fn writes_of_unknown_fate_are_kept_apart_and_both_fates_are_right() {
    let fates: [fn(u64) -> Fate; 2] = [
        |n| if n % 5 == 3 { Fate::AppliedUnheard } else { Fate::Acknowledged },
        |n| if n % 5 == 3 { Fate::Lost } else { Fate::Acknowledged },
    ];
    // A updates, D inserts, F reads and then writes.
    for preset in ["ycsb-a", "ycsb-d", "ycsb-f"] {
        for fate in fates {
            let (failed, checks) = run(preset, fate);
            // An insert that was applied unheard is tried again and meets itself.
            let allowed = |kind: &ErrorKind| {
                *kind == ErrorKind::Ambiguous
                    || (*kind == ErrorKind::Duplicate && preset == "ycsb-d")
            };
            assert!(failed.contains(&ErrorKind::Ambiguous), "{preset}: {failed:?}");
            assert!(failed.iter().all(allowed), "{preset}: {failed:?}");
            assert!(checks.iter().all(|c| c.verdict == Verdict::Pass), "{preset}: {checks:#?}");
            assert!(checks.iter().all(|c| c.checked > 0));
        }
    }
}

#[test]
fn a_write_that_was_acknowledged_and_not_applied_is_found_among_them() {
    // D writes in one of twenty operations only.
    let fate = |n: u64| match n % 5 {
        3 => Fate::AppliedUnheard,
        _ if n > 9 => Fate::Lie,
        _ => Fate::Acknowledged,
    };
    for (preset, check) in [("ycsb-a", "nothing lost: writes"), ("ycsb-d", "record count")] {
        let (_, checks) = run(preset, fate);
        let found = checks.iter().find(|c| c.name == check).unwrap();
        assert_eq!(found.verdict, Verdict::Fail, "{preset}: {checks:#?}");
    }
}
