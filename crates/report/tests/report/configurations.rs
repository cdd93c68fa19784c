//! Several configurations on one page: what belongs together, what is averaged, what stands apart.

use hoap_record::Bounds;
use hoap_record::search::{Effort, Probe, Search, Time, Undecided};
use hoap_record::{Percentile, Remark, RemarkId, Sla};
use hoap_report::compare;
use hoap_report::prices::{PriceList, Priced};
use hoap_report::run::measure::headline_kinds;
use hoap_report::table::{Cell, Table};
use hoap_report::{Loaded, Named, Page, Report, csv, page, published};
use hoap_testing::runs;
use hoap_testing::runs::read::{all_of, data, legend, marks, words};

use crate::read::{ReadBack, full};

fn table<'a>(page: &'a Page, id: &str) -> &'a Table {
    page.tables.iter().find(|t| t.id == id).unwrap_or_else(|| panic!("no table {id}"))
}

fn number(table: &Table, row: usize, column: &str) -> f64 {
    let at = table.columns.iter().position(|c| c.title == column).unwrap();
    match table.rows[row][at] {
        Cell::Number(value) => value,
        ref other => panic!("{column}: {other:?}"),
    }
}

#[test]
fn runs_of_one_label_are_repetitions_of_one_configuration() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    for (n, name) in (1..).zip(["a", "b", "reps/01", "reps/02", "reps/03"]) {
        runs::plain::folder("ycsb-a", n, 1.0).write(&at(name));
    }
    let named =
        |label: Option<&str>, path: &str| Named { label: label.map(String::from), path: at(path) };
    let report =
        Report::open(&[named(Some("SSD"), "a"), named(Some("SSD"), "b"), named(None, "reps")])
            .unwrap();
    let labels: Vec<(&str, usize)> =
        report.configurations.iter().map(|c| (c.label.as_str(), c.runs.len())).collect();
    assert_eq!(labels, [("SSD", 2), ("reps", 3)]);
    let made = page(&report).unwrap();
    let throughput = table(&made, "throughput-by-configuration");
    // Five steps of each: three numbers of clients and two rates.
    assert_eq!(throughput.rows.len(), 10);
    let runs = &report.configurations[0].runs;
    let of =
        |n: usize| -> f64 { runs[n].run.steps[0].transactions.iter().map(|o| o.per_second).sum() };
    let (low, high) = (of(0).min(of(1)), of(0).max(of(1)));
    assert!(low < high);
    assert_eq!(number(throughput, 0, "runs"), 2.0);
    assert!((number(throughput, 0, "ops/s") - (low * high).sqrt()).abs() < 1e-9 * high);
    assert_eq!(number(throughput, 0, "lowest"), low);
    assert_eq!(number(throughput, 0, "highest"), high);
    assert_eq!(number(throughput, 5, "runs"), 3.0);
    // Repetitions are a band from the lowest to the highest, and configurations share a chart over
    // time.
    let charts = &data(&made.html);
    let bands = marks(&charts["throughput-by-clients"], "area");
    assert_eq!(bands.len(), 2);
    let reach = |n: usize| bands[0]["reach"][0][n].as_f64().unwrap();
    assert!((reach(1) / low - 1.0).abs() < 1e-5 && (reach(2) / high - 1.0).abs() < 1e-5);
    let plots = |name: &str| charts[name]["plots"].as_array().unwrap().len();
    // Of response times each kind of operation has a plot.
    assert!(plots("p99-over-time") > 1);
    assert_eq!(plots("p99-over-time"), plots("p99-by-clients"));
    for name in ["throughput-over-time", "p99-over-time"] {
        let over_time = &charts[name];
        assert_eq!(legend(over_time), ["SSD", "reps"]);
        // Not every step has each kind.
        assert!((2 * 5..=2 * 5 * plots(name)).contains(&marks(over_time, "line").len()));
        assert!(!marks(over_time, "area").is_empty());
    }
    let words = words(&made.html);
    assert!(words.contains("SSD: a") && words.contains("reps: 02"));
    // Without repetitions there is nothing lowest.
    let alone = Report::open(&[named(None, "a"), named(None, "b")]).unwrap();
    let made = page(&alone).unwrap();
    assert!(!csv(table(&made, "throughput-by-configuration")).contains("lowest"));

    let error = Report::open(&[named(None, "nothing")]).unwrap_err().to_string();
    assert!(error.contains("nothing") && error.contains("run.json"), "{error}");
}

