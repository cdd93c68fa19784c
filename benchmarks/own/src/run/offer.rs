//! The flags of `hoap run FILE.toml`, and how they become a run.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use hoap_conduct::begin::{Basis, begin};
use hoap_conduct::benchmark::{self, Benchmark};
use hoap_conduct::caller::Setting;
use hoap_conduct::checking::Checking;
use hoap_conduct::flags::{Clients, Common, settings, together};
use hoap_conduct::offer::{BenchmarkLine, Drivers, Offer, Recorded};
use hoap_conduct::plan::{Defaults, Groups, Plan, plan};
use hoap_conduct::queries::Streams;
use hoap_conduct::values::count;
use hoap_conduct::{in_use, run};
use hoap_data::Part;
use hoap_database::Database;
use hoap_databases::open;
use hoap_databases::url::redact;
use hoap_drive::NoWorkload;
use hoap_record::merge::{Joint, beside_others};
use hoap_record::{Check, Remark, RemarkId};
use hoap_workload::checks::{At, Level, Watch};
use hoap_workload::claim::Claim;
use hoap_workload::load::difference;
use hoap_workload::note::Note;
use hoap_workload::{Error, ErrorKind, Result, contribution};
use serde_json::json;

use super::before::go_on;
use super::checked::Before;
use super::client::Operations;
use super::contribution::Contribution;
use super::joint::joint;
use super::judge::Judge;
use super::kept::Sums;
use super::ledger::Ledger;
use super::mix::{Mix, Weight};
use super::queries::{self, Asked};
use super::shared::Shared;
use crate::load::{loaded, noted};
use crate::workload::{NAME, Workload};

/// The flags of a run.
#[derive(Debug, Args)]
#[command(
    mut_arg("target", |arg| arg.visible_alias("operational")),
    mut_arg("clients", |arg| arg.visible_alias("tx-clients")),
)]
pub struct Flags {
    /// The workload file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Clients, steps and the database.
    #[command(flatten)]
    pub clients: Clients,
    /// The database of the queries, if it is another one
    #[arg(long, value_name = "URL")]
    pub analytical: Option<String>,
    /// Query clients of each step, which ask the file's queries one after the other; every number
    /// runs with every number of clients, and where 0 is among them also alone [default: 0,1 with
    /// --analytical]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = count::<usize>)]
    pub query_clients: Vec<usize>,
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
        let queries = match &self.query_clients[..] {
            [] if self.analytical.is_some() => &[0, 1][..],
            given => given,
        };
        let groups = match queries {
            [] => Groups::Clients(numbers),
            queries => Groups::TransactionsAndQueries {
                transactions: numbers,
                queries,
                loops: None,
                headline: None,
                frontier: None,
            },
        };
        plan(groups, pacing, common, Defaults::default())
    }

    /// The mix of a run; nothing if there is no client of operations.
    fn mix(&self, workload: &Workload, plan: &Plan) -> Result<Mix> {
        let mix = Mix::new(workload, &self.mix, &self.without)?;
        if plan.has_operations() { mix.some(workload).map(|()| mix) } else { Ok(mix.nothing()) }
    }

    /// The URL of the database of the queries.
    fn queried(&self) -> &str {
        self.analytical.as_ref().unwrap_or(&self.clients.target)
    }

    /// Refuses what databases of these URLs cannot do, and what several drivers cannot.
    fn possible(&self, workload: &Workload, plan: &Plan) -> Result<()> {
        let mix = self.mix(workload, plan)?;
        let tried = || format!("run {}", workload.file.name);
        mix.offered(workload, [&self.clients.target, self.queried()])?;
        if plan.has_queries() {
            let all: Vec<usize> = (0..workload.asked.len()).collect();
            if all.is_empty() {
                let answer = "it has no queries, and there are query clients";
                return Err(Error::new(ErrorKind::Invalid, tried(), answer)
                    .advise("give it some, [queries.NAME], or leave out --query-clients"));
            }
            queries::offered(workload, self.queried(), &all)?;
        }
        if self.clients.common.conduct.part.is_some() {
            let refused = |answer: &str, advice: String| {
                let tried = format!("{} with --part", tried());
                Err(Error::new(ErrorKind::Invalid, tried, answer).advise(advice))
            };
            if plan.has_queries() {
                let answer = "several drivers have no common queries of a workload file yet";
                return refused(answer, "run one driver, or leave out --query-clients".into());
            }
            if let Some(of) = mix.deleting(workload) {
                let answer = "a driver does not know which documents others delete";
                return refused(answer, format!("run one driver, or --without {of:?}"));
            }
        }
        Ok(())
    }
}

