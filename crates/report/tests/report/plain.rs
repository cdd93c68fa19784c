//! Reports of workloads without two sides: YCSB, Pagination, JOIN.

use hoap_record::{Run, Step};
use hoap_report::table::Cell;
use hoap_report::{html, step_line, tables};
use hoap_testing::runs;
use hoap_testing::runs::read::{data, marks, words};

use crate::read::{ReadBack, entry, full};

/// The sample run of YCSB, its summary and its page.
fn ycsb(benchmark: &str) -> (Run, String, String) {
    let folder = runs::plain::folder(benchmark, 1, 1.0);
    let page = html(&[folder.loaded("run")]);
    let text = full(&folder.run);
    (folder.run, text, page)
}

#[test]
fn a_run_without_two_sides_has_no_section_of_queries_audit_or_interference() {
    let (_, text, page) = ycsb("ycsb-a");
    for out in [&text, &words(&page)] {
        for word in ["tpM", "QpH", "ower", "solation", "udit", "NewOrder", "queries", "uery client"]
        {
            assert!(!out.contains(word), "{word}: {out}");
        }
    }
    for id in ["queries", "transactions-section"] {
        assert!(!page.contains(&format!("#{id}")) && !page.contains(&format!("id=\"{id}\"")));
    }
}

#[test]
fn throughput_is_the_operations_of_all_kinds_per_second() {
    let (run, _, page) = ycsb("ycsb-f");
    let table = tables::throughput(&entry(&run));
    let column = table.columns.iter().position(|c| c.title == "ops/s").unwrap();
    for (step, row) in run.steps.iter().zip(&table.rows) {
        let count: u64 = step.transactions.iter().map(|o| o.count).sum();
        let Cell::Number(shown) = row[column] else { panic!("{row:?}") };
        assert!((shown - count as f64 / step.seconds).abs() < 1e-6 * shown);
    }
    let charts = data(&page);
    let kinds = ["READ", "UPDATE", runs::plain::FAILING, "all operations"];
    for (axis, open) in [("clients", false), ("rate", true)] {
        let series = marks(&charts[&format!("headline-by-{axis}-0")], "dot");
        let titles: Vec<&str> = series.iter().map(|s| s["title"].as_str().unwrap()).collect();
        assert_eq!(titles, kinds);
        let steps: Vec<&Step> =
            run.steps.iter().filter(|s| s.rate_intended.is_some() == open).collect();
        for (kind, series) in series.iter().enumerate() {
            let points = series["points"].as_array().unwrap();
            assert_eq!(points.len(), steps.len());
            for (point, step) in points.iter().zip(&steps) {
                let x = step.rate_intended.unwrap_or(step.tx_clients as f64);
                let all: f64 = step.transactions.iter().map(|o| o.per_second).sum();
                let value = step.transactions.get(kind).map_or(all, |o| o.per_second);
                assert_eq!(point[0].as_f64(), Some(x));
                assert!((point[1].as_f64().unwrap() / value - 1.0).abs() < 1e-5, "{point}");
            }
        }
    }
}

#[test]
fn a_rate_that_was_not_reached_is_said_before_the_tables() {
    // Spec §6 of the NoSQL workloads: an open loop at a target rate, latency from the intended
    // start.
    let (run, text, page) = ycsb("ycsb-a");
    let step = run.steps.last().unwrap();
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for out in [&flat, &words(&page)] {
        let said = out.find("step 5 (4 clients, 9000/s): it did not reach its rate").unwrap();
        assert!(said < out.find("benchmark YCSB A").unwrap());
        assert!(out.contains(runs::plain::SHORT));
        assert!(out.contains("9,000 ops/s intended"));
    }
    assert!(words(&page).contains("Rate not reached"));
    let line = step_line(step);
    assert!(line.starts_with("RATE NOT REACHED: 9,000 ops/s intended"), "{line}");
    let table = tables::throughput(&entry(&run));
    let column = table.columns.iter().position(|c| c.title == "reached").unwrap();
    let reached: Vec<String> = table.rows.iter().map(|row| row[column].show(None)).collect();
    assert_eq!(reached, ["–", "–", "–", "yes", "NO"]);
}

/// What the warm-up had left began in the window: more than the rate, which is not one that was not
/// reached.
#[test]
fn a_rate_that_a_backlog_exceeds_is_not_called_missed() {
    let mut run = runs::plain::folder("ycsb-a", 1, 1.0).loaded("run");
    let step = run.run.steps.last_mut().unwrap();
    step.rate_intended = Some(140_749.0);
    (step.rate_achieved, step.not_started) = (Some(150_454.0), Some(0));
    step.rate_shortfall = Some("the window began with a backlog: 9,705 operations".into());
    let line = step_line(run.run.steps.last().unwrap());
    assert!(line.starts_with("RATE EXCEEDED: 140,749 ops/s intended, 150,454"), "{line}");
    let text = full(&run.run);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("it exceeded its rate: 140,749 ops/s intended"), "{flat}");
    let shown = words(&html(&[run]));
    assert!(shown.contains("Rate exceeded") && !shown.contains("Rate not reached"));
}

