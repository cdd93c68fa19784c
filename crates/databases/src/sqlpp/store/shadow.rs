//! Collections that follow those of an operational database.
//!
//! Nothing is loaded into them. The first read of the note makes them and connects their link. The
//! note is the operational one, which is returned once no mutation is on its way.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};
use reqwest::Method;
use serde_json::Value;

use super::definition::{Indexes, Shadow};
use super::endpoint::Endpoint;
use crate::sqlpp::{Doing, Failure, Request};

const LIMIT: Duration = Duration::from_secs(30);

/// The operational note, once the shadows have caught up.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] while mutations are on their way, and says how far the
/// shadows are.
pub(super) async fn note(endpoint: &Endpoint, shadow: &Shadow) -> Result<Option<Value>> {
    let tried = format!("follow the operational database in {}", endpoint.url());
    if !endpoint.prepared.load(Ordering::SeqCst)
        && !make(endpoint, shadow.collections, &tried).await?
    {
        connect(endpoint, shadow, &tried).await?;
    }
    let failed = |e: Failure| endpoint.failed(e, Doing::Read, &tried);
    let rows = endpoint.rows(Request::new(shadow.note.clone())).await.map_err(failed)?;
    let Some(note) = rows.into_iter().next() else { return Ok(None) };
    if endpoint.prepared.load(Ordering::SeqCst) {
        return Ok(Some(note));
    }
    if let Some(answer) = behind(endpoint, shadow, &tried).await? {
        return Err(Error::new(ErrorKind::Unavailable, tried, answer).advise("wait for it"));
    }
    for collection in shadow.analyzed {
        if Indexes::Published == endpoint.indexes {
            for statement in endpoint.definition.published(collection)? {
                endpoint.define(statement, &tried).await?;
            }
        }
        if let Some(statement) = endpoint.definition.analyze(collection)? {
            endpoint.define(statement, &tried).await?;
        }
    }
    endpoint.prepared.store(true, Ordering::SeqCst);
    Ok(Some(note))
}

/// Makes the shadow of a collection that is not one of the benchmark's, and may be newer than the
/// others.
pub(super) async fn follow(endpoint: &Endpoint, collection: &str) -> Result<()> {
    if endpoint.definition.shadow().is_none() {
        return Ok(());
    }
    let tried = format!("follow {collection} in {}", endpoint.url());
    make(endpoint, &[collection], &tried).await.map(drop)
}

/// Makes the missing shadows and connects their link. Returns whether any was missing.
async fn make(endpoint: &Endpoint, collections: &[&str], tried: &str) -> Result<bool> {
    let there = endpoint.existing(collections, tried).await?;
    let missing: Vec<&str> =
        collections.iter().copied().filter(|c| !there.iter().any(|name| name == c)).collect();
    let Some(shadow) = endpoint.definition.shadow().filter(|_| !missing.is_empty()) else {
        return Ok(false);
    };
    for statement in endpoint.definition.create(&missing)? {
        endpoint.define(statement, tried).await?;
    }
    connect(endpoint, &shadow, tried).await?;
    Ok(true)
}

async fn connect(endpoint: &Endpoint, shadow: &Shadow, tried: &str) -> Result<()> {
    endpoint.define(shadow.connect.clone(), tried).await
}

/// The mutations that the service has not ingested yet, in words; `None` where there are none. A
/// collection that the report lacks has not begun.
///
/// # Errors
/// The link is not healthy, or there is no report.
async fn behind(endpoint: &Endpoint, shadow: &Shadow, tried: &str) -> Result<Option<String>> {
    let failed = |e: Failure| endpoint.failed(e, Doing::Read, tried);
    let called = endpoint.client.call(Method::GET, shadow.progress, LIMIT).await;
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

/// Why a report cannot be used.
#[derive(Debug)]
struct Trouble(ErrorKind, String);

/// The shares, 0 to 1, of the collections of a scope that the service has ingested, from its
/// report: links, each with the states of groups of collections.
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
