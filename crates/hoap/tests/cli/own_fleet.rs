//! Workload files that several drivers run on one database.

use rusqlite::Connection;
use serde_json::Value;

use super::Place;
use super::compare::two_drivers;
use super::own::place;

/// New documents whose draw names their parent, fields that are added to, and others that are set.
const FLEET: &str = r#"hoap = 1
operations = [
  { name = "new", weight = 3, draw.p = { from = "parents" }, draw.c = { new = "children", parent = "$p" }, steps = [
    { insert = "$c" },
    { patch = "$p", add = { made = 1, sum = "$c.amount" } } ] },
  { name = "batch", insert = "logs", batch = "5" },
  { name = "set", patch = "parents", dist = "zipfian", set = { state = "$now" } },
  { name = "look", weight = 2, read = "logs", dist = "latest" },
  { name = "find", weight = 2, draw.p = { from = "parents" }, find = "children", where = { parent = "$p" } },
]
[collections.parents]
count = 200
fields.made = { size = "children", kept = true }
fields.sum = { sum = "children.amount", kept = true }
fields.state = "new"
[collections.children]
count = "0..8"
per = "parents"
indexes.of_parent = ["parent"]
fields.parent = { ref = "parent" }
fields.amount = { decimal = "0.00..9.99" }
[collections.logs]
count = 500
fields.text = { words = "3" }
"#;

const JOINT: &str = "merge driver-1 driver-2 --operational URL -o";

fn fleet(p: &Place, file: &str, url: &str) {
    for driver in ["driver-1", "driver-2"] {
        let _ = std::fs::remove_dir_all(p.path(driver));
    }
    let run = format!("run {file} --target {url} --duration 1500ms --warmup 100ms --check-reads");
    two_drivers(p, 6, &run, "--clients");
}

fn checks(run: &Value) -> &Vec<Value> {
    run["checks"].as_array().unwrap()
}

fn count(run: &Value, kind: &str) -> u64 {
    let all = run["steps"][0]["transactions"].as_array().unwrap();
    all.iter().filter(|of| of["kind"] == kind).map(|of| of["count"].as_u64().unwrap()).sum()
}

/// Two drivers write to one database, twice, and one alone after them: what all saw acknowledged is
/// there.
pub fn hold_together(url: &str) {
    let p = place();
    p.write("fleet.toml", FLEET);
    p.ok(&format!("load fleet.toml --target {url}"));
    for out in ["first", "second"] {
        fleet(&p, "fleet.toml", url);
        p.ok(&format!("{} {out}", JOINT.replace("URL", url)));
        let [whole, one, two] =
            [out, "driver-1", "driver-2"].map(|run| p.json(&format!("{run}/run.json")));
        for kind in ["new", "batch", "set"] {
            let both = count(&one, kind) + count(&two, kind);
            assert!(count(&one, kind) > 0 && count(&two, kind) > 0, "{kind}");
            assert_eq!(count(&whole, kind), both, "{kind}");
        }
        let failed = |check: &&Value| check["verdict"] != "pass" && check["verdict"] != "skip";
        for run in [&whole, &one, &two] {
            assert_eq!(checks(run).iter().find(failed), None, "{out}");
        }
        let lost = checks(&whole).iter().find(|c| c["name"] == "nothing lost: writes").unwrap();
        assert!(lost["verdict"] == "pass" && lost["checked"].as_u64().unwrap() > 100, "{lost}");
    }
    let alone = format!(
        "run fleet.toml --target {url} --clients 2 --operations 500 --warmup 0s --check-reads"
    );
    p.ok(&format!("{alone} --json"));
    p.ok(&format!("verify fleet.toml --target {url}"));
}

#[test]
fn what_two_drivers_wrote_is_there() {
    let p = Place::new();
    hold_together(&format!("sqlite:{}", p.path("t.db").display()));
}

/// The next run does not know which parents a run has named: that is nobody's fault.
#[test]
fn a_run_goes_on_where_another_named_parents() {
    let p = Place::new();
    p.write("fleet.toml", FLEET);
    p.ok("load fleet.toml --target sqlite:t.db");
    for out in ["first", "second", "third"] {
        p.ok(&format!(
            "run fleet.toml --target sqlite:t.db --clients 2 --operations 300 --warmup 0s \
             --check-reads --out {out}"
        ));
        super::all_pass(&p.json(&format!("{out}/run.json")));
        p.ok("verify fleet.toml --target sqlite:t.db");
    }
    let database = Connection::open(p.path("t.db")).unwrap();
    let lost = "DELETE FROM parents WHERE key = '7'";
    assert_eq!(database.execute(lost, []).unwrap(), 1);
    p.fails("verify fleet.toml --target sqlite:t.db", 1, &["checks failed"]);
}

