//! Couchbase and its analytical services do what their modules promise.

mod analytics;
mod cluster;
