//! The command line: parse, plan, print. What another crate could own is there, not here.

mod args;
mod commands;
mod config;
mod console;
mod failure;
mod interrupt;
mod live;
mod streams;
mod version;

use std::process::ExitCode;

use failure::Failure;

fn main() -> ExitCode {
    let code = command();
    streams::settle();
    code
}

fn command() -> ExitCode {
    let argv = std::env::args_os().collect();
    let args = match config::parse(argv) {
        Ok(args) => args,
        Err(config::ParseError::Help(help)) => return told(&help),
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

/// Prints what the user asked for of the command line, or should have.
fn told(help: &clap::Error) -> ExitCode {
    let text = help.render().to_string();
    if help.use_stderr() {
        streams::say(text.trim_end());
        return ExitCode::from(2);
    }
    streams::print(&text);
    match streams::finish() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => Failure::unprinted(&e).report(),
    }
}
