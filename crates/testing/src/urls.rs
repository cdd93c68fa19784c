//! URLs of the servers that tests are given, and a test's own names on them.

use std::sync::atomic::{AtomicU32, Ordering};

/// The URL of a server of the lab, from the environment.
#[track_caller]
pub fn server(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| {
        panic!("set {variable}: eval \"$(lab/env)\", or leave these out with ./test --quick")
    })
}

/// A URL with one more option.
pub fn with(url: &str, option: &str) -> String {
    let joint = if url.contains('?') { '&' } else { '?' };
    format!("{url}{joint}{option}")
}

/// A name that no other test has: letters, digits and `_`.
pub fn own_name() -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    format!("t{}_{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed))
}
