//! `hoap` with the database of this example.

use std::process::ExitCode;

fn main() -> ExitCode {
    hoap::main(&[&own_database::SCHEME], &[])
}
