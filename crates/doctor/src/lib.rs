//! `hoap doctor`: a short round on a database that holds nothing yet, which shows whether Hoap and
//! this database, as it is set up, understand each other. It loads a scaled-down CH2++, examines it
//! a step at a time, and removes what it made.
//!
//! A step is a file: [`place`] and its load, [`queries`], [`limits`], [`transactions`],
//! [`conflict`], [`clients`], [`records`]. What a step finds is a [`Check`]: passed, failed with
//! the reason, or skipped where the database does not have it. A failed step does not keep the next
//! ones from being taken, unless they need what it did not do.

mod clients;
mod conflict;
mod findings;
mod limits;
mod place;
mod queries;
mod records;
mod transactions;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use findings::Findings;
use hoap_ch2::data::DataSet;
use hoap_conduct::caller::Caller;
use hoap_database::Database;
use hoap_record::{Check, Description, Time};
use hoap_workload::{Error, ErrorKind, Local, Result};

/// The flags of `hoap doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// The database, which must hold no data: of transactions, or of both sides
    #[arg(value_name = "URL", conflicts_with = "operational")]
    pub url: Option<String>,
    /// The same as a flag, so that it can be in the file of --config
    #[arg(long, value_name = "URL")]
    pub operational: Option<String>,
    /// The database of the queries, where it is another one, or there is no other
    #[arg(long, value_name = "URL")]
    pub analytical: Option<String>,
    /// Longest wait until the database of the queries holds what the other one holds
    #[arg(long, value_name = "TIME", default_value = "1m")]
    pub catch_up_limit: Time,
}

/// What an examination found.
pub struct Examined {
    /// The databases, each with what it is for.
    pub databases: Vec<(&'static str, Description)>,
    /// The findings, in the order of the steps.
    pub checks: Vec<Check>,
}

/// Examines one database, or a pair of them.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where no database is named or a URL is wrong, and
/// [`ErrorKind::Cancelled`] where somebody asked for the end; what was made is removed then too.
pub fn examine<'a>(caller: &'a dyn Caller, args: &'a Doctor) -> Local<'a, Result<Examined>> {
    Box::pin(async move {
        let operational = args.url.as_ref().or(args.operational.as_ref());
        let Some(first) = operational.or(args.analytical.as_ref()) else {
            let advice = "name one: hoap doctor URL, or hoap doctor --analytical URL";
            return Err(Error::new(ErrorKind::Invalid, "examine a database", "none is named")
                .advise(advice));
        };
        let second =
            args.analytical.as_ref().filter(|_| operational.is_some()).filter(|u| *u != first);
        let data = place::data()?;
        let mut findings = Findings { caller, checks: Vec::new() };
        let role = match (operational, second) {
            (Some(_), Some(_)) => "transactions on",
            (Some(_), None) => "database",
            (None, _) => "queries on",
        };
        let new =
            [Some(first), second].into_iter().flatten().filter_map(|url| place::new_file(url));
        let new: Vec<PathBuf> = new.collect();
        let Some(target) = open(&mut findings, first).await? else {
            return Ok(Examined { databases: Vec::new(), checks: findings.checks });
        };
        let follower = match second {
            Some(url) => open(&mut findings, url).await?,
            None => None,
        };
        if follower.is_some() == second.is_some() && place::is_empty(&mut findings, &target).await {
            let second = follower.as_ref().zip(second);
            let limit = args.catch_up_limit.0;
            rounds(&mut findings, (&target, first), second, &data, limit).await;
        }
        // Only now: an embedded database has no settings before it has a file.
        let mut databases = vec![(role, target.description())];
        databases.extend(follower.as_ref().map(|f| ("queries on", f.description())));
        drop(follower);
        place::remove_files(target, &data, &new).await;
        let checks = findings.checks;
        match caller.stop().is_set() {
            true => Err(Error::new(ErrorKind::Cancelled, "examine the database", "interrupted")),
            false => Ok(Examined { databases, checks }),
        }
    })
}

/// Opens a database; `None` where that failed.
async fn open(findings: &mut Findings<'_>, url: &str) -> Result<Option<Database>> {
    let opened = hoap_databases::open(url).await;
    if let Err(e) = &opened
        && e.kind == ErrorKind::Invalid
    {
        return Err(e.clone());
    }
    let connects = async {
        let target = opened.as_ref().map_err(Error::clone)?;
        // PostgreSQL connects when it is first asked.
        if let Ok(documents) = target.documents() {
            documents.note().await?;
        }
        let Description { name, version, .. } = target.description();
        Ok((1, format!("{name} {version}")))
    };
    let connected = findings.take("connects", "address, user, TLS, version", connects).await;
    Ok(opened.ok().filter(|_| connected))
}

/// A database of queries beside that of the transactions, with its URL.
type Second<'a> = Option<(&'a Database, &'a String)>;

/// All rounds on a place that is empty, which it is again at the end.
async fn rounds(
    findings: &mut Findings<'_>,
    (target, url): (&Database, &str),
    second: Second<'_>,
    data: &DataSet,
    catch_up_limit: Duration,
) {
    if place::load(findings, target, data).await {
        let followed = match second {
            Some((follower, _)) => place::follows(findings, target, follower, catch_up_limit).await,
            None => true,
        };
        if followed {
            let (queried, url) = second.map_or((target, url), |(f, url)| (f, url.as_str()));
            queries::answers(findings, queried, data).await;
            limits::cancel(findings, queried, data).await;
            limits::time_limit(findings, (queried, url), data).await;
        }
        transactions::basics(findings, target).await;
        conflict::no_update_is_lost(findings, target).await;
        clients::ledger(findings, target, data).await;
    }
    let removed = place::remove(findings, target, data).await;
    if removed {
        records::round(findings, url).await;
    }
}
