//! `hoap demo`: the main job, small: load, check, run, check, page.

use std::path::{Path, PathBuf};
use std::process::{Command as Program, Stdio};
use std::time::Instant;

use clap::Parser;
use hoap_ch2::run::verify::checks;
use hoap_record::made::{MARK, Made, hold};
use hoap_record::names::is_ours;
use hoap_record::output::check;
use hoap_record::{Run, whole};
use hoap_report::compare::{Comparison, Question, RELEVANT, Side, answers};
use hoap_report::{Named, Report, again, kinds, places, text, verdict_line};
use serde_json::json;

use super::context::Context;
use super::{load, output, run, verify};
use crate::args::{Cli, Command, Demo, OrFile};
use crate::failure::Failure;

/// Small enough for a minute on two cores, large enough for every query to find something.
const DATA: &str = "--warehouses 1 --scale-down 20";

/// Steps without and with queries.
const STEPS: &str = "--tx-clients 1,4 --query-clients 0,1 --loops 2 --duration 5s --warmup 1s \
                     --params check";

/// The steps on a database that loses a commit, and which.
const LOSING_STEPS: &str = "--tx-clients 4 --query-clients 0 --duration 3s --warmup 1s";
const LOST: u32 = 100;

/// Where a pair follows, which measures freshness, the first run does too: both add the same update to
/// each transaction that writes, so that their throughput can be compared.
const FRESHNESS: &str = if cfg!(feature = "duckdb") { " --freshness on" } else { "" };

/// The steps with queries once more, where they read columns that follow.
const PAIR_STEPS: &str = "--tx-clients 1,4 --query-clients 1 --loops 2 --duration 5s --warmup 1s \
                          --params check";

/// What a demo leaves in its folder, and its databases while they are open.
const OWN: [&str; 9] = [
    "demo.db",
    "demo.db-shm",
    "demo.db-wal",
    "run",
    "report.html",
    "demo.duckdb",
    "demo.duckdb.wal",
    "demo.duckdb.tmp",
    "pair",
];

/// Runs it, saying what it does as the commands that a user would type.
pub async fn demo(context: &Context, args: &Demo) -> Result<(), Failure> {
    let started = Instant::now();
    let _held = hold(&args.out)?;
    let dir = &within(context, &args.out)?;
    let url = format!("sqlite:{}", shown(&dir.join("demo.db")));
    let (folder, page) = (shown(&dir.join("run")), shown(&dir.join("report.html")));
    let made = clear(dir, Path::new(&page))?;
    let about = match args.lose_a_commit {
        false => {
            "A scaled-down CH2++ on the embedded database: operational transactions and\n\
             analytical queries on the same documents, checked before and after."
        }
        true => {
            "A scaled-down CH2++ on the embedded database, which acknowledges one commit and\n\
             loses it: the checks against the ledger must find it."
        }
    };
    context.console.say(about);

    load_and_verify(context, &url).await?;
    let (option, steps) = match args.lose_a_commit {
        false => (String::new(), format!("{STEPS}{FRESHNESS}")),
        true => (format!("?lose_commit={LOST}"), LOSING_STEPS.to_owned()),
    };
    let command = format!("run ch2pp --operational {url}{option} --out {folder} {steps}");
    let Command::Run { mut benchmark, .. } = say_and_parse(context, &command)? else {
        return Ok(());
    };
    let (folder, run_record) = benchmark.0.record(context, None).await?;

    let whole = run_record.partial.is_none()
        && hoap_report::void::cause(&run_record).is_none()
        && !args.lose_a_commit;
    let pair = match cfg!(feature = "duckdb") && whole {
        true => pair(context, &made, dir, &url).await?,
        false => None,
    };
    let columns = pair.as_ref().map(|(folder, _)| format!(" columns={}", shown(folder)));
    let runs = match &columns {
        Some(columns) => format!("rows={}{columns}", shown(&folder)),
        None => shown(&folder),
    };
    say_and_parse(context, &format!("report {runs} -o {page}"))?;
    crate::interrupt::at_once();
    let compared = match &columns {
        Some(_) => write_both(
            context,
            [("rows", &folder), ("columns", &dir.join("pair"))],
            Path::new(&page),
        )?,
        None => {
            let html = hoap_report::html(&[hoap_report::Loaded::open(&folder)?]);
            output::write(context, Path::new(&page), &kinds::PAGE, &html)?;
            String::new()
        }
    };
    let of = |name: &str| shown(&args.out.join(name));
    let mut result = json!({ "folder": of("run"), "page": of("report.html"), "seconds": started.elapsed().as_secs_f64(), "run": run_record });
    if let Some((_, run)) = &pair {
        result["pair_folder"] = json!(of("pair"));
        result["pair"] = json!(run);
    }
    context.result(&result, || {
        let places = places(&of("run"), Some(&of("report.html")), &again(&run_record), "");
        let summary = hoap_report::summary(&run_record, context.console.style());
        format!("\n{summary}{compared}{places}")
    });
    if args.open {
        open(context, &page);
    }
    if args.lose_a_commit && run_record.partial.is_none() {
        if hoap_report::void::cause(&run_record).is_none() {
            return Err(Failure::check("no check found the commit that was lost"));
        }
        context.console.say(format!("\nThe checks found that commit {LOST} was lost."));
    }
    let Some((_, pair)) = pair else { return run::last(context, &run_record) };
    run::verdict(context, &run_record)?;
    run::verdict(context, &pair)?;
    context.console.say(verdict_line(&[&run_record, &pair]));
    Ok(())
}