/// Where freshness is measured a transaction writes a document more than where it is not.
#[test]
fn runs_that_measure_freshness_otherwise_are_not_averaged_and_side_by_side_it_is_said_first() {
    let place = tempfile::tempdir().unwrap();
    let cases = [
        ("off", false, "100ms"),
        ("idle", false, "1ms"),
        ("on", true, "100ms"),
        ("often", true, "1ms"),
    ];
    for (n, (name, on, every)) in (1..).zip(cases) {
        let mut folder = runs::folder(n, 1.0);
        folder.run.configuration.insert("freshness".into(), on.into());
        folder.run.configuration.insert("freshness-every".into(), every.into());
        folder.write(&place.path().join(name));
    }
    runs::plain::folder("ycsb-a", 1, 1.0).write(&place.path().join("ycsb"));
    let open = |runs: &[(Option<&str>, &str)]| {
        let named = |(label, path): &(Option<&str>, &str)| Named {
            label: label.map(String::from),
            path: place.path().join(path),
        };
        Report::open(&runs.iter().map(named).collect::<Vec<_>>())
    };

    let one = Some("X");
    let error = open(&[(one, "off"), (one, "idle"), (one, "on")]).unwrap_err().to_string();
    for says in [
        "take on as a run of the configuration X, as off is",
        "freshness is on (every 100ms) here and off there",
        "every transaction that writes updates one document more",
    ] {
        assert!(error.contains(says), "{says}: {error}");
    }
    let error = open(&[(one, "on"), (one, "often")]).unwrap_err().to_string();
    assert!(error.contains("on (every 1ms) here and on (every 100ms) there"), "{error}");
    let error = open(&[(None, "")]).unwrap_err().to_string();
    assert!(error.contains("freshness"), "a folder of runs is a configuration: {error}");

    let report = open(&[(one, "off"), (one, "idle"), (None, "on"), (one, "ycsb")]).unwrap();
    let made = page(&report).unwrap();
    let says = "freshness is off in X: off and X: idle, on (every 100ms) in on: where it is on, every \
                transaction that writes updates one document more than the benchmark asks for";
    let told = |remarks: &[Remark], says: &str| {
        let [one] = remarks else { panic!("{remarks:#?}") };
        assert!(one.id == RemarkId::FreshnessDiffers && one.text.contains(says), "{one:#?}");
    };
    told(&made.remarks, says);
    let words = words(&made.html);
    let (first, numbers) = (words.find(says).unwrap(), words.find("Transactions alone").unwrap());
    assert!(first < numbers, "before everything else: {words:.300}");

    let report = open(&[(None, "on"), (None, "often")]).unwrap();
    told(&page(&report).unwrap().remarks, "takes more of the database");
    for alike in [vec![(None, "off"), (None, "idle")], vec![(None, "on"), (None, "ycsb")]] {
        let report = open(&alike).unwrap();
        let made = page(&report).unwrap();
        assert_eq!(made.remarks, []);
        assert!(!made.html.contains("freshness is"));
    }
}

#[test]
fn the_charts_by_configuration_hold_what_their_tables_hold() {
    let run = |n: u32| runs::folder(u64::from(n), f64::from(n)).loaded(&format!("run {n}"));
    let made = page(&Report::of(&[run(1), run(2)])).unwrap();
    let charts = &data(&made.html);
    let throughput = table(&made, "throughput-by-configuration");
    let points = all_of(&marks(&charts["throughput-by-clients"], "dot"), "points");
    assert_eq!(points.len(), throughput.rows.len());
    for row in 0..throughput.rows.len() {
        let tpm = number(throughput, row, "tpM");
        let near = |p: &&&serde_json::Value| {
            let shown = p[1].as_f64().unwrap();
            (shown / tpm - 1.0).abs() < 1e-5
                && p[0].as_f64() == Some(number(throughput, row, "transaction clients"))
        };
        assert_eq!(points.iter().filter(near).count(), 1, "row {row}");
    }
    let plots = charts["throughput-by-clients"]["plots"].as_array().unwrap();
    assert_eq!(plots.len(), 1);
    // With and without queries in one plot: a configuration's colour, dashes for the queries.
    let chart = &charts["throughput-by-clients"];
    assert_eq!(legend(chart), ["run 1", "run 2", "without queries", "with 1 query client"]);
    let looks: Vec<_> = marks(chart, "dot").iter().map(|m| (&m["colour"], &m["dash"])).collect();
    let (full, dashed) = (serde_json::Value::Null, serde_json::json!("6 3"));
    let (first, second) = (serde_json::json!("c0"), serde_json::json!("c1"));
    let expected = [(&first, &full), (&first, &dashed), (&second, &full), (&second, &dashed)];
    assert_eq!(looks, expected);
    // The broken query of the last step has no bar, and its power no point.
    let mut missing = all_of(&marks(&charts["queries-3"], "bar"), "bars");
    missing.retain(|bar| bar["value"].is_null());
    assert_eq!(missing.len(), 2);
    let why = |bar: &serde_json::Value| bar["title"].as_str().unwrap().contains("timeout");
    assert!(missing.iter().all(|bar| bar["facet"] == 19 && why(bar)));
    let power = all_of(&marks(&charts["power-by-clients"], "dot"), "points");
    assert_eq!(power.len(), 2 * 3);
    // Table 3 of the CH2++ paper: power, queries per hour.
    let summary = table(&made, "summary-by-configuration");
    assert!((number(summary, 0, "load") - 41_077.0 / 2.41).abs() < 1e-6);
    assert_eq!(number(summary, 0, "power"), run(1).run.steps[0].power_seconds.unwrap());
    assert_eq!(number(summary, 1, "QpH"), run(2).run.steps[0].queries_per_hour.unwrap());
}

