//! `hoap experiment`: the commands of an experiment's file, one after the other.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hoap_databases::url::redact;
use hoap_experiment::builtin::{self, BUILTIN};
use hoap_experiment::file::Command as Does;
use hoap_experiment::progress::Identity;
use hoap_experiment::{Cell, Experiment, Plan, Progress, plan};
use hoap_report::prices::{PriceList, Priced};
use hoap_report::text::paragraph;
use hoap_workload::words::counted;
use serde_json::{Value, json};

use super::context::Context;
use super::experiment_plan::{dry_run, parsed};
use super::experiment_settings::{as_comments, settings};
use super::experiment_targets::{Targets, chosen};
use super::{dispatch, gather, output};
use crate::args::{self, ExperimentCommand, ReportExperiment, RunExperiment, Together};
use crate::failure::Failure;
use crate::interrupt;

/// Lists, prints, runs or reports.
pub async fn experiment(context: &mut Context, args: ExperimentCommand) -> Result<(), Failure> {
    // Until a stage begins there is nothing to end.
    interrupt::at_once();
    match args {
        ExperimentCommand::List => list(context),
        ExperimentCommand::Show { name } => show(context, &name),
        ExperimentCommand::Run(args) => run(context, &args).await,
        ExperimentCommand::Report(args) => page(context, &args),
    }
}

fn list(context: &Context) -> Result<(), Failure> {
    let mut text = String::new();
    let mut result = Vec::new();
    for builtin in BUILTIN {
        let experiment = read(builtin.text, builtin.name)?;
        let labels = experiment.labels();
        let source = experiment.source.as_deref().unwrap_or_default();
        text.push_str(&format!("{}\n", builtin.name));
        text.push_str(&paragraph("    ", &experiment.title));
        text.push_str(&paragraph("    from ", source));
        text.push_str(&paragraph("    ", &format!("configurations: {}", labels.join("; "))));
        result.push(json!({
            "name": builtin.name, "title": experiment.title, "source": source,
            "configurations": labels,
        }));
    }
    context.result(&result, || text);
    Ok(())
}

fn show(context: &Context, name: &str) -> Result<(), Failure> {
    let (_, text) = find(name)?;
    let experiment = read(&text, name)?;
    let comments = as_comments(&experiment)?;
    let settings = settings(&experiment, None, None)?;
    let result = json!({ "name": name, "file": text, "settings": settings });
    context.result(&result, || format!("{text}{comments}"));
    Ok(())
}

/// The name and the text of an experiment: one of the program, or a file.
fn find(name: &str) -> Result<(String, String), Failure> {
    if let Some(builtin) = builtin::find(name) {
        return Ok((builtin.name.into(), builtin.text.into()));
    }
    let path = Path::new(name);
    if path.extension().is_none_or(|e| e != "toml") && !path.exists() {
        return Err(Failure::usage(format!(
            "find the experiment {name}: there is none of this name, and no such file; `hoap \
             experiment list` lists them"
        )));
    }
    let text = hoap_record::input::text(path)
        .map_err(|e| Failure::usage(format!("read the experiment {name}: {e}")))?;
    let stem = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok((stem, text))
}

fn read(text: &str, name: &str) -> Result<Experiment, Failure> {
    Experiment::parse(text).map_err(|e| Failure::usage(format!("read the experiment {name}: {e}")))
}

/// A configuration that is to run.
struct Chosen {
    targets: Targets,
    plan: Plan,
    settings: Vec<String>,
}

