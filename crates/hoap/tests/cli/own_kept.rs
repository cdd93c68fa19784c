//! What no single document of a workload file shows: fields that are kept, and sums.

use crate::Place;
use crate::own::{found, place};

/// What an operation does not keep true is found, whichever documents it is of: `kept` is the user's
/// own condition.
#[test]
fn what_operations_do_not_keep_true_is_found() {
    let p = place();
    let shop = p.text("shop.toml");
    let file = shop.replace("placed = 1, spent", "spent").replace(
        "total    = { sum = \"lines.amount\" }",
        "total    = { sum = \"lines.amount\", kept = true }",
    );
    assert!(file.len() > shop.len() - 10 && file != shop);
    p.write("shop.toml", &file);
    p.ok("load shop.toml --scale 0.004 --target sqlite:shop.db");
    let line = "run shop.toml --target sqlite:shop.db --operations 100 --warmup 0s --json";
    let end = p.run(line);
    let run = end.value()["run"].take();
    let verdicts = |name: &str| -> Vec<String> {
        let checks = run["checks"].as_array().unwrap().iter().filter(|c| c["name"] == name);
        checks.map(|check| check["verdict"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(end.code, 1, "{end:#?}");
    assert_eq!(verdicts("kept: customers.placed"), ["pass", "fail"]);
    assert_eq!(verdicts("kept: customers.spent"), ["pass", "pass"]);
    assert_eq!(verdicts("kept: orders.total"), ["pass", "pass"]);
    assert!(found(&end).contains(": placed is "), "{end:#?}");
    // The next one does not start on it.
    let again = p.run(line);
    assert!(again.code == 1 && again.value()["run"]["steps"].as_array().unwrap().is_empty());
}

/// Of a collection that is too large for the ledger the sum has all that was added.
#[test]
fn sums_over_large_collections_are_held() {
    let p = Place::new();
    p.write(
        "counters.toml",
        "hoap = 1\noperations = [{ name = \"add\", patch = \"counters\", add = { n = 2 }, if = { on = true } }]\n\
         [collections.counters]\ncount = 20_001\nfields = { n = 3, on = { boolean = 0.5 } }\n",
    );
    p.ok("load counters.toml --target sqlite:c.db");
    let line = "run counters.toml --target sqlite:c.db --operations 200 --warmup 0s --json --out";
    for out in ["a", "b"] {
        let run = p.ok(&format!("{line} {out}")).value()["run"].take();
        let sum =
            run["checks"].as_array().unwrap().iter().find(|c| c["name"] == "sum of counters.n");
        assert_eq!(sum.unwrap()["verdict"], "pass");
        let operation = &run["steps"][0]["transactions"][0];
        assert!(operation["rolled_back"].as_u64() > Some(50), "{operation}");
    }
    // Conditions that do not hold are printed as a share.
    let shown = p.ok("show a --full").out;
    assert!(shown.contains("refused") && shown.contains(" %"), "{shown}");
    let database = rusqlite::Connection::open(p.path("c.db")).unwrap();
    database
        .execute_batch(
            "CREATE TRIGGER wrong AFTER UPDATE ON counters BEGIN UPDATE counters SET doc = OLD.doc WHERE key = OLD.key; END",
        )
        .unwrap();
    database.close().unwrap();
    let end = p.run(&format!("{line} c"));
    assert!(end.code == 1 && found(&end).contains("; it is "), "{end:#?}");
}
