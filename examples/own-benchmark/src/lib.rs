//! A benchmark of one's own, the smallest that writes: each client adds to a counter of its own, and
//! after the run each counter is what was acknowledged.
//!
//! `src/main.rs` is a `hoap` that has it beside all others: `load counters`, `run counters`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use clap::Args;
use hoap_conduct::begin::{Basis, begin};
use hoap_conduct::benchmark::Benchmark;
use hoap_conduct::caller::Setting;
use hoap_conduct::checking::Checking;
use hoap_conduct::data::{DataLine, DataOffer, NoFlags};
use hoap_conduct::flags::{Clients, Common, together};
use hoap_conduct::offer::{BenchmarkLine, Drivers, Offer, Recorded};
use hoap_conduct::plan::{Defaults, Groups, Plan, plan};
use hoap_conduct::{registry, run};
use hoap_data::Part;
use hoap_database::engine::BoxedSession;
use hoap_database::key_value::{Fields, Record, Table};
use hoap_database::{AnyStore, Database, Index, KeyValue, KeyValueSession};
use hoap_databases::open;
use hoap_drive::{Client, Completion, Next, NoWorkload, Workload};
use hoap_record::Check;
use hoap_record::merge::{Joint, beside_others};
use hoap_workload::checks::watch::ALONE;
use hoap_workload::checks::{At, Checked, Document, Expected, Found, Level, Wanted, of_documents};
use hoap_workload::load::LoadSource;
use hoap_workload::{ErrorKind, Result, contribution};
use serde_json::{Value, json};

/// Number of counters, all zero when they are loaded; a client adds to the one of its number.
const COUNTERS: u64 = 8;

/// The data.
struct Counters;

impl LoadSource for Counters {
    fn benchmark(&self) -> &'static str {
        "counters"
    }

    fn parameters(&self) -> Value {
        json!({ "counters": COUNTERS })
    }

    fn collections(&self) -> Vec<&str> {
        vec!["counters"]
    }

    fn part(&self, _: usize, part: u64, of: u64) -> Range<u64> {
        COUNTERS * (part - 1) / of..COUNTERS * part / of
    }

    fn append(&self, _: usize, index: u64, key: &mut String, text: &mut Vec<u8>) {
        key.push_str(&format!("c{index}"));
        text.extend_from_slice(br#"{"value":"0"}"#);
    }

    fn indexes(&self) -> Vec<Index> {
        Vec::new()
    }
}

fn table() -> Table {
    Table { name: "counters".to_owned(), fields: vec!["value".to_owned()] }
}

fn record_of(value: u64) -> Record {
    let mut record = Record::default();
    record.push(0, |out| out.extend_from_slice(value.to_string().as_bytes()));
    record
}

/// One client's records.
type Session = KeyValueSession<BoxedSession>;

/// What was written to a counter: the additions that were acknowledged, and the values that additions
/// of unknown outcome wrote, which may be there, may not, and may yet come.
type Written = (u64, Vec<u64>);

/// What was written, by counter.
type Ledger = BTreeMap<String, Written>;

/// Adds what one client wrote.
fn note(ledger: &mut Ledger, (key, (sure, unknown)): (String, Written)) {
    let written = ledger.entry(key).or_default();
    written.0 += sure;
    written.1.extend(unknown);
}

async fn value(session: &mut Session, key: &str) -> Result<u64> {
    let mut record = Record::default();
    session.read(key, Fields::All, &mut record).await?;
    let value = record.iter().next().and_then(|(_, v)| std::str::from_utf8(v).ok()?.parse().ok());
    Ok(value.unwrap_or(u64::MAX))
}

/// What each counter must be. Of this all levels of check are made.
///
/// It has the ledger; `None` before a run.
struct Known<'a>(Option<&'a Ledger>);

impl Checked for Known<'_> {
    type Key = u64;

    fn source(&self) -> &dyn LoadSource {
        &Counters
    }

    fn loaded(&self, _: usize, index: u64) -> u64 {
        index
    }

    fn place(&self, counter: u64) -> (usize, String) {
        (0, format!("c{counter}"))
    }

    /// As loaded, and what was added. An addition of unknown outcome may count, and one that comes
    /// late puts back what it found.
    fn expected(&self, counter: u64) -> Result<Expected<'_>> {
        let written = self.0.and_then(|ledger| ledger.get(&format!("c{counter}")));
        let document = Document::loaded(&Counters, 0, counter)?;
        let Some((sure, unknown)) = written else { return Ok(Expected::There(document)) };
        let least = unknown.iter().fold(*sure, |least, value| least.min(*value));
        let may = least..=sure + unknown.len() as u64;
        let fits = move |found: &Value, _: Found<'_>| {
            let value = found.as_str().and_then(|text| text.parse().ok());
            let fits = value.is_some_and(|value: u64| may.contains(&value));
            let wrong = || format!("value is {found}, it must be {} to {}", may.start(), may.end());
            (!fits).then(wrong)
        };
        Ok(Expected::There(document.but("value", Wanted::Fits(Box::new(fits)))))
    }

    fn written(&self) -> Option<Vec<u64>> {
        let ledger = self.0?;
        Some((0..COUNTERS).filter(|n| ledger.contains_key(&format!("c{n}"))).collect())
    }
}

/// One client.
struct Adder {
    session: Session,
    key: String,
    written: Written,
    /// What is being written.
    pending: Option<u64>,
}

