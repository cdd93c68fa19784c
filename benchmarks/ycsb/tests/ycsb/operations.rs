//! Operations on a fake database: spec nosql §1.

use std::collections::HashMap;

use hoap_data::Part;
use hoap_data::random::Stream;
use hoap_database::KeyValue;
use hoap_database::key_value::Fields;
use hoap_drive::{Client, Outcome, Workload};
use hoap_record::Check;
use hoap_testing::scanned::block_on;
use hoap_workload::checks::watch::ALONE;
use hoap_workload::checks::{At, Level};
use hoap_workload::{Error, ErrorKind};
use hoap_ycsb::{
    Keys, Kind, Memory, PRESETS, Preset, Properties, ScanFields, Setup, UserTable, Ycsb,
};

use crate::fake::{Fake, Fault};

/// The preset of this name, with or without `ycsb-` before it.
pub fn named(name: &str) -> &'static Preset {
    let letter = |name: &'static str| name.strip_prefix("ycsb-").expect("a name of YCSB");
    let wanted = name.strip_prefix("ycsb-").unwrap_or(name);
    PRESETS.iter().find(|preset| letter(preset.name) == wanted).expect(name)
}

/// A preset with more properties, `a=b;c=d`.
pub fn setup(preset: &str, pairs: &str) -> Setup {
    let mut properties = Properties::preset(named(preset));
    for pair in pairs.split(';').filter(|p| !p.is_empty()) {
        properties.pair(pair).expect("a property");
    }
    Setup::new(&properties).expect("a set-up")
}

/// A loaded fake and the workload on it.
pub fn world(setup: Setup) -> (Fake, Ycsb<Fake>) {
    let table = UserTable::new(&setup.table, setup.records).expect("a table");
    let fake = Fake::loaded(&table);
    let ycsb = Ycsb::new(KeyValue::alone("Fake", fake.clone()), &table, setup).expect("a workload");
    (fake, ycsb)
}

