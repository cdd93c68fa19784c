//! Bad input: one line that says what to do, the right exit code, and nothing written.

use super::Place;

const URL: &str = "sqlite:t.db";

#[test]
fn wrong_words_are_usage_errors() {
    let p = Place::new();
    for line in [
        "lod",
        "load ch2pp",
        "load ch3 --target sqlite:t.db",
        "load ch2pp --target sqlite:t.db --wharehouses 2",
        "load ch2pp --target sqlite:t.db -w many",
        "load ch2pp --target sqlite:t.db -w -1",
        "load ch2pp --target sqlite:t.db --replace --resume",
        "load ch2pp --target sqlite:t.db --part 3/2",
        "gen ch2pp",
        "gen ch2pp --stdout --collections customers",
        "gen ch2pp --stdout --format xml",
        "gen ch2pp -o d --stdout",
        "run ch2pp --operational sqlite:t.db --duration 60",
        "run ch2pp --operational sqlite:t.db --loops 0",
        "query ch2pp --analytical sqlite:t.db --queries 23",
        "verify ch2pp --target sqlite:t.db --query-set best",
    ] {
        p.fails(line, 2, &["--help"]);
    }
    let typo = "load ch2pp --target sqlite:t.db --wharehouses 2";
    let end = p.fails(typo, 2, &["--wharehouses", "--warehouses", "hoap load ch2pp --help"]);
    assert_eq!(end.err.lines().count(), 1, "{end:#?}");
    let end = p.run("");
    assert_eq!((end.code, end.err.contains("Usage")), (2, true), "{end:#?}");
    assert_eq!(std::fs::read_dir(p.0.path()).unwrap().count(), 0, "something was written");
}

#[test]
fn impossible_data_sets_are_usage_errors() {
    let p = Place::new();
    let data = |flags: &str| format!("load ch2pp --target {URL} {flags}");
    p.fails(&data("-w 0"), 2, &["warehouse"]);
    p.fails(&data("--scale-down 3"), 2, &["100"]);
    p.fails(&data("--scale-down 0"), 2, &["100"]);
    p.fails("gen ch2 --stdout --extra-fields 5", 2, &["extra fields"]);
    assert_eq!(p.run(&data("--extra-fields 129")).code, 2);
    assert_eq!(p.run(&data("--run-date 2021-02-30")).code, 2);
    assert!(!p.path("t.db").exists());
}

#[test]
fn configuration_files_are_held_to_the_flags() {
    let p = Place::new();
    p.write("typo.toml", "wharehouses = 2\n");
    let line = format!("load ch2pp --target {URL} --config typo.toml");
    p.fails(&line, 2, &["typo.toml", "wharehouses", "--help"]);
    p.write("broken.toml", "seed = \n");
    p.fails(&format!("load ch2pp --target {URL} --config broken.toml"), 2, &["broken.toml"]);
    p.fails(&format!("load ch2pp --target {URL} --config none.toml"), 2, &["none.toml"]);
    p.write("good.toml", "scale-down = 100\n[load]\ntarget = \"sqlite:t.db\"\nseed = 9\n");
    p.ok("load ch2pp --config good.toml");
    p.write("zero.toml", "warehouses = 0\n");
    p.fails("load ch2pp --target sqlite:u.db --config zero.toml", 2, &["warehouse"]);
}

#[test]
fn databases_that_cannot_be_used_say_why() {
    let p = Place::new();
    p.fails("verify ch2pp --target sqlite:none.db", 3, &["none.db", "hoap load"]);
    assert!(!p.path("none.db").exists(), "a reader made a database");
    p.fails("load ch2pp --target sqlite:no/such/dir/t.db", 3, &["no/such/dir"]);
    p.fails("load ch2pp --target sqlite:t.db?speed=max", 2, &["speed"]);
    p.fails("load ch2pp --target oracle:x", 2, &["oracle"]);
    p.fails("load ch2pp --target bench.db", 2, &["URL"]);
    p.write("text.db", &"this is no database\n".repeat(100));
    p.fails("load ch2pp --target sqlite:text.db", 3, &["text.db"]);
    p.fails("run ch2pp --operational sqlite:text.db", 3, &["text.db"]);
}