/// Makes the folder the demo's. What an earlier demo left is replaced: its database by the load, the
/// columns beside by what they follow. Nothing is removed where something else is in the way.
fn clear(dir: &Path, page: &Path) -> Result<Made, Failure> {
    let made = Made::look(dir, "demo")?;
    made.mark()?;
    let there = whole::names(dir).map_err(|e| {
        Failure::unavailable(format!("read {}: {e}; name another with --out", shown(dir)))
    })?;
    if let Some(name) =
        there.iter().find(|&name| name != MARK && !OWN.iter().any(|own| name == own))
    {
        return Err(Failure::usage(format!(
            "run the demo in {}: {} is there, which is not the demo's; name another folder with \
             --out",
            shown(dir),
            name.display()
        )));
    }
    check(page, &kinds::PAGE)?;
    for folder in ["run", "pair"] {
        made.remove(folder, is_ours)?;
    }
    made.fresh("run", is_ours)?;
    Ok(made)
}

async fn load_and_verify(context: &Context, url: &str) -> Result<(), Failure> {
    let command = format!("load ch2pp --replace --target {url} {DATA}");
    if let Command::Load { benchmark, .. } = say_and_parse(context, &command)? {
        let done = hoap_conduct::load::load(context, &*benchmark.0).await?;
        context.console.say(format!("  {}", load::in_short(&done.loaded)));
    }

    let command = format!("verify ch2pp --target {url}");
    if let Command::Verify(OrFile::Named(args)) = say_and_parse(context, &command)? {
        let verified = checks(context, &args).await?;
        context.console.say(format!("  {}", verify::in_short(&verified.checks)));
        verify::verdict(&verified)?;
    }
    Ok(())
}

/// Shows the page in a browser, if there is one.
fn open(context: &Context, page: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut program = Program::new(opener);
    program.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(e) = program.spawn() {
        context.console.say(format!("open {page} with {opener}: {e}"));
    }
}

/// The steps with queries once more, with the queries on DuckDB's columns, which follow.
async fn pair(
    context: &Context,
    made: &Made,
    dir: &Path,
    url: &str,
) -> Result<Option<(PathBuf, Run)>, Failure> {
    made.fresh("pair", is_ours)?;
    context.console.say(
        "\nThe same transactions, with the queries on columns beside: DuckDB follows the database.",
    );
    let (columns, folder) = (shown(&dir.join("demo.duckdb")), shown(&dir.join("pair")));
    let command = format!(
        "run ch2pp --operational {url} --analytical duckdb:{columns}?link={url} --out {folder} \
         {PAIR_STEPS}"
    );
    let Command::Run { mut benchmark, .. } = say_and_parse(context, &command)? else {
        return Ok(None);
    };
    Ok(Some(benchmark.0.record(context, None).await?))
}

/// Writes the page of both runs; returns how they compare.
fn write_both(context: &Context, runs: [(&str, &Path); 2], page: &Path) -> Result<String, Failure> {
    let named = runs.map(|(label, path)| Named { label: Some(label.into()), path: path.into() });
    let made = hoap_report::page(&Report::open(&named)?)?;
    output::write(context, page, &kinds::PAGE, &made.html)?;
    let side =
        |(name, path): (&str, &Path)| Side::open(path).map(|of| Side { name: name.into(), ..of });
    let [rows, columns] = runs.map(side);
    let question = Question { gates: Vec::new(), relevant: RELEVANT, details: false };
    let answers = answers(&Comparison::new(rows?, vec![columns?], question)?);
    let answers: String = answers.iter().map(|answer| text::paragraph("", answer)).collect();
    Ok(format!("\n{answers}"))
}

/// The folder as the demo's commands name it. A path that is no word of a command line, or not
/// UTF-8 as URLs are, becomes the current folder.
fn within(context: &Context, out: &Path) -> Result<PathBuf, Failure> {
    let good = |c: char| c.is_alphanumeric() || "/\\:._+~,@-".contains(c);
    if out.to_str().is_some_and(|out| out.chars().all(good)) {
        return Ok(out.to_owned());
    }
    context.console.say(format!("$ cd '{}'", shown(out)));
    std::env::set_current_dir(out)
        .map_err(|e| Failure::unavailable(format!("go to {}: {e}", shown(out))))?;
    Ok(PathBuf::from("."))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Shows a command and parses it as if it had been typed.
fn say_and_parse(context: &Context, command: &str) -> Result<Command, Failure> {
    context.console.say(format!("\n$ hoap {command}"));
    let words = std::iter::once("hoap").chain(command.split(' '));
    Cli::try_parse_from(words).map(|cli| cli.command).map_err(|e| Failure::usage(e.to_string()))
}
