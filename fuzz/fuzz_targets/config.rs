//! The command line is a program, not a library: its modules are compiled in.
#![no_main]
#![allow(dead_code)]

#[path = "../../crates/hoap/src/args/mod.rs"]
mod args;
#[path = "../../crates/hoap/src/config.rs"]
mod config;
#[path = "../../crates/hoap/src/failure.rs"]
mod failure;
#[path = "../../crates/hoap/src/streams.rs"]
mod streams;
#[path = "../../crates/hoap/src/version.rs"]
mod version;

libfuzzer_sys::fuzz_target!(|input: &[u8]| hoap_testing::fuzz::run(config::fuzz::config, input));
