//! The flags of `hoap run FILE.toml`, and how they become a run.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hoap_conduct::begin::{Basis, begin};
use hoap_conduct::benchmark::Benchmark;
use hoap_conduct::caller::Setting;
use hoap_conduct::faults::checking;
use hoap_conduct::flags::{Clients, Common, settings, together};
use hoap_conduct::offer::{BenchmarkLine, Offer, Recorded};
use hoap_conduct::plan::{Defaults, Groups, Plan, plan};
use hoap_conduct::{in_use, run};
use hoap_data::Part;
use hoap_database::Database;
use hoap_databases::open;
use hoap_drive::NoWorkload;
use hoap_record::merge::left_to_first;
use hoap_record::{Check, Run, Verdict};
use hoap_workload::checks::level::unchecked;
use hoap_workload::checks::{self, At, Level, Reading, Reads, Watch};
use hoap_workload::claim::Claim;
use hoap_workload::note::{self, Note};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::json;

use super::before::go_on;
use super::checked::{Before, Owed};
use super::client::Operations;
use super::ledger::Ledger;
use super::mix::{Mix, Weight};
use super::shared::Shared;
use crate::load::loaded;
use crate::workload::Workload;

/// The flags of a run.
#[derive(Debug, Args)]
pub struct Flags {
    /// The workload file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Clients, steps and the database.
    #[command(flatten)]
    pub clients: Clients,
    /// Another weight of an operation; repeatable
    #[arg(long, value_name = "OPERATION=N")]
    pub mix: Vec<Weight>,
    /// Leave an operation out; repeatable
    #[arg(long, value_name = "OPERATION")]
    pub without: Vec<String>,
}

impl Flags {
    fn steps(&self) -> Result<Plan> {
        let Clients { clients, pacing, common, .. } = &self.clients;
        let numbers = if clients.is_empty() { &[1][..] } else { clients };
        plan(Groups::Clients(numbers), pacing, common, Defaults::default())
    }
}

impl Offer for Flags {
    type Variant = ();

    fn common(&mut self) -> &mut Common {
        &mut self.clients.common
    }

    fn planned(&self, _: &BenchmarkLine<Flags>) -> Result<Plan> {
        let workload = Workload::read(&self.file, 1.0)?;
        let mix = Mix::new(workload, &self.mix, &self.without)?;
        mix.offered(workload, &self.clients.target)?;
        if self.clients.common.conduct.part.is_some() && mix.writes(workload) {
            let answer = "several drivers keep no common ledger of a workload file yet";
            let tried = format!("run {} with --part", workload.file.name);
            return Err(Error::new(ErrorKind::Invalid, tried, answer)
                .advise("run one driver, or leave out what writes (--without)"));
        }
        self.steps()
    }

    async fn record(&self, line: &BenchmarkLine<Flags>, setting: &Setting<'_>) -> Result<Recorded> {
        let plan = self.planned(line)?;
        let target = open(&self.clients.target).await?;
        let (workload, note) = loaded(&target, &self.file, "run").await?;
        let mix = Mix::new(workload, &self.mix, &self.without)?;
        for operation in mix.operations(workload) {
            super::mix::needs(operation).into_iter().try_for_each(|what| target.has(what))?;
        }
        let part = setting.common.conduct.part.map_or(Part::WHOLE, |part| part.part);
        let own = (self.clients.check_reads, setting.common.own_seed(), part);
        let shared = Shared::new(workload, &mix.weights, own);
        let documents = workload.stored.iter().map(|at| workload.plan.collections[*at].count);
        let level = self.clients.level(documents.sum());
        let opened = Opened { flags: self, plan, target, note, workload, mix, level };
        opened.run(shared, setting).await
    }
}

/// The data, and what is to be done with it.
struct Opened<'a> {
    flags: &'a Flags,
    plan: Plan,
    target: Database,
    note: Note,
    workload: &'static Workload,
    mix: Mix,
    level: Level,
}

