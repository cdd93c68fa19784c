//! Pagination and JOIN: `hoap run pagination` and `hoap run join`.

use std::path::Path;

use clap::Args;
use hoap_conduct::begin::{Basis, begin};
use hoap_conduct::benchmark::{Benchmark, MemoryOf};
use hoap_conduct::caller::Setting;
use hoap_conduct::faults::checking;
use hoap_conduct::flags::{Clients, Common, Settings, settings, together};
use hoap_conduct::offer::{BenchmarkLine, Offer, Recorded};
use hoap_conduct::plan::{Defaults, Groups, Plan, plan};
use hoap_conduct::run;
use hoap_database::shop::{Ask, JoinVariant};
use hoap_database::{Database, Shop, What};
use hoap_databases::null::Null;
use hoap_databases::{offers, open};
use hoap_drive::{NoWorkload, Workload};
use hoap_record::merge::left_to_first;
use hoap_record::{Check, Remark, RemarkId, Run, output};
use hoap_workload::checks::level::unchecked;
use hoap_workload::checks::{
    self, At, Checked, Document, Expected, Level, Reading as Keys, Reads, Watch,
};
use hoap_workload::load::LoadSource;
use hoap_workload::note::{self, Note};
use hoap_workload::{ErrorKind, Result};
use serde_json::json;

use crate::data::{ShopCollection, ShopData, ShopSpec};
use crate::load::{self as source, Loaded};
use crate::{Join, KeepAnswers, Options, Pagination};

/// The flags of Pagination.
#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct PaginationFlags {
    #[command(flatten)]
    pub clients: Clients,
    #[command(flatten)]
    pub keep: Keep,
}

/// What is kept beside the figures.
#[derive(Clone, Copy, Debug, Args)]
pub struct Keep {
    /// After all steps, ask eight questions that are the same for the same data, and keep the
    /// answers in answers/q01.json … of the run's folder, for hoap answers compare
    #[arg(long, conflicts_with = "part")]
    pub keep_answers: bool,
}

impl Keep {
    fn settings(self) -> Settings {
        settings(json!({ "keep-answers": self.keep_answers }))
    }
}

/// The flags of JOIN.
#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct JoinFlags {
    #[command(flatten)]
    pub clients: Clients,
    /// How the database joins: index, ansi, hash, two-phase, lookup, embedded or joining-table
    /// [default: its users' first choice of those that the loaded data serves]
    #[arg(long, value_name = "WAY")]
    pub variant: Option<JoinVariant>,
    #[command(flatten)]
    pub keep: Keep,
}

impl Offer for PaginationFlags {
    type Variant = ();

    fn common(&mut self) -> &mut Common {
        &mut self.clients.common
    }

    fn planned(&self, _: &BenchmarkLine<PaginationFlags>) -> Result<Plan> {
        offers(&self.clients.target, &[What::Pagination])?;
        steps(&self.clients)
    }

    async fn record(
        &self,
        line: &BenchmarkLine<PaginationFlags>,
        setting: &Setting<'_>,
    ) -> Result<Recorded> {
        let PaginationFlags { clients, keep } = self;
        let target = open(&clients.target).await?;
        // Before the data is looked for: what the database cannot run need not be loaded.
        let pages = target.pages()?;
        let opened = Opened::new(line.name, clients, target).await?;
        opened.loaded.iter().try_for_each(Loaded::expect_customers)?;
        let pagination = Pagination::new(pages, opened.data, opened.options());
        opened.run(pagination, keep.settings(), *keep, setting).await
    }
}

impl Offer for JoinFlags {
    type Variant = ();

    fn common(&mut self) -> &mut Common {
        &mut self.clients.common
    }

    fn planned(&self, _: &BenchmarkLine<JoinFlags>) -> Result<Plan> {
        offers(&self.clients.target, &[What::Join])?;
        steps(&self.clients)
    }

    async fn record(
        &self,
        line: &BenchmarkLine<JoinFlags>,
        setting: &Setting<'_>,
    ) -> Result<Recorded> {
        let JoinFlags { clients, variant, keep } = self;
        let target = open(&clients.target).await?;
        let joins = target.joins()?;
        let opened = Opened::new(line.name, clients, target).await?;
        let served = || opened.loaded.as_ref()?.first(joins.variants());
        let join =
            Join::new(joins.clone(), opened.data, variant.or_else(served), opened.options())?;
        if let Some(loaded) = &opened.loaded {
            loaded.expect(join.variant())?;
            expect_table(&joins, join.variant(), loaded).await?;
        }
        let own = settings(json!({ "variant": join.variant().name() }));
        opened.run(join, together([own, keep.settings()]), *keep, setting).await
    }
}

/// Refuses a join by a joining table that neither the load nor the database made.
async fn expect_table(joins: &Shop, variant: JoinVariant, loaded: &Loaded) -> Result<()> {
    if variant != JoinVariant::JoiningTable || loaded.has(ShopCollection::Sales) {
        return Ok(());
    }
    let session = joins.session(Ask::Joins(variant)).await;
    session.map(drop).map_err(|e| match e.kind {
        ErrorKind::Missing => e.advise(format!(
            "load it with `hoap load shop --collections {} --replace`",
            ShopCollection::Sales
        )),
        _ => e,
    })
}

fn steps(clients: &Clients) -> Result<Plan> {
    let numbers = if clients.clients.is_empty() { &[1][..] } else { &clients.clients };
    plan(Groups::Clients(numbers), &clients.pacing, &clients.common, Defaults::default())
}

/// The customers and orders, and what is to be done with them.
struct Opened<'a> {
    name: &'static str,
    clients: &'a Clients,
    plan: Plan,
    target: Database,
    /// `None` where nothing is ever loaded.
    note: Option<Note>,
    loaded: Option<Loaded>,
    data: ShopData,
    /// How much of the data is checked. `None` where nothing is ever loaded.
    level: Option<Level>,
}

