//! The form that URLs have in common: their schemes, and where a host's parts end.

/// Databases that are files, or nothing: what follows the scheme is no place with a user.
pub const FILES: [&str; 3] = ["duckdb", "sqlite", "null"];

/// The other schemes, whose URLs may have a user although their `//` is missing.
pub const PLACES: [&str; 13] = [
    "asterixdb",
    "cassandra",
    "couchbase",
    "couchbase-analytics",
    "couchbases",
    "couchbases-analytics",
    "dynamodb",
    "mongodb",
    "mongodb+srv",
    "postgres",
    "postgresql",
    "redis",
    "rediss",
];

/// Where user, password and hosts end, in what follows `://`.
pub(super) fn authority(rest: &str) -> &str {
    &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())]
}

/// Whether a password with a `/`, `?` or `#` in it cannot be told from a host and what follows it:
/// an `@` comes after the first of these, and a colon before it. `rest` follows `://`.
pub(super) fn ambiguous(rest: &str) -> bool {
    let at = rest.rfind('@').filter(|at| *at > authority(rest).len());
    at.is_some_and(|at| rest[..at].contains(':'))
}

/// Where the colon before a host's port is. Brackets count where they begin the host, as those of
/// an IPv6 address do: elsewhere they may be part of a password.
pub(super) fn port_colon(host: &str) -> Option<usize> {
    let name = host.find(']').filter(|_| host.starts_with('[')).unwrap_or(0);
    host[name..].find(':').map(|colon| name + colon)
}