/// What the database lost or changed is named by who joins the drivers.
#[test]
fn what_is_lost_of_two_drivers_is_named() {
    let p = place();
    p.ok("load shop.toml --scale 0.01 --target sqlite:t.db");
    fleet(&p, "shop.toml", "sqlite:t.db");
    let joint = |url: &str, out: &str| format!("{} {out}", JOINT.replace("URL", url));
    p.ok(&joint("sqlite:t.db", "whole"));
    let whole = Connection::open(p.path("t.db")).unwrap();
    whole.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let loaded = p.ok("gen shop.toml --scale 0.01 -o made");
    assert_eq!(loaded.code, 0);
    let orders = p.text("made/orders.ndjson").lines().count();
    for (at, (statement, says)) in [
        // The second driver's first order, and the first driver's.
        (format!("DELETE FROM orders WHERE key = '{}'", orders + 1), "is not there"),
        (format!("DELETE FROM orders WHERE key = '{orders}'"), "is not there"),
        ("DELETE FROM products WHERE key = '7'".into(), "is not there"),
        (
            "UPDATE customers SET doc = jsonb_set(doc, '$.placed', (doc ->> '$.placed') - 1)
             WHERE key = (SELECT doc ->> '$.customer' FROM orders ORDER BY length(key) DESC, key DESC)"
                .into(),
            "placed is",
        ),
        (
            "UPDATE products SET doc = jsonb_set(doc, '$.stock', (doc ->> '$.stock') + 1)
             WHERE doc ->> '$.stock' < 1000000".into(),
            "stock is",
        ),
        (
            "UPDATE orders SET doc = jsonb_set(doc, '$.status', 'stolen')
             WHERE doc ->> '$.status' = 'shipped'".into(),
            "status is",
        ),
        (
            "INSERT INTO orders SELECT '999999', doc FROM orders LIMIT 1".into(),
            "orders",
        ),
        (
            format!("UPDATE orders SET doc = jsonb_set(doc, '$.customer', '1') WHERE key >= '{orders}'
                     AND length(key) = {}", orders.to_string().len()),
            "customer is",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        std::fs::copy(p.path("t.db"), p.path("bad.db")).unwrap();
        let bad = Connection::open(p.path("bad.db")).unwrap();
        assert!(bad.execute(&statement, []).unwrap() > 0, "{statement}");
        bad.close().unwrap();
        p.fails(&joint("sqlite:bad.db", &format!("bad-{at}")), 1, &["failed", "VOID"]);
        let found = checks(&p.json(&format!("bad-{at}/run.json"))).clone();
        let mut failed = found.iter().filter(|check| check["verdict"] == "fail");
        assert!(failed.any(|c| c["detail"].as_str().unwrap().contains(says)), "{statement}: {found:#?}");
    }
    // A ledger that is of something else is refused by its name, and never the end of the program.
    let ledger = p.json("driver-2/ledger.json");
    p.write_ledger("driver-2", &ledger);
    for (place, value, says) in [
        ("/numbers/0/span/part", 9.into(), "does not have"),
        ("/numbers/2/span/next", u64::MAX.into(), "does not have"),
        ("/written/0/0/1", u64::MAX.into(), "does not have"),
        ("/written/0/0/0", 77.into(), "does not have"),
        ("/actions", "0".into(), "operations of the workload file have changed"),
        ("/weights/0/1", 1.5.into(), "another mix"),
        ("/weights/0/0", 99.into(), "does not have"),
    ] {
        let mut odd = ledger.clone();
        *odd.pointer_mut(place).unwrap_or_else(|| panic!("{place}: {ledger}")) = value;
        p.write_ledger("driver-2", &odd);
        p.fails(&joint("sqlite:t.db", "odd"), 2, &["driver-2", says]);
    }
    p.write("driver-2/ledger.json", &ledger.to_string());
    std::fs::rename(p.path("shop.toml"), p.path("moved.toml")).unwrap();
    p.fails(&joint("sqlite:t.db", "moved"), 2, &["shop.toml"]);
}

#[test]
fn what_drivers_cannot_do_together_is_refused() {
    let p = place();
    let part = "--part 1/2 --start-at 2100-01-01T00:00:00Z";
    for (line, says) in [
        ("run sessions.toml --target sqlite:x.db", "--without \"log-out-everywhere\""),
        ("run telemetry.toml --target sqlite:x.db", "--without \"retention\""),
        ("run shop.toml --target sqlite:x.db --query-clients 1", "leave out --query-clients"),
    ] {
        p.fails(&format!("{line} {part}"), 2, &["with --part", says]);
    }
    assert!(!p.path("x.db").exists());
}
