//! CH2 and CH2++: the effects of the transactions, and the checks, which hold after runs of many
//! clients, at two levels of isolation.

mod read_committed;
mod serializable;

/// No power fails in a test, and syncs are slow; so are connections with TLS (`connecting.rs`).
const CHEAP: &str = "sslmode=disable&synchronous_commit=off";
