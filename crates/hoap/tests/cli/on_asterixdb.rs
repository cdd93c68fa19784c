//! AsterixDB from the command line: loading by files, plans, warnings.

use hoap_testing::experiment::rehearse;

use super::Place;

/// A dataverse of a test's own.
fn url(p: &Place) -> String {
    let server = hoap_testing::urls::server("HOAP_TEST_ASTERIXDB");
    let at = server.rfind('/').unwrap() + 1;
    let folder = p.0.path().display();
    format!("{}cli_{}?load_folder={folder}", &server[..at], std::process::id())
}

#[test]
fn files_are_loaded_and_queries_explained() {
    let p = Place::new();
    let target = url(&p);
    let load = format!("load ch2pp --target {target} --scale-down 100");
    p.fails(&format!("{load} --part 1/2"), 2, &["LOAD fills a dataset only", "load it whole"]);
    p.ok(&load);
    let asked =
        p.ok(&format!("query ch2pp --analytical {target} --queries 1 --explain plans --json"));
    assert_eq!(asked.value()["queries"][0]["warnings"], serde_json::json!([]));
    let plan = p.json("plans/q01.plan.json");
    assert!(plan["plan"].is_object() && plan["profile"].is_object(), "{plan}");
    let left: Vec<_> =
        std::fs::read_dir(p.0.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["plans"]);

    let text = "SELECT sum(ol.ol_amount) + to_bigint('none') AS revenue
                FROM orders AS o, o.o_orderline AS ol
                WHERE ol.ol_delivery_d >= $from AND ol.ol_delivery_d < $to AND ol.ol_amount > $amount";
    p.texts("sqlpp", "q06.sql", ("", ""));
    p.write("texts/ch2pp/sqlpp/q06.sql", text);
    let line = format!("query ch2pp --analytical {target} --queries 6 --queries-dir texts --json");
    let end = p.ok(&line);
    assert!(end.err.contains("Q06: the database warns: "), "{end:#?}");
    let warnings = &end.value()["queries"][0]["warnings"];
    assert!(warnings[0].as_str().unwrap().contains("bigint"), "{warnings}");
}

/// Figure 10 and table 3: queries alone.
#[test]
fn the_papers_experiment_of_queries_alone_is_rehearsed() {
    let p = Place::new();
    let target = url(&p).replace("/cli_", "/rehearsed_");
    let both = [("--operational", &*target), ("--analytical", &*target)];
    rehearse(env!("CARGO_BIN_EXE_hoap"), p.0.path(), "ch2pp-fig10", "column", &both);
}
