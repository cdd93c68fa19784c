//! What the program says of itself, and what it would do.

use super::Place;

#[test]
fn completions_and_manual_pages_name_the_flags() {
    let p = Place::new();
    for (shell, says) in
        [("bash", "complete -F _hoap"), ("zsh", "#compdef hoap"), ("fish", "complete -c hoap")]
    {
        let script = p.ok(&format!("completions {shell}")).out;
        assert!(script.contains(says) && script.contains("tx-clients"), "{shell}");
    }
    // Where the shell is there it reads what is for it.
    if let Ok(bash) =
        std::process::Command::new("bash").arg("-n").stdin(std::process::Stdio::piped()).spawn()
    {
        let mut bash = bash;
        let script = p.ok("completions bash").out;
        std::io::Write::write_all(&mut bash.stdin.take().unwrap(), script.as_bytes()).unwrap();
        assert!(bash.wait().unwrap().success());
    }
    let page = p.ok("man").out;
    assert!(page.contains(".TH hoap 1") && page.contains("hoap\\-run"), "{page}");
    p.ok("man -o man");
    let run = p.text("man/hoap-run-ycsb-a.1");
    assert!(run.contains("max\\-rate"), "{run}");
    p.write("file", "");
    p.ok("man -o man");
    p.fails("man -o file", 3, &["file", "name another folder"]);
}

#[test]
fn the_version_tells_commit_databases_and_drivers() {
    let p = Place::new();
    let text = p.ok("--version").out;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("hoap 0."), "{text}");
    // From a checkout it has its commit.
    let git = std::process::Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    if let Ok(git) = git
        && git.status.success()
    {
        let (commit, digits) = lines[0].split_once('(').unwrap();
        let hex = digits.trim_end_matches(')');
        assert!(hex.len() >= 7 && hex.bytes().all(|b| b.is_ascii_hexdigit()), "{commit} {hex}");
    }
    assert!(lines[1].starts_with("databases: sqlite"), "{text}");
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).unwrap();
    let (driver, version) = lines[3].split_once("rusqlite ").unwrap();
    let version = version.split(',').next().unwrap();
    assert!(
        lock.contains(&format!("name = \"rusqlite\"\nversion = \"{version}\"")),
        "{driver}{version}"
    );
    assert_eq!(p.ok("-V").out.lines().collect::<Vec<_>>(), [lines[0]]);
}

#[test]
fn a_quiet_run_prints_its_result_only() {
    let p = Place::new();
    let run = "run ycsb-c --target null:?latency_us=1000 --duration 200ms --warmup 0s --quiet";
    let end = p.ok(&format!("{run} --out run"));
    assert!(end.err.is_empty() && end.out.contains("READ p99 "), "{end:#?}");
    p.fails(&format!("{run} --out run"), 2, &["run"]);
}

