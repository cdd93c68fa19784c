//! Experiments: the built-in ones rehearsed, a user's own, interruptions and what is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::tree::Mine;
use super::{End, Place, gone};

/// Runs `hoap experiment run` with this configuration, whose label may have spaces.
fn run(p: &Place, label: &str, line: &str) -> End {
    let line = format!("experiment run {line}");
    End::of(p.command(&line).args(["--configuration", label]).output().unwrap())
}

/// Targets that open nothing, as a configuration of a built-in experiment wants them.
fn targets(name: &str, label: &str) -> &'static str {
    let hybrid = name.starts_with("ch2") || name == "frontier";
    match (hybrid, label.ends_with("0A")) {
        (true, true) => "--operational null:",
        (true, false) => "--operational null: --analytical null:",
        _ => "--target null:",
    }
}

/// A plan has its documents and their bytes, its steps, and the time that these take at least.
fn is_planned(plan: &Value, name: &str, label: &str) {
    let told = || format!("{name}, {label}: {plan:#}");
    let stages = plan["stages"].as_array().unwrap();
    let of = |key: &str| -> f64 { stages.iter().filter_map(|stage| stage[key].as_f64()).sum() };
    let small = ["ch2pp-postgres", "ch2pp-columns"].contains(&name);
    let least = if small { 2_000_000.0 } else { 5_000_000.0 };
    assert!(of("documents") >= least, "{}", told());
    // The smallest documents are those of new orders; the records of YCSB have 1 KB.
    let each = of("bytes") / of("documents");
    assert!((50.0..5_000.0).contains(&each), "{each} bytes a document: {}", told());
    assert!(of("steps") >= 1.0 && of("seconds") > 0.0, "{}", told());
    assert_eq!(plan["seconds"].as_f64(), Some(of("seconds")), "{}", told());
}

/// Words of a command line as a shell takes them apart: those in quotes are one.
fn shell_words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(n, part)| match n % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// The tables of figures in `docs/experiments.md`: each row's command as it stands there, with
/// databases and `--dry-run`.
#[test]
fn every_command_of_the_docs_is_one_that_runs() {
    const DOCS: &str =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/experiments.md"));
    let p = Place::new();
    let cells = DOCS.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split('`'));
    let mut named = BTreeSet::new();
    for command in cells.filter(|cell| cell.starts_with("hoap ")) {
        if !command.starts_with("hoap experiment run ") {
            assert!(command.ends_with(" --dry-run"), "{command}");
            p.ok(command.strip_prefix("hoap ").unwrap());
            continue;
        }
        let words = shell_words(command);
        let name = words[3].clone();
        let label = words.get(5).cloned().unwrap_or_default();
        let more = format!("{} --dry-run --json", targets(&name, &label));
        let mut typed = Command::new(env!("CARGO_BIN_EXE_hoap"));
        typed.current_dir(p.0.path()).args(&words[1..]).args(more.split_whitespace());
        let end = End::of(typed.stdin(Stdio::null()).output().unwrap());
        assert_eq!(end.code, 0, "{command}: {end:#?}");
        is_planned(&end.value(), &name, &label);
        named.insert(name);
    }
    let listed = p.ok("--json experiment list").value();
    let listed = listed.as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap().to_owned());
    assert_eq!(named, listed.collect(), "every experiment has a row");
}

