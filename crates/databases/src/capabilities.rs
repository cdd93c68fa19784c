//! What the user is told of a database before one is opened: its capabilities.

/// The names of everything that a database may offer: whole collections, document transactions,
/// analytical queries, records by key, scans of keys in order, pagination, and the join.
pub const CAPABILITIES: &[&str] =
    &["documents", "transactions", "analytics", "key-value", "scans", "pagination", "join"];
