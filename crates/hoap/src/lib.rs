//! The command line: parse, plan, print. What another crate could own is there, not here.
//!
//! The program is [`main`]. One that adds databases or benchmarks of its own to it calls it with
//! them.

mod args;
mod built_in;
mod commands;
mod config;
mod console;
mod failure;
mod interrupt;
mod live;
mod streams;
mod version;

#[cfg(fuzzing)]
pub use config::fuzz;

use std::fs::File;
use std::io;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

use failure::Failure;
use hoap_conduct::registry::Benchmark;
use hoap_databases::Scheme;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// The stack of the thread that runs the command: that of the main thread is whatever the shell's
/// `ulimit -s` left.
const STACK: usize = 8 << 20;
/// The file descriptors of the smallest command.
const DESCRIPTORS: usize = 8;

/// The program, with these databases and benchmarks beside its own. It reads the command line of the
/// process.
pub fn main(databases: &[&'static Scheme], benchmarks: &[&'static Benchmark]) -> ExitCode {
    hoap_databases::add(databases);
    built_in::add(benchmarks);
    take_descriptors();
    let thread = thread::Builder::new().name("command".into()).stack_size(STACK).spawn(command);
    let code = match thread.map(thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(e) => Failure::unavailable(format!("start a thread: {e}")).report(),
    };
    streams::settle();
    code
}

/// Takes as many file descriptors as the system allows: each client of a database with a network
/// needs one, and shells give 1,024.
fn take_descriptors() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        // Without them errors say what is lacking.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

fn command() -> ExitCode {
    let argv = std::env::args_os().collect();
    let args = match config::parse(argv) {
        Ok(args) => args,
        Err(config::ParseError::Help(help)) => return told(&help),
        Err(config::ParseError::Usage(failure)) => return failure.report(),
    };
    if let Err(e) = have_room() {
        let advice = "raise the limits of open files and threads (ulimit -n, ulimit -u, or pids.max \
                      of the container)";
        return Failure::unavailable(format!("start: {e}; {advice}")).report();
    }
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

/// Whether there may be as many threads as the smallest command has: of the runtime, which panics
/// without them, and some that listen, write, look at the time and work. Likewise descriptors.
fn have_room() -> io::Result<()> {
    let files = (0..DESCRIPTORS).map(|_| File::open("/"));
    drop(files.collect::<io::Result<Vec<File>>>()?);
    let n = thread::available_parallelism().map_or(1, usize::from) + 4;
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let _shut = gate.lock();
        let wait = || drop(gate.lock());
        (0..n).try_for_each(|_| thread::Builder::new().spawn_scoped(scope, wait).map(drop))
    })
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
