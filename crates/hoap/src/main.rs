//! The command line: parse, plan, print. What another crate could own is there, not here.

mod args;
mod commands;
mod config;
mod console;
mod failure;
mod interrupt;

use std::process::ExitCode;

use failure::Failure;

fn main() -> ExitCode {
    let argv = std::env::args_os().collect();
    let args = match config::parse(argv) {
        Ok(args) => args,
        Err(config::ParseError::Help(help)) => help.exit(),
        Err(config::ParseError::Usage(failure)) => return failure.report(),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_time().build() {
        Ok(runtime) => runtime,
        Err(e) => return Failure::unavailable(format!("start: {e}")).report(),
    };
    match runtime.block_on(commands::run(args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