impl Offer for Flags {
    type Variant = ();

    fn common(&mut self) -> &mut Common {
        &mut self.clients.common
    }

    fn planned(&self, _: &BenchmarkLine<Flags>) -> Result<Plan> {
        let plan = self.steps()?;
        self.possible(Workload::read(&self.file, 1.0)?, &plan)?;
        Ok(plan)
    }

    async fn record(&self, line: &BenchmarkLine<Flags>, setting: &Setting<'_>) -> Result<Recorded> {
        let plan = self.planned(line)?;
        let target = open(&self.clients.target).await?;
        let (workload, note) = loaded(&target, &self.file, "run").await?;
        let mix = self.mix(workload, &plan)?;
        for operation in mix.operations(workload) {
            super::mix::needs(operation).into_iter().try_for_each(|what| target.has(what))?;
        }
        let part = setting.common.conduct.part.map_or(Part::WHOLE, |part| part.part);
        let own = (self.clients.check_reads, setting.common.own_seed(), part);
        let shared = Shared::new(workload, &mix.weights, own);
        let documents = workload.stored.iter().map(|at| workload.plan.collections[*at].count);
        let checking = Checking::new(&self.clients, documents.sum());
        let follower = match &self.analytical {
            Some(url) if *url != self.clients.target => {
                Some(follower(url, (&self.file, &note), setting).await?)
            }
            _ => None,
        };
        let opened = Opened { flags: self, plan, target, follower, note, workload, mix, checking };
        opened.run(shared, setting).await
    }

    async fn joint(drivers: &Drivers<'_>) -> Result<Joint> {
        joint(drivers).await
    }
}

/// The data, and what is to be done with it.
struct Opened<'a> {
    flags: &'a Flags,
    plan: Plan,
    target: Database,
    /// The database of the queries, if it is another one.
    follower: Option<Database>,
    note: Note,
    workload: &'static Workload,
    mix: Mix,
    checking: Checking,
}

impl Opened<'_> {
    async fn run(&self, mut shared: Shared, setting: &Setting<'_>) -> Result<Recorded> {
        let Opened { flags, plan, target, follower, note, workload, mix, checking } = self;
        let workload = *workload;
        let name = mix.name(workload);
        let claim = match mix.writes(workload) {
            true => Some(in_use::begin(setting, target, note, &name).await?.0),
            false => None,
        };
        let claim = claim.as_ref();
        let record = async {
            let is_used = note.runs > 0;
            if is_used && mix.operations(workload).any(|of| of.query.is_none()) {
                let place =
                    |collection: usize, number: u64| workload.plan.place(collection, number);
                go_on(target, workload, &mut shared.numbers, &place).await?;
            }
            let asks = plan.has_queries() || !mix.asks(workload).is_empty();
            let own = settings(json!({
                "properties": mix.noted(workload, asks),
                "analytical": flags.analytical.as_deref().map(redact),
                "query-clients": (!flags.query_clients.is_empty()).then_some(&flags.query_clients),
            }));
            let checked = Clients::checked(Some(checking.level()));
            let settings = together([flags.clients.settings(&plan.steps), own, checked]);
            let constants = json!({ "run_seed": setting.common.run_seed });
            let basis = Basis { note: Some(note), data: note.data.clone(), constants };
            let mut record = begin((&name, &name), target, basis, settings);
            record.analytical = follower.as_ref().map(Database::description);
            let before = is_used.then(Before::default);
            let shared = Arc::new(shared);
            let queried = follower.as_ref().unwrap_or(target);
            let asked = match asks {
                true => Some(Asked::new(shared.clone(), queried.analytics()?.dialect())),
                false => None,
            };
            let of_clients = asked.clone().filter(|_| plan.has_queries());
            let streams = of_clients.map(|asked| Streams::new(queried.clone(), asked));
            let asked = asked.filter(|_| !mix.asks(workload).is_empty());
            let asks = asked.map(|asked| (queried.clone(), asked));
            let operations = Operations::new(target.clone(), shared, asks);
            let sums = RefCell::default();
            let on_data = OnData { operations, streams, opened: self, claim, before, sums };
            run::record(setting, plan, record, on_data).await
        };
        in_use::during(setting, claim, record).await
    }
}

