//! What the database must hold before and after the run, and what the run did to it.

use hoap_conduct::queries::CancelOnStop;
use hoap_database::Database;
use hoap_drive::Stop;
use hoap_record::{Check, Remark, RemarkId, Verdict};
use hoap_workload::Result;
use hoap_workload::checks::{Level, Reads, Watch};
use hoap_workload::load::indexes;

use crate::checks::by_database::{self, Aggregates};
use crate::checks::by_key::Touched;
use crate::checks::conditions::{Deliveries, conditions};
use crate::checks::counters;
use crate::checks::district::District;
use crate::checks::nothing_lost;
use crate::checks::sample::Sample;
use crate::checks::snapshot::Snapshot;
use crate::data::DataSet;
use crate::ledger::Ledger;

/// What a run began with.
pub struct Start<'a> {
    /// The database of the transactions.
    pub target: &'a Database,
    /// The data set that was loaded.
    pub data: &'a DataSet,
    /// Whether no run wrote to it before.
    pub fresh: bool,
    /// How much is read.
    pub level: Level,
    /// The districts as they were before the run; none where that is what is asked.
    pub before: &'a [District],
    /// What the checks read.
    pub reads: &'a Reads,
}

impl Start<'_> {
    /// What the ledger leads to.
    fn touched<'l>(&'l self, ledger: &'l Ledger) -> Touched<'l> {
        let &Start { target, data, before, fresh, .. } = self;
        Touched { target, data, before, fresh, ledger }
    }
}

/// The conditions on all documents, and what they compare: as they are read, or with
/// [`Level::Database`] as the database adds them up itself.
///
/// # Errors
/// Returns [`Cancelled`](hoap_workload::ErrorKind::Cancelled) soon after `asked` is set, and the
/// errors of the database.
pub async fn of_all_documents(
    start: &Start<'_>,
    deliveries: Deliveries<'_>,
    asked: &Stop,
    when: &str,
) -> Result<(Vec<Check>, Snapshot)> {
    let &Start { target, data, level, .. } = start;
    if level == Level::Database {
        let aggregates = Aggregates::of(target, data.spec().schema)?;
        let mut session = target.analytics()?.session().await?;
        let _watch = CancelOnStop::watch(asked, &session);
        let all = aggregates.snapshot(&mut session, data).await?;
        return Ok((by_database::checks(&all, data, deliveries, when), all));
    }
    let stop = || asked.is_set();
    let watch = Watch::new(&stop, start.reads);
    let all = Snapshot::take(target.documents()?, data, &watch).await?;
    Ok((conditions(&all, data, deliveries, when), all))
}

/// Whether it is known that nothing changed the data since the load: every kind of transaction moves
/// a counter, and each counter is as loaded.
///
/// # Errors
/// Returns [`Cancelled`](hoap_workload::ErrorKind::Cancelled) soon after `asked` is set, and the
/// errors of reading the database.
pub async fn as_loaded(start: &Start<'_>, asked: &Stop) -> Result<bool> {
    let &Start { target, data, .. } = start;
    let stop = || asked.is_set();
    let watch = Watch::new(&stop, start.reads);
    let counters = counters::read(target, data, true, &watch).await?;
    Ok(counters::before(&counters, data, "before the run").verdict == Verdict::Pass)
}

/// Makes the checks of the data on which a run is to begin, and returns its districts.
///
/// # Errors
/// Returns [`Cancelled`](hoap_workload::ErrorKind::Cancelled) soon after `asked` is set, and the
/// errors of reading the database. `checks` has those that were made until then.
pub async fn before_the_run(
    start: &Start<'_>,
    asked: &Stop,
    checks: &mut Vec<Check>,
) -> Result<Vec<District>> {
    let &Start { target, data, fresh, level, .. } = start;
    let (when, stop) = ("before the run", || asked.is_set());
    let watch = &Watch::new(&stop, start.reads);
    let source = Deliveries::OfCustomers;
    if level != Level::Off {
        checks.push(indexes::check(target.documents()?, data, when).await?);
    }
    match level {
        Level::Full => {
            let (all, snapshot) = of_all_documents(start, source, asked, when).await?;
            checks.extend(all);
            Ok(snapshot.districts)
        }
        Level::Database | Level::Touched | Level::Sample => {
            let counters = counters::read(target, data, fresh, watch).await?;
            checks.push(counters::before(&counters, data, when));
            let (sample, nobody) = (Sample::draw(data).as_loaded(fresh), Ledger::default());
            checks.push(sample.check(target, data, &nobody, when, watch).await?);
            if level != Level::Database {
                return Ok(counters.districts);
            }
            let (all, snapshot) = of_all_documents(start, source, asked, when).await?;
            checks.extend(all);
            Ok(snapshot.districts)
        }
        Level::Off => Ok(Vec::new()),
    }
}

/// The checks of the database as it is now, and its districts: the conditions with the ledger's
/// deliveries, the ledger itself, and a sample of documents, as far as the level reaches.
///
/// # Errors
/// Returns the errors of reading the database.
pub async fn after_the_run(
    start: &Start<'_>,
    ledger: &Ledger,
) -> Result<(Vec<Check>, Vec<District>)> {
    let &Start { target, data, before, fresh, level, .. } = start;
    let (when, never) = ("after the run", || false);
    let watch = &Watch::new(&never, start.reads);
    if level == Level::Off {
        return Ok((Vec::new(), Vec::new()));
    }
    let sample = Sample::draw(data);
    if level == Level::Sample {
        let after = counters::read(target, data, fresh, watch).await?;
        let sample = sample.check(target, data, ledger, when, watch).await?;
        let mut checks = vec![nothing_lost::counters(ledger, before, &after, when), sample];
        checks.extend(level.left_out(when));
        ledger.whole()?;
        return Ok((checks, after.districts));
    }
    let touched = start.touched(ledger);
    let (deliveries, asked) = (Deliveries::OfLedger { before, ledger }, &Stop::new());
    let ((mut checks, after), lost) = match level {
        Level::Full => {
            let all = of_all_documents(start, deliveries, asked, when).await?;
            (all, touched.lost(watch).await?)
        }
        _ => {
            let (after, lost) = touched.snapshot(&sample, watch).await?;
            ((conditions(&after, data, deliveries, when), after), lost)
        }
    };
    checks.extend(lost.checks(when));
    checks.push(nothing_lost::nothing_added(ledger, before, &after, when));
    checks.push(sample.check(target, data, ledger, when, watch).await?);
    if level == Level::Database {
        let (of_all, all) = of_all_documents(start, deliveries, asked, when).await?;
        checks.extend(of_all);
        checks.push(by_database::nothing_added(ledger, before, &all, when));
    }
    checks.extend(level.left_out(when));
    ledger.whole()?;
    Ok((checks, after.districts))
}

/// A remark where the run added so many orders that its steps do not compare: without think times
/// a small data set grows fast.
pub fn growth(before: &[District], after: &[District]) -> Option<Remark> {
    let orders = |districts: &[District]| districts.iter().map(|d| d.orders).sum::<u64>();
    let (from, to) = (orders(before), orders(after));
    (to * 10 > from * 11).then(|| {
        let text = format!("orders grew from {from} to {to}: what ran later worked on more data");
        Remark::new(RemarkId::OrdersGrew, text)
    })
}
