//! The commands together, as a user goes through them.

use super::tree::Mine;
use super::{Place, gone, interrupted};

#[test]
fn load_verify_query_run_report() {
    let p = Place::new();
    p.ok("load ch2pp -w 2 --scale-down 100 --target sqlite:t.db");
    let verify = p.ok("verify ch2pp --target sqlite:t.db --json").value();
    let checks = verify["checks"].as_array().unwrap();
    assert!(checks.len() >= 13 && checks.iter().all(|c| c["verdict"] != "fail"), "{verify:#}");

    let query = "query ch2pp --analytical sqlite:t.db --params check";
    let times = p.ok(&format!("{query} --answers-out answers --json")).value();
    assert_eq!(times["queries"].as_array().unwrap().len(), 22);
    assert!(times["power_seconds"].as_f64().unwrap() > 0.0);
    let answer = p.json("answers/q01.json");
    assert_eq!((&answer["query"], &answer["benchmark"]), (&1.into(), &"ch2pp".into()));
    assert_eq!(answer["columns"][0], "ol_number");
    p.ok(&format!("{query} --query-set naive --answers-out naive --queries 1,3-4"));
    assert!(!p.path("naive/q02.json").exists());
    p.ok("verify ch2pp --target sqlite:t.db --answers answers");
    p.ok("verify ch2pp --target sqlite:t.db --answers naive");

    // A wrong answer is found.
    let mut wrong = p.json("answers/q06.json");
    wrong["rows"][0][0] = 1.25.into();
    p.write("answers/q06.json", &wrong.to_string());
    p.fails("verify ch2pp --target sqlite:t.db --answers answers", 1, &["1 of"]);

    let run = "run ch2pp --target sqlite:t.db --tx-clients 1,2 --query-clients 0,1 --loops 1 \
               --duration 500ms --warmup 100ms --out run";
    let end = p.ok(run);
    let widest = end.out.lines().map(|l| l.chars().count()).max().unwrap();
    assert!(widest <= 80, "{widest} columns:\n{}", end.out);
    assert!(end.out.starts_with("CH2++ on SQLite, scaled down by 100\n"), "{}", end.out);
    assert!(end.out.contains("\n! scaled down by 100: not a CH2++ result\n"), "{}", end.out);
    let record = p.json("run/run.json");
    assert_eq!(record["partial"], serde_json::Value::Null);
    let steps = record["steps"].as_array().unwrap();
    let clients: Vec<_> = steps
        .iter()
        .map(|s| (s["tx_clients"].as_u64().unwrap(), s["query_clients"].as_u64().unwrap()))
        .collect();
    assert_eq!(clients, [(0, 1), (1, 0), (2, 0), (1, 1), (2, 1)]);
    for step in steps {
        let (tx, queries) = (&step["tx_clients"], &step["query_clients"]);
        assert_eq!(step["tpm"].as_f64().is_some(), tx != 0, "{step:#}");
        assert_eq!(step["power_seconds"].as_f64().is_some(), queries != 0, "{step:#}");
    }
    scores_can_be_made_again(&p, steps);
    let checks = record["checks"].as_array().unwrap();
    // The indexes before, the conditions and what goes with them twice, and afterwards the ledger and
    // the sample.
    assert_eq!(checks.len(), 1 + 16 + 16 + 5);
    assert!(checks.iter().all(|c| c["verdict"] == "pass"), "{checks:#?}");
    assert_eq!(record["audit"].as_array().unwrap().len(), 18);
    let load = record["constants"]["nurand"]["c_last_load"].as_i64().unwrap();
    let run = record["constants"]["nurand"]["c_last_run"].as_i64().unwrap();
    assert!((65..=119).contains(&(load - run).abs()), "TPC-C 2.1.6.1: {load} {run}");

    p.ok("report run -o page.html");
    let page = p.text("page.html");
    assert!(page.contains("not a CH2++ result"));
    assert!(page.len() < 3_000_000);

    // The folder is not used twice, and answers are no longer the loaded ones.
    p.fails("run ch2pp --operational sqlite:t.db --duration 1s --out run", 2, &["not empty"]);
    let verify = p.ok("verify ch2pp --target sqlite:t.db --json").value();
    let skipped = verify["checks"].as_array().unwrap().iter().find(|c| c["name"] == "answers");
    assert_eq!(skipped.unwrap()["verdict"], "skip");
}