/// Runs operations of one new client: their kinds and errors, and what the client remembers.
pub fn run(ycsb: &Ycsb<Fake>, operations: usize) -> (Vec<(&'static str, Option<Error>)>, Memory) {
    let mut client = block_on(ycsb.client(0)).expect("a client");
    let mut ends = Vec::new();
    for _ in 0..operations {
        let kind = ycsb.kinds()[client.next().kind];
        let kind = Kind::ALL.map(Kind::name).into_iter().find(|name| *name == kind).unwrap();
        ends.push(match block_on(client.run()).outcome {
            Outcome::Done => (kind, None),
            Outcome::Failed(e) => (kind, Some(e)),
            other => panic!("{other:?}"),
        });
    }
    (ends, client.finish())
}

/// The checks of a level: before a run, or after it with what its clients remember.
pub fn checks(fake: &Fake, ycsb: &Ycsb<Fake>, memory: Option<&Memory>, level: Level) -> Vec<Check> {
    let database = fake.database();
    let when = if memory.is_some() { "after the run" } else { "before the run" };
    let at = At { target: &database, level, when, watch: &ALONE };
    block_on(ycsb.check(&at, memory)).expect("checks")
}

/// The checks before a run, of everything.
pub fn before(fake: &Fake, ycsb: &Ycsb<Fake>) -> Vec<Check> {
    checks(fake, ycsb, None, Level::Full)
}

/// The checks after a run, of everything.
pub fn after(fake: &Fake, ycsb: &Ycsb<Fake>, memory: &Memory) -> Vec<Check> {
    checks(fake, ycsb, Some(memory), Level::Full)
}

fn all_hold(checks: &[Check]) {
    assert!(checks.iter().all(|check| check.detail.is_none()), "{checks:#?}");
}

fn failures(ends: &[(&'static str, Option<Error>)]) -> HashMap<ErrorKind, usize> {
    let mut counts = HashMap::new();
    for (_, error) in ends {
        if let Some(error) = error {
            *counts.entry(error.kind).or_default() += 1;
        }
    }
    counts
}

/// All workloads run on the data they loaded, with every value checked, and every check after the
/// run holds.
#[test]
fn every_workload_reads_what_was_written() {
    for preset in ["a", "b", "c", "d", "e", "e-update", "f"] {
        for more in
            ["", "readallfields=false;writeallfields=true", "insertorder=ordered;zeropadding=9"]
        {
            for length in ["100", "1", "3", "26"] {
                let pairs =
                    format!("recordcount=300;dataintegrity=true;fieldlength={length};{more}");
                let (fake, ycsb) = world(setup(preset, &pairs));
                all_hold(&before(&fake, &ycsb));
                let mut memory = Memory::nothing();
                for _ in 0..3 {
                    let (ends, mine) = run(&ycsb, 400);
                    assert_eq!(failures(&ends), HashMap::new(), "{preset} {pairs}: {ends:?}");
                    memory.merge(mine);
                }
                let inserted = fake.state().rows.len() as u64 - 300;
                assert_eq!(memory.count.inserted, inserted);
                assert_eq!(inserted > 0, ycsb.kinds().contains(&"INSERT"), "{preset}");
                all_hold(&after(&fake, &ycsb, &memory));
            }
        }
    }
}

#[test]
fn kinds_have_ycsbs_names_and_their_shares() {
    let pairs = "readproportion=0.2;updateproportion=0.2;insertproportion=0.2;scanproportion=0.2;\
                 readmodifywriteproportion=0.2;recordcount=100;maxscanlength=3";
    let (fake, ycsb) = world(setup("a", pairs));
    assert_eq!(ycsb.kinds(), ["READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE"]);
    let (ends, _) = run(&ycsb, 5000);
    for kind in ycsb.kinds() {
        let count = ends.iter().filter(|(k, _)| *k == kind).count();
        assert!((850..1150).contains(&count), "{kind} {count}");
    }
    let state = fake.state();
    let calls = |name| state.calls.iter().filter(|(call, ..)| *call == name).count();
    let of = |name| ends.iter().filter(|(kind, _)| *kind == name).count();
    assert_eq!(calls("read"), of("READ") + of("READ-MODIFY-WRITE"));
    assert_eq!(calls("update"), of("UPDATE") + of("READ-MODIFY-WRITE"));
    assert_eq!((calls("insert"), calls("scan")), (of("INSERT"), of("SCAN")));

    let (_, ycsb) = world(setup("f", "recordcount=10"));
    assert_eq!(ycsb.kinds(), ["READ", "READ-MODIFY-WRITE"]);
}

/// `readallfields`, `writeallfields`, and scans that return all fields, one, or keys only.
#[test]
fn fields() {
    let fields = |setup: Setup, call: &str| {
        let (fake, ycsb) = world(setup);
        run(&ycsb, 300);
        let state = fake.state();
        let calls = state.calls.iter().filter(|(name, ..)| *name == call);
        calls.map(|&(_, _, fields)| fields).collect::<Vec<_>>()
    };
    assert!(fields(setup("c", "recordcount=10"), "read").iter().all(|f| *f == Fields::All));
    let one = fields(setup("c", "recordcount=10;readallfields=false"), "read");
    for field in 0..10 {
        assert!(one.contains(&Fields::One(field)), "{one:?}");
    }
    for (wanted, given) in [(Fields::All, ScanFields::All), (Fields::None, ScanFields::None)] {
        let mut setup = setup("e-update", "recordcount=10;dataintegrity=true");
        setup.scan_fields = given;
        assert!(fields(setup, "scan").iter().all(|f| *f == wanted));
    }
    let one = fields(setup("e", "recordcount=10;readallfields=false"), "scan");
    assert!(one.iter().all(|f| matches!(f, Fields::One(_))));

    for (all, changed) in [("false", 1), ("true", 10)] {
        let (fake, ycsb) = world(setup(
            "a",
            &format!("recordcount=500;writeallfields={all};requestdistribution=uniform"),
        ));
        let before = fake.state().rows.clone();
        let (ends, _) = run(&ycsb, 1);
        let updates = ends.iter().filter(|(kind, _)| *kind == "UPDATE").count();
        let after = fake.state().rows.clone();
        let different: usize = before
            .iter()
            .map(|(k, row)| row.iter().zip(&after[k]).filter(|(a, b)| a != b).count())
            .sum();
        assert_eq!(different, updates * changed);
        run(&ycsb, 40);
        assert_ne!(after, fake.state().rows);
    }
}

/// Spec §1, `--check-reads`: what no write of this record wrote is an error, and a missing record
/// always is.
#[test]
fn wrong_values_are_broken_promises() {
    for (preset, call) in [("c", "READ"), ("f", "READ-MODIFY-WRITE"), ("e-update", "SCAN")] {
        let broken = |check: &str, spoil: &dyn Fn(&mut crate::fake::Rows)| {
            let (fake, ycsb) =
                world(setup(preset, &format!("recordcount=20;dataintegrity={check}")));
            spoil(&mut fake.state().rows);
            let (ends, _) = run(&ycsb, 200);
            let wrong = ends
                .iter()
                .filter(|(_, e)| e.as_ref().is_some_and(|e| e.kind == ErrorKind::Broken));
            let named = ends.iter().flat_map(|(_, e)| e).all(|e| e.to_string().contains("user"));
            assert!(named, "{ends:?}");
            wrong.filter(|(kind, _)| *kind == call).count()
        };
        let of_another = |rows: &mut crate::fake::Rows| {
            let other = rows.values().next().unwrap().clone();
            rows.values_mut().for_each(|row| row[3].clone_from(&other[3]));
        };
        assert!(broken("true", &of_another) > 20, "{preset}");
        assert_eq!(broken("false", &of_another), 0);
        let cut =
            |rows: &mut crate::fake::Rows| rows.values_mut().for_each(|row| row[9].truncate(99));
        assert!(broken("true", &cut) > 20);
        let short =
            |rows: &mut crate::fake::Rows| rows.values_mut().for_each(|row| row.truncate(9));
        assert!(broken("true", &short) > 20);
        let empty = |rows: &mut crate::fake::Rows| rows.values_mut().for_each(Vec::clear);
        assert!(broken("true", &empty) > 20, "an empty record does not pass");
        // Nor does it where nothing is compared, but in a scan, which may read keys alone.
        assert_eq!(broken("false", &empty) > 20, call != "SCAN", "{call}");
    }
}

#[test]
fn a_missing_record_is_a_failure() {
    let (fake, ycsb) = world(setup("f", "recordcount=20"));
    fake.state().rows.clear();
    let (ends, _) = run(&ycsb, 50);
    assert_eq!(failures(&ends), HashMap::from([(ErrorKind::NotFound, 50)]));
    let (fake, ycsb) = world(setup("a", "recordcount=20;readproportion=0;updateproportion=1"));
    fake.state().rows.clear();
    assert_eq!(failures(&run(&ycsb, 50).0), HashMap::from([(ErrorKind::NotFound, 50)]));
    // A scan always finds its start, when reads are checked.
    let (fake, ycsb) = world(setup(
        "e-update",
        "recordcount=20;dataintegrity=true;scanproportion=1;updateproportion=0",
    ));
    fake.state().rows.clear();
    assert_eq!(failures(&run(&ycsb, 50).0), HashMap::from([(ErrorKind::Broken, 50)]));
}

/// A record whose insert failed is inserted again, by the same client or another, and nobody reads
/// it before.
#[test]
fn a_failed_insert_leaves_no_hole() {
    let inserts = "readproportion=0.5;insertproportion=0.5;recordcount=50;dataintegrity=true";
    for kind in [ErrorKind::Conflict, ErrorKind::Unavailable, ErrorKind::Ambiguous] {
        for lie in [false, true] {
            if lie && kind == ErrorKind::Conflict {
                continue;
            }
            let (fake, ycsb) = world(setup("d", inserts));
            let mut n = 0;
            fake.faults(move |call, _| {
                n += usize::from(call == "insert");
                match (call, n % 3, lie) {
                    ("insert", 0, true) => Fault::Lie(kind),
                    ("insert", 0, false) => Fault::Refuse(kind),
                    _ => Fault::None,
                }
            });
            let mut memory = Memory::nothing();
            for _ in 0..4 {
                let (ends, mine) = run(&ycsb, 250);
                let mut failed = failures(&ends);
                assert!(failed.remove(&kind).is_some());
                assert_eq!(
                    failed.remove(&ErrorKind::Duplicate).is_some(),
                    lie,
                    "found out by the retry"
                );
                assert!(failed.is_empty(), "{failed:?}");
                memory.merge(mine);
            }
            fake.state().faults = None;
            all_hold(&after(&fake, &ycsb, &memory));
        }
    }
}

/// An insert whose future is dropped may or may not be there; another client finishes it.
#[test]
fn an_insert_that_is_cut_off() {
    let (fake, ycsb) = world(setup("d", "readproportion=0;insertproportion=1;recordcount=5"));
    fake.faults(|_, _| Fault::Hang);
    let mut client = block_on(ycsb.client(0)).expect("a client");
    client.next();
    assert!(hoap_testing::scanned::poll_once(client.run()).is_none());
    let mut memory = client.finish();
    fake.state().faults = None;
    all_hold(&after(&fake, &ycsb, &Memory::nothing()));
    let (ends, mine) = run(&ycsb, 3);
    assert_eq!(failures(&ends), HashMap::new());
    memory.merge(mine);
    assert_eq!((memory.count.inserted, fake.state().rows.len()), (3, 8));
    let table = UserTable::new("usertable", ycsb.setup().records).expect("a table");
    for n in 5..8 {
        let mut key = String::new();
        table.records.append_key(table.records.key(n), &mut key);
        assert!(fake.state().rows.contains_key(&key), "{n}");
    }
}

/// Each loaded record is deleted once at most, half of them stay, and nobody asks for one that is
/// gone; every value that is read is checked.
#[test]
fn deleted_records_are_not_asked_for() {
    for distribution in ["uniform", "zipfian", "zipfian-exact", "latest", "hotspot", "exponential"]
    {
        let (fake, ycsb) = world(setup(
            "a",
            &format!(
                "recordcount=400;dataintegrity=true;readproportion=0.5;updateproportion=0.2;\
                 insertproportion=0.05;scanproportion=0.05;deleteproportion=0.2;\
                 hotspotdatafraction=0.01;requestdistribution={distribution}"
            ),
        ));
        let mut memory = Memory::nothing();
        for _ in 0..2 {
            let (ends, mine) = run(&ycsb, 400);
            assert_eq!(failures(&ends), HashMap::new(), "{distribution}: {ends:?}");
            memory.merge(mine);
        }
        let count = memory.count;
        assert!(
            count.deleted > 100 && count.unsure_deletes + count.after_deletes == 0,
            "{count:?}"
        );
        assert_eq!(fake.state().rows.len() as u64, 400 + count.inserted - count.deleted);
        all_hold(&after(&fake, &ycsb, &memory));
        // Until half of them are gone.
        let (ends, _) = run(&ycsb, 1000);
        let refused = failures(&ends);
        assert!(refused[&ErrorKind::Unavailable] > 10 && refused.len() == 1, "{refused:?}");
        let refused = ends.iter().filter_map(|(kind, e)| Some((kind, e.as_ref()?)));
        for (kind, e) in refused {
            assert!(*kind == "DELETE" && e.to_string().contains("half of the loaded"), "{e}");
        }
    }
}

#[test]
fn what_cannot_run_is_refused_before_anything_is_done() {
    let mut deletes = setup("a", "readproportion=0;deleteproportion=0.5;recordcount=10");
    deletes.part = Part { part: 1, of: 2 };
    let table = UserTable::new("usertable", deletes.records).expect("a table");
    let refused =
        Ycsb::new(KeyValue::alone("Fake", Fake::default()), &table, deletes).map(drop).unwrap_err();
    assert!(refused.to_string().contains("does not know which records the others delete"));

    let setup = setup("e", "recordcount=100");
    let table = UserTable::new("usertable", setup.records).expect("a table");
    let mut fake = Fake::default();
    fake.no_scans = true;
    let database = fake.database();
    let store = database.key_value_of::<Fake>().expect("an engine of this type");
    let error = Ycsb::new(store, &table, setup.clone()).err().expect("refused");
    assert!(error.to_string().contains("scans on Fake: not applicable"), "{error}");

    // Spec §1: the record counts do not match, before the table is looked at and after.
    let mut other = table.records.spec().to_owned();
    other.count = 70;
    let smaller = UserTable::new("usertable", other).expect("a table");
    let error = Ycsb::new(KeyValue::alone("Fake", Fake::default()), &smaller, setup)
        .err()
        .expect("refused");
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert!(error.to_string().contains("records 0 to 70, recordcount is 100"), "{error}");

    // No key is drawn thousands of times or for ever, and one draw in 4,096 is no endless one.
    let draws = |operations: u64, more: &str| {
        let words = format!(
            "recordcount=100;requestdistribution=zipfian;operationcount={operations};{more}"
        );
        let setup = crate::operations::setup("e", &words);
        let table = UserTable::new("usertable", setup.records).expect("a table");
        Ycsb::new(KeyValue::alone("Fake", Fake::default()), &table, setup).map(|ycsb| {
            let (space, setup) = (ycsb.key_space(), ycsb.setup());
            let mut keys = Keys::with(setup.distribution, setup.exponent, space);
            keys.next(&mut Stream::new(1, &[]), 100)
        })
    };
    for more in ["", "zipfianconstant=0.999"] {
        let number = draws(4_000_000, more).expect("one in 4,001");
        assert!(number < 100, "{number}");
    }
    let error = draws(4_200_000, "").expect_err("refused");
    assert_eq!(error.kind, ErrorKind::Invalid);
    for word in ["100 records among 420101 numbers", "operationcount", "zipfian-exact"] {
        assert!(error.to_string().contains(word), "{error}");
    }
    draws(1 << 60, "").expect_err("refused");

    let (fake, ycsb) = world(crate::operations::setup("c", "recordcount=100"));
    let first = fake.state().rows.keys().next().cloned().expect("a key");
    fake.state().rows.remove(&first);
    let checks = before(&fake, &ycsb);
    let detail = checks[0].detail.as_deref().expect("a detail");
    assert!(detail.contains("99 records found, 100 were loaded"), "{checks:?}");
}

/// Clients of a step, and those of the next, do not repeat each other's requests.
#[test]
fn clients_draw_differently() {
    let (fake, ycsb) = world(setup("c", "recordcount=1000;requestdistribution=uniform"));
    let mut sequences = Vec::new();
    for _ in 0..3 {
        run(&ycsb, 50);
        sequences.push(std::mem::take(&mut fake.state().calls));
    }
    assert!(sequences[0] != sequences[1] && sequences[1] != sequences[2]);
}

/// No operation allocates, checks of what it read included. The fake keeps no writes, so that what
/// it allocates for them does not count; where there are inserts, it answers reads without a
/// record.
#[test]
fn an_operation_allocates_nothing() {
    for preset in ["a", "c", "d", "e", "f"] {
        let (mut fake, _) = world(setup(preset, "recordcount=1000"));
        fake.note = false;
        let mut setup = setup(preset, "recordcount=1000");
        let grows = setup.mix.share(Kind::Insert) > 0.0;
        setup.check_reads = !grows;
        fake.empty = grows;
        fake.faults(
            move |call, _| if call == "read" && !grows { Fault::None } else { Fault::Lose },
        );
        let table = UserTable::new("usertable", setup.records).expect("a table");
        let ycsb = Ycsb::new(KeyValue::alone("Fake", fake), &table, setup).expect("a workload");
        let mut client = block_on(ycsb.client(0)).expect("a client");
        let mut operate = |operations: u32| {
            for _ in 0..operations {
                client.next();
                let end = block_on(client.run());
                assert!(matches!(end.outcome, Outcome::Done), "{end:?}");
            }
        };
        // Buffers grow to their size once.
        operate(2000);
        let allocated = allocation_counter::measure(|| operate(10_000));
        assert_eq!(allocated.count_total, 0, "{preset}");
    }
}
