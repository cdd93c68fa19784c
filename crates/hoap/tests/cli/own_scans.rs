//! Scans of workload files: documents from a key on, in the order of the keys.

use crate::Place;
use crate::own::found;

/// Keys of every kind, with clients that insert and delete beside scans, and with scans in
/// transactions.
const FILE: &str = r#"hoap = 1
name = "scans"
operations = [
  { name = "plain", weight = 6, scan = "plain", limit = "1..40", miss = 0.1 },
  { name = "named", weight = 6, scan = "named", limit = 20, fields = ["no", "text"] },
  { name = "hashed", weight = 6, scan = "hashed", limit = "5..9" },
  { name = "family", weight = 6, draw.c = { from = "family", dist = "latest" }, scan = "$c", limit = 12 },
  { name = "new", weight = 4, insert = "plain", batch = "3" },
  { name = "grow", weight = 4, insert = "family" },
  { name = "gone", weight = 2, delete = "hashed" },
  { name = "oldest", weight = 2, delete = "plain", dist = "oldest" },
  { name = "sweep", weight = 2, draw.n = { from = "named" }, steps = [
    { scan = "$n", limit = 3, as = "seen" },
    { each.s = "$seen", patch = "named", key = "$s", add = { hits = 1 } } ] },
]
[collections.plain]
count = 1500
fields.no = { copy = "n" }
[collections.named]
count = 300
key = "user{n:5}"
fields.no = { copy = "n" }
fields.text = { words = "2..9" }
fields.hits = 0
[collections.hashed]
count = 2000
key = "{hash}"
fields.x = { integer = "0..9" }
[collections.family]
count = "0..9"
per = "named"
arrange = "rounds"
key = "{parent}:{seq:4}"
fields.of = { ref = "parent" }
"#;

#[test]
fn scans_run_beside_writers_and_every_answer_is_compared() {
    let p = Place::new();
    p.write("scans.toml", FILE);
    let said = p.ok("load scans.toml --dry-run --target sqlite:s.db").out;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in [
        "plain (16 %): scan plain (uniform, 10 % that never are) in the order of keys, 40 at most",
        "in one transaction: scan named in the order of keys, 3 at most; then",
        "scans of hashed: compared are each document, their order and limit; that none is left out \
         which was loaded, unless its delete has begun; not that new ones are among them",
    ] {
        assert!(said.contains(says), "{says}: {said}");
    }
    p.ok("load scans.toml --target sqlite:s.db");
    // The second goes on with what the first has left.
    for number in 1..=2 {
        let line = format!(
            "run scans.toml --target sqlite:s.db --clients 1,4 --operations 800 --warmup 0s \
             --check-reads --check full --run-seed {number} --json"
        );
        let run = p.ok(&line).value()["run"].take();
        for step in run["steps"].as_array().unwrap() {
            let kinds = step["transactions"].as_array().unwrap();
            assert_eq!(kinds.len(), 9);
            assert!(kinds.iter().all(|of| of["failures"].as_object().unwrap().is_empty()));
            // What the first run deleted the second one does not find.
            let found = |of: &serde_json::Value| {
                of["empty"].as_u64().unwrap_or(0) == 0 || number == 2 && of["kind"] == "gone"
            };
            assert!(kinds.iter().all(found), "{kinds:#?}");
        }
        let checks = run["checks"].as_array().unwrap();
        assert!(checks.iter().all(|check| check["verdict"] == "pass"), "{checks:#?}");
    }
    p.ok("verify scans.toml --target sqlite:s.db");
}

/// A document that is lost, foreign or changed within a range is named.
#[test]
fn what_a_scan_lacks_or_has_too_much_is_named() {
    let p = Place::new();
    let alone = |name: &str| {
        let line = FILE.lines().find(|line| line.contains(&format!("name = {name:?},"))).unwrap();
        let (_, rest) = FILE.split_once("\n]\n").unwrap();
        format!("hoap = 1\nname = \"scans\"\noperations = [{line}]\n{rest}")
    };
    p.write("scans.toml", &alone("plain"));
    p.ok("load scans.toml --target sqlite:s.db");
    for (operation, statement, says) in [
        ("plain", "DELETE FROM plain WHERE key IN ('2', '77', '1100')", &[" is left out"][..]),
        (
            "named",
            "DELETE FROM named WHERE key = 'user00150'",
            &["user00150 is left out before user0015"],
        ),
        ("named", "DELETE FROM named WHERE key = 'user00299'", &["user00299 is left out, "]),
        ("hashed", "DELETE FROM hashed WHERE key LIKE '%7'", &["7 is left out"]),
        (
            "family",
            "DELETE FROM family WHERE key LIKE '%:0002'",
            &[":0002 is left out before user"],
        ),
        (
            "named",
            "INSERT INTO named SELECT key || 'x', doc FROM named WHERE key LIKE '%7'",
            &["7x came back, which the file does not make"],
        ),
        (
            "plain",
            "INSERT INTO plain SELECT CAST(key + 2000 AS TEXT), doc FROM plain WHERE key < 400",
            &["came back, and was never inserted"],
        ),
        (
            "named",
            "UPDATE named SET doc = jsonb_set(doc, '$.no', -1) WHERE key LIKE '%3'",
            &["scan named from user", "20 at most: user", ": no is -1"],
        ),
    ] {
        p.write("scans.toml", &alone(operation));
        std::fs::copy(p.path("s.db"), p.path("w.db")).unwrap();
        let database = rusqlite::Connection::open(p.path("w.db")).unwrap();
        assert!(database.execute(statement, []).unwrap() > 0, "{statement}");
        database.close().unwrap();
        let run = |flags: &str| {
            p.run(&format!(
                "run scans.toml --target sqlite:w.db --operations 1000 --warmup 0s --check off \
                 {flags} --json"
            ))
        };
        let told = found(&run("--check-reads"));
        assert!(says.iter().all(|says| told.contains(says)), "{statement}: {told}");
    }
}

/// By the name of the operation, with the reason, before anything is opened.
#[test]
fn scans_are_refused_by_databases_without_an_order_of_keys() {
    let p = Place::new();
    let (_, rest) = FILE.split_once("\n]\n").unwrap();
    let one = r#"operations = [{ name = "walk", scan = "named", limit = 5 }]"#;
    p.write("walk.toml", &format!("hoap = 1\nname = \"scans\"\n{one}\n{rest}"));
    for (url, why) in [
        ("cassandra://127.0.0.1:1/x", "its rows are in the order of a hash of their keys"),
        ("dynamodb://127.0.0.1:1?prefix=x", "its tables are in the order of a hash of their keys"),
        ("duckdb:x.duckdb", "it stores columns"),
        ("asterixdb://127.0.0.1:1/x", "each statement is compiled"),
    ] {
        let says = ["run the operation walk of scans", "not applicable, because", why];
        p.fails(&format!("run walk.toml --target {url}"), 2, &says);
    }
    let no_limit = FILE.replacen(", limit = \"5..9\"", "", 1);
    p.write("walk.toml", &no_limit);
    p.fails("load walk.toml --target sqlite:x.db", 2, &["walk.toml:6:3: a scan says how many"]);
    assert!(!p.path("x.db").exists());
}