/// `queries.csv` has all that power and QpH are made of, to the last digit that anybody prints.
fn scores_can_be_made_again(p: &Place, steps: &[serde_json::Value]) {
    let executions = hoap_record::folder::read_queries(&p.path("run")).unwrap();
    let mut made = 0;
    for step in steps.iter().filter(|s| s["query_clients"] != 0) {
        let mut times = std::collections::BTreeMap::<&str, Vec<f64>>::new();
        let counted = |e: &&hoap_record::Execution| {
            step["number"] == e.step && e.phase == "measured" && e.error.is_empty()
        };
        for execution in executions.iter().filter(counted) {
            times.entry(&execution.query).or_default().push(execution.seconds);
        }
        assert_eq!(times.len(), 22);
        let means: Vec<f64> =
            times.values().map(|t| t.iter().sum::<f64>() / t.len() as f64).collect();
        let power = (means.iter().map(|mean| mean.ln()).sum::<f64>() / 22.0).exp();
        let streams = step["query_clients"].as_f64().unwrap();
        let qph = 22.0 * 3600.0 / means.iter().sum::<f64>() * streams;
        for (name, again) in [("power_seconds", power), ("queries_per_hour", qph)] {
            let recorded = step[name].as_f64().unwrap();
            assert!((again / recorded - 1.0).abs() < 1e-9, "{name}: {again} {recorded}");
        }
        made += 1;
    }
    assert_eq!(made, 3);
    let text = p.text("run/queries.csv");
    for row in text.lines().skip(1) {
        let seconds = row.split(',').nth(6).unwrap();
        let digits = seconds.split_once('.').map_or(0, |(_, digits)| digits.len());
        assert!(digits <= 9, "nine decimals hold a nanosecond: {row}");
    }
}

/// What is found is the same wherever in the run the commit was: the first, one amid many, and one
/// that a client alone made.
#[test]
fn a_commit_that_is_acknowledged_and_lost_voids_the_run_by_the_ledger_alone() {
    let p = Place::new();
    let failed = |p: &Place, folder: &str| -> Vec<String> {
        let record = p.json(&format!("{folder}/run.json"));
        let checks = record["checks"].as_array().unwrap().iter();
        let failed = checks.filter(|c| c["verdict"] == "fail");
        failed.map(|c| c["name"].as_str().unwrap().to_owned()).collect()
    };
    // They hold the database to the ledger; condition 11 does with the deliveries.
    let of_ledger = |name: &String| {
        name.starts_with("nothing lost") || ["nothing added", "condition 11"].contains(&&**name)
    };
    for (lost, clients) in [(1, 1), (40, 1), (77, 4)] {
        p.ok("load ch2pp --replace -w 1 --scale-down 100 --target sqlite:t.db");
        let run = format!(
            "run ch2pp --operational sqlite:t.db?lose_commit={lost} --tx-clients {clients} \
             --query-clients 0 --operations 200 --warmup 1ms --out r{lost}"
        );
        p.fails(&run, 1, &["VOID"]);
        let names = failed(&p, &format!("r{lost}"));
        assert!(names.iter().all(of_ledger), "{names:?}");
        let settings = &p.json(&format!("r{lost}/run.json"))["operational"]["settings"];
        let told = format!("number {lost} is acknowledged and rolled back");
        assert_eq!(settings["lose_commit"], told);
    }
    let mine = Mine::around(&p, &["t.db"]);
    // In a folder whose name is no word of a command line, and not UTF-8.
    let mut odd = std::ffi::OsString::from("my d");
    #[cfg(target_os = "linux")]
    odd.push(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xff"));
    let mut demo = p.command("demo --lose-a-commit --out");
    let end = crate::End::of(demo.arg(&odd).output().unwrap());
    assert!(end.code == 1 && end.err.contains("VOID"), "{end:#?}");
    std::fs::rename(p.path(".").join(&odd), p.path("d")).unwrap();
    mine.unchanged("demo");
    assert!(end.err.contains("The checks found that commit 100 was lost."), "{end:#?}");
    assert!(failed(&p, "d/run").iter().all(of_ledger));
    assert!(p.text("d/report.html").contains("VOID"));
}

#[test]
fn broken_data_fails_verify_and_stops_a_run_before_it_starts() {
    let p = Place::new();
    p.load("t.db");
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    let set = "UPDATE warehouse SET doc = jsonb_set(doc, '$.w_ytd', 1.5) WHERE key = '1'";
    database.execute_batch(set).unwrap();
    drop(database);
    let end = p.fails("verify ch2pp --target sqlite:t.db", 1, &["checks failed"]);
    assert!(end.out.contains("FAIL  condition 1:"), "{}", end.out);
    assert!(end.out.contains("w_ytd 1.50, sum(d_ytd) 3000.00"), "{}", end.out);
    let failed = "check \"condition 1\" failed";
    let end = p.fails("run ch2pp --operational sqlite:t.db --out run", 1, &[failed, "VOID"]);
    assert!(end.out.starts_with("CH2++ on SQLite, VOID, scaled down by 100\n"), "{}", end.out);
    assert!(end.out.contains(&format!("\n! VOID: {failed}: ")), "{}", end.out);
    assert_eq!(p.json("run/run.json")["steps"], serde_json::json!([]));
    // No other command takes its numbers for numbers.
    p.fails("compare run run", 1, &["compare run", failed]);
    // It breaks every bound, and what a gate in CI reads says so.
    let gate = "compare run run --fail-if tpm<-50% --format junit --out gate.xml";
    let end = p.fails(gate, 1, &["1 of 1 bound broken"]);
    let said = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("Nothing is compared") && said.contains("BROKEN run: VOID: "), "{said}");
    let xml = p.text("gate.xml");
    assert!(xml.contains("<failure") && xml.contains("condition 1"), "{xml}");
    p.write(
        "prices.toml",
        "name = 'x'\nsource = 's'\nregion = 'r'\ncurrency = 'EUR'\ndate = '2026'\n\
         [[item]]\nwhat = 'node'\nprice = 2\nunit = 'node'\nper = 'hour'\n",
    );
    p.fails("price run --prices prices.toml --nodes 1", 1, &["price run", failed]);
    p.ok("report run --prices prices.toml --nodes 1 -o page.html");
    let page = p.text("page.html");
    assert!(page.contains("VOID") && !page.contains("a month"));
}