impl<'a> Opened<'a> {
    async fn new(name: &'static str, clients: &'a Clients, target: Database) -> Result<Opened<'a>> {
        let (note, loaded) = match target.engine::<Null>() {
            Some(_) => (None, None),
            None => {
                let note = note::expect_loaded(&target, "shop").await?;
                let loaded = source::loaded(&note.data)?;
                (Some(note), Some(loaded))
            }
        };
        let data = match &loaded {
            Some(loaded) => loaded.data,
            // Nothing is ever loaded there: the data is what a load would have written by default.
            None => ShopData::new(ShopSpec::new(10_000))?,
        };
        let level = loaded.as_ref().map(|loaded| clients.level(loaded.counts().sum()));
        Ok(Opened { name, clients, plan: steps(clients)?, target, note, loaded, data, level })
    }

    fn options(&self) -> Options {
        Options { seed: self.clients.common.own_seed(), check_reads: self.clients.check_reads }
    }

    /// Runs the workload, of whose own flags `own` are.
    async fn run<W: Workload + KeepAnswers>(
        &self,
        workload: W,
        own: Settings,
        keep: Keep,
        setting: &Setting<'_>,
    ) -> Result<Recorded> {
        let checked = Clients::checked(self.level);
        let settings = together([self.clients.settings(&self.plan.steps), own, checked]);
        let constants = json!({ "run_seed": setting.common.run_seed });
        let data = match &self.note {
            Some(note) => note.data.clone(),
            None => Loaded::new(self.data, &[])?.parameters(),
        };
        let basis = Basis { note: self.note.as_ref(), data, constants };
        let target = &self.target;
        let mut record = begin(self.name, target, basis, settings);
        if self.level == Some(Level::Off) {
            record.remarks.push(unchecked());
        }
        let reading = Reading { workload, opened: self, keep, reads: Reads::new() };
        run::record(setting, &self.plan, record, reading).await
    }
}

/// A workload that only reads: what was loaded is there before and afterwards.
struct Reading<'a, W> {
    workload: W,
    opened: &'a Opened<'a>,
    keep: Keep,
    reads: Reads,
}

impl<W> Reading<'_, W> {
    async fn check(&self, setting: &Setting<'_>, when: &str) -> Result<Vec<Check>> {
        let Opened { target, level, loaded, .. } = self.opened;
        let Some(loaded) = loaded else { return Ok(Vec::new()) };
        let Some(level) = level.filter(|level| *level != Level::Off) else { return Ok(Vec::new()) };
        let asked = setting.caller.stop();
        let stop = || when == BEFORE && asked.is_set();
        let watch = Watch::new(&stop, &self.reads);
        let reader = Keys::of(target, loaded.counts().max().unwrap_or(0), &watch).await?;
        let at = At { documents: target.documents()?, level, when, watch: &watch };
        checks::all(&at, &AsLoaded(loaded), reader).await
    }
}

const BEFORE: &str = "before the run";

/// Nobody writes to these documents.
struct AsLoaded<'a>(&'a Loaded);

impl Checked for AsLoaded<'_> {
    type Key = (usize, u64);

    fn source(&self) -> &dyn LoadSource {
        self.0
    }

    fn loaded(&self, at: usize, index: u64) -> (usize, u64) {
        (at, index)
    }

    fn place(&self, (at, index): (usize, u64)) -> (usize, String) {
        (at, self.0.key(at, index))
    }

    fn expected(&self, (at, index): (usize, u64)) -> Result<Expected<'_>> {
        Document::loaded(self.0, at, index).map(Expected::There)
    }
}

impl<W: Workload + KeepAnswers> Benchmark for Reading<'_, W> {
    type Operations = W;
    type Queries = NoWorkload;
    type Probes = NoWorkload;
    type Known = ();

    fn operations(&self) -> Option<&W> {
        Some(&self.workload)
    }

    fn target(&self) -> &Database {
        &self.opened.target
    }

    fn checks_answers(&self) -> bool {
        self.opened.clients.check_reads
    }

    async fn before(&mut self, setting: &Setting<'_>, checks: &mut Vec<Check>) -> Result<()> {
        let Opened { clients, level, .. } = self.opened;
        let Some(level) = level.filter(|level| *level != Level::Off) else { return Ok(()) };
        if setting.checks_before() {
            setting.say(clients.announced(level));
            checks.extend(self.check(setting, BEFORE).await?);
        } else {
            checks.push(left_to_first("indexes, document counts, nothing changed"));
        }
        Ok(())
    }

    fn reads(&self) -> Option<&Reads> {
        Some(&self.reads)
    }

    fn known(&self, _: Vec<MemoryOf<W>>) {}

    async fn after(&self, setting: &Setting<'_>, (): &(), _: &mut Run) -> Result<Vec<Check>> {
        if self.opened.level.is_none_or(|level| level == Level::Off) {
            return Ok(Vec::new());
        }
        checking(setting, async || self.check(setting, "after the run").await).await
    }

    async fn finish(&self, setting: &Setting<'_>, folder: &Path, whole: bool) -> Vec<Remark> {
        if !(self.keep.keep_answers && whole) {
            return Vec::new();
        }
        setting.say("keeping answers");
        let kept = async {
            let dir = folder.join("answers");
            output::folder(&dir)?;
            self.workload.keep_answers(&self.opened.target.description().url, &dir).await
        };
        let kept = kept.await;
        let missing =
            |e| Remark::new(RemarkId::AnswersMissing, format!("answers are missing: {e}"));
        kept.err().map(missing).into_iter().collect()
    }
}
