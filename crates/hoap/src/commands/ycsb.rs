//! `hoap run ycsb-…`.

use std::path::PathBuf;
use std::sync::Arc;

use hoap_data::ycsb::RecordSpec;
use hoap_databases::{AnyTarget, open_any, with_key_value};
use hoap_record::RunFolder;
use hoap_record::merge::beside_others;
use hoap_report::tables::benchmark_title;
use hoap_workload::capability::key_value::KeyValue;
use hoap_workload::load::{Part, Source};
use hoap_workload::note::{self, Note};
use hoap_workload::ycsb::{Kind, Memory, Preset, Properties, ScanFields, Setup, UserTable, Ycsb};
use hoap_workload::{Error, contribution};
use serde_json::json;

use super::Context;
use super::faults::patiently;
use super::record::begin;
use super::repeat;
use super::steps::{Defaults, Steps, configuration, plans};
use crate::args::{PropertyArgs, Records, RunYcsb, ScanFieldChoice};
use crate::failure::Failure;

/// The properties of these flags, on top of those of a preset.
pub fn properties(args: &PropertyArgs, preset: Option<&Preset>) -> Result<Properties, Error> {
    let mut properties = preset.map_or_else(Properties::new, Properties::preset);
    for file in &args.files {
        properties.file(file)?;
    }
    for pair in &args.pairs {
        properties.pair(pair)?;
    }
    Ok(properties)
}

/// The records that a load of these flags writes.
pub fn table(args: &Records) -> Result<UserTable, Error> {
    let setup = Setup::new(&properties(&args.properties, None)?)?;
    UserTable::new(&setup.table, RecordSpec { seed: args.seed, ..setup.load_spec() })
}

/// Runs a workload of this name and returns the folder and what its `run.json` says.
pub async fn record_of(
    context: &Context,
    name: &str,
    args: &RunYcsb,
) -> Result<(PathBuf, hoap_record::Run), Failure> {
    let preset = Preset::find(name);
    let mut setup = Setup::new(&properties(&args.properties, preset)?)?;
    // Before the key space is made: its room for new records comes from it, whoever says it.
    setup.operations = args.steps.operations.or(setup.operations);
    setup.check_reads |= args.steps.check_reads;
    if let Some(fields) = args.scan_fields {
        setup.scan_fields = match fields {
            ScanFieldChoice::All => ScanFields::All,
            ScanFieldChoice::One => ScanFields::One,
            ScanFieldChoice::None => ScanFields::None,
        };
    }
    let target = open_any(&args.steps.target).await?;
    // What it cannot run it need not hold.
    let scans = setup.mix.share(Kind::Scan) > 0.0;
    with_key_value!(target.clone(), |kv| if scans { kv.scans() } else { Ok(()) })
        .flatten()
        .map_err(Error::from)?;
    let (note, table) = match target {
        // Nothing is ever loaded there: the records are those that a load would have written.
        AnyTarget::Null(_) => (None, UserTable::new(&setup.table, setup.load_spec())?),
        _ => {
            let note = note::expect_loaded(target.target(), "ycsb").await?;
            let table = UserTable::from_parameters(&note.data)?;
            (Some(note), table)
        }
    };
    let run = Run { context, name, args, setup, note, table };
    let boxed = target.clone();
    with_key_value!(target, |kv| run.on(Arc::new(kv), &boxed).await).map_err(Error::from)?
}

struct Run<'a> {
    context: &'a Context,
    name: &'a str,
    args: &'a RunYcsb,
    setup: Setup,
    note: Option<Note>,
    table: UserTable,
}

impl Run<'_> {
    async fn on<K: KeyValue>(
        self,
        key_value: Arc<K>,
        target: &AnyTarget,
    ) -> Result<(PathBuf, hoap_record::Run), Failure> {
        let Run { context, name, args, setup, note, table } = self;
        let defaults = Defaults {
            clients: setup.clients.map(|n| n as usize),
            rate: setup.rate,
            operations: setup.operations,
            duration: setup.duration,
        };
        let plans = plans(&args.steps, defaults)?;
        let seed = args.steps.run_seed;
        let mut settings = configuration(&args.steps, &plans);
        settings["properties"] = json!(
            properties(&args.properties, Preset::find(name))?
                .iter()
                .collect::<std::collections::BTreeMap<_, _>>()
        );
        // What decides the operations and is no property.
        settings["scan-fields"] = json!((setup.scan_fields == ScanFields::None).then_some("none"));
        let mut setup = setup;
        // The records are the table's own; this seed is of what the clients draw.
        setup.records.seed = seed;
        let shares = |kinds: &[Kind]| kinds.iter().any(|kind| setup.mix.share(*kind) > 0.0);
        let writes = shares(&[Kind::Update, Kind::ReadModifyWrite, Kind::Insert]);
        let inserts = shares(&[Kind::Insert]);
        let part = args.steps.conduct.part;
        setup.part = part.map_or(Part::WHOLE, |part| part.0);
        repeat::refuse_inserts(name, inserts && note.is_some(), &args.steps.conduct)?;
        let data = table.parameters();
        let (check_reads, distribution) = (setup.check_reads, setup.distribution);
        let workload = Ycsb::new(key_value, &table, setup)?;
        let keys = workload.key_space().noted(distribution);
        let constants = json!({ "run_seed": seed, "keys": keys });
        let documents = target.target().documents().map_err(Error::from)?;
        if note.is_some() {
            workload.expect_whole(documents).await?;
            note::begin_run(documents).await?;
        }
        let benchmark = workload.setup().benchmark(table.records.spec());
        if benchmark != name {
            let (does, asked) = (benchmark_title(&benchmark), benchmark_title(name));
            context
                .console
                .say(format!("its properties or its table make this {does}, not {asked}"));
        }
        let record = begin(&benchmark, target.target(), note.as_ref(), data, constants, settings);
        let target = target.target();
        let steps = Steps { context, args: &args.steps, target, plans, check_reads };
        let check = async |memories: Vec<Memory>, folder: &RunFolder| {
            let mut memory = Memory::nothing();
            memories.into_iter().for_each(|m| memory.merge(m));
            if note.is_none() {
                Ok(Vec::new())
            } else if part.is_some() && writes {
                folder.write_ledger(&contribution::to_json(&workload.contribution(&memory))?)?;
                Ok(vec![beside_others(
                    "record count, nothing lost: writes",
                    "when all have ended, `hoap merge --operational URL` checks the table",
                )])
            } else {
                let verify = async || workload.verify(documents, &memory, "after the run").await;
                patiently(context, &args.steps.faults, verify).await
            }
        };
        steps.conduct(&workload, record, check).await
    }
}
