//! The five transactions by several clients, and the ledger of what was acknowledged.

use std::sync::Arc;

use hoap_ch2::checks::snapshot::Snapshot;
use hoap_ch2::data::DataSet;
use hoap_ch2::run::checks::{Start, after_the_run};
use hoap_ch2::terminal::{Memory, Options, Terminals};
use hoap_database::Database;
use hoap_drive::{Client, Outcome, Workload};
use hoap_workload::checks::watch::ALONE;
use hoap_workload::checks::{Level, Reads};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};

use crate::findings::{Findings, Proof, Step, all_of};

const CLIENTS: usize = 4;
const OPERATIONS: usize = 50;
/// A small data set has conflicts: what counts here is that each is told.
const RETRIES: u32 = 1000;

/// Runs them and compares what was acknowledged with what is there.
pub(super) async fn ledger(findings: &mut Findings<'_>, target: &Database, data: &DataSet) {
    if target.transactions().is_err() {
        return;
    }
    let tried = async { all(target, data).await.map(Step::from) };
    let proves = "the five transactions: the twelve conditions hold, nothing is lost or added";
    findings.take("clients", proves, tried).await;
}

async fn all(target: &Database, data: &DataSet) -> Result<Proof> {
    let documents = target.documents()?;
    let before = Snapshot::take(documents, data, &ALONE).await?;
    let options = Options { seed: 1, retries: RETRIES, think_times: false };
    let terminals = Arc::new(Terminals::new(target.clone(), *data, options));
    let running: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let terminals = terminals.clone();
            let runtime = tokio::runtime::Handle::current();
            // A thread each: an embedded database blocks it.
            tokio::task::spawn_blocking(move || runtime.block_on(client(&terminals, number)))
        })
        .collect();
    let mut memory = Memory::default();
    let mut first = Ok(());
    let mut conflicts = 0;
    for end in running {
        let end = end.await.map_err(|e| Error::new(ErrorKind::Broken, "run a client", e))?;
        let (remembered, retries, failed) = end?;
        memory.merge(remembered);
        conflicts += retries;
        first = first.and(failed.map_or(Ok(()), Err));
    }
    first?;
    let (level, before, reads) = (Level::Full, &before.districts[..], &Reads::new());
    let start = Start { target, data, fresh: true, level, before, reads };
    let (checks, _) = after_the_run(&start, &memory.ledger).await?;
    let (checked, told) = all_of(&checks)?;
    let done = counted(CLIENTS * OPERATIONS, "transaction", "transactions");
    let conflicts = counted(conflicts, "conflict", "conflicts");
    Ok((checked, format!("{done} with {conflicts}; {told}")))
}

/// What a client remembers, its retries, and its first failure.
type End = (Memory, u32, Option<Error>);

async fn client(terminals: &Terminals, number: usize) -> Result<End> {
    let mut client = terminals.client(number).await?;
    let (mut retries, mut failed) = (0, None);
    for _ in 0..OPERATIONS {
        client.next();
        let done = client.run().await;
        retries += done.retries;
        if let Outcome::Failed(e) = done.outcome {
            failed = Some(e);
            break;
        }
    }
    Ok((client.finish(), retries, failed))
}