#[test]
fn a_dry_run_opens_and_writes_nothing() {
    let p = Place::new();
    for (line, says) in [
        (
            "run ycsb-a --target sqlite:none.db --clients 1,2 --rate 1k,2k --dry-run --out run",
            "plan: 4 steps of 5.00 s of warm-up and 60.0 s measured; 4 min 20 s in all",
        ),
        ("run ch2pp --operational sqlite:none.db --loops 2 --dry-run", "3 4 tx, 1 query: "),
        (
            "load ycsb --target sqlite:none.db -p recordcount=5000 --dry-run",
            "5000 documents, about 5.6 MB",
        ),
        ("gen shop --customers 1k -o out --dry-run", "2000 documents, about 8.6 MB"),
    ] {
        let end = p.ok(line);
        let out = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(out.contains(says) && out.contains("Nothing was"), "{line}: {end:#?}");
    }
    // A record of 1.1 KB is two write units, as DynamoDB counts them.
    let head = "name = 'x'\nsource = 's'\nregion = 'r'\ncurrency = 'EUR'\ndate = '2026'\n";
    let item = |what: &str, price: u32, unit: &str, per: &str| {
        format!("[[item]]\nwhat = '{what}'\nprice = {price}\nunit = '{unit}'\nper = '{per}'\n")
    };
    let load = "load ycsb --target sqlite:none.db -p recordcount=5000 --prices";
    for (items, says) in [
        (item("writes", 625, "write-capacity-units", "million"), "about 6.25 EUR (writes)"),
        (item("calls", 100, "operations", "million"), "about 0.50 EUR (calls)"),
        (item("units", 36, "write-unit", "hour"), "about 100.00 EUR (units)"),
        (
            item("writes", 625, "write-capacity-units", "million")
                + &item("nodes", 1, "node", "hour"),
            "beside indexes and retries. Not counted: nodes.",
        ),
    ] {
        p.write("prices.toml", &format!("{head}{items}"));
        let out = p.ok(&format!("{load} prices.toml --dry-run")).out;
        let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(out.contains("10000 write units of 1 KB") && out.contains(says), "{out}");
    }
    p.fails(&format!("{load} mongodb-atlas-2020 --dry-run"), 2, &["no price of write-capacity"]);
    p.fails(&format!("{load} prices.toml"), 2, &["--prices is of --dry-run and --ask-above"]);
    p.fails("load ycsb --target sqlite:none.db --ask-above 1", 2, &["its prices from --prices"]);
    // Nobody can be asked: above the price it is refused, up to it it is loaded.
    p.write("prices.toml", &format!("{head}{}", item("w", 625, "write-capacity-units", "million")));
    let told = ["about 6.25 EUR", "no terminal to ask on", "nothing was opened"];
    p.fails(&format!("{load} prices.toml --ask-above 6"), 2, &told);
    assert!(!p.path("none.db").exists());
    p.ok(&format!("{} prices.toml --ask-above 6.25", load.replace("none.db", "cheap.db")));
    // On a terminal, which Linux' `script` makes, it asks.
    let answers = [("y\n", true), ("n\n", false), ("\n", false)];
    for (answer, agreed) in answers.into_iter().filter(|_| cfg!(target_os = "linux")) {
        let hoap = env!("CARGO_BIN_EXE_hoap");
        let mut child = std::process::Command::new("script")
            .args(["-qec", &format!("{hoap} {load} prices.toml --ask-above 6"), "/dev/null"])
            .current_dir(p.path(""))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), answer.as_bytes()).unwrap();
        let end = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&end.stdout).into_owned();
        assert!(said.contains("That is above 6. Load into sqlite:none.db? [y/N]"), "{said}");
        assert_eq!(said.contains("you did not agree"), !agreed, "{said}");
        assert_eq!(end.status.code(), Some(if agreed { 0 } else { 2 }), "{said}");
        assert_eq!(p.path("none.db").exists(), agreed, "{said}");
        let _ = std::fs::remove_file(p.path("none.db"));
    }
    for file in ["prices.toml", "cheap.db"] {
        std::fs::remove_file(p.path(file)).unwrap();
    }
    let json = p
        .ok("run ycsb-a --target sqlite:none.db --repeat 3 -p insertproportion=0 --dry-run --json");
    assert_eq!(
        (&json.value()["seconds"], &json.value()["at_least"]),
        (&195.0.into(), &false.into())
    );
    p.fails("run ycsb-a --target sqlite:none.db --rate 0 --dry-run", 2, &["a rate is"]);
    p.fails("load shop --customers 0 --target sqlite:none.db --dry-run", 2, &["customer"]);
    assert_eq!(std::fs::read_dir(p.0.path()).unwrap().count(), 0, "something was written");
}

#[test]
fn init_prints_a_file_that_runs() {
    let p = Place::new();
    let file = p.ok("init ycsb-b").out;
    p.write("hoap.toml", &file);
    p.write("set.toml", &file.replace("# clients = [1]", "clients = [3]"));
    p.ok("load ycsb --config hoap.toml --dry-run");
    let end = p.ok("run ycsb-b --config set.toml --dry-run --json").value();
    assert_eq!(end["steps"][0]["step"], "3 clients", "{file}");
    let table =
        file.replace("# [properties]\n# recordcount = 1000000", "[properties]\nrecordcount = 70");
    assert_ne!(table, file);
    p.write("table.toml", &table);
    let load = "load ycsb --config table.toml --dry-run --json";
    assert_eq!(p.ok(load).value()["documents"], 70);
    assert_eq!(p.ok(&format!("{load} -p recordcount=80")).value()["documents"], 80);
    // The errors are those of -p.
    for (property, typed) in
        [("recordcount = \"many\"", "recordcount=many"), ("\"no.such\" = 1", "no.such=1")]
    {
        p.write("wrong.toml", &format!("target = \"sqlite:none.db\"\n[properties]\n{property}\n"));
        let of_table = p.fails("load ycsb --config wrong.toml", 2, &[]);
        let of_p = p.fails(&format!("load ycsb --target sqlite:none.db -p {typed}"), 2, &[]);
        assert_eq!(of_table.err, of_p.err);
    }
    p.fails("init ycsb", 2, &["ycsb-a"]);
}

/// The help that the error of a value points to is that of the command that was typed.
#[test]
fn the_error_of_a_value_names_its_commands_help() {
    let p = Place::new();
    for (line, help) in [
        ("run ycsb-a --target null: --duration 5", "`hoap run ycsb-a --help`"),
        ("gen shop -o d --customers x", "`hoap gen shop --help`"),
        ("compare a b --relevant 5", "`hoap compare --help`"),
        ("experiment run x --scale-down 1", "`hoap experiment run --help`"),
    ] {
        p.fails(line, 2, &[help]);
    }
}