/// The operations on their data.
struct OnData<'a> {
    operations: Operations,
    streams: Option<Streams<Asked>>,
    opened: &'a Opened<'a>,
    claim: Option<&'a Claim<'a>>,
    /// What earlier runs have left; `None` if the data is as loaded.
    before: Option<Before>,
    /// The sums of fields over collections before the run.
    sums: RefCell<Sums>,
}

impl Benchmark for OnData<'_> {
    type Operations = Operations;
    type Queries = Streams<Asked>;
    type Probes = NoWorkload;
    type Known = Ledger;

    fn operations(&self) -> Option<&Operations> {
        Some(&self.operations).filter(|_| self.opened.plan.has_operations())
    }

    fn queries(&self) -> Option<&Streams<Asked>> {
        self.streams.as_ref()
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

    fn checking(&self) -> Option<&Checking> {
        Some(&self.opened.checking).filter(|_| self.operations().is_some())
    }

    async fn check(&self, at: &At<'_>, known: Option<&Ledger>) -> Result<Vec<Check>> {
        // Of a run that only reads the data is as it was.
        let ledger = known.filter(|_| self.claim.is_some());
        let (shared, before) = (&**self.operations.shared(), self.before.as_ref());
        Judge { shared, before, sums: &self.sums }.checks(at, ledger).await
    }

    async fn before(&mut self, setting: &Setting<'_>, checks: &mut Vec<Check>) -> Result<()> {
        let checking = self.checking().filter(|checking| checking.level() != Level::Off);
        if let Some(checking) =
            checking.filter(|_| self.before.is_some() && setting.checks_before())
        {
            let asked = setting.caller.stop();
            let stop = || asked.is_set();
            let watch = &Watch::new(&stop, checking.reads());
            let (target, level, when) = (self.target(), checking.level(), "before the run");
            let at = At { target, level, when, watch };
            self.before = Some(Before::read(&at, self.operations.shared()).await?);
        }
        benchmark::before(self, setting, checks).await
    }

    fn known(&self, memories: Vec<Ledger>) -> Ledger {
        let mut known = Ledger::default();
        memories.into_iter().for_each(|memory| known.merge(memory));
        known
    }

    fn left(&self) -> Option<Check> {
        let left = || {
            beside_others(
                "document counts, nothing lost: writes",
                "when all have ended, `hoap merge --operational URL` checks the documents",
            )
        };
        (self.opened.checking.level() != Level::Off && self.claim.is_some()).then(left)
    }

    fn contribution(&self, known: &mut Ledger, to: &mut dyn Write) -> io::Result<()> {
        let (shared, sums) = (self.operations.shared(), self.sums.borrow());
        let found = (self.before.as_ref(), &*sums);
        contribution::write(&Contribution::of(&self.opened.flags.file, shared, found, known), to)
    }

    async fn finish(&self, _: &Setting<'_>, _: &Path, _: bool) -> Vec<Remark> {
        let warned = self.streams.iter().flat_map(Streams::warnings);
        warned.map(|text| Remark::new(RemarkId::DatabaseWarned, text)).collect()
    }
}

/// How often a database is looked at that is to follow.
const LOOK: Duration = Duration::from_millis(100);

/// Opens the database of the queries, and waits until it holds the data of this note.
async fn follower(
    url: &str,
    (file, note): (&Path, &Note),
    setting: &Setting<'_>,
) -> Result<Database> {
    let database = open(url).await?;
    if database.documents().is_err() {
        return Ok(database);
    }
    let (begun, limit) = (Instant::now(), setting.common.faults.recovery_limit.0);
    let there = loop {
        match noted(&database, file).await {
            Err(_) if begun.elapsed() < limit && !setting.is_stopped() => {
                tokio::time::sleep(LOOK).await;
            }
            there => break there?,
        }
    };
    match difference(&there, NAME, &note.data) {
        None => Ok(database),
        Some(other) => {
            let tried = format!("ask {}", database.description().url);
            let answer = format!("it holds other data than the operational one: {other}");
            Err(Error::new(ErrorKind::Invalid, tried, answer)
                .advise("name two databases that hold the same data"))
        }
    }
}
