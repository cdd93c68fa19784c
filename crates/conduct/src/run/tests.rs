//! What is kept of a run of which a part fails.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use hoap_database::Database;
use hoap_drive::{Client, Completion, Next, NoWorkload, Stop};
use hoap_record::folder::read_run;
use hoap_workload::{Error, ErrorKind};

use super::*;
use crate::begin::{Basis, begin};
use crate::caller::Caller;
use crate::flags::Common;
use crate::flags::tests::parse;
use crate::start::{Named, Start};

/// A part of a run that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Before,
    Ledger,
    After,
    Judge,
}

/// A benchmark without steps, some of whose parts fail.
struct Failing<'a> {
    target: &'a Database,
    fails: &'a [Part],
}

impl Failing<'_> {
    fn end(&self, part: Part) -> Result<Vec<Check>> {
        match self.fails.contains(&part) {
            true => Err(Error::new(ErrorKind::Broken, format!("{part:?}"), "no")),
            false => Ok(vec![check(&format!("{part:?}"))]),
        }
    }
}

fn check(name: &str) -> Check {
    Check {
        when: "during the run".into(),
        name: name.into(),
        compares: "nothing with nothing".into(),
        verdict: Verdict::Pass,
        checked: 1,
        detail: None,
    }
}

impl Benchmark for Failing<'_> {
    type Operations = NoWorkload;
    type Queries = NoWorkload;
    type Probes = NoWorkload;
    type Known = ();

    fn operations(&self) -> Option<&NoWorkload> {
        None
    }

    fn target(&self) -> &Database {
        self.target
    }

    fn checks_answers(&self) -> bool {
        true
    }

    async fn before(&mut self, _: &Setting<'_>, checks: &mut Vec<Check>) -> Result<()> {
        checks.push(check("first"));
        checks.extend(self.end(Part::Before)?);
        Ok(())
    }

    fn known(&self, _: Vec<MemoryOf<NoWorkload>>) {}

    async fn judge(&self, _: &Setting<'_>, _: &RunFolder, _: &mut Run) -> Result<Vec<Check>> {
        self.end(Part::Judge)
    }

    fn left(&self) -> Option<Check> {
        Some(check("left"))
    }

    fn contribution(&self, (): &mut (), to: &mut dyn Write) -> io::Result<()> {
        self.end(Part::Ledger).map_err(|_| io::Error::from(io::ErrorKind::StorageFull))?;
        to.write_all(b"{}")
    }

    async fn after(&self, _: &Setting<'_>, (): &(), _: &mut Run) -> Result<Vec<Check>> {
        self.end(Part::After)
    }
}

const OF_TWO: &str = "--part 1/2 --start-at 2030-01-01T00:00:00Z";

/// The names of the checks in `run.json`, and the error's first word.
fn kept(fails: &[Part], flags: &str) -> (String, Option<String>) {
    let (checks, error, _) = ran(flags, Vec::new(), |target| Failing { target, fails });
    let names: Vec<_> = checks.iter().map(|check| check.name.as_str()).collect();
    (names.join(" "), error.map(|e| e.tried.clone()))
}

/// Whose steps begin as soon as their clients are connected, also those of a driver among several.
struct AtOnce(Stop);

impl Caller for AtOnce {
    fn stop(&self) -> &Stop {
        &self.0
    }

    fn start(&self) -> Option<&dyn Start> {
        Some(self)
    }
}

impl Start for AtOnce {
    fn named(&self, _: &StepPlan) -> Result<Named> {
        Ok(Named::AtOnce)
    }
}

/// The checks in `run.json` of a run of these steps, its error, and its ledger.
fn ran<B: Benchmark>(
    flags: &str,
    steps: Vec<StepPlan>,
    benchmark: impl FnOnce(&'static Database) -> B,
) -> (Vec<Check>, Option<Error>, Option<String>) {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("run");
    let common: Common = parse(&format!("{flags} --out {}", out.display()));
    let caller = AtOnce(Stop::new());
    let setting = Setting { caller: &caller, common: &common, repetition: None };
    let plan = Plan { steps, loops_set_time: None, search: None, frontier: None, warm_at: None };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let target: &Database = Box::leak(Box::new(hoap_databases::open("null:").await.unwrap()));
        let basis = Basis { note: None, data: ().into(), constants: ().into() };
        let begun = begin(("none", "none"), target, basis, Default::default());
        let end = record(&setting, &plan, begun, benchmark(target)).await;
        let run = read_run(&out).unwrap();
        assert_eq!(run.partial.is_some(), end.is_err(), "{:?}", run.partial);
        (run.checks, end.err(), std::fs::read_to_string(out.join("ledger.json")).ok())
    })
}

