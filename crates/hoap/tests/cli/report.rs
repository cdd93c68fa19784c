//! `hoap report` and `hoap price` on real run folders.

use super::Place;

/// Two short runs of YCSB A on the database that does nothing, as `a` and `b`.
fn runs() -> Place {
    let p = Place::new();
    for name in ["a", "b"] {
        p.ok(&format!(
            "run ycsb-a --target null: -p recordcount=1000 --clients 1,2 --duration 300ms --warmup 100ms --out {name}"
        ));
    }
    p
}

pub const PRICES: &str = "name = 'Test'\nsource = 'a test'\nregion = 'here'\ncurrency = 'EUR'\ndate = '2026'\n\
    hours-per-month = 700\n[[item]]\nwhat = 'node'\nprice = 2\nunit = 'node'\nper = 'hour'\n";

#[test]
fn configurations_have_their_labels_and_every_table_is_written_as_csv() {
    let p = runs();
    p.write("prices.toml", PRICES);
    let end = p.ok(
        "report one=a two=b -o page.html --csv tables --nodes one=3,two=6 --prices prices.toml \
         --published=dbaas-2020",
    );
    assert!(end.out.contains("Page: page.html") && end.out.contains("tables: tables"), "{end:?}");
    let page = p.text("page.html");
    for words in ["one", "two", "Configurations compared", "Not measured here", "Costs"] {
        assert!(page.contains(words), "{words}");
    }
    let sizes = p.text("tables/cluster-sizes.csv");
    assert!(sizes.contains(",one,3,") && sizes.contains(",two,6,"), "{sizes}");
    let costs = p.text("tables/costs.csv");
    assert!(costs.contains(",4200,") && costs.contains(",8400,"), "{costs}");
    assert!(!p.path("tables/nothing.csv").exists());

    // Runs of one label are one configuration; a folder of runs is one too.
    p.ok("report same=a same=b -o page.html --csv one");
    let table = p.text("one/summary-by-configuration.csv");
    assert_eq!(table.lines().count(), 2, "{table}");
    std::fs::create_dir(p.path("repeated")).unwrap();
    for (name, number) in [("a", "01"), ("b", "02")] {
        std::fs::rename(p.path(name), p.path(&format!("repeated/{number}"))).unwrap();
    }
    p.ok("report repeated -o page.html --csv two");
    let table = p.text("two/summary-by-configuration.csv");
    assert!(table.lines().count() == 2 && table.contains("repeated"), "{table}");
}

#[test]
fn prices_are_printed_and_what_is_missing_is_named() {
    let p = runs();
    p.write("prices.toml", PRICES);
    let end = p.ok("price a --prices prices.toml --nodes 3");
    let flat = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("4,200.00") && flat.contains("Test: a test; here, 2026"), "{flat}");
    let end = p.ok("price a --prices prices.toml --nodes 3 --json");
    let json: serde_json::Value = serde_json::from_str(&end.out).unwrap();
    let row = &json[0]["costs"][0];
    assert_eq!((&row["a month"], &row["currency"]), (&4200.0.into(), &"EUR".into()));
    let per_second = row["ops/s (ops/s)"].as_f64().or(row["ops/s"].as_f64()).unwrap();
    let million = row["per million operations"].as_f64().unwrap();
    assert!((million * per_second * 700.0 * 3600.0 / 1e6 / 4200.0 - 1.0).abs() < 1e-9);

    // The cheapest operation first, whatever the order of the runs.
    let end = p.ok("price dear=a cheap=b --prices prices.toml --nodes dear=300,cheap=3 --json");
    let json: serde_json::Value = serde_json::from_str(&end.out).unwrap();
    let names = [0, 1].map(|row| json[0]["costs"][row]["configuration"].as_str());
    assert_eq!(names, [Some("cheap"), Some("dear")]);
    // A list of a database is for its runs alone.
    p.write("of.toml", &PRICES.replacen("source", "database = 'Oracle'\nsource", 1));
    let says = ["price runs by of.toml", "a list of Oracle, and the runs are of null"];
    p.fails("price a --prices of.toml --nodes 1", 2, &says);
    p.fails("price x=a --prices x=of.toml --nodes 1", 2, &says);

    p.fails("price a", 2, &["no prices given", "--prices"]);
    p.fails("price a --prices prices.toml", 2, &["prices.toml", "item 1", "--nodes N"]);
    p.fails("price a --prices no.toml --nodes 1", 2, &["no.toml", "docs/prices.md"]);
    p.fails("price a --prices b=prices.toml --nodes 1", 2, &["set prices of b", "labels are a"]);
    p.fails("price a --prices prices.toml --nodes 0", 2, &["nodes are N"]);
    let line = "price a --prices prices.toml --nodes 1 --quantity disk=5";
    p.fails(line, 2, &["quantity disk", "no price"]);
    p.write("wrong.toml", &PRICES.replace("price = 2", "prize = 2"));
    p.fails("price a --prices wrong.toml --nodes 1", 2, &["wrong.toml", "line 9", "`prize`"]);
    let disk = "[[item]]\nwhat = 'disk'\nprice = 1\nunit = 'storage-gb'\nper = 'month'\n";
    p.write("disk.toml", &format!("{PRICES}{disk}"));
    let says = ["disk.toml", "item 2 (\"disk\")", "--quantity storage-gb=N"];
    p.fails("report a --prices disk.toml --nodes 1 -o no.html", 2, &says);
    assert!(!p.path("no.html").exists());
    p.ok("price a --prices disk.toml --nodes 1 --quantity storage-gb=5");
}

#[test]
fn a_folder_that_cannot_be_read_is_named_and_no_page_is_written() {
    let p = runs();
    p.fails("report a nowhere -o page.html", 2, &["nowhere", "run.json"]);
    std::fs::create_dir(p.path("empty")).unwrap();
    p.fails("report empty -o page.html", 2, &["empty"]);
    p.fails("report a --published=1999 -o page.html", 2, &["1999", "nosql-2021"]);
    p.fails("report a --nodes c=3 -o page.html", 2, &["nodes of c", "labels are a"]);

    let whole = p.text("a/run.json");
    p.write("a/run.json", &whole[..whole.len() / 2]);
    p.fails("report a -o page.html", 2, &["a/run.json", "EOF"]);
    p.write("a/run.json", &whole.replace("\"format\": 3", "\"format\": 4"));
    p.fails("report a -o page.html", 2, &["a/run.json", "format 4", "use the version of hoap"]);
    p.write("a/run.json", &whole);
    let log = p.text("a/step-01.hlog");
    let last = log.trim_end().rfind(',').unwrap();
    p.write("a/step-01.hlog", &format!("{}!!!\n", &log[..last + 5]));
    p.fails("report a -o page.html", 2, &["step-01.hlog"]);
    assert!(!p.path("page.html").exists());
}

#[test]
fn runs_of_different_benchmarks_share_a_page_and_no_table_of_numbers() {
    let p = runs();
    p.ok("run ycsb-c --target null: -p recordcount=1000 --clients 1 --duration 300ms --warmup 100ms --out c");
    p.ok("report x=a x=c -o page.html --csv tables");
    let page = p.text("page.html");
    assert!(
        page.contains(">YCSB A: Operations</a></h2>")
            && page.contains(">YCSB C: Operations</a></h2>")
    );
    let first = p.text("tables/operations.csv");
    let second = p.text("tables/operations-2.csv");
    assert!(first.contains("UPDATE") && !second.contains("UPDATE"), "{second}");
}