#[test]
fn a_load_refuses_what_is_there_and_a_half_load_is_not_used() {
    let p = Place::new();
    p.load("t.db");
    let size = p.read("t.db").len();
    let again = format!("load ch2pp --target {URL} --scale-down 100");
    p.fails(&again, 3, &["--resume", "--replace"]);
    p.fails(&format!("{again} --seed 2"), 3, &["seed 1, not 2"]);
    p.fails(&format!("{again} --seed 2 --resume"), 3, &["seed 1, not 2"]);
    p.fails(&format!("load ch2 --target {URL} --scale-down 100"), 3, &["ch2pp, not ch2"]);
    assert_eq!(p.read("t.db").len(), size, "a refused load wrote");
    let end = p.ok(&format!("{again} --resume --json"));
    assert_eq!(end.value()["documents"], 0);
    p.ok(&format!("{again} --replace --seed 2"));

    p.ok("load ch2pp --target sqlite:half.db --scale-down 100 --part 1/2");
    for line in [
        "verify ch2pp --target sqlite:half.db",
        "query ch2pp --analytical sqlite:half.db",
        "run ch2pp --operational sqlite:half.db --out run",
    ] {
        p.fails(line, 3, &["half-loaded", "1 of 2", "--resume"]);
    }
    assert!(!p.path("run").exists());
    p.fails("verify ch2 --target sqlite:half.db", 3, &["holds ch2pp"]);
    p.ok("load ch2pp --target sqlite:half.db --scale-down 100 --part 2/2");
    p.ok("verify ch2pp --target sqlite:half.db");
}

#[test]
fn a_locked_and_a_read_only_database_are_named() {
    let p = Place::new();
    p.load("t.db");
    let lock = rusqlite::Connection::open(p.path("t.db")).unwrap();
    lock.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; PRAGMA user_version = 7")
        .unwrap();
    let line = "run ch2pp --operational sqlite:t.db?busy_timeout_ms=50 --duration 1s --out run";
    p.fails(line, 3, &["t.db", "locked"]);
    lock.execute_batch("ROLLBACK").unwrap();
    drop(lock);

    // Permissions do not bind the superuser, a database that says it is read-only does.
    let path = p.path("t.db");
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    if std::fs::OpenOptions::new().write(true).open(&path).is_err() {
        p.fails("run ch2pp --operational sqlite:t.db --duration 1s --out run", 3, &["read"]);
    }
}

#[test]
fn a_full_disk_stops_the_load_and_resuming_finishes_it() {
    let p = Place::new();
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let end = std::process::Command::new("sh")
        .arg("-c")
        .arg(format!("{} gen ch2pp --stdout > /dev/full", env!("CARGO_BIN_EXE_hoap")))
        .output()
        .unwrap();
    assert_eq!(end.status.code(), Some(3), "{end:?}");
    assert!(String::from_utf8_lossy(&end.stderr).contains("standard output"), "{end:?}");

    // The shell's limit on the size of a file is a disk that is full for this process.
    let load = "load ch2pp --target sqlite:t.db --scale-down 100";
    let limited =
        format!("trap '' XFSZ; ulimit -f 2000; exec {} {load}", env!("CARGO_BIN_EXE_hoap"));
    let end = std::process::Command::new("bash")
        .args(["-c", &limited])
        .current_dir(p.0.path())
        .output()
        .unwrap();
    assert_eq!(end.status.code(), Some(3), "{end:?}");
    let told = String::from_utf8_lossy(&end.stderr).into_owned();
    assert!(told.contains("t.db") && !told.contains("panicked"), "{told}");
    p.fails("verify ch2pp --target sqlite:t.db", 3, &["half-loaded"]);
    p.ok(&format!("{load} --resume"));
    p.ok("verify ch2pp --target sqlite:t.db");
}

#[test]
fn data_of_another_version_is_refused() {
    let p = Place::new();
    p.load("t.db");
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    let changed = database
        .execute_batch(
            "UPDATE hoap_note SET value = replace(value, '\"version\":1', '\"version\":7')",
        )
        .and_then(|()| database.query_row("SELECT value FROM hoap_note", [], |r| r.get(0)));
    let note: String = changed.unwrap();
    assert!(note.contains("\"version\":7"), "{note}");
    drop(database);
    p.fails("run ch2pp --operational sqlite:t.db", 3, &["data version 7", "--replace"]);
}

