//! CH2 or CH2++ on its databases.

use std::io::{self, Write};
use std::path::Path;

use hoap_conduct::benchmark::Benchmark;
use hoap_conduct::caller::Setting;
use hoap_conduct::faults::{checking, settled};
use hoap_database::Database;
use hoap_record::merge::{beside_others, left_to_first};
use hoap_record::{AuditLine, Check, Remark, RemarkId, Run, RunFolder, Verdict};
use hoap_workload::checks::{Level, Reads};
use hoap_workload::claim::Claim;
use hoap_workload::{Result, contribution, note};

use super::checks::{Start, after_the_run, as_loaded, before_the_run, growth};
use super::explain::{self, Kept};
use super::pair::Pair;
use super::witness::Judge;
use crate::checks::district::District;
use crate::data::DataSet;
use crate::freshness::Probes;
use crate::ledger::Ledger;
use crate::ledger::contribution::Contribution;
use crate::ledger::spill::{MEMORY, Store};
use crate::queries::ParameterSet;
use crate::stream::Streams;
use crate::terminal::{Memory, Terminals};

/// The benchmark on its databases.
pub struct Hybrid<'a> {
    pub data: DataSet,
    /// The database of the transactions, or of everything.
    pub operational: Database,
    pub terminals: Option<Terminals>,
    pub streams: Option<Streams>,
    pub pair: Pair<'a>,
    pub probes: Option<Probes>,
    pub judge: Option<Judge>,
    /// The database of the queries, and what is kept of them at the end.
    pub queried: Database,
    pub kept: Vec<(Kept, ParameterSet)>,
    /// How much the checks read.
    pub level: Level,
    /// What is said of that before they begin.
    pub told: String,
    /// What they have read.
    pub reads: Reads,
    /// Number of writing runs that began before this one.
    pub runs: u64,
    /// The mark of a run that has transactions.
    pub claim: Option<&'a Claim<'a>>,
    /// The districts before the run. What is compared with the state after it is a district's.
    pub before: Vec<District>,
}

impl Hybrid<'_> {
    /// What the checks go by.
    fn start(&self) -> Start<'_> {
        Start {
            target: &self.operational,
            data: &self.data,
            fresh: self.runs == 0,
            level: self.level,
            before: &self.before,
            reads: &self.reads,
        }
    }
}

impl Benchmark for Hybrid<'_> {
    type Operations = Terminals;
    type Queries = Streams;
    type Probes = Probes;
    type Known = Memory;

    fn operations(&self) -> Option<&Terminals> {
        self.terminals.as_ref()
    }

    fn queries(&self) -> Option<&Streams> {
        self.streams.as_ref()
    }

    fn probes(&self) -> Option<&Probes> {
        self.probes.as_ref()
    }

    fn target(&self) -> &Database {
        &self.operational
    }

    fn claim(&self) -> Option<&Claim<'_>> {
        self.claim
    }

    fn keep_in(&mut self, folder: &Path) {
        let store = Store::new(folder, MEMORY);
        self.terminals.iter_mut().for_each(|terminals| terminals.keep_in(&store));
    }

    async fn before(&mut self, setting: &Setting<'_>, checks: &mut Vec<Check>) -> Result<()> {
        if self.terminals.is_none() {
            return Ok(());
        }
        if self.level != Level::Off {
            if setting.checks_before() {
                setting.say(&self.told);
                // The other drivers count the run too, and may have been faster.
                let others = 1..setting.drivers();
                if others.contains(&self.runs)
                    && as_loaded(&self.start(), setting.caller.stop()).await?
                {
                    self.runs = 0;
                }
                let stop = setting.caller.stop();
                self.before = before_the_run(&self.start(), stop, checks).await?;
            } else {
                checks.push(left_to_first("indexes, conditions, counts"));
            }
        }
        if checks.iter().all(|check| check.verdict != Verdict::Fail) {
            note::begin_run(self.operational.documents()?).await?;
            if let Some(judge) = &self.judge {
                judge.before(setting).await?;
            }
        }
        Ok(())
    }

    fn reads(&self) -> Option<&Reads> {
        Some(&self.reads)
    }

    fn known(&self, memories: Vec<Memory>) -> Memory {
        let mut known = Memory::default();
        memories.into_iter().for_each(|memory| known.merge(memory));
        if self.level.by_key() {
            known.ledger.sort();
        }
        known
    }

    async fn judge(
        &self,
        setting: &Setting<'_>,
        folder: &RunFolder,
        record: &mut Run,
    ) -> Result<Vec<Check>> {
        match &self.judge {
            Some(judge) => judge.end(setting, folder, record).await,
            None => Ok(Vec::new()),
        }
    }

    fn audit(&self, known: &Memory) -> Vec<AuditLine> {
        let Some(terminals) = &self.terminals else { return Vec::new() };
        known.tally.audit(self.data.spec().warehouses, Some(terminals.shape()))
    }

    fn left(&self) -> Option<Check> {
        let left = |_: &Terminals| {
            beside_others(
                "conditions, nothing lost, nothing added",
                "when all have ended, `hoap merge --operational URL` checks the data",
            )
        };
        self.terminals.as_ref().map(left)
    }

    fn contribution(&self, known: &mut Memory, to: &mut dyn Write) -> io::Result<()> {
        let ledger = std::mem::take(&mut known.ledger);
        let tally = known.tally.clone();
        let ours =
            Contribution { before: self.before.clone(), fresh: self.runs == 0, tally, ledger };
        let written = contribution::write(&ours, to);
        known.ledger = ours.ledger;
        written
    }

    async fn after(
        &self,
        setting: &Setting<'_>,
        known: &Memory,
        record: &mut Run,
    ) -> Result<Vec<Check>> {
        if self.terminals.is_none() {
            return Ok(Vec::new());
        }
        record.checks.extend(self.pair.end(setting, record.catch_up.as_mut()).await);
        let start = self.start();
        if self.level == Level::Off {
            return after_the_run(&start, &known.ledger).await.map(|(checks, _)| checks);
        }
        let check = async || after_the_run(&start, &known.ledger).await;
        let Ledger { ambiguous_orders, ambiguous_payments, ambiguous_deliveries, .. } =
            &known.ledger;
        let unsure = !ambiguous_orders.is_empty()
            || !ambiguous_payments.is_empty()
            || !ambiguous_deliveries.is_empty();
        let (checks, after) =
            settled(setting, unsure, async || checking(setting, &check).await).await?;
        record.remarks.extend(growth(&self.before, &after));
        Ok(checks)
    }

    async fn finish(&self, setting: &Setting<'_>, folder: &Path, whole: bool) -> Vec<Remark> {
        let Some(streams) = &self.streams else { return Vec::new() };
        let warned = streams.warnings().into_iter();
        let warned = warned.map(|text| Remark::new(RemarkId::DatabaseWarned, text));
        let mut remarks: Vec<Remark> = warned.collect();
        for &(kept, set) in self.kept.iter().filter(|_| whole) {
            setting.say(match kept {
                Kept::Plans => "explaining the queries",
                Kept::Answers => "keeping the answers of the queries",
            });
            let (stop, asks) = (setting.caller.stop(), streams.asks());
            remarks.extend(explain::all((kept, set), stop, &self.queried, asks, folder).await);
        }
        remarks
    }
}
