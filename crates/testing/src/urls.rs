//! URLs of the servers that tests are given, and a test's own names on them.

use std::sync::atomic::{AtomicU32, Ordering};

/// The URL of a server of the lab, from the environment.
#[track_caller]
pub fn server(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| {
        panic!("set {variable}: eval \"$(lab/env)\", or leave these out with ./test --quick")
    })
}

/// A URL with more options, or as it is where there are none.
pub fn with(url: &str, options: &str) -> String {
    let joint = if url.contains('?') { "&" } else { "?" };
    format!("{url}{}{options}", if options.is_empty() { "" } else { joint })
}

/// A URL with another name at the end of its path.
pub fn named(url: &str, name: &str) -> String {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let host = base.rsplit_once('/').map_or(base, |(host, _)| host);
    with(&format!("{host}/{name}"), query)
}

/// A URL with another user, or one with a password.
pub fn as_user(url: &str, user: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap();
    let host = rest.split_once('@').map_or(rest, |(_, host)| host);
    format!("{scheme}://{user}@{host}")
}

/// The URL of a place on a server that no other test has: a prefix, a schema, a scope, or what the end of
/// the path names.
pub fn own(server: &str) -> String {
    match server.split(':').next() {
        Some("redis" | "rediss" | "dynamodb") => with(server, &format!("prefix={}", own_name())),
        Some("couchbase" | "couchbases") => with(server, &format!("scope={}", own_name())),
        Some("postgres") => with(server, &format!("schema={}", own_name())),
        _ => named(server, &own_name()),
    }
}

/// A name that no other test has: letters, digits and `_`.
pub fn own_name() -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    format!("t{}_{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed))
}