#[test]
fn query_files_must_name_their_parameters() {
    let p = Place::new();
    p.load("t.db");
    p.texts("sqlite", "q01.sql", ("", ""));
    let line = "query ch2pp --analytical sqlite:t.db --queries-dir texts --query-set naive";
    p.ok(line);
    let q04 = p.text("texts/ch2pp/sqlite/q04.sql");
    // A value in place of a parameter is asked for, and said.
    p.write("texts/ch2pp/sqlite/q04.sql", &q04.replace("$to", "'2016-01-01'"));
    let end = p.ok(&format!("{line} --queries 4 --answers-out a"));
    assert!(
        end.err.contains("q04.sql does not name $to: what stands in place of that"),
        "{end:#?}"
    );
    let given = p.json("a/q04.json")["parameters"].clone();
    assert!(given.get("to").is_none() && given.get("from").is_some(), "{given}");
    p.write("texts/ch2pp/sqlite/q04.sql", &q04.replace("$to", "$until"));
    p.fails(line, 2, &["q04.sql"]);
    p.write("texts/ch2pp/sqlite/q04.sql", &q04.replace("GROUP BY", "GROP BY"));
    let at = q04.lines().position(|line| line.starts_with("GROUP BY")).unwrap() + 1;
    let wrong = format!("texts/ch2pp/sqlite/q04.sql, line {at}");
    p.fails(&format!("{line} --queries 4"), 2, &[&wrong, "near \"GROP\": syntax error"]);
    let columns = q04.replacen(" AS o_ol_cnt", " AS x, 1 AS o_ol_cnt", 1);
    p.write("texts/ch2pp/sqlite/q04.sql", &columns);
    p.fails(
        &format!("{line} --queries 4"),
        1,
        &["texts/ch2pp/sqlite/q04.sql", "mend the query text"],
    );
    // Only the texts of the queries that are asked are read.
    std::fs::remove_file(p.path("texts/ch2pp/sqlite/q22.sql")).unwrap();
    p.write("texts/ch2pp/sqlite/q04.sql", "$");
    p.ok(&format!("{line} --queries 6"));
    p.fails(&format!("{line} --queries 22"), 2, &["q22.sql"]);
}

#[test]
fn texts_are_printed_without_a_database() {
    let p = Place::new();
    for url in ["sqlite:none.db", "postgres://nowhere/db", "mongodb://nowhere/db"] {
        let line = format!("query ch2pp --target {url} --print-texts");
        if url.starts_with("sqlite") || p.run(&line).code == 0 {
            let texts = p.ok(&format!("{line} --queries 6,1 --json")).value();
            let of = |n: usize| (texts[n]["query"].as_u64(), texts[n]["text"].as_str().unwrap());
            assert!(of(0).0 == Some(6) && of(1).0 == Some(1), "{texts}");
            assert!(of(0).1.contains("Q6: ") && p.ok(&line).out.contains("Q22: "), "{texts}");
        }
    }
    p.fails("query ch2pp --target null: --print-texts", 2, &["null"]);
    assert!(!p.path("none.db").exists());
}

