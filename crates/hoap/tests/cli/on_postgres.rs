//! PostgreSQL ended with -9 in mid-run and started again, as `hoap run` lives through it.

use hoap_suites::place::Own;
use hoap_testing::experiment::rehearse;
use hoap_testing::lab;
use hoap_testing::urls::server;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::on_postgres_replica::psql;
use super::queries::numbers;
use super::servers::{RECORDS, all_pass, suite};
use super::{End, Place, gone, interrupted, until};

/// Runs it into this folder, and ends the server as soon as transactions are measured.
fn killed_in(p: &Place, lab: &lab::Lab, line: &str, out: &str, away: Duration) -> End {
    let running = p.spawn(&format!("{line} --out {out}"));
    gone::until_measured(&p.path(out));
    lab.kill();
    std::thread::sleep(away);
    lab.up();
    End::of(running.wait_with_output().unwrap())
}

suite! { "HOAP_TEST_POSTGRES";
    a_load_by_several_clients_that_is_killed_or_interrupted_goes_on("");
    a_password_from_a_configuration_file_is_nowhere_else("");
    a_table_dropped_in_mid_run_is_lost_and_the_check_says_so_at_once("", &[
        RECORDS,
        ["ch2pp --scale-down 100", "ch2pp --tx-clients 2 --query-clients 0", "orders"],
    ], 0);
}

/// A schema of a test's own on the server that all share.
fn schema() -> Own {
    Own::on("HOAP_TEST_POSTGRES", "")
}

/// Runs statements in a schema.
fn psql_in(schema: &Own, text: &str) {
    let (_, name) = schema.url.split_once("schema=").unwrap();
    psql(&server("HOAP_TEST_POSTGRES"), &format!("SET search_path TO {name}; {text}"));
}

#[test]
fn the_papers_and_reports_experiments_are_rehearsed() {
    let (p, schema) = (Place::new(), schema());
    let url = &schema.url;
    let (hoap, one) = (env!("CARGO_BIN_EXE_hoap"), [("--target", &**url)]);
    let both = [("--operational", &**url), ("--analytical", &**url)];
    rehearse(hoap, p.0.path(), "nosql-2021-pagination", "Couchbase, 4 nodes", &one);
    rehearse(hoap, p.0.path(), "ch2-fig9", "8Q+8A", &both);
    rehearse(hoap, p.0.path(), "ch2pp-fig10", "column", &both);
}

/// Whatever only reads, where every transaction that writes is refused.
#[test]
fn what_only_reads_writes_nothing_on_a_server_that_is_read_only() {
    let p = Place::new();
    let lab = lab::Lab::start();
    let url = lab.url();
    for data in ["ycsb -p recordcount=100", "shop --customers 2000 --customers-per-zip 100"] {
        let schema = data.split(' ').next().unwrap();
        p.ok(&format!("load {data} --target {url}?schema={schema}"));
    }
    p.ok(&format!("load ch2pp --scale-down 100 --target {url}?schema=ch2pp"));
    let database = psql(&url, "select current_database()");
    psql(&url, &format!("alter database {database} set default_transaction_read_only = on"));
    p.ok(&format!("verify ch2pp --target {url}?schema=ch2pp --check database"));
    p.ok(&format!("query ch2pp --analytical {url}?schema=ch2pp --queries 1,6"));
    for (run, rest) in [
        ("ycsb-c", "--target URL?schema=ycsb --operations 50 --check database"),
        ("pagination", "--target URL?schema=shop --operations 20 --check database"),
        ("join", "--target URL?schema=shop --operations 20"),
        (
            "ch2pp",
            "--operational URL?schema=ch2pp --tx-clients 0 --query-clients 1 --loops 1 --params check",
        ),
    ] {
        let rest = rest.replace("URL", &url);
        p.ok(&format!("run {run} {rest} --warmup 1ms --out {run}"));
    }
    let line = format!("run ycsb-a --target {url}?schema=ycsb --operations 9 --out a");
    p.fails(&line, 3, &["read-only"]);
}

