//! YCSB: `hoap run ycsb-…`.

use std::io::{self, Write};
use std::path::PathBuf;

use hoap_conduct::begin::{Basis, begin};
use hoap_conduct::benchmark::Benchmark;
use hoap_conduct::caller::Setting;
use hoap_conduct::checking::Checking;
use hoap_conduct::faults::or_gone;
use hoap_conduct::flags::{Clients, Common, Settings, together};
use hoap_conduct::offer::{BenchmarkLine, Drivers, Offer, Recorded};
use hoap_conduct::plan::{Defaults, Groups, Plan, plan};
use hoap_conduct::{in_use, run};
use hoap_data::Part;
use hoap_database::engine::RecordStore;
use hoap_database::{Database, KeyValue, What};
use hoap_databases::null::Null;
use hoap_databases::sqlite::SqliteEngine;
use hoap_databases::{offers, open};
use hoap_drive::NoWorkload;
use hoap_record::Check;
use hoap_record::merge::{Joint, beside_others};
use hoap_workload::checks::watch::ALONE;
use hoap_workload::checks::{At, Level};
use hoap_workload::claim::Claim;
use hoap_workload::load::LoadSource;
use hoap_workload::note::{self, Note};
use hoap_workload::{Error, ErrorKind, Result, contribution};
use serde_json::json;

use crate::flags::{Flags, ScanFieldChoice};
use crate::name::title;
use crate::verify::joint;
use crate::{Kind, Memory, Preset, Properties, ScanFields, Setup, UserTable, Ycsb};

impl Offer for Flags {
    type Variant = &'static Preset;

    const OTHER_NAME: Option<&'static str> = Some("ycsb-custom");

    fn title(line: &BenchmarkLine<Flags>) -> String {
        title(line.name)
    }

    fn common(&mut self) -> &mut Common {
        &mut self.clients.common
    }

    fn planned(&self, line: &BenchmarkLine<Flags>) -> Result<Plan> {
        let (_, setup) = self.setup(line.variant)?;
        // Nothing is ever loaded there.
        let loaded = !self.clients.target.starts_with("null:");
        let makes_or_removes = [Kind::Insert, Kind::Delete];
        if loaded && makes_or_removes.iter().any(|kind| setup.mix.share(*kind) > 0.0) {
            refuse_repetition(line.name, &self.clients.common)?;
        }
        let scans = setup.mix.share(Kind::Scan) > 0.0;
        offers(
            &self.clients.target,
            if scans { &[What::KeyValue, What::Scans] } else { &[What::KeyValue] },
        )?;
        self.steps(&setup)
    }

    fn export_file(&self, line: &BenchmarkLine<Flags>) -> Result<Option<PathBuf>> {
        Ok(self.setup(line.variant)?.1.export_file)
    }

    async fn record(&self, line: &BenchmarkLine<Flags>, setting: &Setting<'_>) -> Result<Recorded> {
        let (properties, mut setup) = self.setup(line.variant)?;
        let target = open(&self.clients.target).await?;
        // Before the data is looked for: what the database cannot run need not be loaded.
        let scans = setup.mix.share(Kind::Scan) > 0.0;
        let key_value = target.key_value()?;
        if scans {
            key_value.scans()?;
        }
        let (note, table) = match target.engine::<Null>() {
            // Nothing is ever loaded there: the records are those that a load would have written.
            Some(_) => (None, UserTable::new(&setup.table, setup.load_spec())?),
            None => {
                let note = note::expect_loaded(&target, "ycsb").await?;
                let table = UserTable::from_parameters(&note.data)?;
                (Some(note), table)
            }
        };
        let plan = self.steps(&setup)?;
        let documents = table.records.spec().count;
        let checking = note.as_ref().map(|_| Checking::new(&self.clients, documents));
        let checked = Clients::checked(checking.as_ref().map(Checking::level));
        let settings = together([self.settings(&properties, &setup, &plan), checked]);
        // The records are the table's own; this seed is of what the clients draw.
        setup.records.seed = setting.common.own_seed();
        setup.part = setting.common.conduct.part.map_or(Part::WHOLE, |part| part.part);
        let (name, of) = (line.name, target.clone());
        let opened = Opened { name, plan, settings, target: of, note, checking, table, setup };
        // Without boxes where one would be part of the result: the driver's own cost, and a store
        // whose operations take a microsecond.
        if let Some(null) = target.key_value_of::<Null>() {
            opened.run(null, setting).await
        } else if let Some(sqlite) = target.key_value_of::<SqliteEngine>() {
            opened.run(sqlite, setting).await
        } else {
            opened.run(key_value, setting).await
        }
    }

    async fn joint(drivers: &Drivers<'_>) -> Result<Joint> {
        let all = drivers.ledgers::<crate::Contribution>()?;
        let target = open(drivers.url).await?;
        let note = note::expect_loaded(&target, "ycsb").await?;
        let table = UserTable::from_parameters(&note.data)?;
        drivers.same_data(&table.parameters())?;
        let (mut memory, mut unsure, number) = (Memory::nothing(), 0, all.len() as u64);
        for ((name, driver), ahead) in all.into_iter().zip(drivers.clocks()?) {
            let driver = driver.set_back(ahead);
            unsure += driver.unsure_inserts;
            memory.merge(driver.memory(&name, &table.records)?);
        }
        drivers.caller.say("checking the data after all runs");
        let level = Level::of_run(drivers.first)?;
        let at = At { target: &target, level, when: "after the run", watch: &ALONE };
        let known = (&memory, unsure, number);
        let verified = joint(&target.key_value()?, &table, &at, known).await;
        Ok(Joint { checks: or_gone(verified)?, ..Joint::default() })
    }
}