/// Each command that reads a file which the user names × what the file may be.
#[cfg(unix)]
#[test]
fn files_that_users_name_are_read_within_bounds() {
    let p = Place::new();
    p.write("large", &"# a line\n".repeat(200_000));
    p.write("long", &format!("x{} =\n", "y".repeat(1_000_000)));
    std::fs::write(p.path("wide"), b"\xff\xfea\0=\x001\0").unwrap();
    std::fs::create_dir(p.path("folder")).unwrap();
    p.ok("run ycsb-c --target null: -p recordcount=10 --operations 9 --warmup 0s --out r");
    let commands = [
        "run ycsb-c --target null: --config FILE",
        "experiment run FILE --target null:",
        "price r --prices FILE",
        "run ycsb-c --target null: -P FILE",
        "load ycsb --target sqlite:t.db -P FILE",
        #[cfg(target_os = "linux")]
        "torture --plan FILE -o t",
    ];
    for line in commands {
        for (file, says) in [
            ("/dev/zero", "more than 1048576 bytes"),
            ("large", "more than 1048576 bytes"),
            ("long", ""),
            ("wide", "UTF-16"),
            ("folder", "irectory"),
            ("none", "o such file"),
        ] {
            let line = line.replace("FILE", file);
            let end = p.run(&line);
            assert!(end.code == 2 && end.err.contains(says), "hoap {line}: {end:?}");
            assert!(end.err.len() < 6_000, "hoap {line}: {} bytes", end.err.len());
        }
    }
    // Certificates, keys and passwords, by the word that opens their database.
    let secrets: [(&str, &str); 10] = [
        ("postgres://me@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=FILE", ""),
        ("postgres://me@127.0.0.1:1/d?sslmode=require&sslcert=FILE", ""),
        ("rediss://127.0.0.1:1?tls_ca=FILE", ""),
        ("mongodb://127.0.0.1:1/d?tls=true&tlsCAFile=FILE", ""),
        ("mongodb://me@127.0.0.1:1/d", "MONGODB_PASSWORD_FILE"),
        ("cassandra://127.0.0.1:1/d?tls=on&tls_ca=FILE", ""),
        ("couchbases://me@127.0.0.1:1/d?tls_ca=FILE", "CB_PASSWORD"),
        ("couchbase://me@127.0.0.1:1/d?password_file=FILE", ""),
        ("couchbases-analytics://me@127.0.0.1:1/d.s?tls_ca=FILE", "CB_PASSWORD"),
        ("couchbase-analytics://me@127.0.0.1:1/d.s?password_file=FILE", ""),
    ];
    let built = p.ok("targets").out;
    for (url, variable) in secrets {
        let scheme = url.split([':', '-']).next().unwrap().trim_end_matches('s');
        if !built.contains(scheme) {
            continue;
        }
        let mut command = p.command("doctor");
        command.arg(url.replace("FILE", "/dev/zero"));
        if !variable.is_empty() {
            command.env(variable, "/dev/zero");
        }
        let end = super::End::of(command.output().unwrap());
        let says = ["more than 1048576 bytes", "not a regular file"];
        assert!(end.code != 0 && says.iter().any(|says| end.err.contains(says)), "{url}: {end:?}");
    }
    #[cfg(target_os = "linux")]
    for flags in ["--tls-cert /dev/zero --tls-key none", "--tls-cert none --tls-key /dev/zero"] {
        let end = p.run(&format!("gather 1 --listen 127.0.0.1:0 -o g --wait 1s {flags}"));
        assert!(end.code == 2 && !end.err.contains("panicked"), "{flags}: {end:?}");
    }
    let answers = "answers compare FILE FILE";
    std::fs::create_dir(p.path("answers")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", p.path("answers/q01.json")).unwrap();
    let end = p.fails(&answers.replace("FILE", "answers"), 2, &["q01.json"]);
    assert!(end.err.contains("not a regular file"), "{end:?}");
    // A mark that editors put before a text, and the pipe of a shell's <(…).
    p.write("marked.toml", "\u{feff}target = \"null:\"\noperations = 9\nwarmup = \"0s\"\n");
    p.ok("run ycsb-c --config marked.toml -p recordcount=10 --out s");
    let piped = format!(
        "{} run ycsb-c --config <(cat marked.toml) -P <(echo recordcount=10) --out t",
        env!("CARGO_BIN_EXE_hoap")
    );
    let mut shell = std::process::Command::new("bash");
    let end = shell.args(["-c", &piped]).current_dir(p.0.path()).output().unwrap();
    assert!(end.status.success(), "{end:?}");
}

#[test]
fn reports_need_runs_of_a_known_format() {
    let p = Place::new();
    p.fails("report nowhere -o page.html", 2, &["nowhere"]);
    p.write("odd/run.json", "{\"format\": 99}");
    p.fails("report odd -o page.html", 2, &["format 99"]);
    assert!(!p.path("page.html").exists());
}
