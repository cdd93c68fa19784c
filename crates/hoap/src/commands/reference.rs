//! What the program says of its own command line: completions, manual pages, a configuration file.

use std::path::Path;

use clap::{Arg, ArgAction, Command};
use clap_complete::Shell;
use hoap_record::output::{self, Kind};
use hoap_report::text::wrap;

use super::context::Context;
use crate::args::command;
use crate::built_in;
use crate::failure::Failure;

/// Prints the completions of a shell.
pub fn completions(context: &Context, shell: Shell) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "hoap", &mut script);
    context.print(&String::from_utf8_lossy(&script));
}

/// Prints the manual page, or writes those of all commands into a folder.
pub fn man(context: &Context, out: Option<&Path>) -> Result<(), Failure> {
    let Some(folder) = out else {
        let mut page = Vec::new();
        let made = clap_mangen::Man::new(command()).render(&mut page);
        made.map_err(|e| Failure::unavailable(format!("make the manual page: {e}")))?;
        context.print(&String::from_utf8_lossy(&page));
        return Ok(());
    };
    output::folder(folder)?;
    let mut all = command().disable_help_subcommand(true);
    all.build();
    let mut pages = Vec::new();
    manual_pages(all, &mut pages);
    for page in &pages {
        output::check(&folder.join(page.get_filename()), &MANUAL)?;
    }
    for page in pages {
        let mut text = Vec::new();
        let made = page.render(&mut text);
        made.map_err(|e| Failure::unavailable(format!("make a manual page: {e}")))?;
        let path = folder.join(page.get_filename());
        output::write(&path, &MANUAL, &String::from_utf8_lossy(&text))?;
    }
    Ok(())
}

/// A page of the manual.
const MANUAL: Kind = Kind {
    name: "a manual page",
    begins: |head| head.lines().take(3).any(|line| line.starts_with(".TH hoap")),
};

/// Those of a command and of the commands below it.
fn manual_pages(command: Command, pages: &mut Vec<clap_mangen::Man>) {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        manual_pages(below.clone(), pages);
    }
    pages.push(clap_mangen::Man::new(command));
}

/// Prints a configuration file with every flag of a benchmark, or an example of a workload file.
pub fn init(context: &Context, benchmark: &str) -> Result<(), Failure> {
    match benchmark {
        hoap_own::NAME => context.print(hoap_own::EXAMPLE),
        _ => context.print(&file(benchmark)?),
    }
    Ok(())
}

/// The file: the database's URL, and every other flag behind a "#".
fn file(benchmark: &str) -> Result<String, Failure> {
    let cli = command();
    let find = |verb: &str, name: &str| -> Option<Command> {
        cli.find_subcommand(verb)?.find_subcommand(name).cloned()
    };
    let data = built_in::data_of(benchmark).map_or(benchmark, |data| data.name());
    let (Some(load), Some(run)) = (find("load", data), find("run", benchmark)) else {
        let all = cli.find_subcommand("run").into_iter().flat_map(Command::get_subcommands);
        let names: Vec<_> = all.map(Command::get_name).collect();
        return Err(Failure::usage(format!(
            "write a configuration file for {benchmark}: there is no such benchmark; there are {}",
            names.join(", ")
        )));
    };
    let shared = cli.find_subcommand("run").into_iter().flat_map(Command::get_arguments);
    let mut text = format!(
        "# Flags for `hoap load {data} --config FILE` and `hoap run {benchmark} --config FILE`.\n\
         # Remove the # before a flag to set it; what is typed on the command line wins.\n\n\
         # The database: `hoap targets` lists their URLs. This file may hold its password.\n\
         target = \"sqlite:bench.db\"\n"
    );
    if run.get_arguments().any(|arg| arg.get_long() == Some("operational")) {
        text.push_str("operational = \"sqlite:bench.db\"\n");
    }
    if run.get_arguments().any(|arg| arg.get_long() == Some("property")) {
        text.push_str(&format!(
            "\n# Properties of YCSB by name, as -p takes them, for both commands; those of one are in\n\
             # [load.{data}.properties] or [run.{benchmark}.properties].\n\
             # [properties]\n# recordcount = 1000000\n"
        ));
    }
    let sections = [("load", data, &load, vec![]), ("run", benchmark, &run, shared.collect())];
    for (verb, name, of, more) in sections {
        text.push_str(&format!("\n[{verb}.{name}]\n"));
        let flags = of.get_arguments().chain(more);
        for arg in flags.filter(|arg| !["target", "operational"].contains(&arg.get_id().as_str())) {
            let Some(long) = arg.get_long() else { continue };
            if ["help", "version", "dry-run"].contains(&long) {
                continue;
            }
            let about = arg.get_help().map(|help| help.to_string()).unwrap_or_default();
            text.push('\n');
            for line in wrap(&about, 90) {
                text.push_str(&format!("# {line}\n"));
            }
            text.push_str(&format!("# {long} = {}\n", value(arg)));
        }
    }
    Ok(text)
}