impl Opened<'_> {
    async fn run(&self, mut shared: Shared, setting: &Setting<'_>) -> Result<Recorded> {
        let Opened { flags, plan, target, note, workload, mix, level } = self;
        let workload = *workload;
        let name = mix.name(workload);
        let claim = match mix.writes(workload) {
            true => Some(in_use::begin(setting, target, note, &name).await?.0),
            false => None,
        };
        let claim = claim.as_ref();
        let record = async {
            let is_used = note.runs > 0;
            if is_used {
                let place =
                    |collection: usize, number: u64| workload.plan.place(collection, number);
                go_on(target, workload, &mut shared.numbers, &place).await?;
            }
            let own = settings(json!({ "properties": mix.noted(workload) }));
            let checked = Clients::checked(Some(*level));
            let settings = together([flags.clients.settings(&plan.steps), own, checked]);
            let constants = json!({ "run_seed": setting.common.run_seed });
            let basis = Basis { note: Some(note), data: note.data.clone(), constants };
            let mut record = begin(&name, target, basis, settings);
            if *level == Level::Off {
                record.remarks.push(unchecked());
            }
            let before = is_used.then(RefCell::default);
            let operations = Operations::new(target.clone(), Arc::new(shared));
            let on_data = OnData { operations, opened: self, claim, before, reads: Reads::new() };
            run::record(setting, plan, record, on_data).await
        };
        in_use::during(setting, claim, record).await
    }
}

/// The operations on their data.
struct OnData<'a> {
    operations: Operations,
    opened: &'a Opened<'a>,
    claim: Option<&'a Claim<'a>>,
    /// What earlier runs have left; `None` if the data is as loaded.
    before: Option<RefCell<Before>>,
    reads: Reads,
}

const BEFORE: &str = "before the run";

impl OnData<'_> {
    async fn check(
        &self,
        ledger: Option<&Ledger>,
        (when, watch): (&str, &Watch<'_>),
    ) -> Result<Vec<Check>> {
        let Opened { target, level, workload, .. } = self.opened;
        let most = workload.stored.iter().map(|at| workload.plan.collections[*at].count).max();
        let reader = Reading::of(target, most.unwrap_or(0), watch).await?;
        let at = At { target, level: *level, when, watch };
        let shared = &**self.operations.shared();
        let whole = matches!(reader, Ok(Reading::Keys(_)));
        let owed = Owed { shared, ledger, before: self.before.as_ref(), whole };
        checks::all(&at, &owed, reader).await
    }
}

impl Benchmark for OnData<'_> {
    type Operations = Operations;
    type Queries = NoWorkload;
    type Probes = NoWorkload;
    type Known = Ledger;

    fn operations(&self) -> Option<&Operations> {
        Some(&self.operations)
    }

    fn target(&self) -> &Database {
        &self.opened.target
    }

    fn claim(&self) -> Option<&Claim<'_>> {
        self.claim
    }

    fn checks_answers(&self) -> bool {
        self.opened.flags.clients.check_reads
    }

    async fn before(&mut self, setting: &Setting<'_>, checks: &mut Vec<Check>) -> Result<()> {
        let Opened { flags, target, level, .. } = self.opened;
        let asked = setting.caller.stop();
        let stop = || asked.is_set();
        let watch = Watch::new(&stop, &self.reads);
        if *level != Level::Off && !setting.checks_before() {
            checks.push(left_to_first("indexes, document counts, nothing changed"));
        } else if *level != Level::Off {
            setting.say(flags.clients.announced(*level));
            checks.extend(self.check(None, (BEFORE, &watch)).await?);
        }
        if checks.iter().any(|check| check.verdict == Verdict::Fail) {
            return Ok(());
        }
        if let Some(before) = &self.before {
            let shared = self.operations.shared();
            let read = Before::read(target, shared, level.by_key(), &watch).await?;
            before.replace(read);
        }
        if self.claim.is_some() {
            note::begin_run(target.documents()?).await?;
        }
        Ok(())
    }

    fn reads(&self) -> Option<&Reads> {
        Some(&self.reads)
    }

    fn known(&self, memories: Vec<Ledger>) -> Ledger {
        let mut known = Ledger::default();
        memories.into_iter().for_each(|memory| known.merge(memory));
        known
    }

    async fn after(
        &self,
        setting: &Setting<'_>,
        known: &Ledger,
        _: &mut Run,
    ) -> Result<Vec<Check>> {
        if self.opened.level == Level::Off {
            return Ok(Vec::new());
        }
        let never = || false;
        let watch = Watch::new(&never, &self.reads);
        let ledger = self.claim.map(|_| known);
        checking(setting, async || self.check(ledger, ("after the run", &watch)).await).await
    }
}