/// As docs/generate.md has it.
#[test]
fn records_that_psql_copied_are_adopted() {
    let (p, schema) = (Place::new(), schema());
    p.ok("gen ycsb -p recordcount=2000 -o data");
    let (server, name) = schema.url.split_once("?schema=").unwrap();
    let file = p.path("data/usertable.ndjson");
    let copy = format!(
        "\\copy raw FROM {} (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')",
        file.display()
    );
    let mut psql = std::process::Command::new("psql");
    psql.args(["-XAtq", "-v", "ON_ERROR_STOP=1", server]);
    for text in [
        &*format!("CREATE SCHEMA {name}"),
        &format!("SET search_path = {name}"),
        "CREATE TABLE usertable (key text COLLATE \"C\" PRIMARY KEY, doc jsonb NOT NULL)",
        "CREATE TEMP TABLE raw (doc jsonb)",
        &copy,
        "INSERT INTO usertable SELECT doc ->> '_id', doc FROM raw",
        "VACUUM ANALYZE usertable",
    ] {
        psql.args(["-c", text]);
    }
    let copied = psql.output().unwrap();
    assert!(copied.status.success(), "{copied:?}");
    let url = &schema.url;
    p.fails(&format!("load ycsb -p recordcount=2000 --target {url}"), 3, &["no load of hoap made"]);
    let adopt = format!("load ycsb --target {url} --adopt --check full");
    p.fails(&format!("{adopt} -p recordcount=2001"), 3, &["usertable has no document user"]);
    p.ok(&format!("{adopt} -p recordcount=2000"));
    p.ok(&format!("run ycsb-a --target {url} -p recordcount=2000 --operations 200 --out run"));
    all_pass(&p.json("run/run.json"));
}

/// What nobody sees but a run that reads by an index: it is missed before, named and made again.
#[test]
fn an_index_that_is_dropped_is_named_before_a_run_and_made_again_by_resuming() {
    let (p, schema) = (Place::new(), schema());
    let load = format!("load ch2pp --scale-down 100 --target {}", schema.url);
    p.ok(&load);
    let run = format!(
        "run ch2pp --operational {} --tx-clients 1 --query-clients 0 --operations 50 --warmup 1ms",
        schema.url
    );
    for (n, change) in ["DROP INDEX customer_by_name", "ALTER INDEX orders_by_customer RENAME TO o"]
        .into_iter()
        .enumerate()
    {
        let name = change.split(' ').nth(2).unwrap();
        psql_in(&schema, change);
        let end = p.fails(&format!("{run} --out bad-{n}"), 1, &["\"indexes\""]);
        assert!(end.out.contains(name), "{end:#?}");
        p.ok(&format!("{load} --resume"));
        p.ok(&format!("{run} --out good-{n}"));
    }
}

#[test]
fn queries_are_not_asked_of_a_server_that_is_gone() {
    let (p, lab) = (Place::new(), lab::Lab::start());
    let url = lab.url();
    p.ok(&format!("load ch2pp --target {url} --scale-down 100"));
    let slow = "SELECT (SELECT count(*) FROM pg_sleep(600)) AS slow, sum(ol.ol_amount)";
    p.texts("postgres", "q06.sql", ("SELECT sum(ol.ol_amount)", slow));
    let line = format!(
        "query ch2pp --analytical {url} --params check --query-set naive --queries-dir texts \
         --queries 6,14,22 --json"
    );
    let running = p.spawn(&line);
    let asked = "select count(*) from pg_stat_activity where state = 'active' and query like \
                 '%pg_sleep(600)%' and pid <> pg_backend_pid()";
    until("Q06 is asked", || psql(&url, asked) != "0");
    lab.kill();
    let end = End::of(running.wait_with_output().unwrap());
    assert_eq!(end.code, 3, "{end:#?}");
    let value = end.value();
    assert_eq!((numbers(&value["queries"]), numbers(&value["failed"])), (vec![], vec![6]));
    assert_eq!(value["left_out"], serde_json::json!([14, 22]));
    assert!(end.err.contains("3 of 3 queries did not pass, first Q06"), "{end:#?}");
}

