//! Which function runs a command.

use super::context::Context;
#[cfg(target_os = "linux")]
use super::torture;
use super::{
    answers, audit, bundle, compare, demo, doctor, gather, gen_files, history, learn, load, merge,
    planned, price, query, reference, report, run, runs, several, show, targets, verify,
};
use crate::args::{AnswersCommand, Command, Export, LiveArgs, ShowFormat};
use crate::failure::Failure;
use crate::interrupt;
use crate::live::{About, Live};

/// Runs a command that is no experiment: the stages of these are such commands.
pub async fn command(context: &mut Context, command: Command) -> Result<(), Failure> {
    use Command::{
        Answers, Audit, Bundle, Compare, History, Merge, Price, Report, Runs, Show, Targets,
    };
    if matches!(
        command,
        Answers { .. }
            | Audit(_)
            | Bundle(_)
            | Compare(_)
            | History { .. }
            | Merge(_)
            | Price(_)
            | Report(_)
            | Runs { .. }
            | Show(_)
            | Targets(_)
    ) {
        interrupt::at_once();
    }
    match command {
        Command::Demo(args) => demo::demo(context, &args).await,
        Command::Doctor(args) => doctor::doctor(context, &args).await,
        Command::Gen(args) => gen_files::generate(context, &args),
        Command::Learn(args) => learn::learn(context, &args).await,
        Command::Load { how, benchmark } => load::load(context, &*benchmark.0, &how).await,
        Command::Verify(args) => verify::any(context, &args).await,
        Command::Query(args) => query::any(context, &args).await,
        Command::Answers { command: AnswersCommand::Compare(args) } => {
            answers::compare(context, &args)
        }
        Command::Run { live: LiveArgs { dry_run: true, .. }, mut benchmark } => {
            planned::dry_run(context, &mut benchmark.0)
        }
        Command::Run { mut live, mut benchmark } => {
            let labels = benchmark.0.common().labels.all()?;
            let file = benchmark.0.0.export_file()?;
            live.export.extend(file.map(|file| Export { format: ShowFormat::Ycsb, file }));
            show::possible(context, &live.export, benchmark.0.0.headline())?;
            let title = &benchmark.0.0.title();
            let about = About { benchmark: benchmark.0.name(), title, labels: &labels };
            context.live = Live::start(&live, &about, &context.console).await?;
            let end = run::run(context, benchmark.0, &live.export).await;
            let why = end.as_ref().err().map(|failure| format!(": {}", failure.message()));
            let words = format!("The run has ended{}.", why.unwrap_or_default());
            context.live.end(&words, report::of_folder).await;
            end
        }
        Command::Several(commands) => match several::each(context, commands).await? {
            Some(only) => Box::pin(self::command(context, only)).await,
            None => Ok(()),
        },
        Command::Experiment { .. } => {
            Err(Failure::usage("run an experiment: it cannot be the stage of another one"))
        }
        Command::Report(args) => report::report(context, &args),
        Command::Runs { folder } => runs::runs(context, &folder),
        Command::Show(args) => show::show(context, &args),
        Command::Compare(args) => compare::compare(context, &args),
        Command::History { command } => history::history(context, &command),
        Command::Bundle(args) => bundle::bundle(context, &args),
        Command::Audit(args) => audit::audit(context, &args).await,
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