async fn run(context: &mut Context, args: &RunExperiment) -> Result<(), Failure> {
    let (name, text) = find(&args.experiment)?;
    let experiment = read(&text, &name)?;
    // Every command is parsed before the first runs: a wrong flag in the last would be found after
    // hours.
    let all: Vec<Chosen> = chosen(&experiment, args)?
        .into_iter()
        .map(|(label, targets)| checked((&name, &experiment), args, label, targets))
        .collect::<Result<_, _>>()?;
    if args.dry_run {
        let told = all.iter().map(|one| dry_run(&experiment, &one.plan, &one.settings));
        let (values, texts): (Vec<_>, Vec<_>) =
            told.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        context.result(&one_or_all(args, values), || texts.join("\n\n"));
        return Ok(());
    }
    let together = &args.together;
    let several = together.meet.is_some() || together.gather.is_some();
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(&name));
    let hoap = env!("CARGO_PKG_VERSION");
    let identity = Identity { name: &name, text: &text, hoap, scale_down: args.scale_down };
    // Drivers of a fleet are processes in one folder.
    let _held = if several { None } else { Some(hoap_record::made::hold(&folder)?) };
    let mut progress = Progress::open(&folder, identity)?;
    let (mut values, mut texts) = (Vec::new(), Vec::new());
    for one in &all {
        let done = configuration(context, args, &mut progress, (&name, &folder), one).await?;
        let (label, folder) = (&one.plan.label, folder.display());
        values.push(json!({
            "experiment": name, "configuration": label, "folder": folder.to_string()
        }));
        texts.push(format!("{label}: {} done", counted(done, "stage", "stages")));
    }
    context.result(&one_or_all(args, values), || {
        let (texts, folder) = (texts.join("\n"), folder.display());
        format!("\n{texts}\nMake the page with: hoap experiment report {folder}")
    });
    Ok(())
}

/// The result of the one configuration, or a list of those of all.
fn one_or_all(args: &RunExperiment, mut values: Vec<Value>) -> Value {
    if args.all { Value::Array(values) } else { values.pop().unwrap_or_default() }
}

/// A configuration whose commands have all been parsed.
fn checked(
    (name, experiment): (&str, &Experiment),
    args: &RunExperiment,
    label: &str,
    targets: Targets,
) -> Result<Chosen, Failure> {
    let wrong = |e: String| Failure::usage(format!("run the experiment {name}: {e}"));
    let mut made = plan(experiment, label, &targets, args.scale_down).map_err(wrong)?;
    let schemes: Vec<&str> = targets.values().filter_map(|url| url.split(':').next()).collect();
    let settings = settings(experiment, Some(label), Some(&schemes))?;
    if args.loaded {
        made.cells.retain(|cell| cell.command != Does::Load);
    }
    let together = &args.together;
    if together.meet.is_some() {
        made.cells.retain(|cell| cell.command == Does::Run);
    }
    let several = together.meet.is_some() || together.gather.is_some();
    if let Some(cell) = made.cells.iter().find(|cell| several && cell.flags.contains_key("repeat"))
    {
        return Err(wrong(format!(
            "its stage {} repeats its run, which drivers that meet cannot; run it by one driver, or \
             edit a copy of the file (hoap experiment show)",
            cell.name
        )));
    }
    for cell in &made.cells {
        let words = if cell.command == Does::Run { together.words() } else { Vec::new() };
        parsed(cell, Path::new(""), &words)?;
    }
    Ok(Chosen { targets, plan: made, settings })
}

/// Runs what is not done of a configuration. How many stages that were.
async fn configuration(
    context: &mut Context,
    args: &RunExperiment,
    progress: &mut Progress,
    (name, folder): (&str, &Path),
    Chosen { targets, plan: made, .. }: &Chosen,
) -> Result<usize, Failure> {
    let (together, label) = (&args.together, &made.label);
    let several = together.meet.is_some() || together.gather.is_some();
    let shown = targets.iter().map(|(name, url)| (name.clone(), redact(url))).collect();
    progress.configuration(label, &shown, args.resume)?;
    let cells: Vec<Cell> = progress.missing(made).into_iter().cloned().collect();
    let whole = made.cells.len();
    for cell in &cells {
        let at = made.cells.iter().position(|other| other.name == cell.name).unwrap_or(0) + 1;
        let begun = progress.state(label, &cell.name).is_some();
        let words = match cell.command {
            Does::Load if args.replace => vec!["--replace".to_owned()],
            Does::Load if begun => vec!["--resume".to_owned()],
            Does::Run => together.words(),
            _ => Vec::new(),
        };
        progress.begin(label, cell)?;
        context.console.say(format!(
            "\n{label}, {at} of {whole}: {} ({} {})",
            cell.name,
            cell.command.name(),
            cell.benchmark
        ));
        let stage = parsed(cell, folder, &words)?;
        interrupt::in_order();
        let json = std::mem::replace(&mut context.json, false);
        context.stage = json;
        if several {
            context.run = format!("{name}, {label}, {}", cell.name);
            context.meeting = OnceLock::new();
        }
        let end = match (together.gather, &cell.folder) {
            (Some(drivers), Some(out)) => {
                let out = folder.join(out);
                gather::gather(context, &gathered(together, drivers, cell, out)?).await
            }
            _ => dispatch::command(context, stage).await,
        };
        (context.json, context.stage) = (json, false);
        end?;
        progress.done(label, &cell.name)?;
    }
    Ok(cells.len())
}

