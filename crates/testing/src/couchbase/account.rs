//! What a client must know of the cluster.

pub const BUCKET: &str = "bench";
pub const USER: &str = "script";
pub const PASSWORD: &str = "top secret";
