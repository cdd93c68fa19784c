//! What earlier runs have left: where new documents go on, and what fields were before this run.

use hoap_database::path::{self, WHOLE};
use hoap_database::{Access, Database, Intent, Row, Session};
use hoap_workload::Result;
use hoap_workload::checks::{self, Reader, counts};

use super::checked::Before;
use super::ledger::{SAMPLED, has};
use super::numbers::Numbers;
use super::shared::Shared;
use crate::generate::place::At;
use crate::workload::Workload;

/// How many documents in a row are looked at: of these one is there if any is of those behind them.
const BLOCK: u64 = 64;

/// Looks where earlier runs have inserted and deleted documents, so that this one goes on there.
///
/// # Errors
/// Those of the database.
pub async fn go_on(
    target: &Database,
    workload: &'static Workload,
    numbers: &mut [Numbers],
    place: &dyn Fn(usize, u64) -> At,
) -> Result<()> {
    let mut session = target.operations()?.session().await?;
    for &collection in &workload.stored {
        let changes = &workload.plan.changes[collection];
        let mut looking = Looking { session: &mut session, workload, collection, place };
        let of = &numbers[collection];
        let loaded = of.loaded();
        let first = match changes.inserts {
            true => looking.first(|new| of.at(loaded + new), false, u64::MAX).await?,
            false => 0,
        };
        let oldest = match changes.deletes && changes.oldest_only {
            true => looking.first(|place| of.at(place), true, loaded).await?,
            false => 0,
        };
        let lax = changes.deletes && !changes.oldest_only;
        numbers[collection].go_on(first, oldest, lax);
    }
    Ok(())
}

struct Looking<'a> {
    session: &'a mut Session,
    workload: &'static Workload,
    collection: usize,
    place: &'a dyn Fn(usize, u64) -> At,
}

impl Looking<'_> {
    /// The first place from which on documents are `there`, or are not.
    async fn first(&mut self, number: impl Fn(u64) -> u64, there: bool, end: u64) -> Result<u64> {
        // All blocks before `low` are of the one kind, and the one at `high` of the other.
        let (mut low, mut high) = (0, 0);
        while high < end.div_ceil(BLOCK) && self.any(&number, high).await? != there {
            low = high + 1;
            high = high * 2 + 1;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            match self.any(&number, middle).await? == there {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        // The last block of the one kind may have some of the other.
        let from = low.saturating_sub(1) * BLOCK;
        let rows = self.there(&number, from, 2 * BLOCK).await?;
        let at = match there {
            true => rows.iter().position(|row| *row),
            false => rows.iter().rposition(|row| *row).map(|last| last + 1),
        };
        Ok((from + at.unwrap_or(0) as u64).min(end))
    }

    async fn any(&mut self, number: &impl Fn(u64) -> u64, block: u64) -> Result<bool> {
        Ok(self.there(number, block * BLOCK, BLOCK).await?.contains(&true))
    }

    async fn there(
        &mut self,
        number: &impl Fn(u64) -> u64,
        from: u64,
        count: u64,
    ) -> Result<Vec<bool>> {
        let plan = &self.workload.plan;
        let key = |at: u64| {
            let at = (self.place)(self.collection, number(at));
            self.workload.key(self.collection, &at)
        };
        let keys: Vec<String> = (from..from + count).map(key).collect();
        let name = &plan.collections[self.collection].name;
        let mut there = Vec::new();
        let mut tx = self.session.begin(Access::Each).await?;
        for keys in keys.chunks(BLOCK as usize / 2) {
            let rows = tx.get_many(name, keys, &[WHOLE], Intent::Look).await?;
            there.extend(rows.iter().map(Option::is_some));
        }
        tx.commit().await?;
        Ok(there)
    }
}

impl Before {
    /// What is there before a run on data that earlier runs have changed: numbers of documents, and
    /// of the ledger's sample the fields that operations change.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn read(at: &checks::At<'_>, shared: &Shared) -> Result<Before> {
        let documents = at.target.documents()?;
        let counts = counts(at, documents, &shared.workload.names()).await?;
        let counts = counts.into_iter().flatten().map(|(count, _)| count).collect();
        let mut before = Before { counts, ..Before::default() };
        if !at.level.by_key() || at.target.operations().is_err() {
            return Ok(before);
        }
        let mut reader = Reader::new(at.target, at.watch).await?;
        for &collection in &shared.workload.stored {
            let changes = &shared.workload.plan.changes[collection];
            if changes.fields.is_empty() && !changes.deletes {
                continue;
            }
            let numbers = &shared.numbers[collection];
            let name = &shared.workload.plan.collections[collection].name;
            let sample = numbers.before().filter(|n| has(shared.workload, (collection, *n)));
            let keyed = |n: u64| (n, shared.workload.key(collection, &shared.place(collection, n)));
            let here = sample.take(2 * SAMPLED as usize).map(keyed);
            let note = |number, _: &str, row: Option<&Row>| {
                let of =
                    |document, path: &str| path::get(document, path).cloned().unwrap_or_default();
                let values = row.map(|row| {
                    changes.fields.iter().map(|field| of(&row[0], &field.path)).collect()
                });
                before.documents.insert((collection, number), values);
                Some(())
            };
            reader.each((name, &[WHOLE]), here, note).await?;
        }
        Ok(before)
    }
}