#[test]
fn a_part_that_fails_takes_no_check_of_another_along() {
    use Part::{After, Before, Judge, Ledger};
    for (fails, flags, checks, error) in [
        (&[][..], "", "first Before Judge After answers", None),
        (&[Before], "", "first", Some("Before")),
        (&[Judge], "", "first Before After answers", Some("Judge")),
        (&[After], "", "first Before Judge answers", Some("After")),
        (&[Judge, After], "", "first Before answers", Some("Judge")),
        (&[Ledger], "--ledger", "first Before Judge After answers", Some("write")),
        (&[Ledger], OF_TWO, "first Before Judge answers", Some("write")),
        (&[], OF_TWO, "first Before Judge left answers", None),
    ] {
        let (kept, tried) = kept(fails, flags);
        assert_eq!(kept, checks, "{fails:?} {flags}");
        let first = tried.as_deref().and_then(|tried| tried.split(' ').next());
        assert_eq!(first, error, "{fails:?} {flags}");
    }
}

/// What ends a step whose clients have committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// The step's log takes no more.
    Log,
    /// A table of the folder cannot be made.
    Table,
    /// A client panics.
    Panic,
}

/// A benchmark whose clients remember what they committed.
struct Adding(&'static Database, Work);

struct Work {
    fault: Fault,
    committed: &'static AtomicU64,
}

struct Adder {
    panics: bool,
    committed: &'static AtomicU64,
    acknowledged: u64,
}

impl Workload for Work {
    type Client = Adder;

    fn kinds(&self) -> Vec<&str> {
        vec!["ADD"]
    }

    fn blocking(&self) -> bool {
        true
    }

    async fn client(&self, _: usize) -> Result<Adder> {
        let panics = self.fault == Fault::Panic;
        Ok(Adder { panics, committed: self.committed, acknowledged: 0 })
    }
}

impl Client for Adder {
    type Memory = u64;

    fn next(&mut self) -> Next {
        Next::of(0)
    }

    async fn run(&mut self) -> Completion {
        self.committed.fetch_add(1, Ordering::SeqCst);
        assert!(!self.panics, "as it should");
        self.acknowledged += 1;
        Completion::of(Ok(1))
    }

    fn finish(self) -> u64 {
        self.acknowledged
    }
}

impl Benchmark for Adding {
    type Operations = Work;
    type Queries = NoWorkload;
    type Probes = NoWorkload;
    type Known = u64;

    fn operations(&self) -> Option<&Work> {
        Some(&self.1)
    }

    fn target(&self) -> &Database {
        self.0
    }

    fn keep_in(&mut self, folder: &Path) {
        match self.1.fault {
            Fault::Log => {
                let pipe = folder.join("step-01.hlog");
                assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
                // Whoever reads its head and goes breaks the pipe.
                let read = || File::open(pipe).unwrap().read(&mut [0]).unwrap();
                std::thread::spawn(read);
            }
            Fault::Table => std::fs::create_dir(folder.join("machine.csv")).unwrap(),
            Fault::None | Fault::Panic => {}
        }
    }

    fn known(&self, memories: Vec<u64>) -> u64 {
        memories.into_iter().sum()
    }

    fn left(&self) -> Option<Check> {
        Some(check("left"))
    }

    fn contribution(&self, known: &mut u64, to: &mut dyn Write) -> io::Result<()> {
        write!(to, "{known}")
    }

    async fn after(&self, _: &Setting<'_>, known: &u64, _: &mut Run) -> Result<Vec<Check>> {
        let there = self.1.committed.load(Ordering::SeqCst);
        let verdict = if there == *known { Verdict::Pass } else { Verdict::Fail };
        Ok(vec![Check { verdict, ..check("nothing added") }])
    }
}

/// What the clients saw acknowledged is known however their step ends. If it is not, nothing is held
/// to it.
#[test]
fn a_step_that_fails_takes_no_ledger_along() {
    for (fault, flags, checks, error) in [
        (Fault::None, "--ledger", vec![("nothing added", Verdict::Pass)], None),
        (Fault::Log, "--ledger", vec![("nothing added", Verdict::Pass)], Some("step-01.hlog")),
        (Fault::Table, "--ledger", vec![("nothing added", Verdict::Pass)], Some("machine.csv")),
        (Fault::Panic, "--ledger", vec![("data", Verdict::Skip)], Some("as it should")),
        (Fault::Log, OF_TWO, vec![("left", Verdict::Pass)], Some("step-01.hlog")),
        (Fault::Panic, OF_TWO, vec![("data", Verdict::Skip)], Some("as it should")),
    ] {
        // Only Linux tells what the machine does.
        if fault == Fault::Table && !cfg!(target_os = "linux") {
            continue;
        }
        let end = End::Operations(40);
        let steps = vec![StepPlan { warmup: Duration::ZERO, ..StepPlan::plain(1, 2, end) }];
        let committed: &AtomicU64 = Box::leak(Box::default());
        let (made, ended, ledger) =
            ran(flags, steps, |target| Adding(target, Work { fault, committed }));
        let made: Vec<_> = made.iter().map(|check| (&*check.name, check.verdict)).collect();
        assert_eq!(made, checks, "{fault:?} {flags}");
        let told = ended.as_ref().map(Error::to_string).unwrap_or_default();
        assert!(
            told.contains(error.unwrap_or_default()) && ended.is_some() == error.is_some(),
            "{told}"
        );
        let all = committed.load(Ordering::SeqCst).to_string();
        assert_eq!(ledger, (fault != Fault::Panic).then_some(all), "{fault:?} {flags}");
    }
}