#[test]
fn what_the_server_refuses_every_time_fails_the_run() {
    let (p, [records, documents]) = (Place::new(), [schema(), schema()]);
    let (ycsb, ch2pp) = (&records.url, &documents.url);
    p.ok(&format!("load ycsb --target {ycsb} -p recordcount=50"));
    p.ok(&format!("load ch2pp --target {ch2pp} --scale-down 100"));
    p.texts("postgres", "q06.sql", ("SELECT", "SELEC"));
    let refuse = "FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
                  $$ BEGIN RAISE EXCEPTION 'not today'; END $$";
    for (schema, event, table) in
        [(&records, "UPDATE", "usertable"), (&documents, "INSERT", "orders")]
    {
        let on = format!("BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()");
        psql_in(schema, &format!("CREATE {refuse}; CREATE TRIGGER refuse {on}"));
    }
    let ch2pp = format!("run ch2pp --operational {ch2pp} --warmup 1ms");
    for (line, says) in [
        (
            format!("run ycsb-a --target {ycsb} -p recordcount=50 --operations 200 --warmup 1ms"),
            "UPDATE: all ",
        ),
        (
            format!("{ch2pp} --query-clients 0 --tx-clients 1 --operations 400"),
            "NewOrder: none of ",
        ),
        (
            format!(
                "{ch2pp} --query-clients 1 --tx-clients 0 --loops 1 --warmup-loops 0 \
                 --query-set naive --queries-dir texts"
            ),
            "Q06: all 1 failed",
        ),
    ] {
        p.fails(&format!("{line} --out out"), 1, &["the run FAILED: check \"failures\"", says]);
        std::fs::remove_dir_all(p.path("out")).unwrap();
    }
    [records, documents].iter().for_each(|schema| psql_in(schema, "DROP FUNCTION refuse CASCADE"));
}

/// Name and verdict of every check.
fn verdicts(record: &Value) -> Vec<(&str, &str)> {
    let checks = record["checks"].as_array().unwrap();
    checks.iter().map(|c| (c["name"].as_str().unwrap(), c["verdict"].as_str().unwrap())).collect()
}

#[test]
fn a_server_killed_in_mid_run_is_told_and_everything_acknowledged_is_there() {
    let (p, lab) = (Place::new(), lab::Lab::start());
    let url = lab.url();
    p.ok(&format!("load ch2pp --target {url} --scale-down 100"));
    let run = format!(
        "run ch2pp --operational {url} --tx-clients 4 --query-clients 1 --warmup 500ms --freshness on \
         --freshness-every 50ms"
    );

    let started = Instant::now();
    let line = format!("{run} --duration 5s --max-failures off");
    let end = killed_in(&p, &lab, &line, "goes-on", Duration::from_millis(700));
    assert_eq!(end.code, 0, "{end:#?}");
    let full = p.ok("show --full goes-on").out;
    let of_transactions =
        |line: &str| line.contains("transactions") && line.contains("unavailable");
    assert!(full.lines().any(of_transactions), "{full}");
    for words in ["What went wrong and when", "power incomplete"] {
        let told = full.contains(words) || end.err.contains(words);
        assert!(told, "no {words:?}: {end:#?}");
    }
    let record = p.json("goes-on/run.json");
    let step = &record["steps"][0];
    assert!(step["seconds"].as_f64().unwrap() > 4.5, "it went on: {step:#}");
    let done = &step["transactions"][0];
    assert!(done["count"].as_u64().unwrap() > 0 && done["failures"]["unavailable"].is_u64());
    assert_eq!(step["power_seconds"], Value::Null, "a failed query leaves no power");
    let events = record["events"].as_array().unwrap();
    let unavailable = events.iter().find(|e| e["side"] == "transactions").unwrap();
    let (from, to) = (
        unavailable["from_seconds"].as_f64().unwrap(),
        unavailable["to_seconds"].as_f64().unwrap(),
    );
    assert!(from > 1.0 && from <= to && to < started.elapsed().as_secs_f64(), "{unavailable:#}");
    let checks = verdicts(&record);
    assert!(checks.iter().any(|(name, _)| name.contains("nothing lost")), "{checks:?}");
    assert!(checks.iter().all(|(_, verdict)| *verdict == "pass"), "{checks:?}");
    p.ok(&format!("verify ch2pp --target {url}"));

    // As soon as one operation fails of it the run ends, and the data is checked when it can be.
    let line = format!("{run} --duration 10m --on-error unavailable=stop");
    let end = killed_in(&p, &lab, &line, "ends", Duration::ZERO);
    assert_eq!(end.code, 3, "{end:#?}");
    let record = p.json("ends/run.json");
    assert_eq!(record["partial"], "an error ended it in step 1 of 1");
    assert!(record["stopped_by"].is_string());
    // An error takes no check along.
    assert!(verdicts(&record).iter().any(|(name, _)| name.contains("nothing lost")), "{record:#}");
    p.ok(&format!("verify ch2pp --target {url}"));
    p.ok("report goes-on ends -o page.html");
}

