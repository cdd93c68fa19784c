//! The command line: parse, plan, print. What another crate could own is there, not here.

mod args;
mod commands;
mod config;
mod console;
mod failure;
mod interrupt;
mod live;
mod version;

use std::process::ExitCode;

use failure::Failure;

fn main() -> ExitCode {
    let argv = std::env::args_os().collect();
    let args = match config::parse(argv) {
        Ok(args) => args,
        Err(config::ParseError::Help(help)) => help.exit(),
        Err(config::ParseError::Usage(failure)) => return failure.report(),
    };
    // More than one thread: what a database's driver does in the background goes on while a command
    // keeps this one busy.
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => return Failure::unavailable(format!("start: {e}")).report(),
    };
    match runtime.block_on(commands::execute(args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