/// How the drivers of a run are gathered. What an earlier attempt left of their folders is moved
/// aside.
fn gathered(
    together: &Together,
    drivers: u64,
    cell: &Cell,
    out: PathBuf,
) -> Result<args::Gather, Failure> {
    let beside = |ending: String| PathBuf::from(format!("{}.drivers{ending}", out.display()));
    let left = beside(String::new());
    if left.exists() {
        let aside = (1..).map(|n| beside(format!(".interrupted-{n}"))).find(|path| !path.exists());
        let moved = aside.map_or(Ok(()), |aside| std::fs::rename(&left, aside));
        moved.map_err(|e| Failure::unavailable(format!("move {}: {e}", left.display())))?;
    }
    let url = |key: &&str| cell.flags.get(*key)?.as_str().map(String::from);
    let Together { listen, wait, tls_cert, tls_key, insecure_without_tls, .. } = together;
    Ok(args::Gather {
        drivers,
        listen: listen.ok_or_else(|| Failure::usage("--gather needs --listen"))?,
        out,
        operational: ["operational", "target"].iter().find_map(url),
        wait: *wait,
        tls_cert: tls_cert.clone(),
        tls_key: tls_key.clone(),
        insecure_without_tls: *insecure_without_tls,
    })
}

/// What a configuration costs, by a price list.
fn priced(name: &str, nodes: Option<u32>) -> Result<Priced, Failure> {
    let list = PriceList::open(Path::new(name))?;
    Ok(Priced { list, file: name.to_owned(), nodes, quantities: Default::default() })
}

/// The page of what is done.
fn page(context: &Context, args: &ReportExperiment) -> Result<(), Failure> {
    interrupt::at_once();
    let (progress, experiment) = Progress::read(&args.folder)?;
    let (mut named, mut missing) = (Vec::new(), Vec::new());
    for configuration in &experiment.configurations {
        let label = &configuration.label;
        for stage in experiment.stages_of(label).filter(|stage| stage.command == Does::Run) {
            let path = progress.path(&Path::new(label).join(&stage.name));
            match progress.is_done(label, &stage.name) {
                true => named.push(hoap_report::Named { label: Some(label.clone()), path }),
                false => missing.push(format!("{label}: {}", stage.name)),
            }
        }
    }
    if named.is_empty() {
        return Err(Failure::usage(format!(
            "report the experiment in {}: none of its runs is whole; missing: {}",
            args.folder.display(),
            missing.join(", ")
        )));
    }
    let mut made = hoap_report::Report::open(&named)?;
    for configuration in &mut made.configurations {
        let Ok(of) = experiment.configuration(&configuration.label) else { continue };
        configuration.nodes = of.nodes;
        configuration.priced =
            of.prices.as_deref().map(|name| priced(name, of.nodes)).transpose()?;
    }
    if let Some(study) = &experiment.published {
        made.published = hoap_report::published::choose(Some(study)).map_err(|names| {
            Failure::usage(format!("show the published figures of {study}: {names}"))
        })?;
    }
    let settings = settings(&experiment, None, None)?;
    made.experiment = Some(hoap_report::Experiment {
        name: progress.name().to_owned(),
        title: experiment.title,
        source: experiment.source,
        about: experiment.about,
        settings,
        differs: experiment.differs,
        missing: missing.clone(),
        scale_down: progress.scale_down(),
    });
    let out = args.out.clone().unwrap_or_else(|| args.folder.join("report.html"));
    let result =
        json!({ "page": out.display().to_string(), "runs": named.len(), "missing": missing });
    output::page(context, &out, &hoap_report::page(&made)?, &result)
}
