//! A module for each command.

mod answers;
mod caller;
mod compare;
mod demo;
mod doctor;
mod experiment;
mod experiment_settings;
mod gather;
mod gen_files;
mod load;
mod merge;
mod planned;
mod price;
mod query;
mod reference;
mod report;
mod run;
mod show;
mod targets;
#[cfg(target_os = "linux")]
mod torture;
mod verify;
mod watch;

use std::sync::OnceLock;
use std::time::Duration;

use hoap_fleet::driver::Meeting;
use serde::Serialize;

use crate::args::{AnswersCommand, Cli, Command, Export, LiveArgs, ShowFormat};
use crate::console::{Console, escaped, visible};
use crate::failure::Failure;
use crate::interrupt;
use crate::live::Live;

/// What every command gets.
pub struct Context {
    /// Where it tells what goes on.
    pub console: Console,
    /// Whether the result is printed as JSON.
    pub json: bool,
    /// Set by Ctrl-C.
    pub stop: hoap_drive::Stop,
    /// Who watches a run from outside the terminal.
    pub live: Live,
    /// The other drivers of the run, where there are any.
    pub meeting: OnceLock<Meeting>,
    /// Which run of an experiment goes on; empty of any other.
    pub run: String,
    /// Why the result could not be printed.
    untold: OnceLock<String>,
}

impl Context {
    /// Prints the result: as JSON where that was asked for, else as `text` makes it.
    pub fn result(&self, value: &impl Serialize, text: impl FnOnce() -> String) {
        let text = match self.json {
            true => {
                let json = serde_json::to_string(value).expect("results have only string keys");
                escaped(&json)
            }
            false => visible(text().trim_end(), self.console.style().colour),
        };
        self.print(&text);
    }

    /// Prints a result as it is.
    pub fn print(&self, text: &str) {
        use std::io::Write;
        let text = text.trim_end();
        let mut out = std::io::stdout();
        // Somebody who closed the pipe does not want the rest.
        if let Err(e) = writeln!(out, "{text}").and_then(|()| out.flush())
            && e.kind() != std::io::ErrorKind::BrokenPipe
        {
            self.untold.get_or_init(|| e.to_string());
        }
    }
}

/// Runs the command.
pub async fn run(cli: Cli) -> Result<(), Failure> {
    let mut context = Context {
        console: Console::new(cli.quiet),
        json: cli.json,
        stop: hoap_drive::Stop::new(),
        live: Live::default(),
        meeting: OnceLock::new(),
        run: String::new(),
        untold: OnceLock::new(),
    };
    let patience = matches!(cli.command, Command::Gen(_)).then_some(Duration::from_secs(1));
    interrupt::on_interrupt(&context.stop, patience);
    let end = command(&mut context, cli.command).await;
    end.and(match context.untold.into_inner() {
        None => Ok(()),
        Some(e) => Err(Failure::unavailable(format!("write the result to standard output: {e}"))),
    })
}

async fn command(context: &mut Context, command: Command) -> Result<(), Failure> {
    use Command::{Answers, Compare, Merge, Price, Report, Show, Targets};
    if matches!(
        command,
        Answers { .. } | Compare(_) | Merge(_) | Price(_) | Report(_) | Show(_) | Targets(_)
    ) {
        interrupt::at_once();
    }
    match command {
        Command::Demo(args) => demo::demo(context, &args).await,
        Command::Doctor(args) => doctor::doctor(context, &args).await,
        Command::Gen(args) => gen_files::generate(context, &args),
        Command::Load { dry_run: true, benchmark } => load::dry_run(context, &benchmark),
        Command::Load { benchmark, .. } => load::load(context, &benchmark).await,
        Command::Verify(args) => verify::verify(context, &args).await,
        Command::Query(args) => query::query(context, &args).await,
        Command::Answers { command: AnswersCommand::Compare(args) } => {
            answers::compare(context, &args)
        }
        Command::Run { live: LiveArgs { dry_run: true, .. }, mut benchmark } => {
            planned::dry_run(context, &mut benchmark)
        }
        Command::Run { mut live, benchmark } => {
            let file = benchmark.0.export_file()?;
            live.export.extend(file.map(|file| Export { format: ShowFormat::Ycsb, file }));
            show::possible(&live.export, benchmark.name())?;
            context.live = Live::start(&live, benchmark.name(), &context.console).await?;
            run::run(context, benchmark, &live.export).await
        }
        Command::Experiment { command } => experiment::experiment(context, command).await,
        Command::Report(args) => report::report(context, &args),
        Command::Show(args) => show::show(context, &args),
        Command::Compare(args) => compare::compare(context, &args),
        Command::Merge(args) => merge::merge(context, &args).await,
        Command::Gather(args) => gather::gather(context, &args).await,
        Command::Price(args) => price::price(context, &args),
        #[cfg(target_os = "linux")]
        Command::Torture(args) => torture::torture(context, &args).await,
        Command::Targets(_) => targets::targets(context),
        Command::Init { benchmark } => reference::init(context, &benchmark),
        Command::Completions { shell } => {
            reference::completions(context, shell);
            Ok(())
        }
        Command::Man { out } => reference::man(context, out.as_deref()),
    }
}

/// Bytes for humans: "612 MB".
fn megabytes(bytes: u64) -> String {
    match bytes {
        0..10_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.0} MB", bytes as f64 / 1e6),
    }
}