/// What the source had set is told by name and content: with the file, the plan and the page.
#[test]
fn the_settings_of_the_source_are_named_and_printed() {
    let p = Place::new();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = p.ok("experiment show nosql-2021-e").out;
    let told = words(&shown.replace("\n#", " "));
    for says in [
        "cassandra: replication=SimpleStrategy:2, durable_writes=off, row_cache=all, read_consistency=one, \
         write_consistency=one (preset nosql-2021: table 2.4",
        "couchbase, couchbases: durability=none (preset nosql-2021: section 3.2",
        "; updates=replace",
        "Couchbase, 20 nodes; couchbase, couchbases: index_replicas=19",
    ] {
        assert!(told.contains(says), "no {says:?} in {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 160), "{shown}");
    // It stays a file that runs.
    p.write("mine.toml", &shown);
    let line = "mine.toml --target cassandra://h/k?read_consistency=quorum --dry-run";
    let end = run(&p, "Cassandra, 4 nodes", line);
    assert_eq!(end.code, 0, "{end:#?}");
    let told = words(&end.out);
    assert!(told.contains("settings of cassandra: replication=SimpleStrategy:2"), "{told}");
    assert!(told.contains("read_consistency=quorum&preset=nosql-2021"), "{told}");
    assert!(!told.contains("couchbase"), "those of the target alone: {told}");
    p.write("mine.toml", &shown.replace("\"preset=nosql-2021\"", "\"preset=nosql-1999\""));
    let end = run(&p, "Cassandra, 4 nodes", line);
    assert_eq!(end.code, 2, "{end:#?}");
    for says in ["option `preset` of cassandra", "nosql-2021", "hoap targets"] {
        assert!(end.err.contains(says), "no {says:?} in {end:#?}");
    }
    let targets = words(&p.ok("targets").out);
    assert!(
        targets.contains("preset=dbaas-2020 capacity=provisioned, consistency=eventual"),
        "{targets}"
    );
}

const FIG8: &str = "ch2pp-fig8 --scale-down 1000 --out fig8";
const BOTH: &str = "--operational sqlite:a.db --analytical sqlite:a.db";

#[test]
fn experiments_are_listed_shown_and_planned() {
    let p = Place::new();
    let listed = p.ok("experiment list");
    assert!(listed.out.lines().all(|line| line.chars().count() <= 80), "{}", listed.out);
    let listed = p.ok("--json experiment list").value();
    assert_eq!(listed.as_array().unwrap().len(), 17);
    for experiment in listed.as_array().unwrap() {
        let name = experiment["name"].as_str().unwrap();
        let shown = p.ok(&format!("experiment show {name}"));
        assert!(shown.out.contains("[[configuration]]"), "{name}");
        // Every configuration's commands are ones that hoap takes.
        for label in experiment["configurations"].as_array().unwrap() {
            let label = label.as_str().unwrap();
            let targets = targets(name, label);
            let end = run(&p, label, &format!("{name} {targets} --dry-run --json"));
            assert_eq!(end.code, 0, "{name}, {label}: {end:#?}");
            is_planned(&end.value(), name, label);
        }
    }
    let plan = run(&p, "4Q+4A", &format!("ch2pp-fig8 {BOTH} --dry-run")).out;
    // 1,000 warehouses of 199,011 documents, and 110,067 items, suppliers, nations and regions.
    assert!(plan.contains("199121067 documents") && plan.contains("9 steps"), "{plan}");
    assert!(plan.lines().all(|line| line.chars().count() <= 80), "{plan}");
    assert!(!p.path("fig8").exists() && !p.path("ch2pp-fig8").exists(), "nothing ran");
}

#[test]
fn a_rehearsal_runs_configuration_by_configuration_and_its_page_says_what_it_is() {
    let p = Place::new();
    let end = run(&p, "4Q+0A", &format!("{FIG8} --operational sqlite:a.db"));
    assert_eq!(end.code, 0, "{end:#?}");
    let end = run(&p, "4Q+4A", &format!("{FIG8} {BOTH} --loaded"));
    assert_eq!(end.code, 0, "{end:#?}");
    let record = p.json("fig8/4Q+4A/hybrid/run.json");
    let clients: Vec<(u64, u64)> = record["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| (s["tx_clients"].as_u64().unwrap(), s["query_clients"].as_u64().unwrap()))
        .collect();
    assert_eq!(clients, [(0, 1), (1, 1)], "the queries alone, then beside transactions");

    let end = p.ok("experiment report fig8");
    let told = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in ["REHEARSAL", "divided by 1000", "missing: 8Q+4A: hybrid"] {
        assert!(told.contains(says), "no {says:?} in {told}");
    }
    let page = p.text("fig8/report.html");
    for says in ["REHEARSAL", "figures 8a, 8b and 9", "Otherwise than there", "4Q+0A", "table 2"] {
        assert!(page.contains(says), "no {says:?} on the page");
    }
    // Done is done.
    let again = run(&p, "4Q+4A", &format!("{FIG8} {BOTH}"));
    assert_eq!(again.code, 2, "{again:#?}");
    assert!(again.err.contains("it has begun already; go on with it by --resume"), "{again:#?}");
    let resumed = run(&p, "4Q+4A", &format!("{FIG8} {BOTH} --loaded --resume"));
    assert!(resumed.out.contains("0 stages done"), "{resumed:#?}");
}

/// A user's own: a load and three short runs.
const OWN: &str = r#"
title = "Reads by clients"
about = "Two of a kind."
targets = { target = "any" }
[[stage]]
name = "load"
command = "load"
benchmark = "ycsb"
flags = { target = "{target}", property = ["recordcount=300"] }
[[stage]]
name = "first"
command = "run"
benchmark = "ycsb-c"
flags = { target = "{target}", clients = [1, 2], duration = "300ms", warmup = "10ms" }
[[stage]]
name = "second"
command = "run"
benchmark = "ycsb-a"
flags = { target = "{target}", clients = [1], duration = "3s", warmup = "10ms", tick = "100ms" }
[[stage]]
name = "third"
command = "run"
benchmark = "ycsb-b"
flags = { target = "{target}", clients = [1], duration = "300ms", warmup = "10ms" }
[[configuration]]
label = "here"
about = "this machine"
"#;

#[test]
fn an_interrupted_one_goes_on_where_it_was_with_nothing_repeated_and_nothing_missing() {
    let p = Place::new();
    p.write("own.toml", OWN);
    let mine = Mine::around(&p, &[]);
    let line = "experiment run own.toml --target sqlite:t.db --out e";
    let mut running = p.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    gone::until_measured(&p.path("e/here/second"));
    running.kill().unwrap();
    running.wait().unwrap();
    let first = p.read("e/here/first/run.json");
    let states = p.json("e/experiment.json")["configurations"]["here"]["stages"].clone();
    assert_eq!((&states["first"], &states["second"]), (&"done".into(), &"begun".into()));
    p.fails("experiment report nowhere", 2, &["nowhere", "name the folder of an experiment"]);

    let end = p.fails(line, 2, &["go on with it by --resume"]);
    assert!(end.out.is_empty());
    let end = p.ok(&format!("{line} --resume"));
    assert!(end.out.contains("2 stages done"), "{end:#?}");
    assert_eq!(p.read("e/here/first/run.json"), first, "the first was not repeated");
    assert!(p.path("e/here/second.interrupted-1").exists(), "what was interrupted is kept");
    for name in ["second", "third"] {
        assert_eq!(p.json(&format!("e/here/{name}/run.json"))["partial"], Value::Null, "{name}");
    }
    p.ok("experiment report e -o page.html");
    mine.unchanged(line);

    // What it was begun with must be what it goes on with.
    for (change, says) in [
        ("--target sqlite:u.db", "begun on sqlite:t.db, and this is sqlite:u.db"),
        ("--target sqlite:t.db --scale-down 2", "--scale-down none, and this is 2"),
    ] {
        p.fails(&format!("experiment run own.toml --out e --resume {change}"), 2, &[says]);
    }
    p.write("own.toml", &OWN.replace("300ms", "400ms"));
    p.fails(&format!("{line} --resume"), 2, &["its file is not the one it was begun with"]);
    p.write("own.toml", OWN);
    let record = p.text("e/experiment.json");
    p.write("e/experiment.json", &record.replace(env!("CARGO_PKG_VERSION"), "0.0.1"));
    p.fails(&format!("{line} --resume"), 2, &["begun with hoap 0.0.1, and this is"]);
}

/// All configurations whose databases a file names, in the order of the experiment; what is done is
/// not done again, and no error repeats a URL of the file.
#[test]
fn all_configurations_of_a_file_run_one_after_the_other() {
    let p = Place::new();
    let two = "[[configuration]]\nlabel = \"4Q+4A\"\nabout = \"b\"\n[[configuration]]\nlabel = \"not here\"\n\
               about = \"c\"\n";
    let own = OWN.replace("\"3s\"", "\"100ms\"").replace("300ms", "100ms");
    p.write("own.toml", &format!("{own}{two}"));
    p.write(
        "urls.toml",
        "[\"4Q+4A\"]\ntarget = \"sqlite:b.db\"\n[here]\ntarget = \"sqlite:a.db\"\n",
    );
    let line = "experiment run own.toml --all --targets urls.toml --out e";
    let planned = p.ok(&format!("{line} --dry-run --json")).value();
    let labels: Vec<_> = planned.as_array().unwrap().iter().map(|c| &c["configuration"]).collect();
    assert_eq!(labels, ["here", "4Q+4A"]);
    assert!(!p.path("e").exists(), "nothing ran");
    let end = p.ok(line);
    for says in ["here: 4 stages done", "4Q+4A: 4 stages done", "experiment report e"] {
        assert!(end.out.contains(says), "no {says:?} in {end:#?}");
    }
    p.fails(line, 2, &["it has begun already; go on with it by --resume"]);
    std::fs::remove_dir_all(p.path("e/4Q+4A/third")).unwrap();
    let record = p.text("e/experiment.json");
    let at = record.find("\"third\": \"done\"").unwrap();
    p.write(
        "e/experiment.json",
        &format!("{}\"third\": \"begun\"{}", &record[..at], &record[at + 15..]),
    );
    let end = p.ok(&format!("{line} --resume --json")).value();
    assert_eq!(end.as_array().unwrap().len(), 2, "{end}");
    assert!(p.path("e/4Q+4A/third/run.json").exists() && p.path("e/here/third").exists());
    let page = p.ok("experiment report e").out;
    let told = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("not here: first"), "{page}");

    for (file, says) in [
        (
            "[here]\ntarget = \"postgres://u:hunter2@h\"\n[x]\ntarget = \"null:\"\n",
            "no configuration \"x\"",
        ),
        ("[here]\ntarget = postgres://u:hunter2@h\n", "line 2"),
        ("here = \"postgres://u:hunter2@h\"\n", "line 1"),
        ("[here]\noperational = \"postgres://u:hunter2@h/d\"\n", "needs --target"),
        ("", "it names none"),
    ] {
        p.write("urls.toml", file);
        let end = p.fails("experiment run own.toml --all --targets urls.toml --out f", 2, &[says]);
        assert!(!end.err.contains("hunter2"), "{end:#?}");
        assert!(!p.path("f").exists(), "{file}: something ran");
    }
    p.fails("experiment run own.toml --all --out f", 2, &["--targets"]);
    let both = "experiment run own.toml --all --targets urls.toml --target null: --out f";
    p.fails(both, 2, &["--target"]);
}

/// How far each stage is.
fn states(p: &Place) -> BTreeMap<String, String> {
    // The first writing may not be done.
    let Ok(text) = std::fs::read(p.path("e/experiment.json")) else { return BTreeMap::new() };
    let record: Value = serde_json::from_slice(&text).unwrap();
    let stages = record["configurations"]["here"]["stages"].as_object();
    let each = stages.into_iter().flatten();
    each.map(|(stage, state)| (stage.clone(), state.as_str().unwrap().to_owned())).collect()
}

/// Twenty cells, ended by `kill -9` and by Ctrl-C wherever they happen to be.
#[test]
fn twenty_cells_interrupted_anywhere_are_each_whole_once() {
    let p = Place::new();
    let mut text = OWN[..OWN.find("[[stage]]\nname = \"first\"").unwrap()].to_owned();
    text = text.replace("recordcount=300", "recordcount=20000");
    let benchmarks = ["ycsb-a", "ycsb-b", "ycsb-c"];
    let names: Vec<String> = (1..20).map(|n| format!("run {n:02}")).collect();
    for (n, name) in names.iter().enumerate() {
        text += &format!(
            "[[stage]]\nname = {name:?}\ncommand = \"run\"\nbenchmark = {:?}\nflags = {{ target = \
             \"{{target}}\", clients = [1], duration = \"100ms\", warmup = \"1ms\" }}\n",
            benchmarks[n % 3]
        );
    }
    p.write(
        "own.toml",
        &(text + "[[configuration]]\nlabel = \"here\"\nabout = \"this machine\"\n"),
    );

    let done = |states: &BTreeMap<String, String>| -> BTreeSet<String> {
        states
            .iter()
            .filter(|(_, state)| *state == "done")
            .map(|(stage, _)| stage.clone())
            .collect()
    };
    // Once so many are done, the next signal; the load is the first of the twenty.
    let moments =
        [(0, "-KILL"), (0, "-TERM"), (1, "-KILL"), (2, "-TERM"), (5, "-KILL"), (9, "-TERM")];
    let mut moments = moments.into_iter().chain([(9, "-KILL"), (13, "-KILL"), (18, "-TERM")]);
    let (mut before, mut whole) = (BTreeSet::new(), BTreeMap::new());
    let mut broken: BTreeMap<String, usize> = BTreeMap::new();
    for attempt in 0.. {
        let told = p.path(&format!("told-{attempt}"));
        let out = File::create(&told).unwrap();
        let line = "experiment run own.toml --target sqlite:t.db --out e --resume";
        let mut command = p.command(line);
        command.stdout(out.try_clone().unwrap()).stderr(out);
        let mut running = command.spawn().unwrap();
        let moment = moments.next();
        let ended = loop {
            if let Some(ended) = running.try_wait().unwrap() {
                break ended;
            }
            let now = states(&p);
            if let Some((_, signal)) =
                moment.filter(|(n, _)| !now.is_empty() && done(&now).len() >= *n)
            {
                let pid = running.id().to_string();
                assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
                break running.wait().unwrap();
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        };
        let (now, told) = (states(&p), std::fs::read_to_string(&told).unwrap());
        // Nothing that was done is begun again, and what is done stays as it is.
        let begun = |name: &str| told.contains(&format!(" of 20: {name} ("));
        assert!(before.iter().all(|name: &String| !begun(name)), "{before:?}: {told}");
        before = done(&now);
        for name in before.iter().filter(|name| *name != "load") {
            let found = p.read(&format!("e/here/{name}/run.json"));
            assert_eq!(
                whole.entry(name.clone()).or_insert_with(|| found.clone()),
                &found,
                "{name}"
            );
        }
        for name in now.keys().filter(|name| !before.contains(*name)) {
            *broken.entry(name.clone()).or_default() += 1;
        }
        if ended.success() {
            break;
        }
        assert!(attempt < 40, "it never ends: {told}");
    }
    assert_eq!(before.len(), 20, "{before:?}");
    for (name, benchmark) in names.iter().zip(benchmarks.iter().cycle()) {
        let record: Value = serde_json::from_slice(&whole[name]).unwrap();
        assert_eq!(
            (&record["partial"], &record["benchmark"]),
            (&Value::Null, &(*benchmark).into())
        );
        assert!(
            record["checks"].as_array().unwrap().iter().all(|c| c["verdict"] != "fail"),
            "{name}"
        );
    }
    // What was broken off is kept, beside the whole ones and nothing else.
    for entry in std::fs::read_dir(p.path("e/here")).unwrap() {
        let folder = entry.unwrap().file_name().into_string().unwrap();
        let of = folder.split(".interrupted-").next().unwrap().to_owned();
        assert!(names.contains(&of), "{folder}");
        assert!(folder == of || broken.contains_key(&of), "{folder}: {broken:?}");
    }
    let page = p.ok("experiment report e");
    assert!(!page.out.contains("missing"), "{page:#?}");
}

#[test]
fn what_is_wrong_is_said_before_anything_runs() {
    let p = Place::new();
    p.write("own.toml", OWN);
    p.fails("experiment run fig8 --target null:", 2, &["there is none of this name"]);
    p.fails("experiment show fig8", 2, &["hoap experiment list"]);
    p.fails("experiment run none.toml --target null:", 2, &["read the experiment none.toml"]);
    p.fails("experiment run own.toml", 2, &["configuration here needs --target URL: any"]);
    p.fails("experiment run ch2pp-fig8", 2, &["name one with --configuration: 4Q+4A; 8Q+4A"]);
    for (from, to, says) in [
        ("title", "titel", "line 2: unknown field `titel`"),
        ("clients = [1, 2]", "clints = [1, 2]", "unknown key \"clints\""),
        ("\"300ms\"", "\"soon\"", "invalid value 'soon' for '--duration"),
        ("\"ycsb-b\"", "\"ycsb-z\"", "read the stage third"),
        (
            "{ target = \"{target}\", property",
            "{ target = \"sqlite:victim.db\", property",
            "target names no target",
        ),
        ("recordcount=300", "exportfile=.bashrc", "a file cannot give the property exportfile"),
        ("clients = [1, 2]", "metrics = \"0.0.0.0:1\"", "a file cannot give \"metrics\""),
        ("clients = [1, 2]", "otlp = \"http://h:1\"", "a file cannot give \"otlp\""),
        ("clients = [1, 2]", "export = [\"ycsb=.bashrc\"]", "a file cannot give \"export\""),
        ("clients = [1, 2]", "observe = \"http://h:1\"", "a file cannot give \"observe\""),
        ("name = \"first\"", "name = \"../first\"", "a name is letters"),
    ] {
        p.write("wrong.toml", &OWN.replacen(from, to, 1));
        p.fails("experiment run wrong.toml --target sqlite:t.db --out e", 2, &[says]);
        assert!(!p.path("e").exists() && !p.path("t.db").exists(), "{to}: something ran");
    }
}
