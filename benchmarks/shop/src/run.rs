//! Pagination and JOIN: `hoap run pagination` and `hoap run join`.

use std::path::Path;

use clap::Args;
use hoap_conduct::begin::{Basis, begin};
use hoap_conduct::benchmark::{Benchmark, MemoryOf};
use hoap_conduct::caller::Setting;
use hoap_conduct::checking::Checking;
use hoap_conduct::flags::{Clients, Common, Settings, settings, together};
use hoap_conduct::offer::{BenchmarkLine, Offer, Recorded};
use hoap_conduct::plan::{Defaults, Groups, Plan, plan};
use hoap_conduct::run;
use hoap_database::shop::{Ask, JoinVariant};
use hoap_database::{Database, Shop, What};
use hoap_databases::null::Null;
use hoap_databases::{offers, open};
use hoap_drive::{NoWorkload, Workload};
use hoap_record::{Check, Remark, RemarkId, output};
use hoap_workload::checks::{At, Checked, Document, Expected, of_documents};
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

    fn title(_: &BenchmarkLine<PaginationFlags>) -> String {
        "Pagination".into()
    }

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
        let (target, title) = (open(&clients.target).await?, Self::title(line));
        // Before the data is looked for: what the database cannot run need not be loaded.
        let pages = target.pages()?;
        let opened = Opened::new((line.name, &title), clients, target).await?;
        opened.loaded.iter().try_for_each(Loaded::expect_customers)?;
        let pagination = Pagination::new(pages, opened.data, opened.options());
        opened.run(pagination, keep.settings(), *keep, setting).await
    }
}

impl Offer for JoinFlags {
    type Variant = ();

    fn title(_: &BenchmarkLine<JoinFlags>) -> String {
        "JOIN".into()
    }

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
        let (target, title) = (open(&clients.target).await?, Self::title(line));
        let joins = target.joins()?;
        let opened = Opened::new((line.name, &title), clients, target).await?;
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
    /// As users type it, and as people write it.
    name: (&'static str, &'a str),
    clients: &'a Clients,
    plan: Plan,
    target: Database,
    /// `None` where nothing is ever loaded.
    note: Option<Note>,
    loaded: Option<Loaded>,
    data: ShopData,
    /// How much of the data is checked. `None` where nothing is ever loaded.
    checking: Option<Checking>,
}

impl<'a> Opened<'a> {
    async fn new(
        name: (&'static str, &'a str),
        clients: &'a Clients,
        target: Database,
    ) -> Result<Opened<'a>> {
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
        let documents = loaded.as_ref().map(|loaded| loaded.counts().sum());
        let checking = documents.map(|documents| Checking::new(clients, documents));
        Ok(Opened { name, clients, plan: steps(clients)?, target, note, loaded, data, checking })
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
        let checked = Clients::checked(self.checking.as_ref().map(Checking::level));
        let settings = together([self.clients.settings(&self.plan.steps), own, checked]);
        let constants = json!({ "run_seed": setting.common.run_seed });
        let data = match &self.note {
            Some(note) => note.data.clone(),
            None => Loaded::new(self.data, &[])?.parameters(),
        };
        let basis = Basis { note: self.note.as_ref(), data, constants };
        let target = &self.target;
        let record = begin(self.name, target, basis, settings);
        let reading = Reading { workload, opened: self, keep };
        run::record(setting, &self.plan, record, reading).await
    }
}

/// A workload that only reads: what was loaded is there before and afterwards.
struct Reading<'a, W> {
    workload: W,
    opened: &'a Opened<'a>,
    keep: Keep,
}

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

    fn checking(&self) -> Option<&Checking> {
        self.opened.checking.as_ref()
    }

    async fn check(&self, at: &At<'_>, _: Option<&()>) -> Result<Vec<Check>> {
        match &self.opened.loaded {
            Some(loaded) => of_documents(at, &AsLoaded(loaded)).await,
            None => Ok(Vec::new()),
        }
    }

    fn known(&self, _: Vec<MemoryOf<W>>) {}

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