/// The server is alive for TCP and says nothing: neither the limit on an answer nor Ctrl-C waits
/// for it.
#[test]
fn a_server_that_says_nothing_is_a_timeout_and_ctrl_c_does_not_wait_for_it() {
    let (p, lab) = (Place::new(), lab::Lab::start());
    let url = lab.url();
    let joint = if url.contains('?') { '&' } else { '?' };
    p.ok(&format!("load ycsb -p recordcount=500 --target {url}"));
    let start = |more: &str, folder: &str| {
        let line = format!(
            "run ycsb-a --clients 2 --warmup 100ms --check-reads --max-failures off --out {folder} \
             --target {url}{more}"
        );
        let child = p.spawn(&line);
        gone::until_measured(&p.path(folder));
        child
    };
    let running = start(&format!("{joint}answer_timeout_ms=1000 --duration 4s"), "timeout");
    lab.pause();
    std::thread::sleep(Duration::from_secs(2));
    lab.resume();
    let end = End::of(running.wait_with_output().unwrap());
    assert_eq!(end.code, 0, "{end:#?}");
    let record = p.json("timeout/run.json");
    let failures = |kind: &str| -> u64 {
        let operations = record["steps"][0]["transactions"].as_array().unwrap();
        operations.iter().filter_map(|o| o["failures"][kind].as_u64()).sum()
    };
    // A read is a timeout; an update may have been applied.
    assert!(failures("timeout") + failures("ambiguous") >= 2, "{record:#}");
    assert_eq!(record["checks"].as_array().unwrap().len(), 6, "{record:#}");
    all_pass(&record);

    let running = start(" --duration 10m", "interrupted");
    lab.pause();
    std::thread::sleep(Duration::from_secs(1));
    let (end, took) = interrupted(running);
    lab.resume();
    assert!(took < super::silent::SOON, "{took:?}: {end:#?}");
    let record = p.json("interrupted/run.json");
    assert!(record["partial"].as_str().unwrap().contains("interrupted"), "{record:#}");
}

/// The plan of a campaign on this server, with another client that recounts. The writer of the log
/// sleeps as long as it may, so that what a commit does not wait for is in memory.
fn plan(lab: &lab::Lab, work: [&str; 2], faults: &str, recount: &[[&str; 2]]) -> String {
    let (url, up, folder) = (lab.url(), lab.up_line(), lab.folder());
    let folder = folder.display();
    let psql = format!("psql -XAtq -F $'\\t' {url} -c");
    let lines = recount.iter().map(|[name, sql]| format!("{name} = '''{psql} \"{sql}\"'''\n"));
    let ([load, run], recount) = (work, lines.collect::<String>());
    format!(
        r#"
        title = "t"
        seed = 1
        faults = 3
        duration = "8s"
        settle = "2s"
        quiet = ["500ms", "1s"]
        durable = true
        load = "{load} --replace --target {{url}}"
        run = "{run}"
        [server]
        up = "{up}"
        prepare = '''psql -XAtq $(cat {folder}/superuser_url) \
            -c "alter system set wal_writer_delay = 10000" -c "select pg_reload_conf()"'''
        url = "echo {url}"
        proxy = true
        [server.processes]
        postgres = "cat {folder}/pid"
        {faults}
        [recount]
        by = "psql"
        {recount}"#
    )
}

