//! What the user is told of a database before one is opened: its capabilities.

/// The names of everything that a database may offer: whole collections, document transactions,
/// analytical queries, records by key, scans of keys in order, pagination, and the join.
pub const CAPABILITIES: &[&str] =
    &["documents", "transactions", "analytics", "key-value", "scans", "pagination", "join"];

/// A capability that a database lacks, of [`CAPABILITIES`], and the reason: a clause that completes
/// "not applicable, because …".
pub type Lack = (&'static str, &'static str);

/// A capability as errors call it.
pub fn in_words(capability: &'static str) -> &'static str {
    match capability {
        "transactions" => "document transactions",
        "analytics" => "analytical queries",
        "key-value" => "records by key",
        other => other,
    }
}
