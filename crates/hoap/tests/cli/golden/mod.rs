//! Golden files: what `hoap` writes, held against files under `expected`. They pin formats and
//! words while the crates behind the program are rebuilt, so these tests know the program and files
//! only.
//!
//! * `runs`: a small run of every kind. What depends on time or on the machine is replaced by a
//!   placeholder, by the rules of `rules`; all else must be as it was.
//! * `screen`: what a terminal shows while a run goes on and when it has ended, at two widths.
//! * `folders`: what the report commands make of the run folders under `folders`, byte for byte.
//!
//! `HOAP_GOLDEN=write ./test --quick golden::` writes the expected files anew. Read the difference
//! before it is committed.

#[cfg(unix)]
mod demo;
mod files;
mod folders;
mod held;
mod json;
mod page;
mod place;
mod rules;
mod runs;
#[cfg(unix)]
mod screen;
mod terminal;