impl Flags {
    /// The properties, and what they and the flags ask for.
    fn setup(&self, preset: &Preset) -> Result<(Properties, Setup)> {
        let (properties, mut setup) = self.properties.setup(Some(preset))?;
        // Before the key space is made: its room for new records comes from it, whoever says it.
        setup.operations = self.clients.pacing.operations.or(setup.operations);
        setup.check_reads |= self.clients.check_reads;
        if setup.check_reads && self.clients.target.starts_with("null:") {
            let why = "null: keeps no record, so none is as it was written";
            return Err(Error::new(ErrorKind::Invalid, "compare every answer with the data", why)
                .advise("leave out dataintegrity and --check-reads, or name a database"));
        }
        if let Some(fields) = self.scan_fields {
            setup.scan_fields = match fields {
                ScanFieldChoice::All => ScanFields::All,
                ScanFieldChoice::One => ScanFields::One,
                ScanFieldChoice::None => ScanFields::None,
            };
        }
        Ok((properties, setup))
    }

    fn steps(&self, setup: &Setup) -> Result<Plan> {
        let Clients { clients, pacing, common, .. } = &self.clients;
        let own = [setup.clients.map_or(1, |n| n as usize)];
        let numbers = if clients.is_empty() { &own[..] } else { clients };
        let defaults =
            Defaults { rate: setup.rate, operations: setup.operations, duration: setup.duration };
        plan(Groups::Clients(numbers), pacing, common, defaults)
    }
}

/// The table and what is to be done with it.
struct Opened {
    name: &'static str,
    plan: Plan,
    settings: Settings,
    target: Database,
    /// `None` where nothing is ever loaded.
    note: Option<Note>,
    /// How much is checked. `None` likewise.
    checking: Option<Checking>,
    table: UserTable,
    setup: Setup,
}

impl Opened {
    async fn run<K: RecordStore>(
        self,
        key_value: KeyValue<K>,
        setting: &Setting<'_>,
    ) -> Result<Recorded> {
        let Opened { name, plan, settings, target, note, checking, table, setup } = self;
        let (distribution, exponent) = (setup.distribution, setup.exponent);
        setup.without_effect.iter().for_each(|remark| setting.say(remark.clone()));
        let workload = Ycsb::new(key_value, &table, setup)?;
        let writes = workload.writes();
        let keys = workload.key_space().noted(distribution, exponent);
        let constants = json!({ "run_seed": setting.common.run_seed, "keys": keys });
        // One that only reads writes nothing: a replica takes no writes.
        let claim = match note.as_ref().filter(|_| writes) {
            Some(note) => Some(in_use::begin(setting, &target, note, name).await?.0),
            None => None,
        };
        let does = workload.setup().benchmark(table.records.spec());
        let titled = title(&does);
        if does != name {
            let asked = title(name);
            setting.say(format!("its properties or its table make this {titled}, not {asked}"));
        }
        let claim = claim.as_ref();
        let record = async {
            let basis = Basis { note: note.as_ref(), data: table.parameters(), constants };
            let record = begin((&does, &titled), &target, basis, settings);
            let on_table = OnTable { workload, target: &target, checking, writes, claim };
            run::record(setting, &plan, record, on_table).await
        };
        in_use::during(setting, claim, record).await
    }
}

/// Refuses to repeat a workload that inserts or deletes: it needs a table that was just loaded.
fn refuse_repetition(name: &str, common: &Common) -> Result<()> {
    if common.conduct.repeat == 1 {
        return Ok(());
    }
    let answer = "it inserts or deletes, so each run needs a table that was just loaded";
    Err(Error::new(ErrorKind::Invalid, format!("repeat {name}"), answer)
        .advise("load and run in turn, into folders DIR/01, DIR/02, …"))
}

/// The workload on its table.
struct OnTable<'a, K: RecordStore> {
    workload: Ycsb<K>,
    target: &'a Database,
    /// How much of the table is checked. `None` where there is none.
    checking: Option<Checking>,
    writes: bool,
    claim: Option<&'a Claim<'a>>,
}

impl<K: RecordStore> Benchmark for OnTable<'_, K> {
    type Operations = Ycsb<K>;
    type Queries = NoWorkload;
    type Probes = NoWorkload;
    type Known = Memory;

    fn operations(&self) -> Option<&Ycsb<K>> {
        Some(&self.workload)
    }

    fn target(&self) -> &Database {
        self.target
    }

    fn claim(&self) -> Option<&Claim<'_>> {
        self.claim
    }

    fn checks_answers(&self) -> bool {
        self.workload.setup().check_reads
    }

    fn checking(&self) -> Option<&Checking> {
        self.checking.as_ref()
    }

    async fn check(&self, at: &At<'_>, known: Option<&Memory>) -> Result<Vec<Check>> {
        self.workload.check(at, known).await
    }

    fn known(&self, memories: Vec<Memory>) -> Memory {
        let mut known = Memory::nothing();
        memories.into_iter().for_each(|memory| known.merge(memory));
        known
    }

    fn left(&self) -> Option<Check> {
        let left = || {
            beside_others(
                "record count, nothing lost: writes",
                "when all have ended, `hoap merge --operational URL` checks the table",
            )
        };
        (self.checking.is_some() && self.writes).then(left)
    }

    fn contribution(&self, known: &mut Memory, to: &mut dyn Write) -> io::Result<()> {
        contribution::write(&self.workload.contribution(known), to)
    }
}