impl Adder {
    async fn add(&mut self) -> Result<()> {
        let old = value(&mut self.session, &self.key).await?;
        self.pending = Some(old + 1);
        let answer = self.session.update(&self.key, &record_of(old + 1)).await;
        let value = self.pending.take();
        match answer {
            Ok(_) => self.written.0 += 1,
            Err(e) => {
                // Of any other kind it is sure that nothing was written.
                self.written.1.extend(value.filter(|_| e.kind == ErrorKind::Ambiguous));
                return Err(e);
            }
        }
        Ok(())
    }
}

impl Client for Adder {
    type Memory = (String, Written);

    fn next(&mut self) -> Next {
        Next::of(0)
    }

    async fn run(&mut self) -> Completion {
        Completion::of(self.add().await.map(|()| 0))
    }

    /// The end of a run may cut an addition off.
    fn finish(mut self) -> (String, Written) {
        self.written.1.extend(self.pending);
        (self.key, self.written)
    }
}

/// The clients of one driver, which may be one of several.
struct Adders(KeyValue<AnyStore>, Part);

impl Workload for Adders {
    type Client = Adder;

    fn kinds(&self) -> Vec<&str> {
        vec!["ADD"]
    }

    fn blocking(&self) -> bool {
        self.0.blocking()
    }

    async fn client(&self, number: usize) -> Result<Self::Client> {
        let session = self.0.session(&table()).await?;
        // No two clients of all drivers have the same counter.
        let counter = number as u64 * self.1.of + self.1.part - 1;
        let (written, pending) = Default::default();
        Ok(Adder { session, key: format!("c{counter}"), written, pending })
    }
}

/// What a `hoap` that has it lists.
pub static BENCHMARK: registry::Benchmark = registry::Benchmark {
    data: &[&DataLine::<Eight> {
        name: "counters",
        about: "Eight counters",
        collections: &[],
        variant: (),
    }],
    runs: &[&BenchmarkLine::<Flags> {
        name: "counters",
        about: "Additions to counters",
        variant: (),
        questions: None,
    }],
};

/// `hoap load counters` has no flags of its own.
#[derive(Debug, Args)]
pub struct Eight {}

impl DataOffer for Eight {
    type Variant = ();
    type OfLoad = NoFlags;

    const DATA_VERSION: u32 = 1;
    const FILES: bool = false;

    fn source(&self, (): &()) -> Result<Arc<dyn LoadSource>> {
        Ok(Arc::new(Counters))
    }
}

/// The flags of a run.
#[derive(Debug, Args)]
pub struct Flags {
    /// Clients, steps and the database.
    #[command(flatten)]
    pub clients: Clients,
}

impl Offer for Flags {
    type Variant = ();

    fn common(&mut self) -> &mut Common {
        &mut self.clients.common
    }

    fn planned(&self, _: &BenchmarkLine<Flags>) -> Result<Plan> {
        let Flags { clients } = self;
        let numbers = if clients.clients.is_empty() { &[1][..] } else { &clients.clients };
        plan(Groups::Clients(numbers), &clients.pacing, &clients.common, Defaults::default())
    }

    async fn record(&self, line: &BenchmarkLine<Flags>, setting: &Setting<'_>) -> Result<Recorded> {
        let Flags { clients } = self;
        let target = open(&clients.target).await?;
        let loaded = hoap_workload::note::expect_loaded(&target, line.name).await?;
        let plan = self.planned(line)?;
        let checking = Checking::new(clients, COUNTERS);
        let checked = Clients::checked(Some(checking.level()));
        let settings = together([clients.settings(&plan.steps), checked]);
        let constants = json!({ "run_seed": setting.common.run_seed });
        let basis = Basis { note: Some(&loaded), data: Counters.parameters(), constants };
        let record = begin((line.name, line.name), &target, basis, settings);
        let part = setting.common.conduct.part.map_or(Part::WHOLE, |part| part.part);
        let adders = Adders(target.key_value()?, part);
        let open = Open { adders, target: &target, checking };
        run::record(setting, &plan, record, open).await
    }

    async fn joint(drivers: &Drivers<'_>) -> Result<Joint> {
        let mut all = Ledger::new();
        let ledgers = drivers.ledgers::<Ledger>()?.into_iter();
        ledgers.flat_map(|(_, ledger)| ledger).for_each(|written| note(&mut all, written));
        let target = open(drivers.url).await?;
        let level = Level::of_run(drivers.first)?;
        let at = At { target: &target, level, when: "after all runs", watch: &ALONE };
        let checks = of_documents(&at, &Known(Some(&all))).await?;
        Ok(Joint { checks, ..Joint::default() })
    }
}

/// The benchmark on its database.
struct Open<'a> {
    adders: Adders,
    target: &'a Database,
    /// How much of the counters is checked.
    checking: Checking,
}

impl Benchmark for Open<'_> {
    type Operations = Adders;
    type Queries = NoWorkload;
    type Probes = NoWorkload;
    type Known = Ledger;

    fn operations(&self) -> Option<&Adders> {
        Some(&self.adders)
    }

    fn target(&self) -> &Database {
        self.target
    }

    fn checking(&self) -> Option<&Checking> {
        Some(&self.checking)
    }

    async fn check(&self, at: &At<'_>, known: Option<&Ledger>) -> Result<Vec<Check>> {
        of_documents(at, &Known(known)).await
    }

    fn known(&self, memories: Vec<(String, Written)>) -> Ledger {
        let mut known = Ledger::new();
        memories.into_iter().for_each(|written| note(&mut known, written));
        known
    }

    fn left(&self) -> Option<Check> {
        Some(beside_others("nothing lost", "hoap merge looks"))
    }

    fn contribution(&self, known: &mut Ledger, to: &mut dyn Write) -> io::Result<()> {
        contribution::write(known, to)
    }
}
