//! Queries that are asked to end, and limits on their time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hoap_ch2::data::DataSet;
use hoap_ch2::queries::catalogue::QUERIES;
use hoap_ch2::queries::{ParameterSet, QuerySet, Texts};
use hoap_ch2::stream::run_query;
use hoap_database::{AnalyticalSession, Database};
use hoap_drive::Canceller;
use hoap_workload::{Error, ErrorKind, Result};

use crate::findings::{Findings, Step};

/// Between two attempts to end a query.
const AGAIN: Duration = Duration::from_millis(5);
/// In which what was asked last reaches the server, and ends nothing any more.
const LATE: Duration = Duration::from_millis(300);
/// In which a query that was asked to end has to end.
const SOON: Duration = Duration::from_secs(10);
/// The option that limits a query's time, on the databases that have it.
const LIMIT: &str = "query_timeout_ms";

/// Ends a query while it runs, and asks one more on the same connection.
pub(super) async fn cancel(findings: &mut Findings<'_>, target: &Database, data: &DataSet) {
    let Ok(analytics) = target.analytics() else { return };
    let tried = async {
        let texts = Texts::embedded(data.spec().schema, analytics.dialect(), QuerySet::Naive)?;
        let mut session = analytics.session().await?;
        let Some(cancel) = session.canceller() else {
            return Ok(Step::NotThere("the database has no way to end a query".into()));
        };
        let started = Instant::now();
        let end = first_end(&mut session, &texts, data, Some(cancel)).await?;
        let Some(e) = end else {
            return Ok(Step::NotThere("every query was over before it could be ended".into()));
        };
        if e.kind != ErrorKind::Cancelled {
            return Err(e);
        }
        let took = started.elapsed();
        if took > SOON {
            let answer = format!("it ended after {:.0} s", took.as_secs_f64());
            return Err(Error::new(ErrorKind::Timeout, "end a query", answer));
        }
        tokio::time::sleep(LATE).await;
        // The connection has to go on: any query shows that.
        let query = &QUERIES[0];
        let parameters = ParameterSet::Check.parameters(data.spec(), query);
        run_query(&mut session, &texts, query, &parameters).await?;
        Ok(Step::Proved((1, "and the connection goes on".into())))
    };
    findings.take("cancelling", "a query that is asked to end ends", tried).await;
}

/// A limit of a millisecond ends some query.
pub(super) async fn time_limit(
    findings: &mut Findings<'_>,
    (target, url): (&Database, &str),
    data: &DataSet,
) {
    if target.analytics().is_err() {
        return;
    }
    let tried = async {
        let scheme = url.split(':').next().unwrap_or_default();
        let known = hoap_databases::known().find(|s| s.names.contains(&scheme));
        let has = known.is_some_and(|s| s.options.iter().any(|option| option.name == LIMIT));
        if !has || url.contains(LIMIT) {
            let why = format!("the URL has no {LIMIT}, or has it already");
            return Ok(Step::NotThere(why));
        }
        let joint = if url.contains('?') { '&' } else { '?' };
        let limited = hoap_databases::open(&format!("{url}{joint}{LIMIT}=1")).await?;
        let analytics = limited.analytics()?;
        let texts = Texts::embedded(data.spec().schema, analytics.dialect(), QuerySet::Naive)?;
        let mut session = analytics.session().await?;
        match first_end(&mut session, &texts, data, None).await? {
            None => Ok(Step::NotThere("every query was over within a millisecond".into())),
            Some(e) if e.kind == ErrorKind::Timeout => Ok(Step::Proved((1, String::new()))),
            Some(e) => Err(e),
        }
    };
    findings.take("time limit", "a query that takes too long is a timeout", tried).await;
}

/// Asks the queries until one fails, each while it is asked to end where there is a canceller.
/// `None` where all gave an answer.
async fn first_end(
    session: &mut AnalyticalSession,
    texts: &Texts,
    data: &DataSet,
    cancel: Option<Canceller>,
) -> Result<Option<Error>> {
    for query in &QUERIES {
        let parameters = ParameterSet::Check.parameters(data.spec(), query);
        let ended = Arc::new(AtomicBool::new(false));
        let asking = cancel.clone().map(|cancel| {
            let ended = ended.clone();
            std::thread::spawn(move || {
                while !ended.load(Ordering::Relaxed) {
                    cancel();
                    std::thread::sleep(AGAIN);
                }
            })
        });
        let end = run_query(session, texts, query, &parameters).await;
        ended.store(true, Ordering::Relaxed);
        // A canceller does not wait: it takes a moment at most.
        let _ = asking.map(std::thread::JoinHandle::join);
        if let Err(e) = end {
            return Ok(Some(e));
        }
    }
    Ok(None)
}
