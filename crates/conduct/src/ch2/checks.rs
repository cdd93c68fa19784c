//! What the database must hold after the run, and what the run did to it.

use hoap_data::DataSet;
use hoap_record::Check;
use hoap_workload::Result;
use hoap_workload::capability::Target;
use hoap_workload::ch2::conditions::{Deliveries, Isolation, conditions};
use hoap_workload::ch2::ledger::Ledger;
use hoap_workload::ch2::nothing_lost::Expected;
use hoap_workload::ch2::snapshot::{District, Snapshot};
use hoap_workload::ch2::unchanged::Sample;

/// What a run began with.
pub struct Start<'a> {
    /// The database of the transactions.
    pub target: &'a dyn Target,
    /// What transactions that are none could not promise.
    pub caveat: Option<&'a str>,
    /// The data set that was loaded.
    pub data: &'a DataSet,
    /// The districts as they were before the run.
    pub before: &'a [District],
}

/// The conditions with the ledger's deliveries, and the ledger itself, on the database as it is now, and
/// that state; then a sample of documents.
///
/// # Errors
/// Returns the errors of reading the database.
pub async fn after_the_run(start: &Start<'_>, ledger: &Ledger) -> Result<(Vec<Check>, Snapshot)> {
    let &Start { target, caveat, data, before } = start;
    let when = "after the run";
    let documents = target.documents()?;
    let isolation = Isolation::of(caveat);
    let sample = Sample::draw(data).under(isolation);
    let mut expected = Expected::of(ledger).sampling(sample);
    let after = Snapshot::take(documents, data, &mut expected, &|| false).await?;
    let deliveries = Deliveries::OfLedger { before, ledger };
    let mut checks = conditions(&after, data, deliveries, isolation, when);
    let unchanged = expected.sample.check(target, data, ledger, when, &|| false).await?;
    checks.extend(expected.checks(ledger, before, &after, when));
    checks.push(unchanged);
    Ok((checks, after))
}

/// A warning where the run added so many orders that its steps do not compare: without think times
/// a small data set grows fast.
pub fn growth(before: &[District], after: &Snapshot) -> Option<String> {
    let orders = |districts: &[District]| districts.iter().map(|d| d.orders).sum::<u64>();
    let (from, to) = (orders(before), orders(&after.districts));
    (to * 10 > from * 11).then(|| {
        format!(
            "orders grew from {from} to {to}: later steps worked on more data than earlier ones"
        )
    })
}
