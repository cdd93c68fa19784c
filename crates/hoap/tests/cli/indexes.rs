//! Indexes that somebody dropped are missed before a run, named, and made again.

use rusqlite::Connection;

use super::{Place, all_pass};

/// The indexes that a load made.
fn made(file: &Connection) -> Vec<String> {
    let text = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";
    let mut made = file.prepare(text).unwrap();
    made.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn an_index_that_is_dropped_is_named_before_a_run_and_made_again_by_resuming() {
    for benchmark in ["ch2", "ch2pp"] {
        let p = Place::new();
        let load = format!("load {benchmark} --scale-down 100 --target sqlite:t.db");
        p.ok(&load);
        let verify = format!("verify {benchmark} --target sqlite:t.db --check database");
        let run = format!(
            "run {benchmark} --operational sqlite:t.db --tx-clients 1 --query-clients 0 \
             --operations 50 --warmup 0s"
        );
        let file = Connection::open(p.path("t.db")).unwrap();
        let names = made(&file);
        assert!(names.len() >= 3, "{names:?}");
        for (n, name) in names.iter().enumerate() {
            file.execute_batch(&format!("DROP INDEX {name}")).unwrap();
            let end = p.fails(&format!("{run} --out bad-{n}"), 1, &["\"indexes\""]);
            assert!(end.out.contains(name) && end.out.contains("--resume"), "{end:#?}");
            assert!(p.json(&format!("bad-{n}/run.json"))["steps"].as_array().unwrap().is_empty());
            if n == 0 {
                p.fails(&verify, 1, &["1 of "]);
            }
            p.fails(&load, 3, &["whole there already", "--resume"]);
            p.ok(&format!("{load} --resume"));
            assert_eq!(made(&file).len(), names.len(), "{name}");
        }
        p.ok(&verify);
        p.ok(&format!("{run} --out good"));
        all_pass(&p.json("good/run.json"));
        // One of the same name on something else is not what a load made, and stays.
        let name = &names[0];
        let other = format!("DROP INDEX {name}; CREATE INDEX {name} ON customer (key)");
        file.execute_batch(&other).unwrap();
        p.fails(&format!("{run} --out other"), 1, &["\"indexes\""]);
        p.fails(&format!("{load} --resume"), 3, &[name, "not ours"]);
        assert!(made(&file).contains(name));
    }
}

/// Of customers and orders, before a run.
#[test]
fn an_index_of_customers_and_orders_that_is_dropped_is_made_again_by_resuming() {
    let p = Place::new();
    let load = "load shop --customers 2000 --customers-per-zip 100 --target sqlite:t.db";
    p.ok(load);
    let file = Connection::open(p.path("t.db")).unwrap();
    for (name, run) in [("shop_customer_country", "pagination"), ("shop_customer_zip", "join")] {
        file.execute_batch(&format!("DROP INDEX {name}")).unwrap();
        let run = format!("run {run} --target sqlite:t.db --operations 20 --warmup 0s");
        let end = p.fails(&format!("{run} --out bad-{name}"), 1, &["\"indexes\""]);
        assert!(end.out.contains(name) && end.out.contains("--resume"), "{end:#?}");
        // Clients look, too.
        let unchecked = format!("{run} --check off --out off-{name}");
        p.fails(&unchecked, 3, &["no such index", "--resume"]);
        p.ok(&format!("{load} --resume"));
        p.ok(&format!("{run} --out {name}"));
    }
}