const KILL: &str = "[[fault]]\nkind = \"kill\"\nof = \"postgres\"\ntime = [\"0s\", \"0s\"]\n";

#[test]
fn killed_and_cut_off_it_keeps_what_it_acknowledged_and_so_says_psql() {
    let (p, lab) = (Place::new(), lab::Lab::start());
    let cuts = format!("{KILL}[[fault]]\nkind = \"cut\"\nbytes = 999\nweight = 2\n");
    let load = "ch2pp --scale-down 100";
    let run = "ch2pp --operational {url} --tx-clients 4 --query-clients 0";
    let orders = "select key, doc->>'o_c_id', jsonb_array_length(doc->'o_orderline') from orders";
    let recount = [
        ["orders", orders],
        ["neworder", "select key from neworder"],
        ["history", "select key from history"],
    ];
    p.write("plan.toml", &plan(&lab, [load, run], &cuts, &recount));
    p.ok("torture --plan plan.toml -o campaign");
    let result = p.json("campaign/torture.json");
    let summary = &result["summary"];
    assert!(summary["faults"].as_u64() >= Some(3), "{summary:#}");
    assert!(summary["acknowledged"].as_u64() > Some(20), "{summary:#}");
    assert_eq!((&summary["lost"], &summary["added"]), (&0.into(), &0.into()), "{summary:#}");
    assert!(summary["failed"].as_u64() > Some(0), "the faults were felt: {summary:#}");
    for run in result["runs"].as_array().unwrap() {
        assert_eq!(run["verdict"], "sound", "{run:#}");
    }
}

#[test]
fn what_it_loses_without_synchronous_commit_is_found_and_so_says_psql() {
    let (p, lab) = (Place::new(), lab::Lab::start());
    let few = "-p recordcount=10 -p fieldcount=1 -p fieldlength=50";
    let (load, recount) = (format!("ycsb {few}"), "select key, 0, doc->>'field0' from usertable");
    // Small commits: many of them are on the last page of the log, which nobody has written.
    let mix = "-p readproportion=0 -p updateproportion=0 -p insertproportion=1";
    let uniform = "-p requestdistribution=uniform --clients 4";
    let run = format!("ycsb-a {few} {mix} {uniform} --target {{url}}?synchronous_commit=off");
    let text = plan(&lab, [&load, &run], KILL, &[["records", recount]]);
    p.write("plan.toml", &text.replace("durable = true", "durable = false"));
    let end = p.ok("torture --plan plan.toml -o campaign");
    let result = p.json("campaign/torture.json");
    let (runs, verdicts) = (&result["runs"], &result["summary"]["verdicts"]);
    let found = verdicts["loss-found"].as_u64().unwrap_or_else(|| panic!("{runs:#}"));
    assert!(verdicts.get("loss-unnoticed").is_none() && found > 0, "{runs:#}");
    assert!(end.out.contains(&format!("lost: found in {found} of {found} runs")), "{end:#?}");
    assert!(result["summary"]["lost"].as_u64() > Some(0), "{runs:#}");
}