#[test]
fn a_line_of_a_step_speaks_of_what_the_step_measures() {
    let hybrid = step_line(&runs::folder(1, 1.0).run.steps[4]);
    assert!(hybrid.contains(" tpM; NewOrder p50 ") && hybrid.contains("; power "), "{hybrid}");
    assert!(!hybrid.contains("Payment") && !hybrid.contains("ops/s"), "{hybrid}");
    let (run, ..) = ycsb("ycsb-f");
    let plain = step_line(&run.steps[2]);
    for part in [" ops/s; READ p50 ", "; UPDATE p50 ", " operations failed"] {
        assert!(plain.contains(part), "{part}: {plain}");
    }
    assert!(!plain.contains("tpM") && !plain.contains("NOT REACHED"), "{plain}");
}

#[test]
fn service_and_wait_stand_beside_the_response_only_in_an_open_loop() {
    let (run, text, _) = ycsb("ycsb-f");
    let table = tables::waits(&entry(&run));
    assert_eq!(table.rows.len(), 2 * 3 * 3);
    let open = &run.steps[3].transactions[0];
    let mean = table.columns.iter().position(|c| c.title == "mean").unwrap();
    let expected = [open.service.as_ref(), open.wait.as_ref(), Some(&open.latency)];
    for (row, latency) in table.rows.iter().zip(expected) {
        assert_eq!(row[mean], Cell::Number(latency.unwrap().mean_us / 1e6));
    }
    assert!(text.contains("Open loop: service, wait"));
    let mut closed = run;
    closed.steps.truncate(3);
    assert_eq!(tables::waits(&entry(&closed)).rows.len(), 0);
    assert!(!full(&closed).contains("pen loop"));
    let shown = tables::throughput(&entry(&closed)).shown();
    assert!(shown.columns.iter().all(|column| column.title != "intended"));
}

#[test]
fn failures_by_kind_and_checks_are_there() {
    let (_, text, page) = ycsb("ycsb-f");
    let table = words(&page);
    let failure = format!("4 clients {} throttled 7 update user12", runs::plain::FAILING);
    assert!(table.contains(&failure), "{table}");
    assert!(text.contains("throttled") && table.contains("Failed operations 7 in 4 clients"));
    for out in [&text, &table] {
        let flat = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("2 checks: all pass"), "{flat}");
    }
    for check in ["record count", "last acknowledged writes"] {
        assert!(table.contains(&format!("after the run {check}")), "{check}");
    }
    assert!(table.contains("constants.zipfian 0.99") && table.contains("AMD EPYC"));
}

#[test]
fn benchmarks_have_their_titles() {
    let (_, text, page) = ycsb("pagination");
    assert!(
        text.contains("Pagination, 100,000 records") && page.contains("<h1>Pagination on SQLite")
    );
}

#[test]
fn different_benchmarks_on_one_page_share_no_table_of_numbers() {
    let a = |seed| runs::plain::folder("ycsb-a", seed, 1.0).loaded(&format!("a{seed}"));
    let c = runs::plain::folder("ycsb-c", 3, 1.0).loaded("c");
    let page = html(&[a(1), runs::folder(1, 1.0).loaded("ch"), a(2), c]);
    for heading in
        ["YCSB A: Operations", "CH2++: Transactions", "CH2++: Queries", "YCSB C: Operations"]
    {
        assert_eq!(page.matches(&format!(">{heading}</a></h2>")).count(), 1, "{heading}");
    }
    let section = |id: &str| {
        let start = page.find(&format!("<section id=\"{id}\" ")).unwrap();
        words(&format!(
            "<body>{}<script type=\"application/json\"",
            &page[start..][..page[start..].find("</section>").unwrap()]
        ))
    };
    let (first, third) = (section("operations-section"), section("operations-section-3"));
    assert!(first.contains("a1 1 client") && first.contains("a2 1 client"), "{first}");
    assert!(!first.contains("c: ") && !first.contains("NewOrder"));
    assert!(third.contains("c: Operations per second") && !third.contains("a1"));
    assert!(section("transactions-section-2").contains("ch: NewOrder"));
    for id in page.split("href=\"#").skip(1).map(|rest| &rest[..rest.find('"').unwrap()]) {
        assert!(page.contains(&format!(" id=\"{id}\"")), "{id}");
    }
    let unreached = words(&page);
    assert!(unreached.contains("a1: step 5") && unreached.contains("c: step 5"));
}