/// The flag's default, or an example of a value, as TOML.
fn value(arg: &Arg) -> String {
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        return "true".into();
    }
    let several =
        arg.get_value_delimiter().is_some() || matches!(arg.get_action(), ArgAction::Append);
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    let words: Vec<String> = match defaults.as_slice() {
        [] => vec![example(arg)],
        [one] if several => one.split(',').map(str::to_owned).collect(),
        all => all.to_vec(),
    };
    let words: Vec<String> = words
        .into_iter()
        .map(|word| match word.parse::<u64>() {
            Ok(_) => word,
            Err(_) => format!("{word:?}"),
        })
        .collect();
    if several { format!("[{}]", words.join(", ")) } else { words.concat() }
}

/// A value that the flag takes.
fn example(arg: &Arg) -> String {
    if let Some(first) = arg.get_possible_values().first() {
        return first.get_name().to_owned();
    }
    let name =
        arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    let text = match (arg.get_id().as_str(), name) {
        ("start_at", _) => "2099-01-31T12:00:00Z",
        ("extra_fields", _) => "64",
        ("probe_limit", _) => "10m",
        ("duration", _) => "60s",
        ("frontier", _) => "256,32",
        ("variant", _) => "index",
        ("observe", _) => "http://db1:9100",
        ("sla", _) => "p99=10ms",
        ("witness", _) => "2%",
        ("label", _) => "testbed=lab-3",
        ("collections", _) => "shop_customer",
        ("by", _) => "ada",
        ("load", _) => "--replace",
        ("server_facts", _) => "facts.toml",
        ("queries_dir" | "query_set", _) => "queries",
        (_, "TIME") => "60s",
        (_, "URL") => "sqlite:other.db",
        (_, "FILE") => "workloada.properties",
        (_, "DIR") => "runs/first",
        (_, "KEY=VALUE") => "recordcount=1000000",
        (_, "FORMAT=FILE") => "markdown=results.md",
        (_, "OPERATION=N") => "checkout=50",
        (_, "ADDRESS") => "127.0.0.1:9464",
        (_, "HOST:PORT") => "127.0.0.1:7117",
        (_, "I/N") => "1/2",
        (_, "R,…") => "1000",
        _ => "1",
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn benchmarks() -> Vec<String> {
        let cli = command();
        let run = cli.find_subcommand("run").unwrap();
        run.get_subcommands().map(|of| of.get_name().to_owned()).filter(|n| n != "help").collect()
    }

    /// The sections of a file, each with the lines of its flags, their "#" removed.
    fn sections(text: &str) -> Vec<(String, Vec<String>)> {
        let mut sections: Vec<(String, Vec<String>)> = Vec::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix('[') {
                sections.push((name.trim_end_matches(']').replace('.', " "), Vec::new()));
            } else if let Some((_, flags)) = sections.last_mut()
                && let Some((key, value)) =
                    line.strip_prefix("# ").and_then(|l| l.split_once(" = "))
                && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
            {
                flags.push(format!("{key} = {value}"));
            }
        }
        sections
    }

    #[test]
    fn the_file_parses_as_it_is_and_with_each_of_its_flags() {
        for benchmark in benchmarks() {
            let text = file(&benchmark).unwrap();
            let whole: toml::Table = text.parse().unwrap();
            assert!(whole.contains_key("target"), "{text}");
            for (command, flags) in sections(&text) {
                assert!(flags.len() > 2, "{command}: {flags:?}");
                for flag in flags {
                    let table: toml::Table = flag.parse().unwrap_or_else(|e| panic!("{flag}: {e}"));
                    let database = match command.as_str() {
                        "run ch2" | "run ch2pp" => "operational",
                        _ => "target",
                    };
                    let mut words = vec![std::ffi::OsString::from("hoap")];
                    words.extend(command.split(' ').map(std::ffi::OsString::from));
                    words.push(format!("--{database}=sqlite:a").into());
                    let given = crate::config::with_flags(words, table);
                    if let Err(why) = given {
                        // A flag may need another, which the file has, too.
                        assert!(
                            why.contains("required arguments were not provided"),
                            "{flag}: {why}"
                        );
                    }
                }
            }
        }
        assert!(file("ycsb").unwrap_err().message().contains("ycsb-a"));
    }

    #[test]
    fn the_file_has_every_flag() {
        let (cli, text) = (command(), file("ch2pp").unwrap());
        let run = cli.find_subcommand("run").unwrap().find_subcommand("ch2pp").unwrap();
        for long in run.get_arguments().filter_map(Arg::get_long).filter(|long| *long != "help") {
            assert!(text.contains(&format!("{long} = ")), "{long}");
        }
    }
}
