//! Collections that follow those of an operational database.
//!
//! Nothing is loaded into them. They are made, and their link connected, when the database is first asked for
//! its note; the note is the operational one, and counts as there when nothing is on its way any more.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};
use reqwest::Method;
use serde_json::Value;

use super::Shared;
use crate::sqlpp::{Doing, Failure, Request};

/// What makes and follows shadows.
pub(crate) struct Shadow {
    /// The collections that are shadowed.
    pub collections: &'static [&'static str],
    /// Those of which statistics are gathered.
    pub analyzed: &'static [&'static str],
    /// The statement that connects the link.
    pub connect: String,
    /// A query of the operational note.
    pub note: String,
    /// The path under which the service says how far it has taken in what.
    pub progress: &'static str,
    /// The link's name.
    pub link: String,
    /// The scope's name as the service's report has it, in either spelling.
    pub scope: String,
    /// With dots.
    pub scope_with_dots: String,
}

const LIMIT: Duration = Duration::from_secs(30);

/// The operational note, once the shadows have caught up.
///
/// # Errors
/// [`ErrorKind::Unavailable`] while mutations are on their way, and says how far the shadows are.
pub(super) async fn note(shared: &Shared, shadow: &Shadow) -> Result<Option<Value>> {
    let tried = format!("follow the operational database in {}", shared.url());
    if !shared.prepared.load(Ordering::SeqCst) && !make(shared, shadow.collections, &tried).await? {
        connect(shared, shadow, &tried).await?;
    }
    let failed = |e: Failure| shared.failed(e, Doing::Read, &tried);
    let rows = shared.rows(Request::new(shadow.note.clone())).await.map_err(failed)?;
    let Some(note) = rows.into_iter().next() else { return Ok(None) };
    if shared.prepared.load(Ordering::SeqCst) {
        return Ok(Some(note));
    }
    if let Some(answer) = behind(shared, shadow, &tried).await? {
        return Err(Error::new(ErrorKind::Unavailable, tried, answer).advise("wait for it"));
    }
    for collection in shadow.analyzed {
        if super::Indexes::Published == shared.indexes {
            for statement in shared.definition.published(collection)? {
                shared.define(statement, &tried).await?;
            }
        }
        if let Some(statement) = shared.definition.analyze(collection)? {
            shared.define(statement, &tried).await?;
        }
    }
    shared.prepared.store(true, Ordering::SeqCst);
    Ok(Some(note))
}

/// Makes the shadow of a collection that is none of the benchmark's, and may not have been there when the
/// others were made.
pub(super) async fn follow(shared: &Shared, collection: &str) -> Result<()> {
    if shared.definition.shadow().is_none() {
        return Ok(());
    }
    let tried = format!("follow {collection} in {}", shared.url());
    make(shared, &[collection], &tried).await.map(drop)
}

/// Makes the shadows that are missing and connects their link. Says whether any was missing.
async fn make(shared: &Shared, collections: &[&str], tried: &str) -> Result<bool> {
    let there = shared.existing(collections, tried).await?;
    let missing: Vec<&str> =
        collections.iter().copied().filter(|c| !there.iter().any(|name| name == c)).collect();
    let Some(shadow) = shared.definition.shadow().filter(|_| !missing.is_empty()) else {
        return Ok(false);
    };
    for statement in shared.definition.create(&missing)? {
        shared.define(statement, tried).await?;
    }
    connect(shared, &shadow, tried).await?;
    Ok(true)
}

async fn connect(shared: &Shared, shadow: &Shadow, tried: &str) -> Result<()> {
    shared.define(shadow.connect.clone(), tried).await
}

/// What the service has not taken in yet, in words; `None` where there is nothing. A collection of which
/// it does not say anything has not begun.
///
/// # Errors
/// The link is not healthy, or there is no report.
async fn behind(shared: &Shared, shadow: &Shadow, tried: &str) -> Result<Option<String>> {
    let failed = |e: Failure| shared.failed(e, Doing::Read, tried);
    let called = shared.client.call(Method::GET, shadow.progress, LIMIT).await;
    let (status, text) = called.map_err(failed)?;
    if status >= 400 {
        return Err(failed(Failure::Http { status, text: text.chars().take(200).collect() }));
    }
    let progress = report(&text, shadow).map_err(|Trouble(kind, answer)| {
        Error::new(kind, tried, format!("{}: {answer}", shadow.progress))
    })?;
    let share = |name: &&str| progress.get(*name).copied().unwrap_or(0.0);
    let mut late: Vec<(&str, f64)> = shadow.collections.iter().map(|c| (*c, share(c))).collect();
    late.retain(|(_, share)| *share < 1.0);
    let slowest = late.iter().copied().min_by(|(_, a), (_, b)| a.total_cmp(b));
    Ok(slowest.map(|(name, share)| {
        // Almost all is not all.
        let percent = (share * 1000.0).floor() / 10.0;
        let more = match late.len() - 1 {
            0 => String::new(),
            n => {
                format!(", and {} behind", counted(n, "more collection is", "more collections are"))
            }
        };
        format!("{percent} % of {name} are taken in{more}")
    }))
}

/// Why a report says nothing of use.
#[derive(Debug)]
struct Trouble(ErrorKind, String);

/// The shares, 0 to 1, to which the collections of a scope are taken in, from the service's report: links,
/// in each the states of groups of collections.
fn report(text: &str, shadow: &Shadow) -> std::result::Result<BTreeMap<String, f64>, Trouble> {
    let broken = |answer: String| Trouble(ErrorKind::Broken, answer);
    let report: Value = serde_json::from_str(text).map_err(|e| broken(e.to_string()))?;
    let links = report["links"].as_array().ok_or_else(|| broken("it lists no links".to_owned()))?;
    let ours = |name: &Value| *name == shadow.scope || *name == shadow.scope_with_dots;
    let all = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    for link in links.iter().filter(|link| link["name"] == shadow.link) {
        if ours(&link["scope"]) && link["status"] != "healthy" {
            let answer = format!("the link {} is {}", shadow.link, link["status"]);
            return Err(Trouble(ErrorKind::Unavailable, answer));
        }
        for state in all(&link["state"]) {
            let share = state["progress"].as_f64();
            let share = share.ok_or_else(|| broken(format!("a state is {state}")))?;
            let scopes = all(&state["scopes"]);
            let named = scopes.iter().filter(|scope| ours(&scope["name"]));
            for name in named.flat_map(|scope| all(&scope["collections"])) {
                if let Some(name) = name["name"].as_str() {
                    let least = shares.entry(name.to_owned()).or_insert(share);
                    *least = least.min(share);
                }
            }
        }
    }
    Ok(shares)
}
