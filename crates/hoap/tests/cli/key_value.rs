//! YCSB, Pagination and JOIN at the command line (NoSQL specification, sections 1 to 6).

use super::{End, Place, all_pass};

/// The text of a workload file as YCSB ships it.
const WORKLOAD: &str = "# Update heavy\nrecordcount=1000\noperationcount=500\n\
                        workload=site.ycsb.workloads.CoreWorkload\nreadallfields=true\n\
                        readproportion=0.5\nupdateproportion=0.5\nscanproportion=0\n\
                        insertproportion=0\nrequestdistribution=zipfian\n";

fn count(record: &serde_json::Value, step: usize) -> u64 {
    let operations = record["steps"][step]["transactions"].as_array().unwrap();
    operations.iter().map(|o| o["count"].as_u64().unwrap()).sum()
}

/// Whether the summary has the words, however its lines are broken.
fn says(end: &End, words: &str) {
    let said = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(words), "{end:#?}");
}

#[test]
fn a_ycsb_users_files_and_properties_run_as_they_are() {
    let p = Place::new();
    p.write("workloada", WORKLOAD);
    p.ok("load ycsb --target sqlite:t.db -P workloada -p recordcount=300");
    let end = p
        .ok("run ycsb-a --target sqlite:t.db -P workloada -p recordcount=300 --clients 1,3 \
                    --check-reads --warmup 50ms --out run");
    assert!(end.err.contains("checking the data after the run"), "{}", end.err);
    let record = p.json("run/run.json");
    assert_eq!(record["benchmark"], "ycsb-a");
    for step in 0..2 {
        assert_eq!(count(&record, step), 500, "operationcount");
        assert_eq!(record["steps"][step]["transactions"].as_array().unwrap().len(), 2);
    }
    let checks = record["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 6, "{checks:#?}");
    assert!(checks.iter().all(|c| c["verdict"] == "pass"), "{checks:#?}");
    let end = p.ok("report run -o page.html");
    assert!(end.out.contains("page.html"));
}

/// Spec §1, "an existing YCSB set-up runs unchanged": `CoreWorkload.init` makes room for twice the
/// inserts of `operationcount`. The jar's draws from these numbers are those of `hoap_workload`'s
/// test of the jar.
#[test]
fn whoever_says_the_number_of_operations_the_keys_are_drawn_from_the_same_numbers() {
    let p = Place::new();
    let keys = |benchmark: &str, words: &str, name: &str| {
        let run = format!("run {benchmark} --target null: -p recordcount=1000 --warmup 0s");
        p.ok(&format!("{run} {words} --out {benchmark}-{name}"));
        p.json(&format!("{benchmark}-{name}/run.json"))["constants"]["keys"].clone()
    };
    let ways = [
        ("flag", "--operations 20000"),
        ("property", "-p operationcount=20000"),
        ("both", "-p operationcount=20000 --duration 100ms"),
        ("limit", "-p operationcount=20000 -p maxexecutiontime=60"),
    ];
    let e = |inserts: u64| {
        serde_json::json!({ "distribution": "zipfian", "first": 0, "count": 1000,
            "expected_inserts": inserts, "drawn_from": 1001 + inserts })
    };
    let d = serde_json::json!({ "distribution": "latest", "first": 0, "count": 1000 });
    for (name, words) in ways {
        assert_eq!(keys("ycsb-e", words, name), e(2000), "{words}");
        assert_eq!(keys("ycsb-d", words, name), d, "{words}");
    }
    // Room for no insert: YCSB's operationcount=0.
    for (name, words) in [
        ("time", "--duration 100ms"),
        ("zero", "--duration 100ms -p operationcount=0"),
        ("seconds", "-p maxexecutiontime=1"),
    ] {
        assert_eq!(keys("ycsb-e", words, name), e(0), "{words}");
    }
}

/// YCSB's Client ends at whichever comes first; `--duration` is the length whatever the properties
/// say.
#[test]
fn a_number_of_operations_ends_at_maxexecutiontime() {
    let p = Place::new();
    let run = "run ycsb-a --target null:?latency_us=1000 -p recordcount=100 --warmup 0s";
    let step = |words: &str, name: &str| {
        p.ok(&format!("{run} {words} --out {name}"));
        let record = p.json(&format!("{name}/run.json"));
        let step = &record["steps"][0];
        assert!(record["partial"].is_null() && step["partial"].is_null(), "{step:#}");
        let rates = step["transactions"].as_array().unwrap().iter();
        let rate: f64 = rates.map(|o| o["per_second"].as_f64().unwrap()).sum();
        let seconds = step["seconds"].as_f64().unwrap();
        assert!((rate * seconds / count(&record, 0) as f64 - 1.0).abs() < 1e-6, "{step:#}");
        (count(&record, 0), seconds)
    };
    for (name, words) in [
        ("property", "-p maxexecutiontime=1 -p operationcount=100000000"),
        ("flag", "-p maxexecutiontime=1 --operations 100000000"),
        ("open", "-p maxexecutiontime=1 -p operationcount=100000000 --rate 200"),
    ] {
        let (count, seconds) = step(words, name);
        let most = (seconds * 1e3) as u64 + 1;
        assert!((1..=most).contains(&count) && (1.0..30.0).contains(&seconds), "{count} {seconds}");
    }
    assert_eq!(step("-p maxexecutiontime=600 -p operationcount=50", "few").0, 50);
    let (count, seconds) = step("--duration 300ms -p operationcount=1", "duration");
    assert!(count > 1 && seconds >= 0.3, "{count} {seconds}");
}

/// A letter is what does as the letter: its figures and its comparisons are no other workload's.
#[test]
fn a_run_is_named_by_what_it_did() {
    let p = Place::new();
    p.write(
        "workloadc",
        &WORKLOAD.replace("=0.5", "=1").replace("updateproportion=1", "updateproportion=0"),
    );
    p.ok("load ycsb --target sqlite:t.db -P workloadc -p recordcount=200");
    p.ok("load ycsb --target sqlite:small.db -p recordcount=200 -p fieldcount=3");
    let named = |words: &str, name: &str| {
        let end = p.ok(&format!("run {words} --operations 50 --warmup 0s --out {name}"));
        let record = p.json(&format!("{name}/run.json"));
        (record["benchmark"].as_str().unwrap().to_owned(), end.out)
    };
    let a = "ycsb-a --target sqlite:t.db";
    assert_eq!(named(a, "a").0, "ycsb-a");
    assert_eq!(named(&format!("{a} -P workloadc -p recordcount=200"), "file").0, "ycsb-c");
    assert_eq!(
        named(&format!("{a} -p readproportion=1 -p updateproportion=0"), "pairs").0,
        "ycsb-c"
    );
    let (name, out) =
        named(&format!("{a} -p readproportion=0.7 -p updateproportion=0.3"), "custom");
    assert_eq!(name, "ycsb-custom: 70 % read, 30 % update, zipfian");
    let title = "YCSB custom: 70 % read, 30 % update, zipfian on SQLite\n200 records, started ";
    assert!(out.starts_with(title), "{out}");
    let other = "-p readproportion=0.6 -p updateproportion=0.4";
    assert_eq!(
        named(&format!("{a} {other}"), "other").0,
        "ycsb-custom: 60 % read, 40 % update, zipfian"
    );
    // What the table holds, whatever the run's properties say of it.
    let (name, _) = named("ycsb-a --target sqlite:small.db", "small");
    assert_eq!(name, "ycsb-custom: 50 % read, 50 % update, zipfian, 3 fields of 100 bytes");

    p.fails("compare custom other", 2, &["other", "benchmark is ycsb-custom: 60 % read"]);
    p.fails("compare a custom", 2, &["benchmark is ycsb-custom: 70 % read"]);
    let page = |runs: &str| {
        p.ok(&format!("report {runs} --published -o page.html"));
        p.text("page.html")
    };
    let published = ">Published figures</a></h2>";
    assert!(page("a").contains(published));
    let without = page("custom small");
    assert!(!without.contains(published));
    assert!(without.contains("<h1>YCSB custom: 70 % read, 30 % update, zipfian on SQLite"));
    let headings = page("custom other");
    for share in ["70 % read, 30", "60 % read, 40"] {
        let heading = format!(">YCSB custom: {share} % update, zipfian: Operations</a></h2>");
        assert_eq!(headings.matches(&heading).count(), 1, "{heading}");
    }
}

/// The reports' scans return keys: other work than YCSB's.
#[test]
fn scans_of_keys_do_not_compare_with_scans_of_records() {
    let p = Place::new();
    let run = "run ycsb-e-update --target null: -p recordcount=100 --operations 50 --warmup 0s";
    p.ok(&format!("{run} --out records"));
    p.ok(&format!("{run} --scan-fields none --out keys"));
    for name in ["records", "keys"] {
        assert_eq!(p.json(&format!("{name}/run.json"))["benchmark"], "ycsb-e-update");
    }
    p.fails("compare records keys", 2, &["scan-fields is none here"]);
}

#[test]
fn every_workload_runs_and_inserts_are_found_again() {
    let p = Place::new();
    for name in ["a", "b", "c", "d", "e", "e-update", "f"] {
        p.ok("load ycsb --target sqlite:t.db?synchronous=off -p recordcount=200 --replace");
        let line = format!(
            "run ycsb-{name} --target sqlite:t.db?synchronous=off --operations 300 --clients 2 \
             --warmup 10ms --check-reads --out run-{name}"
        );
        p.ok(&line);
        let record = p.json(&format!("run-{name}/run.json"));
        assert_eq!(count(&record, 0), 300, "{name}");
    }
    // D has inserted: the table is another one now.
    p.ok("load ycsb --target sqlite:t.db -p recordcount=200 --replace");
    let line = "run ycsb-d --target sqlite:t.db --operations 400 --warmup 10ms";
    p.ok(&format!("{line} --out once"));
    let end = p.fails(&format!("{line} --out twice"), 1, &["\"record count\""]);
    says(&end, "200 were loaded: an earlier run inserted or deleted");
}

/// Deletes, values that compress, another zipfian, and what a script for YCSB may say besides.
/// SQLite itself counts the records that are left.
#[test]
fn records_are_deleted_and_ycsbs_output_goes_where_ycsb_is_told_to_write_it() {
    let p = Place::new();
    p.ok("load ycsb --target sqlite:t.db -p recordcount=2000 -p compressibility=0.5");
    let run = "run ycsb-a --target sqlite:t.db -p readproportion=0.5 -p updateproportion=0.3 \
               -p insertproportion=0.1 -p deleteproportion=0.1 -p zipfianconstant=0.8";
    p.fails(&format!("{run} --repeat 2"), 2, &["it inserts or deletes"]);
    let end = p.ok(&format!(
        "{run} -s -p operationcount=3000 -p threads=3 -p exportfile=out.txt --check-reads \
         -p hdrhistogram.percentiles=50,99.9 -p status.interval=1 --warmup 0s --out run"
    ));
    assert!(end.err.contains("property status.interval has no effect"), "{}", end.err);
    let record = p.json("run/run.json");
    assert_eq!(
        record["benchmark"],
        "ycsb-custom: 50 % read, 30 % update, 10 % insert, 10 % delete, zipfian with constant 0.8, \
         10 fields of 100 bytes, compressible by 0.5"
    );
    assert_eq!(record["constants"]["keys"]["zipfian_constant"], 0.8);
    all_pass(&record);
    let lines = p.text("out.txt");
    assert!(lines.contains("[READ], 99.9PercentileLatency(us), "), "{lines}");
    assert!(!lines.contains("95thPercentile"), "{lines}");
    let done = |kind: &str| -> i64 {
        let start = format!("[{kind}], Return=OK, ");
        lines.lines().find_map(|line| line.strip_prefix(&start)).unwrap().parse().unwrap()
    };
    let (inserted, deleted) = (done("INSERT"), done("DELETE"));
    assert!(inserted > 200 && deleted > 200, "{lines}");
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    let left: i64 =
        database.query_row("SELECT count(*) FROM usertable", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 2000 + inserted - deleted);
    let end = p.fails(&format!("{run} --out again"), 1, &["\"record count\""]);
    says(&end, "2000 were loaded: an earlier run inserted or deleted");
}

/// What YCSB's properties and words say of a load: each acts, or is said.
#[test]
fn a_load_does_what_properties_say_or_says_what_it_does_not() {
    let p = Place::new();
    let end = p.ok("load ycsb -s --target sqlite:a.db -p fieldcount=1");
    assert!(end.err.contains("loading 1000 records: -p recordcount=N loads another"), "{end:#?}");
    let all = "-p recordcount=1k -p fieldcount=1 -p threadcount=4 -p maxexecutiontime=60 \
               -p exportfile=out.txt -p label=x";
    let end = p.ok(&format!("load ycsb --target sqlite:b.db {all}"));
    for says in [
        "property threadcount has no effect: ",
        "property maxexecutiontime has no effect on a load",
        "property exportfile has no effect on a load",
        "property label has no effect: ",
    ] {
        assert_eq!(end.err.matches(says).count(), 1, "{says}: {end:#?}");
    }
    assert!(!end.err.contains("loading 1000 records") && !p.path("out.txt").exists(), "{end:#?}");
    let end = p.ok(&format!("load ycsb --target null: {all} --json"));
    assert_eq!(end.value()["clients"], 4, "{end:#?}");
    // A thousand documents at 2,000 a second take half a second at least, less the last batch.
    let rates = ["--rate 2k", "-p target=2000", "--rate 2k -p target=1"];
    let bytes = "--rate 200kB";
    for rate in rates.into_iter().chain([bytes]) {
        for target in ["null:", "sqlite:c.db"] {
            let line =
                format!("load ycsb --target {target} --json -p recordcount=1000 -p fieldcount=1");
            let end = p
                .ok(&format!("{line} {rate} {}", if target == "null:" { "" } else { "--replace" }));
            let took = end.value()["seconds"].as_f64().unwrap();
            assert!(took >= 0.35, "{target} {rate}: {took} s");
        }
    }
    for (line, says) in [
        ("load ycsb --target null: -threads 4", "-threads write --load-clients N"),
        ("load ycsb --target null: -target 100", "-target write --rate N"),
        ("run ycsb-a --target null: -threads 4", "-threads write --clients N"),
        ("run ycsb-a --target null: -target 100", "-target write --rate N"),
        ("load ycsb --target null: --rate fast", "documents a second"),
    ] {
        p.fails(line, 2, &[says]);
    }
}

#[test]
fn what_cannot_be_run_is_refused_before_anything_is_written() {
    let p = Place::new();
    p.ok("load ycsb --target sqlite:t.db -p recordcount=100");
    let run = "run ycsb-a --target sqlite:t.db --out run --operations 10";
    p.fails(&format!("{run} -p recordcount=101"), 2, &["101", "recordcount"]);
    p.fails(&format!("{run} -p readproportion=0.9"), 2, &["proportion"]);
    p.fails(&format!("{run} -p reedproportion=0.5"), 2, &["reedproportion"]);
    p.fails(&format!("{run} -p requestdistribution=pareto"), 2, &["requestdistribution"]);
    p.fails(&format!("{run} -P nowhere"), 2, &["nowhere"]);
    p.fails(&format!("{run} --clients 0"), 2, &["client"]);
    p.fails(&format!("{run} --rate 0"), 2, &["rate"]);
    p.fails("run pagination --target sqlite:t.db --out run", 3, &["holds ycsb"]);
    p.fails("run join --target sqlite:none.db --out run", 3, &["none.db", "hoap load"]);
    assert!(!p.path("run").exists());
    p.ok("load shop --customers 1000 --target sqlite:s.db");
    let join = "run join --target sqlite:s.db --operations 10 --out run --variant";
    p.fails(&format!("{join} lookup"), 2, &["lookup"]);
    p.fails(&format!("{join} quantum"), 2, &["quantum"]);
    p.fails("load shop --customers 1001 --target sqlite:x.db", 2, &["1001"]);
}

#[test]
fn pages_and_joins_are_right_answer_by_answer() {
    let p = Place::new();
    p.ok("load shop --customers 2000 --orders-per-customer 2 --target sqlite:s.db");
    let steps = "--target sqlite:s.db --operations 200 --clients 1,2 --warmup 10ms --check-reads";
    let end = p.ok(&format!("run pagination {steps} --out pages"));
    assert!(end.err.contains("checking the data before the run (--check full)"), "{}", end.err);
    for variant in ["index", "ansi", "two-phase"] {
        p.ok(&format!("run join {steps} --variant {variant} --out join-{variant}"));
    }
    let record = p.json("pages/run.json");
    assert_eq!((count(&record, 0), count(&record, 1)), (200, 200));
    all_pass(&record);
    let checks = record["checks"].as_array().unwrap();
    let names: Vec<&str> = checks.iter().map(|check| check["name"].as_str().unwrap()).collect();
    let table = ["indexes", "document counts", "nothing changed"];
    assert_eq!(names, [&table[..], &table[..], &["answers"]].concat());
    assert_eq!(checks[6]["checked"], 400);
    let read = record["checks_read"].as_array().unwrap();
    assert!(read.len() == 2 && read.iter().all(|read| read["bytes"].as_u64() > Some(1_000_000)));
}

/// What the levels of check see of customers and orders that are not as loaded. There are so few
/// that the sample is all of them.
#[test]
fn customers_and_orders_that_are_not_as_loaded_are_seen() {
    let loaded = Place::new();
    loaded.ok("load shop --customers 200 --customers-per-country 100 --customers-per-zip 100 --target sqlite:s.db");
    for (what, sql, counts, sample) in [
        ("lost", "DELETE FROM shop_orders WHERE key = 'order:7'", true, true),
        (
            "extra",
            "INSERT INTO shop_customer SELECT 'customer:999', doc FROM shop_customer LIMIT 1",
            true,
            false,
        ),
        (
            "truncated",
            "UPDATE shop_customer SET doc = jsonb_set(doc, '$.padding', 'x') WHERE key = 'customer:9'",
            false,
            true,
        ),
        (
            "short of a field",
            "UPDATE shop_orders SET doc = jsonb_remove(doc, '$.month') WHERE key = 'order:3'",
            false,
            true,
        ),
        (
            "of another type",
            "UPDATE shop_orders SET doc = jsonb_set(doc, '$.sale_price', '1') WHERE key = 'order:3'",
            false,
            true,
        ),
        (
            "with a field too many",
            "UPDATE shop_customer SET doc = jsonb_set(doc, '$.address.more', 1) WHERE key = 'customer:1'",
            false,
            true,
        ),
    ] {
        let p = Place::new();
        std::fs::copy(loaded.path("s.db"), p.path("s.db")).unwrap();
        let database = rusqlite::Connection::open(p.path("s.db")).unwrap();
        assert_eq!(database.execute(sql, []).unwrap(), 1, "{what}");
        for (level, seen) in [
            ("full", counts || sample),
            ("database", counts || sample),
            ("touched", sample),
            ("sample", sample),
            ("off", false),
        ] {
            let run = format!(
                "run pagination --target sqlite:s.db --operations 5 --warmup 0s --check {level} --out {level}"
            );
            if seen {
                drop(p.fails(&run, 1, &["VOID"]))
            } else {
                drop(p.ok(&run))
            }
            let record = p.json(&format!("{level}/run.json"));
            let failed = |name: &str| {
                let mut checks = record["checks"].as_array().unwrap().iter();
                checks.any(|check| check["name"] == name && check["verdict"] == "fail")
            };
            let at = |levels: &[&str], seen: bool| seen && levels.contains(&level);
            assert_eq!(failed("document counts"), at(&["full"], counts), "{what} at {level}");
            let by_query = failed("document counts, by the database");
            assert_eq!(by_query, at(&["database"], counts), "{what} at {level}");
            let all = ["full", "database", "touched", "sample"];
            assert_eq!(failed("nothing changed"), at(&all, sample), "{what} at {level}");
            assert_eq!(record["configuration"]["check"], level);
        }
    }
}

/// What the reports' Pagination was loaded with (sections 4.3.1): half the bytes of both.
#[test]
fn customers_are_loaded_and_paged_without_their_orders() {
    let p = Place::new();
    let load = "load shop --customers 1000 --collections shop_customer --target sqlite:s.db";
    assert!(p.ok(&format!("{load} --dry-run")).out.contains("1000 documents, about 4.0 MB"));
    p.ok(load);
    p.ok("run pagination --target sqlite:s.db --operations 50 --warmup 0s --check-reads --out a");
    assert_eq!(p.json("a/run.json")["data"]["collections"], "shop_customer");
    let join = "run join --target sqlite:s.db --operations 5 --out b";
    p.fails(join, 3, &["only shop_customer was loaded", "hoap load shop --replace"]);
    let orders = load.replace("shop_customer", "shop_orders");
    p.fails(&format!("{orders} --replace"), 2, &["load shop_orders", "nothing reads orders"]);
    // What another set of collections began is not gone on with, and a whole load replaces it.
    p.fails("load shop --customers 1000 --target sqlite:s.db --resume", 3, &["other data"]);
    p.ok("load shop --customers 1000 --target sqlite:s.db --replace");
    p.ok(join);
    p.ok(&format!("{load} --replace"));
    p.fails(&join.replace("--out b", "--out c"), 3, &["only shop_customer"]);
}

/// Both models of the reports (section 4.4.1): each is loaded, joined with its answers checked, and
/// named; what another model has is refused with the load that makes it.
#[test]
fn orders_within_customers_and_a_joining_table_are_joined() {
    let p = Place::new();
    let load = "load shop --customers 1000 --orders-per-customer 2 --target sqlite:s.db";
    let join = "run join --target sqlite:s.db --operations 100 --warmup 0s --check-reads";
    p.ok(load);
    for (variant, flags) in
        [("embedded", "--embedded"), ("joining-table", "--collections shop_sales")]
    {
        let asked = format!("{join} --variant {variant} --out before-{variant}");
        p.fails(&asked, 3, &[&format!("hoap load shop {flags} --replace")]);
    }
    for (variant, flags) in
        [("embedded", "--embedded"), ("joining-table", "--collections shop_sales")]
    {
        p.ok(&format!("{load} {flags} --replace"));
        // The model that is loaded is the one that is joined.
        p.ok(&format!("{join} --check full --out {variant}"));
        let record = p.json(&format!("{variant}/run.json"));
        all_pass(&record);
        assert_eq!(record["configuration"]["variant"], variant);
        p.ok(&format!("report {variant} -o {variant}.html"));
        let page = p.text(&format!("{variant}.html"));
        assert!(page.contains(variant), "{variant}");
        p.fails(
            &format!("{join} --variant ansi --out ansi-{variant}"),
            3,
            &["hoap load shop --replace"],
        );
    }
    p.fails(
        "run pagination --target sqlite:s.db --operations 5 --out pages",
        3,
        &["only shop_sales"],
    );
    p.fails(
        &format!("{load} --embedded --collections shop_orders --replace"),
        2,
        &["without --embedded"],
    );
}

/// Of a table of one country and one zip code the planner scans every row, with indexes too.
#[test]
fn a_table_of_one_country_and_one_zip_code_is_paged_and_joined() {
    let p = Place::new();
    p.ok("load shop --customers 100 --customers-per-country 100 --target sqlite:s.db");
    let steps = "--target sqlite:s.db --operations 20 --warmup 0s --check-reads";
    p.ok(&format!("run pagination {steps} --out pages"));
    for variant in ["index", "ansi", "two-phase"] {
        p.ok(&format!("run join {steps} --variant {variant} --out join-{variant}"));
    }
}

/// Section 6: open loop, where latency counts from the intended start, and a rate that cannot be
/// reached is reported as such.
#[test]
fn a_rate_that_is_not_reached_is_said() {
    let p = Place::new();
    let run = "run ycsb-c --target null:?latency_us=20000 --clients 1 --duration 1s --warmup 50ms";
    p.ok(&format!("{run} --rate 20 --out slow"));
    p.ok(&format!("{run} --rate 500 --arrivals poisson --out fast"));
    let [slow, fast] = ["slow", "fast"].map(|run| p.json(&format!("{run}/run.json")));
    assert_eq!(slow["steps"][0]["rate_shortfall"], serde_json::Value::Null);
    assert!(fast["steps"][0]["rate_shortfall"].is_string(), "{fast:#}");
    let mean = |record: &serde_json::Value, what: &str| {
        record["steps"][0]["transactions"][0][what]["mean_us"].as_f64().unwrap()
    };
    assert!(mean(&fast, "latency") > 5.0 * mean(&fast, "service"), "{fast:#}");
}

/// Section 6 and the driver's search: the highest rate under a bound, with its evidence.
#[test]
fn the_highest_rate_under_a_bound_is_found_with_its_probes() {
    let p = Place::new();
    // Two clients of 5 ms an operation can do 400 operations a second, and no more.
    let run =
        "run ycsb-c --target null:?latency_us=5000 --clients 2 --duration 200ms --warmup 50ms";
    let end = p.ok(&format!("{run} --max-rate --sla p90=1s --out found"));
    let flat = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let place = |words: &str| flat.find(words).unwrap_or_else(|| panic!("{words}: {flat}"));
    assert!(place(" Highest rate that held ") < place(" Highest throughput "), "{flat}");
    assert!(flat.contains("The highest rate that holds p90 ≤ 1.00 s is between"), "{flat}");
    let record = p.json("found/run.json");
    let search = &record["search"];
    let rate = search["rate"].as_f64().unwrap();
    assert!((40.0..=440.0).contains(&rate), "{search:#}");
    let below = search["below"].as_f64().unwrap();
    assert!(rate < below && search["broken"].is_string(), "{search:#}");
    let probes = search["probes"].as_array().unwrap();
    assert_eq!(probes.len() + 1, record["steps"].as_array().unwrap().len());
    for probe in probes {
        let operations = probe["times"][0]["operations"].as_u64().unwrap();
        let undecided = probe["undecided"].is_string() || probe["broken"].is_string();
        assert!(operations >= 100 || undecided, "{probe:#}");
    }
    let broke = |probe: &&serde_json::Value| probe["broken"].is_string() && probe["rate"] == below;
    assert!(probes.iter().filter(broke).count() >= 2, "what broke was repeated: {search:#}");
    p.fails(&format!("{run} --max-rate --out x"), 2, &["--sla"]);
    p.fails(&format!("{run} --max-rate --sla p99 --out x"), 2, &["p99"]);
    p.fails(&format!("{run} --probe-limit 5s --out x"), 2, &["--max-rate"]);
    // A number of operations, which a property asks for, is no length of a probe.
    let counted = "run ycsb-c --target null: -p operationcount=50 --max-rate --sla p99=1s --out x";
    p.fails(counted, 2, &["--max-rate", "--duration"]);
}

/// Nothing is concluded from a handful of operations: a probe is as long as its percentile needs,
/// and where nothing holds the reason is said.
#[test]
fn a_search_that_finds_nothing_says_what_broke_it() {
    let p = Place::new();
    let run = "run ycsb-c --target null:?latency_us=20000 --clients 4 --duration 100ms --warmup 10ms \
               --max-rate";
    // No operation takes less than 20 ms.
    let end = p.ok(&format!("{run} --sla p50=10ms --probe-limit 1s --out none"));
    let flat = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("No rate was found that holds p50 ≤ 10.0 ms"), "{flat}");
    assert!(flat.contains("READ: p50 is ") && flat.contains("the bound 10000 µs"), "{flat}");
    assert!(flat.contains("a probe of 1s has too few operations to judge"), "{flat}");
    let search = &p.json("none/run.json")["search"];
    assert_eq!(search["rate"], serde_json::Value::Null);
    for probe in search["probes"].as_array().unwrap() {
        let (rate, seconds) = (probe["rate"].as_f64().unwrap(), probe["seconds"].as_f64().unwrap());
        assert!(rate * seconds >= 20.0, "{probe:#}");
    }
}

/// A stall of the database in one probe is one probe's.
#[test]
fn one_stall_does_not_end_a_search() {
    let p = Place::new();
    // The closed loop takes half a second and does at most 200 operations in it; the first probe is
    // after it.
    p.ok("run ycsb-c --target null:?latency_us=5000&stall_ms=400&stall_after_ms=900 --clients 2 \
          --duration 500ms --warmup 20ms --max-rate --sla p90=200ms --out run");
    let search = &p.json("run/run.json")["search"];
    let first = &search["probes"][0];
    assert!(first["broken"].is_string(), "it met the stall: {search:#}");
    let (start, rate) = (first["rate"].as_f64().unwrap(), search["rate"].as_f64().unwrap());
    assert!(rate > 1.1 * start, "{rate} of {start}: {search:#}");
}
