//! Collections that follow those of an operational database.
//!
//! Nothing is loaded into them. They are made, and their link connected, when the database is first asked for
//! its note; the note is the operational one, and counts as there when nothing is on its way any more.

use std::sync::atomic::Ordering;
use std::time::Duration;

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
    /// The scope's name as the service's counters have it, in either spelling.
    pub scope: String,
    /// With dots.
    pub scope_with_dots: String,
}

/// Where the service says how many mutations are on their way, by scope and collection.
const REMAINING: &str = "/analytics/node/agg/stats/remaining";

const LIMIT: Duration = Duration::from_secs(30);

/// The operational note, once the shadows have caught up.
///
/// # Errors
/// [`ErrorKind::Unavailable`] while mutations are on their way, and says how many.
pub(super) async fn note(shared: &Shared, shadow: &Shadow) -> Result<Option<Value>> {
    let tried = format!("follow the operational database in {}", shared.url());
    if !shared.prepared.load(Ordering::SeqCst) {
        let there = shared.existing(shadow.collections, &tried).await?;
        let missing: Vec<&str> = (shadow.collections.iter().copied())
            .filter(|c| !there.iter().any(|name| name == c))
            .collect();
        if !missing.is_empty() {
            for statement in shared.definition.create(&missing)? {
                shared.define(statement, &tried).await?;
            }
        }
        shared.define(shadow.connect.clone(), &tried).await?;
    }
    let failed = |e: Failure| shared.failed(e, Doing::Read, &tried);
    let rows = shared.rows(Request::new(shadow.note.clone())).await.map_err(failed)?;
    let Some(note) = rows.into_iter().next() else { return Ok(None) };
    if shared.prepared.load(Ordering::SeqCst) {
        return Ok(Some(note));
    }
    let waiting = remaining(shared, shadow, &tried).await?;
    if waiting > 0 {
        let answer = format!("{waiting} mutations are still on their way");
        return Err(Error::new(ErrorKind::Unavailable, tried, answer).advise("wait for them"));
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

/// Mutations that the service has not taken in yet.
async fn remaining(shared: &Shared, shadow: &Shadow, tried: &str) -> Result<u64> {
    let failed = |e: Failure| shared.failed(e, Doing::Read, tried);
    let called = shared.client.call(Method::GET, REMAINING, "", LIMIT).await;
    let (status, text) = called.map_err(failed)?;
    let broken = |why: String| Error::new(ErrorKind::Broken, tried, format!("{REMAINING}: {why}"));
    if status >= 400 {
        return Err(failed(Failure::Http { status, text: text.chars().take(200).collect() }));
    }
    let counts: Value = serde_json::from_str(&text).map_err(|e| broken(e.to_string()))?;
    let scopes = counts.as_object().ok_or_else(|| broken("it answered no object".to_owned()))?;
    let mut sum = 0;
    for (scope, collections) in scopes {
        if *scope != shadow.scope && *scope != shadow.scope_with_dots {
            continue;
        }
        for (collection, count) in collections.as_object().into_iter().flatten() {
            if shadow.collections.contains(&collection.as_str()) {
                let count = count.as_f64().ok_or_else(|| broken(format!("a count is {count}")))?;
                // It is below 0 where the service does not know.
                sum += if count < 0.0 { 1 } else { count as u64 };
            }
        }
    }
    Ok(sum)
}