/// What no transaction changes is looked at in a sample, which its seed draws again.
#[test]
fn a_changed_item_is_seen_by_the_sample_that_holds_it() {
    let p = Place::new();
    p.load("t.db");
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    let set = "UPDATE item SET doc = jsonb_set(doc, '$.i_name', 'another') WHERE key = '5'";
    database.execute_batch(set).unwrap();
    drop(database);
    let verify = "verify ch2pp --target sqlite:t.db --sample 20000 --sample-seed 7";
    let end = p.fails(verify, 1, &["checks failed"]);
    // Its lines are as long as the terminal is wide.
    let flat = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in
        ["FAIL nothing changed:", "item 5: i_name is \"another\"", "--sample 20000 --sample-seed 7"]
    {
        assert!(flat.contains(says), "{says}: {flat}");
    }
    p.fails(
        "run ch2pp --operational sqlite:t.db --duration 100ms --warmup 0s --out run",
        1,
        &["nothing changed", "VOID"],
    );
}

#[test]
fn ch2_runs_like_ch2pp() {
    let p = Place::new();
    p.ok("load ch2 --scale-down 100 --target sqlite:t.db");
    p.ok("verify ch2 --target sqlite:t.db");
    p.ok("query ch2 --analytical sqlite:t.db --params random --params-seed 3");
    p.ok("run ch2 --operational sqlite:t.db --duration 500ms --warmup 100ms --out run");
    assert_eq!(p.json("run/run.json")["benchmark"], "ch2");
}

#[test]
fn ctrl_c_ends_cleanly_with_a_partial_result() {
    let p = Place::new();
    p.load("t.db");
    let line = "run ch2pp --operational sqlite:t.db --tx-clients 2 --query-clients 1 \
                --duration 10m --warmup 100ms --tick 100ms --out run";
    let child = p.spawn(line);
    gone::until_measured(&p.path("run"));
    interrupted(child);
    let record = p.json("run/run.json");
    assert!(record["partial"].as_str().unwrap().contains("interrupted"), "{record:#}");
    let checks = record["checks"].as_array().unwrap();
    assert!(checks.iter().any(|c| c["name"] == "nothing lost: NewOrder"));
    assert!(checks.iter().all(|c| c["verdict"] == "pass"), "{checks:#?}");
    p.ok("report run -o page.html");
    p.ok("verify ch2pp --target sqlite:t.db");
}

#[test]
fn targets_lists_what_there_is() {
    let p = Place::new();
    let end = p.ok("targets");
    assert!(end.out.contains("sqlite:") && end.out.contains("synchronous"), "{}", end.out);
    assert!(end.out.lines().all(|l| l.chars().count() <= 80), "{}", end.out);
    let capabilities = "documents, transactions, analytics, key-value, scans, pagination, join, \
                        operations, patches, nested-patches, finds, learn, ranges";
    #[cfg(feature = "mongodb")]
    for option in ["tls=", "tlsCAFile=", "tlsCertificateKeyFile=", "tlsAllowInvalidCertificates="] {
        assert!(end.out.contains(&format!("      {option}")), "{option}: {}", end.out);
    }
    let flat = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(&format!("offers {capabilities}")), "{}", end.out);
    let all = p.ok("targets --json").value();
    let sqlite = all.as_array().unwrap().iter().find(|s| s["schemes"][0] == "sqlite").unwrap();
    assert_eq!(sqlite["capabilities"].as_array().unwrap().len(), 13, "{sqlite}");
}

#[test]
fn every_command_explains_itself() {
    let p = Place::new();
    for command in [
        "",
        "demo",
        "gen",
        "load",
        "verify",
        "query",
        "answers compare",
        "run",
        "report",
        "compare",
        "merge",
        "price",
        "targets",
    ] {
        assert!(p.ok(&format!("{command} --help")).out.contains("Usage"));
    }
    assert!(p.ok("--version").out.starts_with("hoap "));
}
