//! Collections that follow those of an operational database.
//!
//! Nothing is loaded into them. The first read of the note makes them and connects their link. The
//! note is the operational one, which is returned once no mutation is on its way.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use hoap_record::words::counted;
use reqwest::Method;
use serde_json::Value;

use super::definition::{Indexes, Shadow};
use super::endpoint::Endpoint;
use crate::{Cause, Request};

const LIMIT: Duration = Duration::from_secs(30);

/// The operational note, once the shadows have caught up.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] while mutations are on their way, and says how far the
/// shadows are.
pub(super) async fn note(endpoint: &Endpoint, shadow: &Shadow) -> Done<Option<Value>> {
    if !endpoint.prepared.load(Ordering::SeqCst) && !make(endpoint, shadow.collections).await? {
        endpoint.define(shadow.connect.clone()).await?;
    }
    let rows = endpoint.rows(Request::new(shadow.note.clone())).await?;
    let Some(note) = rows.into_iter().next() else { return Ok(None) };
    if endpoint.prepared.load(Ordering::SeqCst) {
        return Ok(Some(note));
    }
    if let Some(answer) = behind(endpoint, shadow).await? {
        return Err(Failure::of(ErrorKind::Unavailable, answer, "wait for it"));
    }
    for collection in shadow.analyzed {
        index(endpoint, collection).await?;
        if let Some(statement) = endpoint.definition.analyze(collection) {
            endpoint.define(statement).await?;
        }
    }
    endpoint.prepared.store(true, Ordering::SeqCst);
    Ok(Some(note))
}

/// Makes the shadow of a collection that is not one of the benchmark's, and may be newer than the
/// others.
pub(super) async fn follow(endpoint: &Endpoint, collection: &str) -> Done<()> {
    if endpoint.definition.shadow().is_none() {
        return Ok(());
    }
    let made = make(endpoint, &[collection]).await.map(drop);
    let url = &endpoint.description.url;
    made.map_err(|e| e.trying(format!("follow {collection} in {url}")))
}

/// Makes the missing shadows and connects their link. Returns whether any was missing.
async fn make(endpoint: &Endpoint, collections: &[&str]) -> Done<bool> {
    let there = endpoint.existing(collections).await?;
    let missing: Vec<&str> =
        collections.iter().copied().filter(|c| !there.iter().any(|name| name == c)).collect();
    let Some(shadow) = endpoint.definition.shadow().filter(|_| !missing.is_empty()) else {
        return Ok(false);
    };
    for statement in endpoint.definition.create(&missing) {
        endpoint.define(statement).await?;
    }
    for collection in missing.iter().filter(|_| shadow.indexed_before) {
        index(endpoint, collection).await?;
    }
    endpoint.define(shadow.connect.clone()).await?;
    Ok(true)
}

/// Makes the indexes that are published for a collection, as far as they are asked for and missing.
async fn index(endpoint: &Endpoint, collection: &str) -> Done<()> {
    if endpoint.indexes == Indexes::Published {
        for statement in endpoint.definition.published(collection) {
            endpoint.define(statement).await?;
        }
    }
    Ok(())
}

/// The mutations that the service has not ingested yet, in words; `None` where there are none. A
/// collection that the report lacks has not begun.
///
/// # Errors
/// The link is not healthy, or there is no report.
async fn behind(endpoint: &Endpoint, shadow: &Shadow) -> Done<Option<String>> {
    let (status, text) = endpoint.client.call(Method::GET, shadow.progress, LIMIT).await?;
    if status >= 400 {
        let cause = Cause::Http { status, text: text.chars().take(200).collect() };
        return Err(endpoint.client.error(cause).into());
    }
    let progress = report(&text, shadow)
        .map_err(|e| Failure { answer: format!("{}: {}", shadow.progress, e.answer), ..e })?;
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

/// The shares, 0 to 1, of the collections of a scope that the service has ingested, from its
/// report: links, each with the states of groups of collections.
fn report(text: &str, shadow: &Shadow) -> Done<BTreeMap<String, f64>> {
    let report: Value = serde_json::from_str(text).map_err(Failure::broken)?;
    let links = report["links"].as_array().ok_or_else(|| Failure::broken("it lists no links"))?;
    let ours = |name: &Value| *name == shadow.scope || *name == shadow.scope_with_dots;
    let all = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    for link in links.iter().filter(|link| link["name"] == shadow.link) {
        if ours(&link["scope"]) && link["status"] != "healthy" {
            let answer = format!("the link {} is {}", shadow.link, link["status"]);
            return Err(Failure::new(ErrorKind::Unavailable, answer));
        }
        for state in all(&link["state"]) {
            let share = state["progress"].as_f64();
            let share = share.ok_or_else(|| Failure::broken(format!("a state is {state}")))?;
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
