//! Couchbase and its analytical services do what their modules promise.

#[cfg(feature = "couchbase-analytics")]
mod analytics;
#[cfg(feature = "couchbase")]
mod cluster;
