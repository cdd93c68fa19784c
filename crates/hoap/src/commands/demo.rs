//! `hoap demo`: the main job, small: load, check, run, check, page.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command as Program, Stdio};
use std::time::Instant;

use clap::Parser;
use hoap_conduct::ch2::verify::checks;
use hoap_report::Style;
use serde_json::json;

use super::{Context, load, report, run, verify};
use crate::args::{Cli, Command, Demo};
use crate::failure::Failure;

/// Small enough for a minute on two cores, large enough for every query to find something.
const DATA: &str = "--warehouses 1 --scale-down 20";

/// Steps without and with queries.
const STEPS: &str = "--tx-clients 1,4 --query-clients 0,1 --loops 2 --duration 5s --warmup 1s \
                     --params check";

/// What a demo leaves in its folder, and its database while it is open.
const OWN: [&str; 5] = ["demo.db", "demo.db-shm", "demo.db-wal", "run", "report.html"];

/// Runs it, saying what it does as the commands that a user would type.
pub async fn demo(context: &Context, args: &Demo) -> Result<(), Failure> {
    let started = Instant::now();
    let dir = &args.out;
    let text = |path: &Path| path.display().to_string();
    let url = format!("sqlite:{}", text(&dir.join("demo.db")));
    let (folder, page) = (text(&dir.join("run")), text(&dir.join("report.html")));
    let failed = |what: &str, e: std::io::Error| {
        Failure::unavailable(format!("{what} {}: {e}; name another with --out", text(dir)))
    };
    match std::fs::read_dir(dir) {
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(failed("run the demo in", e)),
        Ok(there) => {
            for entry in there {
                let name = entry.map_err(|e| failed("read", e))?.file_name();
                if !OWN.iter().any(|own| name == *own) {
                    return Err(Failure::usage(format!(
                        "run the demo in {}: {} is there, which is not the demo's; name another \
                         folder with --out",
                        text(dir),
                        name.display()
                    )));
                }
            }
            // What an earlier demo left is replaced; its database by the load.
            if dir.join("run").exists() {
                std::fs::remove_dir_all(dir.join("run")).map_err(|e| failed("clear", e))?;
            }
        }
    }
    std::fs::create_dir_all(dir).map_err(|e| failed("create", e))?;

    context.console.say(
        "A scaled-down CH2++ on the embedded database: operational transactions and\n\
         analytical queries on the same documents, checked before and after.",
    );

    let command = format!("load ch2pp --replace --target {url} {DATA}");
    if let Command::Load { benchmark, .. } = say_and_parse(context, &command)? {
        let done = hoap_conduct::load::load(context, &benchmark).await?;
        context.console.say(format!("  {}", load::in_short(&done.loaded)));
    }

    if let Command::Verify(args) = say_and_parse(context, &format!("verify ch2pp --target {url}"))?
    {
        let verified = checks(context, &args).await?;
        context.console.say(format!("  {}", verify::in_short(&verified.checks)));
        verify::verdict(&verified)?;
    }

    let command = format!("run ch2pp --operational {url} --out {folder} {STEPS}");
    let Command::Run { mut benchmark, .. } = say_and_parse(context, &command)? else {
        return Ok(());
    };
    let (folder, run_record) = benchmark.record(context, None).await?;

    say_and_parse(context, &format!("report {} -o {page}", text(&folder)))?;
    crate::interrupt::at_once();
    report::write_page(&folder, Path::new(&page))?;
    let seconds = started.elapsed().as_secs_f64();
    let result = json!({ "folder": folder, "page": page, "seconds": seconds, "run": run_record });
    context.result(&result, || {
        let style = Style { page: Some(&page), ..context.console.style() };
        format!(
            "\n{}\nDone in {seconds:.0} s. Open the page: {page}",
            hoap_report::summary(&run_record, style)
        )
    });
    if args.open {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let mut program = Program::new(opener);
        program.arg(&page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Err(e) = program.spawn() {
            context.console.say(format!("open {page} with {opener}: {e}"));
        }
    }
    run::last(context, &run_record)
}

/// Shows a command and parses it as if it had been typed.
fn say_and_parse(context: &Context, command: &str) -> Result<Command, Failure> {
    context.console.say(format!("\n$ hoap {command}"));
    let words = std::iter::once("hoap").chain(command.split(' '));
    Cli::try_parse_from(words).map(|cli| cli.command).map_err(|e| Failure::usage(e.to_string()))
}
