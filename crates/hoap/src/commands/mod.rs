//! A module for each command. [`context`] is what all get, and [`dispatch`] chooses.

mod again;
mod answers;
mod audit;
mod bundle;
mod caller;
mod compare;
mod context;
mod demo;
mod dispatch;
mod doctor;
mod experiment;
mod experiment_plan;
mod experiment_settings;
mod experiment_targets;
mod gather;
mod gen_files;
mod history;
mod learn;
mod load;
mod merge;
mod output;
mod planned;
mod price;
mod query;
mod reference;
mod report;
mod rerun;
mod run;
mod runs;
mod several;
mod show;
mod targets;
#[cfg(target_os = "linux")]
mod torture;
mod turns;
mod verify;
mod watch;

use std::time::Duration;

use context::Context;

use crate::args::{Cli, Command};
use crate::failure::Failure;
use crate::interrupt;

/// Runs the command.
pub async fn execute(cli: Cli) -> Result<(), Failure> {
    let mut context = Context::new(cli.quiet, cli.json);
    let patience = matches!(cli.command, Command::Gen(_)).then_some(Duration::from_secs(1));
    interrupt::on_interrupt(&context.stop, patience);
    let end = match cli.command {
        Command::Experiment { command } => experiment::experiment(&mut context, command).await,
        command => dispatch::command(&mut context, command).await,
    };
    end.and(context.end())
}
