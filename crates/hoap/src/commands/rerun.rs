//! `hoap audit --rerun`: loads and runs the same again, and adds the run to the bundle.
//!
//! The bundle is of somebody whom nobody knows. It gives the flags of a load and a run, but none
//! that names a file, a place or another program, and the load goes only where nothing is.

use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use hoap_audit::Audit as Audited;
use hoap_audit::manifest::{BundledRun, Repeats};
use hoap_audit::pack::{Content, Parts, sha256};
use hoap_conduct::Chosen;
use hoap_conduct::flags::Settings;
use hoap_conduct::load::AskedLoad;
use hoap_conduct::registry::of_run;
use hoap_databases::url::redact;
use hoap_experiment::file::{DATABASES, OF_THE_USER};
use hoap_record::Run;
use hoap_report::compare::{Side, SideRun, comparable};
use serde_json::{Map, Value};

use super::again::Scratch;
use super::context::Context;
use super::{bundle, load, run};
use crate::args::{Cli, Command};
use crate::failure::Failure;
use crate::{built_in, config, interrupt};

/// Flags that say which driver this is and who else is at work.
const OF_THIS_DRIVER: [&str; 3] = ["part-from", "beside-others", "run-seed"];
/// Flags that are recorded as a part of 1 and typed in percent.
const SHARES: [&str; 3] = ["max-failures", "warn-failures", "witness"];

/// Repeats the runs of a bundle that are on this kind of database; where the new one is in it.
pub async fn rerun(
    context: &Context,
    bundle: &Path,
    audited: &Audited,
    url: &str,
) -> Result<String, Failure> {
    let digest = sha256(bundle)?;
    let (of, first) = repeated(audited, url)?;
    let asked = loads(first, url)?;
    let seed = RandomState::new().hash_one(&digest) >> 32;
    let mut chosen = runs(first, url, seed)?;
    same_steps(&chosen, first)?;
    context.console.say(format!(
        "{} of {} again, on {} with the run seed {seed}",
        first.title(),
        of.join(", "),
        redact(url)
    ));
    interrupt::in_order();
    if let Some(asked) = &asked {
        let done = hoap_conduct::load::load(context, &**asked).await?;
        context.console.say(format!("  loaded {}", load::in_short(&done.loaded)));
    }
    let (folder, record) = chosen.record(context, None).await?;
    interrupt::at_once();
    run::verdict(context, &record).map_err(|e| e.because("the bundle stays as it was"))?;
    let repeats = Repeats { of, program: bundle::program()? };
    let added = join(bundle, (audited, &digest), (&folder, &record), repeats)?;
    context.console.say(format!(
        "{} has joined {} as {added}; the data stays in {}",
        folder.display(),
        bundle.display(),
        redact(url)
    ));
    Ok(added)
}

/// The runs of the bundle on this kind of database, which must be repetitions of one another, and
/// the record of the first.
fn repeated<'a>(audited: &'a Audited, url: &str) -> Result<(Vec<String>, &'a Run), Failure> {
    let refuse = |why: String| Failure::usage(format!("repeat the runs on {}: {why}", redact(url)));
    let kind = scheme(url).ok_or_else(|| refuse("no database has such a URL".into()))?;
    let all = audited.manifest.runs.iter().zip(&audited.runs);
    let all = all.filter(|(of, _)| of.repeats.is_none());
    let all = all.filter_map(|(_, (at, _, run))| Some((at, run.as_ref()?)));
    let there = |run: &Run| run.operational.as_ref().and_then(|of| scheme(&of.url));
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for (at, run) in all {
        match there(run) {
            Some(of) if of == kind => ours.push((at.clone(), run)),
            _ => others.extend(run.operational.as_ref().map(|of| of.name.clone())),
        }
    }
    let Some(&(_, first)) = ours.first() else {
        let others = others.join(", ");
        return Err(refuse(format!("its runs are on another database: {others}")));
    };
    let side = |runs: &[(String, &Run)]| Side {
        name: String::new(),
        runs: runs
            .iter()
            .map(|(at, run)| SideRun { folder: at.into(), run: (*run).clone() })
            .collect(),
        series: None,
    };
    let places: Vec<String> = ours.iter().map(|(at, _)| at.clone()).collect();
    if !comparable(&side(&ours), &side(&ours)) {
        return Err(refuse(format!(
            "{} are not repetitions of one another; bundle each configuration by itself",
            places.join(", ")
        )));
    }
    match unlike(first) {
        Some(why) => Err(refuse(format!("{}: {why}", places[0]))),
        None => Ok((places, first)),
    }
}

/// Why a run cannot be repeated by one command on one database.
fn unlike(run: &Run) -> Option<&'static str> {
    let queries = run.analytical.as_ref().map(|of| &of.url);
    let own_texts = run.configuration.get("queries-dir").is_some_and(|dir| !dir.is_null());
    if !run.drivers.is_empty() || run.configuration.get("part").is_some_and(|of| !of.is_null()) {
        Some("it was run by several drivers")
    } else if queries.is_some_and(|url| Some(url) != run.operational.as_ref().map(|of| &of.url)) {
        Some("its queries ran on another database than its transactions")
    } else if own_texts {
        Some("it asked texts of --queries-dir, which only its author has in a folder")
    } else if run.partial.is_some() || run.steps.is_empty() {
        Some("it is not whole")
    } else {
        None
    }
}

/// The first name of a URL's scheme.
fn scheme(url: &str) -> Option<&'static str> {
    let name = url.split(':').next()?;
    let known = hoap_databases::known().find(|scheme| scheme.names.contains(&name))?;
    known.names.first().copied()
}