/// Table 3 of the CH2++ paper: the ingestion rate.
#[test]
fn ingestion_is_a_figure_a_table_a_chart_and_a_column_beside_the_load() {
    let made = page(&Report::of(&[
        runs::folder(1, 1.0).ingested().loaded("column"),
        runs::folder(2, 1.0).loaded("row"),
    ]))
    .unwrap();
    let summary = table(&made, "summary-by-configuration");
    assert_eq!(number(summary, 0, "ingestion"), 4_107.7);
    let at = summary.columns.iter().position(|c| c.title == "ingestion").unwrap();
    assert!(!matches!(summary.rows[1][at], Cell::Number(_)), "it was not measured");
    let words = words(&made.html);
    for says in ["Ingestion 4,108 documents/s", "3,513 documents/s in the 6.00 s after the load"] {
        assert!(words.contains(says), "no {says:?}: {words}");
    }
    let rates = table(&made, "ingestion");
    assert_eq!((rates.rows.len(), number(rates, 0, "documents")), (1, 41_077.0));
    assert_eq!(number(rates, 0, "after the load"), 3_512.8);
    let counts = table(&made, "ingestion-counts");
    let chart = &data(&made.html)["ingestion-0"];
    let points = all_of(&marks(chart, "line"), "points");
    assert_eq!((points.len(), counts.rows.len()), (5, 5));
    for (row, point) in points.iter().enumerate() {
        assert_eq!(point[0].as_f64(), Some(number(counts, row, "seconds")));
        assert_eq!(point[1].as_f64(), Some(number(counts, row, "documents")));
    }
    assert!(legend(chart).contains(&"last document loaded: 4.00 s"), "{:?}", legend(chart));

    // Of a follower that this run's queries did not read, it says nothing.
    let mut other = runs::folder(1, 1.0).ingested();
    other.run.analytical.as_mut().unwrap().url = "sqlite:else.db".into();
    let made = page(&Report::of(&[other.loaded("else")])).unwrap();
    assert!(!made.html.contains("ingestion"), "it is another database's");
}

#[test]
fn published_figures_share_no_table_and_no_series_with_a_run() {
    let run = |n| runs::plain::folder("ycsb-a", n, 1.0).loaded(&format!("run {n}"));
    let mut report = Report::of(&[run(1), run(2)]);
    report.published = published::choose(None).unwrap();
    for (configuration, nodes) in report.configurations.iter_mut().zip([3, 6]) {
        configuration.nodes = Some(nodes);
    }
    let made = page(&report).unwrap();
    let own = csv(table(&made, "cluster-sizes"));
    let stated = csv(table(&made, "published"));
    assert!(
        own.contains("SQLite,run 1,3") && !own.contains("Couchbase") && !own.contains("423580")
    );
    assert!(
        stated.contains("\"423,580\"") && !stated.contains("SQLite") && !stated.contains("run 1")
    );
    let charts = &data(&made.html);
    let own = &charts["size-ops-s"];
    assert_eq!(legend(own), ["SQLite"]);
    assert_eq!(marks(own, "bar")[0]["hollow"], false);
    let chart = &charts["published-size-ops-s-nosql-2021"];
    assert_eq!(marks(chart, "bar")[0]["hollow"], true);
    assert_eq!(legend(chart).len(), 3);
    assert!(legend(chart).iter().all(|series| series.contains("(published")));
    // The run did a hundredth of what they state: one scale would show one of them only.
    let top = |chart: &serde_json::Value| chart["plots"][0]["y"]["domain"][1].as_f64().unwrap();
    assert!(top(own) < 5_000.0 && top(chart) > 50.0 * top(own));
    assert!(words(&made.html).contains("Not measured here."));
    // Figures of other benchmarks stay away, and without the option all do.
    assert!(!stated.contains("scan") && !stated.contains("4.4.3"));
    report.published.clear();
    assert!(!page(&report).unwrap().html.contains("423,580"));
}

