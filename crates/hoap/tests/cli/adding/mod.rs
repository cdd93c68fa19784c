//! `docs/architecture.md`, "Adding a database" and "Adding a benchmark", followed for the smallest
//! of each: what a map says must be true and enough.

mod counters;
mod memory;

use std::sync::Arc;
use std::time::Duration;

use counters::{Counters, LINE, record_of};
use hoap_conduct::caller::Caller;
use hoap_conduct::offer::{Drivers, Recorded};
use hoap_conduct::registry::{Chosen, Entry};
use hoap_database::Database;
use hoap_drive::Stop;
use hoap_record::folder::{read_ledger, read_run};
use hoap_record::{Run, Verdict};
use hoap_report::{Loaded, Style};
use hoap_testing::wait;
use hoap_workload::load::{Existing, Load, load};
use memory::Memory;

fn fresh() -> (Database, ()) {
    (Database::new(Memory::default()), ())
}

hoap_testing::document_tests!(fresh);
hoap_testing::key_value_tests!(fresh);
hoap_testing::conformance_tests!(fresh: operations_on_a_table_that_is_gone_are_missing);

/// Whoever asks for the runs of these tests.
#[derive(Default)]
struct Asker(Stop);

impl Caller for Asker {
    fn stop(&self) -> &Stop {
        &self.0
    }
}

fn loaded(name: &str) -> Database {
    let memory = memory::open(&format!("memory:{name}")).unwrap();
    let what = Load::whole(Counters, Existing::Replace);
    wait(load(memory.documents().unwrap(), what, Arc::new(|| false), &mut |_| ())).unwrap();
    memory
}

/// `hoap run counters`.
fn run(words: &str) -> Recorded {
    let words = words.split_whitespace();
    let mut matches = LINE.command().no_binary_name(true).get_matches_from(words);
    let mut chosen = Chosen(LINE.parse(&mut matches).unwrap());
    wait(chosen.record(&Asker::default(), None)).unwrap()
}

fn verdicts(run: &Run) -> Vec<(&str, Verdict)> {
    run.checks.iter().map(|check| (check.name.as_str(), check.verdict)).collect()
}

#[test]
fn a_run_has_steps_and_checks_and_is_read_and_drawn_from_its_folder() {
    let memory = loaded("whole");
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let words = format!(
        "--target memory:whole --clients 1,3 --operations 60 --warmup 0s --out {}",
        out.display()
    );
    let (folder, made) = run(&words);
    assert_eq!(folder, out);
    let read = read_run(&folder).unwrap();
    assert_eq!(read, made);
    assert_eq!((read.partial.as_ref(), read.steps.len()), (None, 2));
    for step in &read.steps {
        let [add] = &step.transactions[..] else { panic!("{step:?}") };
        assert!(add.kind == "ADD" && add.count >= 60 && add.failures.is_empty(), "{add:?}");
    }
    assert_eq!(verdicts(&read), [("all zero", Verdict::Pass), ("nothing lost", Verdict::Pass)]);
    assert_eq!(read.configuration["clients"], serde_json::json!([1, 3]));
    let summary = hoap_report::summary(&read, Style::default());
    assert!(summary.contains("ADD") && summary.contains("1 ledger check: all pass"), "{summary}");
    let page = hoap_report::html(&[Loaded::open(&folder).unwrap()]);
    assert!(page.contains("<h1>counters on Memory") && page.contains("ADD"));

    // A second run finds counters that are not zero: no step runs, and the numbers are void.
    let (_, again) = run(&words.replace("run", "again"));
    assert_eq!(verdicts(&again), [("all zero", Verdict::Fail)]);
    assert!(again.steps.is_empty() && again.partial.is_some());
    drop(memory);
}

#[test]
fn drivers_leave_ledgers_that_find_a_lost_write_together() {
    let memory = loaded("drivers");
    let dir = tempfile::tempdir().unwrap();
    let parts = ["1/2", "2/2"].map(|part| {
        let out = dir.path().join(&part[..1]);
        let start = jiff::Timestamp::now() + Duration::from_secs(2);
        run(&format!(
            "--target memory:drivers --operations 20 --warmup 0s --start-at {start} \
             --part {part} --out {}",
            out.display()
        ))
    });
    for (folder, made) in &parts {
        assert_eq!(verdicts(made), [("start", Verdict::Pass), ("nothing lost", Verdict::Skip)]);
        assert!(!read_ledger(folder).unwrap().is_empty());
    }
    let runs: Vec<_> = parts.iter().map(|(folder, _)| folder.clone()).collect();
    let caller = Asker::default();
    let (url, first) = ("memory:drivers", &parts[0].1);
    let drivers = Drivers { caller: &caller, runs: &runs, url, first };
    let joint = || wait(LINE.joint(&drivers)).unwrap().checks.remove(0);
    assert_eq!(joint().verdict, Verdict::Pass);
    // One acknowledged addition is gone.
    let mut session = wait(memory.key_value().unwrap().session(&counters::table())).unwrap();
    assert!(wait(session.update("c1", &record_of(3))).unwrap());
    let check = joint();
    assert_eq!(check.verdict, Verdict::Fail);
    assert!(check.detail.unwrap().starts_with("c1 is 3, "));
}

/// The clients are connected only after the start: nothing runs, and the record says why.
#[test]
fn a_driver_whose_clients_come_late_runs_no_step() {
    let memory = loaded("late");
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let (folder, made) = run(&format!(
        "--target memory:late --operations 20 --warmup 0s --start-at 2026-01-01T00:00:00Z \
         --part 1/2 --out {}",
        out.display()
    ));
    assert_eq!(read_run(&folder).unwrap(), made);
    assert!(made.steps.is_empty() && made.partial.is_some());
    let start = made.checks.iter().find(|check| check.name == "start").unwrap();
    let detail = start.detail.as_ref().unwrap();
    assert_eq!(start.verdict, Verdict::Fail);
    assert!(detail.contains("1 client") && detail.contains("start of step 1"), "{detail}");
    drop(memory);
}
