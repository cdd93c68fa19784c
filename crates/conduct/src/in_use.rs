//! The mark of a run that writes: when it is set, for how long, and what comes of others beside it.

use std::future::Future;
use std::time::Duration;

use hoap_database::Database;
use hoap_drive::StepPlan;
use hoap_record::{Remark, RemarkId};
use hoap_workload::at_work::{OPEN, Together, Work};
use hoap_workload::claim::Claim;
use hoap_workload::note::Note;
use hoap_workload::{Error, ErrorKind, Result};
use jiff::Timestamp;

use crate::caller::Setting;
use crate::schedule::Span;

/// How much longer than its planned end a step is marked.
const MARGIN: Duration = Duration::from_secs(60);

/// Marks a database that holds what `loaded` says as in use by the run of this name. Returns its
/// note of that time.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] where another is at work, and the errors of the database.
pub async fn begin<'a>(
    setting: &Setting<'_>,
    target: &'a Database,
    loaded: &Note,
    name: &str,
) -> Result<(Claim<'a>, Note)> {
    let conduct = &setting.common.conduct;
    let start = conduct.start_at.map_or_else(|| "gather".into(), |at| at.to_string());
    let together = |part: crate::values::PartArg| Together {
        part: part.part.part,
        of: part.part.of,
        work: start.clone(),
    };
    let work = Work {
        what: format!("run {name}"),
        together: conduct.part.map(together),
        again: conduct.part.is_some_and(|part| part.from.is_some()),
        beside_others: conduct.beside_others,
    };
    let tried = format!("run {name} on {}", target.description().url);
    let (claim, note, ignored) = Claim::take(target.documents()?, loaded, work, tried).await?;
    ignored.iter().for_each(|words| setting.say(words));
    Ok((claim, note))
}

/// Does the work of a run whose mark, if it has one, goes with it.
///
/// # Errors
/// Returns the errors of the work.
pub async fn during<T>(
    setting: &Setting<'_>,
    claim: Option<&Claim<'_>>,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let end = work.await;
    if let Some(claim) = claim {
        said(setting, claim.end().await);
    }
    end
}

/// Marks the database until after the planned end of a step that begins now. It blocks its thread,
/// as the step does.
pub fn before_step(setting: &Setting<'_>, claim: &Claim<'_>, step: &StepPlan) {
    let conduct = &setting.common.conduct;
    let Span { time, open } = Span::of(step);
    let start = conduct.start_at.filter(|_| step.number == 1);
    let wait = start.and_then(|at| Duration::try_from(at.duration_since(Timestamp::now())).ok());
    // Nobody plans how long it takes until all drivers have met.
    let open = open || conduct.meet.is_some();
    let all = [wait.unwrap_or_default(), step.connect_limit, if open { OPEN } else { MARGIN }];
    let lasts = all.into_iter().fold(time, Duration::saturating_add);
    // This thread belongs to a runtime, whose tasks go on meanwhile.
    let renew = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let failed = |e| Error::new(ErrorKind::Unavailable, "start a runtime", e);
        runtime.map_err(failed)?.block_on(claim.renew(lasts))
    };
    let renewed = std::thread::scope(|scope| scope.spawn(renew).join());
    said(setting, renewed.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
}

/// Marks the database for the checks after the steps.
pub async fn before_checks(setting: &Setting<'_>, claim: Option<&Claim<'_>>) {
    if let Some(claim) = claim {
        said(setting, claim.renew(OPEN).await);
    }
}

/// Removes the mark of a run. Returns what is to be said in its record of those who were at work at
/// the same time.
pub async fn end(setting: &Setting<'_>, claim: Option<&Claim<'_>>) -> Vec<Remark> {
    let Some(claim) = claim else { return Vec::new() };
    let beside = said(setting, claim.end().await).unwrap_or_default();
    let remark = |who: &String| {
        let text = format!("another wrote to the database at the same time: {who}");
        Remark::new(RemarkId::BesideOthers, text)
            .advise("what it wrote may be why a check failed: repeat the run alone")
    };
    beside.iter().map(remark).collect()
}

/// A mark that cannot be written ends no run: the run itself shows how the database is.
fn said<T>(setting: &Setting<'_>, end: Result<T>) -> Option<T> {
    end.map_err(|e| setting.say(format!("mark the database as in use: {e}"))).ok()
}