#[test]
fn published_columns_stand_hollow_among_those_of_runs_where_one_axis_shows_both() {
    let run = runs::plain::folder("ycsb-a", 1, 30.0).loaded("run");
    let mut report = Report::of(&[run]);
    report.published = published::choose(Some("nosql-2021")).unwrap();
    report.configurations[0].nodes = Some(4);
    let made = page(&report).unwrap();
    let charts = &data(&made.html);
    let chart = &charts["size-ops-s"];
    let bars = marks(chart, "bar");
    assert_eq!(bars.iter().map(|m| &m["hollow"]).collect::<Vec<_>>(), [false, true]);
    assert_eq!(bars[0]["bars"].as_array().unwrap().len(), 1);
    assert_eq!(bars[1]["bars"].as_array().unwrap().len(), 9);
    assert_eq!(legend(chart).len(), 4);
    assert!(legend(chart)[1..].iter().all(|series| series.ends_with("(published)")));
    assert!(words(&made.html).contains("hollow: published, not measured here"));
    // Failures of one kind of operation, but none is published.
    let failed = marks(&charts["size-failed"], "bar");
    assert_eq!((failed.len(), &failed[0]["hollow"]), (1, &serde_json::json!(false)));
    let share = number(table(&made, "cluster-sizes"), 0, "failed");
    let bar = failed[0]["bars"][0]["value"].as_f64().unwrap();
    assert!(share > 0.0 && (bar - 100.0 * share).abs() < 1e-3, "{share} {bar}");
    // The response times differ by a hundred times.
    assert_eq!(marks(&charts["size-s"], "bar").len(), 1);
    assert!(!csv(table(&made, "cluster-sizes")).contains("Couchbase"));
}

