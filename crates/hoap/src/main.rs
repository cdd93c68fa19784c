//! `hoap`.

use std::process::ExitCode;

fn main() -> ExitCode {
    hoap::main(&[], &[])
}