/// What another program has in a schema, by the names of its tables.
const THEIRS: &str = r#"
    CREATE TABLE "Order Items" (id bigint PRIMARY KEY, doc jsonb, at timestamptz, raw bytea);
    CREATE INDEX ON "Order Items" ((doc -> 'place' ->> 'city'), at);
    CREATE INDEX ON "Order Items" USING gin (doc);
    CREATE INDEX ON "Order Items" (lower(doc ->> 'city'));
    INSERT INTO "Order Items" SELECT i,
        jsonb_build_object('n', i % 40, 'place', jsonb_build_object('city', 'c' || i % 9)),
        timestamptz '2024-01-01' + i * interval '1 hour', decode(md5(i::text), 'hex')
        FROM generate_series(1, 2500) i;
    CREATE TABLE plain (k text PRIMARY KEY, price numeric, tags text[], two json, more jsonb);
    INSERT INTO plain SELECT 'k' || i, i / 100.0, ARRAY['a', 'b'], '{"x": 1}', NULL
        FROM generate_series(1000, 1999) i;
    CREATE VIEW of_them AS SELECT doc FROM "Order Items" WHERE id < 100;
    CREATE FUNCTION writes() RETURNS bigint LANGUAGE sql AS
        $$ INSERT INTO "Order Items" VALUES (0) RETURNING id $$;
    CREATE VIEW writing AS SELECT writes();
    CREATE TABLE empty (doc jsonb);
    CREATE TABLE secret (doc jsonb);
    REVOKE ALL ON secret FROM CURRENT_USER"#;

/// Tables and views of another program are learned, and only read.
#[test]
fn a_table_of_another_program_is_learned() {
    let (p, schema) = (Place::new(), schema());
    let (url, name) = schema.url.split_once("?schema=").unwrap();
    psql(&server("HOAP_TEST_POSTGRES"), &format!("CREATE SCHEMA {name}"));
    psql_in(&schema, THEIRS);
    let learn = |sample: &str, out: &str| {
        let sample = sample.replace("URL", &schema.url).replace("DATABASE", url);
        let words = [&format!("a={}", sample.replace("NAME", name)), "-o", out];
        End::of(p.command("learn").args(words).env("PGPASSWORD", "no secret").output().unwrap())
    };
    for (sample, says) in [
        (
            "URL#Order Items",
            &[
                "count = 2500",
                "indexes.by_place_city_at = [\"place.city\", \"at\"]",
                "raw = { binary = \"16\" }",
                "place.fields",
            ][..],
        ),
        ("DATABASE#NAME.Order Items", &["count = 2500"]),
        ("URL#plain", &["count = 1000", "key = \"k{n:4}\"", "price = {", "tags", "two.fields"]),
        ("URL#of_them", &["count = 99"]),
    ] {
        let end = learn(sample, "-");
        assert_eq!(end.code, 0, "{sample}: {end:?}");
        for words in says {
            assert!(end.out.contains(words), "{sample}, {words}: {}", end.out);
        }
        assert!(!end.out.contains("by_city") && !end.out.contains(name), "{}", end.out);
    }
    let wrong = schema.url.replace("hoap@", "hoap_nothing@");
    for (sample, code, says) in [
        ("URL#none", 3, &["no such table or view", "Order Items, empty", "writing"][..]),
        ("URL#Order", 3, &["no such table or view"]),
        ("URL#empty", 2, &["it has no documents"]),
        ("URL#writing", 3, &["read-only transaction", "a view that only reads"]),
        ("URL#secret", 3, &["permission denied", "grant this user"]),
        (&format!("{wrong}#empty"), 3, &["connect to"]),
        ("postgres://127.0.0.1:1/d#t", 3, &["check the host and the port"]),
    ] {
        let end = learn(sample, "out.toml");
        assert_eq!(end.code, code, "{sample}: {end:?}");
        for words in says {
            assert!(end.err.contains(words), "{sample}, {words}: {end:?}");
        }
        assert!(!p.path("out.toml").exists() && !format!("{end:?}").contains("no secret"));
    }
    let end = learn("URL#Order Items", "items.toml");
    assert_eq!(end.code, 0, "{end:?}");
    p.ok("load items.toml --target sqlite:own.db");
    p.ok("run items.toml --target sqlite:own.db --operations 300 --warmup 0s --check-reads");
    psql(&server("HOAP_TEST_POSTGRES"), &format!("DROP SCHEMA {name} CASCADE"));
}

#[test]
fn what_two_drivers_of_a_workload_file_wrote_is_there() {
    super::own_fleet::hold_together(&schema().url);
}