/// Table 3 of the CH2++ paper as bars, the published ones hollow where one axis shows both.
#[test]
fn power_queries_per_hour_and_ingestion_are_bars_with_the_published_ones() {
    let mut column = runs::folder(1, 1.0).ingested().loaded("column");
    // The paper's are 26.06 and 55.81 s.
    let power = column.run.steps.iter_mut().filter_map(|step| step.power_seconds.as_mut());
    power.for_each(|power| *power *= 40.0);
    let mut report = Report::of(&[column, runs::folder(2, 0.5).loaded("row")]);
    report.published = published::choose(Some("ch2pp-2025")).unwrap();
    let made = page(&report).unwrap();
    let charts = &data(&made.html);
    let summary = table(&made, "summary-by-configuration");
    for (name, own, stated) in [("power", 2, 2), ("QpH", 2, 0), ("ingestion", 1, 0)] {
        let bars = marks(&charts[format!("table-3-{name}")], "bar");
        let of = |hollow: bool| {
            let marks = bars.iter().filter(|mark| mark["hollow"] == hollow);
            marks.flat_map(|mark| mark["bars"].as_array().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!((of(false).len(), of(true).len()), (own, stated), "{name}");
        for (row, bar) in of(false).into_iter().enumerate() {
            let (shown, known) = (bar["value"].as_f64().unwrap(), number(summary, row, name));
            assert!((shown / known - 1.0).abs() < 1e-5, "{name}: {shown}, {known}");
        }
    }
}

#[test]
fn what_a_text_says_in_words_stands_beside_its_numbers() {
    let mut report = Report::of(&[runs::folder(1, 1.0).loaded("run")]);
    report.published = published::choose(None).unwrap();
    let shown = words(&page(&report).unwrap().html);
    assert!(shown.contains("ch2pp-2025, 5.3, Fig. 8(a): NewOrder tpM doubles from 4Q to 8Q"));
    assert!(!shown.contains("million records"), "that is another benchmark's");
}

/// Figure 8 of the CH2++ paper: 4Q+0A without queries and 4Q+4A with them share a panel.
#[test]
fn configurations_with_one_number_of_query_clients_each_share_a_panel() {
    let only = |seed, label: &str, queries| {
        let mut run = runs::folder(seed, 1.0).loaded(label);
        run.run.steps.retain(|step| step.query_clients == queries && step.tx_clients > 0);
        run
    };
    let names = |runs: &[Loaded]| -> Vec<String> {
        let made = page(&Report::of(runs)).unwrap();
        let plots = data(&made.html)["throughput-by-clients"]["plots"].clone();
        let name = |plot: &serde_json::Value| plot["name"].as_str().unwrap_or_default().to_owned();
        plots.as_array().unwrap().iter().map(name).collect()
    };
    let made = page(&Report::of(&[only(1, "4Q+0A", 0), only(2, "4Q+4A", 1)])).unwrap();
    let chart = &data(&made.html)["throughput-by-clients"];
    assert_eq!(chart["plots"].as_array().unwrap().len(), 1);
    assert_eq!(legend(chart)[..2], ["4Q+0A, without queries", "4Q+4A, with 1 query client"]);
    // A configuration that ran with and without them has lines of its own for both.
    let both = [only(1, "4Q+0A", 0), runs::folder(2, 1.0).loaded("4Q+4A")];
    let made = page(&Report::of(&both)).unwrap();
    let chart = &data(&made.html)["throughput-by-clients"];
    let expected = ["4Q+0A", "4Q+4A", "without queries", "with 1 query client"];
    assert_eq!(legend(chart), expected);
    // At one number of clients a line would be a dot: there are bars.
    let one_place = |seed, label: &str| {
        let mut run = runs::folder(seed, 1.0).loaded(label);
        let first = run.run.steps.iter().map(|step| step.tx_clients).find(|n| *n > 0);
        run.run.steps.retain(|step| Some(step.tx_clients) == first);
        run
    };
    let made = page(&Report::of(&[one_place(1, "a"), one_place(2, "b")])).unwrap();
    let bars = data(&made.html)["throughput-by-clients"]["plots"][0]["y"]["ticks"].clone();
    let rows: Vec<&str> =
        bars.as_array().unwrap().iter().map(|row| row[1].as_str().unwrap()).collect();
    let with = "with 1 query client";
    let (b, a) = (format!("b, {with}"), format!("a, {with}"));
    assert_eq!(rows, ["a, without queries", "b, without queries", &*a, &*b]);
    // There are no more colours for the queries to be dashes.
    let many: Vec<Loaded> =
        (1..=8).map(|n| runs::folder(n, 1.0).loaded(&format!("run {n}"))).collect();
    assert_eq!(names(&many), ["without queries", "with 1 query client"]);
}

/// A run of YCSB whose last two steps are the probes of a search: one that held 2,000 operations a
/// second, one that did more and broke the bound.
fn searched(held: bool) -> Loaded {
    let mut run = runs::plain::folder("ycsb-a", 1, 1.0).loaded("search");
    let sla = Sla { percentile: Percentile::P99, limit_us: 10_000 };
    let probe = |rate: f64, us, broken: Option<&str>| Probe {
        rate,
        seconds: 20.0,
        achieved: rate,
        failures: 0.0,
        times: vec![Time { percentile: Percentile::P99, kind: "READ".into(), us, operations: 9 }],
        broken: broken.map(String::from),
        undecided: None,
    };
    let low = match held {
        true => probe(2000.0, 8_000, None),
        false => probe(2000.0, 11_000, Some("READ: p99 is 11000 µs")),
    };
    run.run.search = Some(Search {
        bounds: Bounds { slas: vec![sla], failures: 0.0 },
        rate: held.then_some(2000.0),
        below: Some(if held { 9000.0 } else { 2000.0 }),
        broken: Some("READ: p99 is 20000 µs, the bound 10000 µs".into()),
        undecided: vec![Undecided { rate: 4000.0, why: "its probes scatter".into() }],
        noise: Some(0.1),
        effort: Effort { shortest_seconds: 1.0, longest_seconds: 10.0, shares: Vec::new() },
        unfinished: (!held).then(|| "not even 2 operations a second hold".into()),
        probes: vec![low, probe(9000.0, 20_000, Some("READ: p99 is 20000 µs"))],
        drivers: None,
    });
    run
}

#[test]
fn a_search_shows_every_probe_with_its_bound() {
    let made = page(&Report::of(&[searched(true)])).unwrap();
    let search = table(&made, "search");
    assert_eq!(search.rows.len(), 2);
    assert_eq!(number(search, 1, "time"), 0.02);
    assert_eq!(number(search, 1, "bound"), 0.01);
    assert_eq!(number(search, 1, "operations"), 9.0);
    let chart = &data(&made.html)["search-0"];
    let mut ends = marks(chart, "rule");
    ends.retain(|rule| rule["upright"] == true);
    let at: Vec<f64> = all_of(&ends, "at").iter().map(|place| place[0].as_f64().unwrap()).collect();
    assert_eq!(at, [2000.0, 9000.0]);
    let points = all_of(&marks(chart, "dot"), "points");
    let hollow: Vec<u64> = points.iter().map(|p| p[2].as_u64().unwrap()).collect();
    assert_eq!(hollow, [0, 1]);
    assert!(points[1][3].as_str().unwrap().contains("READ: p99 is 20000 µs"), "{}", points[1]);
}

/// The answer is an interval, and it comes first; a probe that broke its bound is no figure however
/// much it did.
#[test]
fn the_answer_of_a_search_is_the_first_figure_and_the_first_table() {
    let run = searched(true);
    let made = page(&Report::of(std::slice::from_ref(&run))).unwrap();
    let answer = table(&made, "highest-rate");
    assert_eq!((number(answer, 0, "held"), number(answer, 0, "did not hold")), (2000.0, 9000.0));
    let tile = &made.html[made.html.find("<dl class=\"figures\">").unwrap()..];
    let tile = &tile[..tile.find("</div>").unwrap()];
    for words in ["Highest rate that held", "2,000", "not at 9,000/s"] {
        assert!(tile.contains(words), "{words}: {tile}");
    }
    let said = words(&made.html);
    assert!(said.contains("between 2,000 and 9,000") && said.contains("undecided at 4,000"));
    assert!(!made.html.contains("Open loop, rate reached"));
    let text = full(&run.run);
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    assert!(at("\nHighest rate that held ") < at("\nHighest throughput "), "{text}");
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("between 2,000 and 9,000 operations a second"), "{flat}");

    let none = page(&Report::of(&[searched(false)])).unwrap().html;
    let tile = &none[none.find("<div class=\"bad\"><dt>Highest rate that held").unwrap()..];
    let tile = &tile[..tile.find("</div>").unwrap()];
    assert!(tile.contains("none"), "{tile}");
    let said = words(&none);
    for why in ["p99 is 20000 µs, the bound 10000 µs", "not even 2 operations a second"] {
        assert!(said.contains(why), "{why}: {said}");
    }
}

/// Not that of the probe that did most.
#[test]
fn the_price_is_that_of_the_rate_that_held() {
    let list = "name = 'x'\nsource = 's'\nregion = 'r'\ncurrency = 'EUR'\ndate = '2026'\n\
                [[item]]\nwhat = 'node'\nprice = 1\nunit = 'node'\nper = 'month'\n";
    let costed = |held: bool| {
        let run = searched(held);
        let mut report = Report::of(std::slice::from_ref(&run));
        report.configurations[0].priced = Some(Priced {
            list: PriceList::parse(list).unwrap(),
            file: "x.toml".into(),
            nodes: Some(1),
            quantities: Default::default(),
        });
        (run, report.costs().unwrap().remove(0).costs)
    };
    let (run, costs) = costed(true);
    let did = |step: usize| -> f64 {
        run.run.steps[step].transactions.iter().map(|o| o.per_second).sum()
    };
    assert!(did(4) > did(3), "the probe that broke did more");
    assert!((number(&costs, 0, "ops/s") - did(3)).abs() < 1e-9);
    let (_, none) = costed(false);
    assert_eq!(number(&none, 0, "ops/s"), 0.0, "no rate held, so nothing is sustained");
}

#[test]
fn a_page_of_twenty_runs_of_ten_steps_is_small_and_every_table_is_on_it_as_csv() {
    let runs: Vec<_> = (1..=20u32)
        .map(|n| {
            let mut run = runs::folder(u64::from(n), 1.0).loaded(&format!("configuration {n}"));
            // Seven steps, and three of them again.
            for step in [2, 4, 5] {
                let mut again = run.run.steps[step].clone();
                again.number = run.run.steps.len() + 1;
                again.tx_clients *= 4;
                for curve in run.curves.clone().iter().filter(|c| c.step == step + 1) {
                    run.curves.push(hoap_report::run::curve::Curve {
                        step: again.number,
                        ..curve.clone()
                    });
                }
                run.run.steps.push(again);
            }
            run
        })
        .collect();
    let made = page(&Report::of(&runs)).unwrap();
    assert!(made.html.len() < 3_000_000, "{} bytes", made.html.len());
    assert!(made.html.contains("class=\"late\""), "the longest tables are made when opened");
    for table in &made.tables {
        let link = format!("download=\"{}.csv\" href=\"data:text/csv;charset=utf-8,", table.id);
        let start = made.html.find(&link).unwrap_or_else(|| panic!("{}", table.id)) + link.len();
        let text = &made.html[start..start + made.html[start..].find('"').unwrap()];
        assert_eq!(decoded(text), csv(table), "{}", table.id);
    }
}

/// What a browser makes of the path of a `data:` URL.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(b) = rest.next() {
        if b == b'%' {
            let digits = [rest.next().unwrap(), rest.next().unwrap()];
            let digits = std::str::from_utf8(&digits).unwrap().to_string();
            bytes.push(u8::from_str_radix(&digits, 16).unwrap());
        } else {
            bytes.push(b);
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// The first screen: the same verdicts as those of `hoap compare`.
#[test]
fn the_page_begins_with_the_verdicts_of_a_comparison() {
    let place = tempfile::tempdir().unwrap();
    let (mut named, mut sides) = (Vec::new(), Vec::new());
    for (label, speed) in [("slow", 1.0), ("fast", 1.4), ("same", 1.0)] {
        for seed in 1..=3 {
            let noise = 1.0 + 0.01 * seed as f64;
            let folder = place.path().join(label).join(format!("0{seed}"));
            runs::folder(seed, speed * noise).write(&folder);
        }
        let path = place.path().join(label);
        sides.push(compare::Side::open(&path).unwrap());
        named.push(Named { label: Some(label.into()), path });
    }
    let question = compare::Question { gates: vec![], relevant: compare::RELEVANT, details: true };
    let baseline = sides.remove(0);
    let compared = compare::Comparison::new(baseline, sides, question).unwrap();
    let made = page(&Report::open(&named).unwrap()).unwrap();
    let verdicts = table(&made, "verdicts");
    let titles: Vec<&str> = verdicts.columns.iter().map(|c| c.title.as_str()).collect();
    let expected = ["configuration", "highest", "tpM against slow", "power against slow", "checks"];
    assert_eq!(titles, expected);
    let shown = |row: usize, column: usize| verdicts.rows[row][column].show(None);
    assert_eq!((shown(0, 2), shown(0, 3)), ("baseline".into(), "baseline".into()));
    let headlines = compared.lines.iter().filter(|line| line.headline);
    let notation = compare::ComparedLine::notation(headlines);
    for candidate in 0..2 {
        for (column, metric) in [(2, compare::Metric::Tpm), (3, compare::Metric::Power)] {
            let overall = |l: &&compare::ComparedLine| {
                l.metric == metric && matches!(l.place, compare::Scope::Overall(_))
            };
            let line = compared.of(candidate).find(overall).unwrap();
            let (word, ratio) = (line.finding.verdict.word(), line.ratio.unwrap());
            let interval = ratio.interval(0.95).unwrap();
            let said = notation.with_interval(ratio.value, interval, false);
            assert_eq!(shown(candidate + 1, column), format!("{word}: {said}"));
        }
    }
    assert!(shown(1, 2).starts_with("better: +4") && shown(2, 2).starts_with("undecided"));
    // Before all else, with the chart that shows it; what else was measured follows.
    let order = [
        "How the configurations compare",
        "against transaction clients, by configuration",
        "Key figures of each run",
        "Configurations compared</a>",
    ];
    let start = made.html.find("<main").unwrap();
    let at: Vec<usize> =
        order.map(|words| made.html[start..].find(&format!("{words}</")).unwrap()).into();
    assert!(at.is_sorted(), "{at:?}");
    // What hoap compare refuses has no verdict.
    let other = runs::plain::folder("ycsb-a", 1, 1.0);
    let mut larger = runs::plain::folder("ycsb-a", 1, 1.0);
    larger.run.data["records"] = 7.into();
    let made = page(&Report::of(&[other.loaded("a"), larger.loaded("b")])).unwrap();
    assert!(words(&made.html).contains("No verdicts. compare b with a: "), "{}", words(&made.html));
}

/// As in the reports, whose data grows with the cluster: what compares stands together, each with
/// its own baseline.
#[test]
fn configurations_of_several_data_sets_have_verdicts_for_each() {
    let run = |label: &str, records: u64| {
        let mut run = runs::plain::folder("ycsb-a", records, 1.0);
        run.run.data["records"] = records.into();
        run.loaded(label)
    };
    let small = [run("A, 4 nodes", 50), run("B, 4 nodes", 50), run("C, 4 nodes", 50)];
    let large = [run("A, 10 nodes", 125), run("B, 10 nodes", 125)];
    let [a, b, c] = small;
    let [d, e] = large;
    let made = page(&Report::of(&[a, d, b, e, c, run("A, 20 nodes", 250)])).unwrap();
    let labels = |id: &str| -> Vec<String> {
        table(&made, id).rows.iter().map(|row| row[0].show(None)).collect()
    };
    assert_eq!(labels("verdicts"), ["A, 4 nodes", "B, 4 nodes", "C, 4 nodes"]);
    assert_eq!(labels("verdicts-2"), ["A, 10 nodes", "B, 10 nodes"]);
    assert_eq!(labels("verdicts-alone"), ["A, 20 nodes"]);
    for (id, baseline) in [("verdicts", "A, 4 nodes"), ("verdicts-2", "A, 10 nodes")] {
        let title = &table(&made, id).columns[2].title;
        assert!(title.ends_with(&format!("against {baseline}")), "{title}");
    }
    assert!(!words(&made.html).contains("No verdicts"), "{}", words(&made.html));
}

/// A colour means the same on the whole page: among several configurations the configuration.
#[test]
fn every_chart_of_a_run_has_the_colour_of_its_configuration() {
    let run = |n: u32| runs::plain::folder("ycsb-a", u64::from(n), 1.0).loaded(&format!("run {n}"));
    let made = page(&Report::of(&[run(1), run(2)])).unwrap();
    let charts = &data(&made.html);
    for (number, colour) in ["c0", "c1"].into_iter().enumerate() {
        for (chart, mark) in
            [("headline-by-clients", "dot"), ("throughput", "line"), ("heat", "heat")]
        {
            let found = marks(&charts[format!("{chart}-{number}")], mark);
            assert!(!found.is_empty() && found.iter().all(|m| m["colour"] == colour), "{chart}");
        }
    }
    let alone = page(&Report::of(&[run(1)])).unwrap();
    let charts = &data(&alone.html);
    let colours: Vec<_> = marks(&charts["headline-by-clients-0"], "dot")
        .iter()
        .map(|m| m["colour"].clone())
        .collect();
    assert_eq!(colours[..2], ["c0", "c1"], "of one run the kinds of operation");
}

#[test]
fn a_remark_of_several_runs_is_said_once() {
    let run = |n: u32| runs::folder(u64::from(n), 1.0).loaded(&format!("run {n}"));
    let made = page(&Report::of(&[1, 2, 3, 4, 5].map(run))).unwrap();
    assert_eq!(made.html.matches("<li>all 5 runs: scaled down by 20: ").count(), 1);
    let mut other = runs::folder(9, 1.0);
    other.run.remarks.clear();
    let some = [run(1), run(2), other.loaded("other")];
    let made = page(&Report::of(&some)).unwrap();
    assert_eq!(made.html.matches("<li>run 1, run 2: scaled down by 20: ").count(), 1);
}

/// The heat map has every operation that the percentiles have.
#[test]
fn the_heat_map_holds_the_logs() {
    for folder in [runs::folder(1, 1.0), runs::plain::folder("ycsb-a", 1, 1.0)] {
        let run = folder.loaded("run");
        let kinds = headline_kinds(&run.run);
        let curves = run.curves.iter().filter(|c| kinds.contains(&c.kind.as_str()));
        let logged: u64 = curves.map(|c| c.count).sum();
        let made = page(&Report::of(std::slice::from_ref(&run))).unwrap();
        let heat = table(&made, "heat-0");
        let first = heat.columns.iter().position(|c| c.title == "until").unwrap() + 1;
        let counts: Vec<f64> =
            heat.rows.iter().flat_map(|row| row[first..].iter().filter_map(Cell::number)).collect();
        assert_eq!(counts.iter().sum::<f64>(), logged as f64);
        let chart = &data(&made.html)["heat-0"];
        let drawn = all_of(&marks(chart, "heat"), "cells");
        let levels: usize =
            drawn.iter().map(|c| c[3].as_str().unwrap().replace('-', "").len()).sum();
        assert_eq!(levels, counts.len());
    }
}