/// The load that made the data; none where nothing is ever loaded.
fn loads(run: &Run, url: &str) -> Result<Option<Box<dyn AskedLoad>>, Failure> {
    if scheme(url) == Some("null") {
        return Ok(None);
    }
    let refuse =
        |why: &str| Failure::usage(format!("load the documents of {} again: {why}", run.title()));
    let entry = of_run(built_in::runs(), &run.benchmark);
    let entry = entry.and_then(|run| built_in::data_of(run.name()));
    let name = entry.map_or("", |entry| entry.name());
    let flags = entry.zip(run.data.as_object()).and_then(|(of, data)| of.flags(data));
    let flags = flags.ok_or_else(|| refuse("its record does not tell the flags of the load"))?;
    let Cli { command: Command::Load { benchmark: load, .. }, .. } =
        parsed(&["load", name], flags, ("target", url)).map_err(|e| refuse(&e))?
    else {
        return Err(refuse("it is no load"));
    };
    // What a later or an earlier version of the program made is not made again.
    let made = load.0.source()?.parameters();
    match made == run.data {
        true => Ok(Some(load.0)),
        false => Err(refuse(&format!("this program makes {made}, and they were {}", run.data))),
    }
}

/// The run with its flags as they are recorded.
fn runs(run: &Run, url: &str, seed: u64) -> Result<Chosen, Failure> {
    let refuse = |why: String| Failure::usage(format!("run {} again: {why}", run.title()));
    let entry = of_run(built_in::runs(), &run.benchmark)
        .ok_or_else(|| refuse("this program does not have it".into()))?;
    let mut flags = Settings::new();
    let theirs = [&OF_THE_USER[..], &DATABASES, &OF_THIS_DRIVER].concat();
    for (name, value) in &run.configuration {
        if !theirs.contains(&name.as_str()) {
            flags.extend(typed(name, value).map(|value| (name.clone(), value)));
        }
    }
    flags.insert("run-seed".into(), seed.into());
    let of = ["operational", "target"].into_iter().find(|of| run.configuration.contains_key(*of));
    let database = (of.unwrap_or("target"), url);
    match parsed(&["run", entry.name()], flags, database).map_err(refuse)?.command {
        Command::Run { benchmark, .. } => Ok(benchmark.0),
        _ => Err(refuse("it is no run".into())),
    }
}

/// A flag as it is typed; none of what was not given.
fn typed(name: &str, value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Array(values) if values.is_empty() => None,
        // It is recorded of a closed loop, too, where nobody may type it.
        Value::String(word) if name == "arrivals" && word == "constant" => None,
        Value::Bool(whether) if name == "freshness" => {
            Some(if *whether { "on" } else { "off" }.into())
        }
        Value::Number(share) if SHARES.contains(&name) => {
            Some(format!("{}%", 100.0 * share.as_f64()?).into())
        }
        // A file that YCSB would write.
        Value::Object(properties) => {
            let given = properties.iter().filter(|(name, _)| *name != "exportfile");
            Some(
                given
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect::<Map<_, _>>()
                    .into(),
            )
        }
        value => Some(value.clone()),
    }
}

fn parsed(words: &[&str], flags: Settings, (of, url): (&str, &str)) -> Result<Cli, String> {
    let mut table = toml::Table::new();
    for (name, value) in flags {
        let wrong = |e: toml::ser::Error| format!("its {name} is {value}: {e}");
        let value = toml::Value::try_from(&value).map_err(wrong)?;
        table.insert(name, value);
    }
    table.insert(of.into(), url.into());
    let words = std::iter::once("hoap").chain(words.iter().copied());
    config::with_flags(words.map(Into::into).collect(), table)
}

/// Refuses a run whose steps would be others, before hours of it.
fn same_steps(chosen: &Chosen, run: &Run) -> Result<(), Failure> {
    let plan = chosen.planned()?;
    let planned: Vec<String> = plan.steps.iter().map(|step| step.name()).collect();
    let there: Vec<&str> = run.planned_steps().iter().map(|step| step.name.as_str()).collect();
    match plan.frontier.is_some() || planned == there {
        true => Ok(()),
        false => Err(Failure::usage(format!(
            "run {} again: its flags plan the steps {}, and it had {}",
            run.title(),
            planned.join("; "),
            there.join("; ")
        ))),
    }
}

/// Rewrites the bundle with one run more; where that is in it.
fn join(
    bundle: &Path,
    (audited, digest): (&Audited, &str),
    (folder, record): (&Path, &Run),
    repeats: Repeats,
) -> Result<String, Failure> {
    let scratch = Scratch::new()?;
    let manifest = scratch.unpack(bundle, |_| true)?;
    if manifest != audited.manifest || sha256(bundle)? != digest {
        let (bundle, folder) = (bundle.display(), folder.display());
        return Err(Failure::unavailable(format!(
            "add {folder} to {bundle}: that file has changed since it was audited, and stays"
        )));
    }
    let files = manifest.files.keys();
    let files = files.map(|name| (name.clone(), Content::File(scratch.path(name)))).collect();
    let (program, runs, reasons) = (manifest.program, manifest.runs, manifest.reasons);
    let mut parts = Parts { program, runs, reasons, files };
    bundle::add(&mut parts, folder, record)?;
    let added = parts.runs.last_mut().map(|BundledRun { at, repeats: of, .. }| {
        *of = Some(repeats);
        at.clone()
    });
    bundle::write(bundle, &parts)?;
    Ok(added.unwrap_or_default())
}
