//! The trait of a benchmark that is open and prepared.

use std::io::{self, Write};
use std::path::Path;

use hoap_database::Database;
use hoap_drive::{Client, Probing, Workload};
use hoap_record::{AuditLine, Check, Remark, Run, RunFolder, Verdict};
use hoap_workload::checks::{At, Reads};
use hoap_workload::claim::Claim;
use hoap_workload::{Result, note};

use crate::caller::Setting;
use crate::checking::Checking;

/// What a client of a workload remembers at its end.
pub type MemoryOf<W> = <<W as Workload>::Client as Client>::Memory;

/// A benchmark on its databases, ready for its first step.
///
/// It has one or two groups of clients: those of [`operations`](Benchmark::operations)
/// (transactions, or the clients of a benchmark that has no others), and those of
/// [`queries`](Benchmark::queries).
pub trait Benchmark {
    /// The transactions, or the operations of a benchmark whose clients are all alike.
    type Operations: Workload;
    /// The queries; [`NoWorkload`](hoap_drive::NoWorkload) where there are none.
    type Queries: Workload;
    /// What measures freshness; [`NoWorkload`](hoap_drive::NoWorkload) where nothing does.
    type Probes: Probing;
    /// What the clients of all steps know together: ledgers, samples, tallies.
    type Known;

    /// The transactions or operations, where a step has clients of them.
    fn operations(&self) -> Option<&Self::Operations>;

    /// The queries, where a step has clients of them.
    fn queries(&self) -> Option<&Self::Queries> {
        None
    }

    /// The probes, where freshness is measured.
    fn probes(&self) -> Option<&Self::Probes> {
        None
    }

    /// The database whose [usage](Database::usage) is part of a step's result.
    fn target(&self) -> &Database;

    /// The mark of a run that writes to loaded data.
    fn claim(&self) -> Option<&Claim<'_>> {
        None
    }

    /// Whether the clients compare every answer with the data, so that a wrong one is a failure of
    /// kind [`Broken`](hoap_workload::ErrorKind::Broken).
    fn checks_answers(&self) -> bool {
        false
    }

    /// Told of the run's folder before the first step, for what its clients cannot keep in memory.
    fn keep_in(&mut self, _folder: &Path) {}

    /// How much of the data [`Benchmark::check`] is to check. `None` where nothing is ever loaded,
    /// and of a benchmark that has other checks before and after a run.
    fn checking(&self) -> Option<&Checking> {
        None
    }

    /// The checks of the data before the run, and after it with what its clients know
    /// ([`hoap_workload::checks::of_documents`]).
    ///
    /// # Errors
    /// Those of reading the data.
    fn check(
        &self,
        _at: &At<'_>,
        _known: Option<&Self::Known>,
    ) -> impl Future<Output = Result<Vec<Check>>> {
        async { Ok(Vec::new()) }
    }

    /// Checks the data before the first step. Each check goes into `checks` once it is made. If one
    /// fails no step runs; else a run that writes is noted.
    fn before(
        &mut self,
        setting: &Setting<'_>,
        checks: &mut Vec<Check>,
    ) -> impl Future<Output = Result<()>> {
        before(self, setting, checks)
    }

    /// What its checks have read, where they count it.
    fn reads(&self) -> Option<&Reads> {
        self.checking().map(Checking::reads)
    }

    /// Makes one of what the clients remember.
    fn known(&self, memories: Vec<MemoryOf<Self::Operations>>) -> Self::Known;

    /// Judges what clients did beside what was measured, once the data is checked. The verdict goes
    /// into `record`, what it rests on into the folder.
    ///
    /// # Errors
    /// Returns [`Unavailable`](hoap_workload::ErrorKind::Unavailable) where the folder cannot be
    /// written.
    fn judge(
        &self,
        _setting: &Setting<'_>,
        _folder: &RunFolder,
        _record: &mut Run,
    ) -> impl Future<Output = Result<Vec<Check>>> {
        async { Ok(Vec::new()) }
    }

    /// Audits what was drawn.
    fn audit(&self, _known: &Self::Known) -> Vec<AuditLine> {
        Vec::new()
    }

    /// What only all drivers together can check, where this is one among several: the check that
    /// stands in place of [`after`](Benchmark::after). `None` where the clients leave no ledger.
    fn left(&self) -> Option<Check> {
        None
    }

    /// Writes the text of `ledger.json`, what the clients saw acknowledged: what one driver among
    /// several leaves for the check that only all of them can make, and what `--ledger` leaves.
    /// `known` is as before when it returns.
    ///
    /// # Errors
    /// Those of writing.
    fn contribution(&self, _known: &mut Self::Known, _to: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Checks the data after the last step, or after an interruption. What is known of the run
    /// whether or not the data can be checked goes into `record` at once.
    fn after(
        &self,
        setting: &Setting<'_>,
        known: &Self::Known,
        _record: &mut Run,
    ) -> impl Future<Output = Result<Vec<Check>>> {
        async move {
            let Some(checking) = self.checking() else { return Ok(Vec::new()) };
            let check = async |at: &At<'_>| self.check(at, Some(known)).await;
            checking.after(setting, self.target(), check).await
        }
    }

    /// What is left to do when all is checked, and the remarks that come of it. `whole` says
    /// whether the run is.
    fn finish(
        &self,
        _setting: &Setting<'_>,
        _folder: &Path,
        _whole: bool,
    ) -> impl Future<Output = Vec<Remark>> {
        async { Vec::new() }
    }
}

/// What [`Benchmark::before`] does: a benchmark that does more does this last.
///
/// # Errors
/// Those of reading the data, and of the note.
pub async fn before<B: Benchmark + ?Sized>(
    benchmark: &B,
    setting: &Setting<'_>,
    checks: &mut Vec<Check>,
) -> Result<()> {
    if let Some(checking) = benchmark.checking() {
        let check = async |at: &At<'_>| benchmark.check(at, None).await;
        checks.extend(checking.before(setting, benchmark.target(), check).await?);
    }
    let consistent = checks.iter().all(|check| check.verdict != Verdict::Fail);
    if consistent && benchmark.claim().is_some() {
        note::begin_run(benchmark.target().documents()?).await?;
    }
    Ok(())
}
