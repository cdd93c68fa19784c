//! What the user is told about a database before one is opened: its options and capabilities.

/// The names of everything that a database may offer: whole collections, document transactions,
/// analytical queries, records by key, scans of keys in order, pagination, and the join.
pub const CAPABILITIES: &[&str] =
    &["documents", "transactions", "analytics", "key-value", "scans", "pagination", "join"];

/// What one option of a URL means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionHelp {
    /// Its name.
    pub name: &'static str,
    /// Its value where the URL does not give it.
    pub default: &'static str,
    /// What it does, with the unit and the values allowed.
    pub meaning: &'static str,
}
