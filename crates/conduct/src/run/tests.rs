//! What is kept of a run of which a part fails.

use std::io::{self, Write};

use hoap_database::Database;
use hoap_drive::NoWorkload;
use hoap_record::folder::read_run;
use hoap_workload::{Error, ErrorKind};

use super::*;
use crate::begin::{Basis, begin};
use crate::caller::tests::Nobody;
use crate::flags::Common;
use crate::flags::tests::parse;

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

/// The names of the checks in `run.json`, and the error's first word.
fn kept(fails: &[Part], flags: &str) -> (String, Option<String>) {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("run");
    let common: Common = parse(&format!("{flags} --out {}", out.display()));
    let caller = Nobody::default();
    let setting = Setting { caller: &caller, common: &common, repetition: None };
    let plan = Plan {
        steps: Vec::new(),
        loops_set_time: None,
        search: None,
        frontier: None,
        warm_at: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let target = hoap_databases::open("null:").await.unwrap();
        let basis = Basis { note: None, data: ().into(), constants: ().into() };
        let begun = begin("none", &target, basis, Default::default());
        let failing = Failing { target: &target, fails };
        let end = record(&setting, &plan, begun, failing).await;
        let run = read_run(&out).unwrap();
        assert_eq!(run.partial.is_some(), end.is_err(), "{:?}", run.partial);
        let names: Vec<_> = run.checks.iter().map(|check| check.name.as_str()).collect();
        (names.join(" "), end.err().map(|e| e.tried.clone()))
    })
}

#[test]
fn a_part_that_fails_takes_no_check_of_another_along() {
    use Part::{After, Before, Judge, Ledger};
    let of_two = "--part 1/2 --start-at 2030-01-01T00:00:00Z";
    for (fails, flags, checks, error) in [
        (&[][..], "", "first Before Judge After answers", None),
        (&[Before], "", "first", Some("Before")),
        (&[Judge], "", "first Before After answers", Some("Judge")),
        (&[After], "", "first Before Judge answers", Some("After")),
        (&[Judge, After], "", "first Before answers", Some("Judge")),
        (&[Ledger], "--ledger", "first Before Judge After answers", Some("write")),
        (&[Ledger], of_two, "first Before Judge answers", Some("write")),
        (&[], of_two, "first Before Judge left answers", None),
    ] {
        let (kept, tried) = kept(fails, flags);
        assert_eq!(kept, checks, "{fails:?} {flags}");
        let first = tried.as_deref().and_then(|tried| tried.split(' ').next());
        assert_eq!(first, error, "{fails:?} {flags}");
    }
}
