//! PostgreSQL does what every database must do, and what its own documentation promises.

#![allow(clippy::duplicate_mod, reason = "the tests of CH2 run at each level of isolation")]

mod on_pgbouncer;
mod on_postgres;
mod on_postgres_15;
mod on_postgres_replica;
mod scripted;

use hoap_suites::conformance;
