//! A report says what the run folder says: all of it, nothing else, and the same everywhere.

use std::collections::BTreeMap;

use hoap_record::history::{Attempt, Did, End};
use hoap_record::hlog::{SERVICE, WAIT};
use hoap_record::witness::{Anomaly, Edge, Example, Why};
use hoap_record::{
    Check, Description, Driver, DriverUse, Level, Remark, RemarkId, Run, Step, Verdict, Witness,
};
use hoap_report::number::Unit;
use hoap_report::run::Entry;
use hoap_report::run::curve::Curve;
use hoap_report::run::measure::headline_operations;
use hoap_report::run::title::title;
use hoap_report::table::Cell;
use hoap_report::{Loaded, Report, Style, csv, html, page, step_line, summary, tables};
use hoap_testing::runs;
use hoap_testing::runs::read::{all_of, data, fits, legend, marks, words};
use sha2::{Digest, Sha256};

use crate::read::{ReadBack, entry, full};

/// A run of each kind.
fn samples() -> [runs::Folder; 2] {
    [runs::folder(1, 1.0), runs::plain::folder("ycsb-f", 1, 1.0)]
}

// ---- terminal
// -------------------------------------------------------------------------------------

#[test]
fn the_summary_fits_80_columns_whatever_the_numbers() {
    for folder in samples() {
        fits(&full(&folder.run));
    }
    let extremes = [0.0, 1e-12, 1.0, 123_456_789.123, 1e18, f64::MAX];
    for (extreme, folder) in extremes.into_iter().flat_map(|e| samples().map(|f| (e, f))) {
        let mut run = folder.run;
        run.seconds = extreme;
        let texts = ["a remark ".repeat(40), "x".repeat(300), String::new()];
        run.remarks =
            texts.map(|text| Remark::new(RemarkId::DatabaseWarned, text).of_step(1)).into();
        run.partial = Some("界".repeat(200));
        for step in &mut run.steps {
            step.name = format!("{} transaction clients, 界 query clients", "9".repeat(60));
            step.tpm = step.tpm.map(|_| extreme);
            step.power_seconds = Some(extreme);
            step.queries_per_hour = Some(extreme);
            step.partial = Some("long reason ".repeat(20));
            step.rate_intended = step.rate_intended.map(|_| extreme);
            step.rate_achieved = step.rate_achieved.map(|_| extreme);
            step.not_started = Some(u64::MAX);
            step.rate_shortfall = step.rate_shortfall.as_ref().map(|_| "short ".repeat(40));
            for operation in &mut step.transactions {
                operation.retries = u64::MAX / 8;
                operation.per_second = extreme;
                if let Some(wait) = &mut operation.wait {
                    wait.p99_us = u64::MAX;
                }
                operation.latency.mean_us = extreme;
                operation.latency.max_us = u64::MAX;
                operation.latency.p99_us = extreme as u64;
                operation.failures = BTreeMap::from([("e".repeat(90), u64::MAX / 99)]);
            }
        }
        for check in &mut run.checks {
            check.when = "at a moment with a very long name indeed".repeat(3);
            check.verdict = Verdict::Skip;
        }
        fits(&full(&run));
        fits(&hoap_report::places("f", Some(&"p/".repeat(200)), "", ""));
    }
}

#[test]
fn a_summary_begins_with_what_every_reader_must_know() {
    // Spec §1: "A report of such a run says so on its first line".
    let text = summary(&runs::folder(1, 1.0).run, Style::default());
    assert_eq!(text.lines().next(), Some("CH2++ on SQLite, scaled down by 20"));
    // A run without numbers says that before all else, and has none.
    let text = summary(&runs::folder(1, 1.0).void().run, Style::default());
    assert_eq!(text.lines().next(), Some("CH2++ on SQLite, VOID, scaled down by 20"));
    assert!(!text.contains("tpM"), "{text}");
    let void =
        "\n! VOID: check \"nothing lost: Payment\" failed: 3 of 48,211: order 1.4.3001 is not";
    assert!(text.contains(void), "{text}");
    assert!(text.find(void) < text.find("\n! scaled down by 20"), "{text}");
}

/// However many steps and remarks a run has, its answers fit on a screen, the steps in the order of
/// the record and each kind of remark once.
#[test]
fn the_answers_take_at_most_forty_lines() {
    let style = Style { folder: Some("runs/first try"), ..Style::default() };
    for folder in samples() {
        let mut run = folder.run.clone();
        let steps = run.steps.clone();
        for round in 1..6 {
            run.steps.extend(
                steps
                    .iter()
                    .map(|step| Step { number: round * steps.len() + step.number, ..step.clone() }),
            );
        }
        for step in 1..=run.steps.len() {
            for id in [RemarkId::CoresTaken, RemarkId::DriverBusy, RemarkId::LevelChanged] {
                let text = format!("{step} {}", "of many words ".repeat(20));
                run.remarks.push(Remark::new(id, text).advise("less").of_step(step));
            }
        }
        for run in [&folder.run, &run] {
            let text = summary(run, style);
            fits(&text);
            assert!(text.lines().count() <= 40, "{} lines:\n{text}", text.lines().count());
            let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
            let [answer, verdict] = ["p99 ", "\nChecks "].map(place);
            assert!(answer < verdict && verdict < place("\nfolder  runs/first try\n"), "{text}");
        }
        let text = summary(&run, style);
        assert_eq!(text.matches("\n! a core of the driver was busy").count(), 1, "{text}");
        assert!(text.contains(" steps)\n") && !text.contains("of many words"), "{text}");
        assert_eq!(full_lines(&run), run.steps.len(), "each step has its own");
    }
}

#[test]
fn the_answers_say_how_busy_the_machine_was_and_how_to_repeat_the_run() {
    let mut run = runs::folder(1, 1.0).run;
    let use_of = |machine_seconds, cpu_seconds| {
        let of = DriverUse { seconds: 10.0, cores: 2, ..DriverUse::default() };
        Some(DriverUse { machine_seconds, cpu_seconds, ..of })
    };
    (run.steps[0].driver, run.steps[1].driver) = (use_of(5.0, 1.0), use_of(19.0, 4.0));
    run.command = ["/bin/hoap", "gather", "2"].map(str::to_owned).to_vec();
    let driver = |part: &str| Driver {
        name: "d".into(),
        command: ["hoap", "run", "--part", part].map(str::to_owned).to_vec(),
        started: run.started.clone(),
        offset_seconds: 0.0,
        seconds: 1.0,
        configuration: BTreeMap::new(),
        host: run.host.clone(),
        clock: None,
    };
    run.drivers = vec![driver("1/2"), driver("2/2")];
    let text = summary(&run, Style { folder: Some("f"), ..Style::default() });
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in [
        "Machine 1.90 of 2 cores busy at most; the driver 0.40",
        "again hoap gather 2; on each of 2 drivers with its own --part: hoap run --part 1/2",
    ] {
        assert!(flat.contains(told), "{told}: {text}");
    }
}

#[test]
fn a_title_says_once_what_runs_have_in_common() {
    let title_of =
        |runs: &[Run]| title(&runs.iter().map(|run| Entry { name: "", run }).collect::<Vec<_>>());
    let on = |name: &str| {
        let mut run = runs::plain::folder("ycsb-f", 1, 1.0).run;
        run.operational.as_mut().unwrap().name = name.into();
        run
    };
    assert_eq!(title_of(&[on("A"), on("B"), on("A")]), "YCSB F on A, B");
    let alone = runs::folder(1, 1.0).run;
    let mut pair = alone.clone();
    let columns = alone.operational.clone().map(|of| Description { name: "Columns".into(), ..of });
    pair.analytical = columns;
    let together = title_of(&[alone, pair]);
    assert_eq!(together, "CH2++ on SQLite; SQLite and Columns, scaled down by 20");
}

fn full_lines(run: &Run) -> usize {
    full(run)
        .lines()
        .filter(|line| line.starts_with("! ") && line.contains(" of many words"))
        .count()
        / 3
}

#[test]
fn a_failed_check_is_in_the_summary_in_full() {
    // Spec §6: prints its number, what it compares, and the first offending keys.
    let run = runs::folder(1, 1.0).void().run;
    let text = full(&run);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let failed = run.checks.iter().find(|c| c.verdict == Verdict::Fail).unwrap();
    for part in [&failed.name, &failed.compares, failed.detail.as_ref().unwrap()] {
        assert!(flat.contains(part.as_str()), "{part}\n{text}");
    }
    assert!(flat.contains("before the run 12 conditions: all pass"));
    assert!(flat.contains("after the run 12 conditions, 2 ledger checks: 1 FAIL, 13 pass"));
}

/// The highest without queries may be of other clients than the highest with them.
#[test]
fn a_ratio_among_the_key_figures_says_what_it_is_of() {
    let mut folder = runs::folder(1, 1.0);
    folder.run.steps.retain(|s| s.name != "8 tx, 1 query");
    let tpm = |name: &str| folder.run.steps.iter().find(|s| s.name == name).unwrap().tpm.unwrap();
    let (alone, beside) = (tpm("4 tx"), tpm("4 tx, 1 query"));
    assert!(tpm("8 tx") > alone && beside > tpm("2 tx, 1 query"));
    let page = words(&html(&[folder.loaded("run")]));
    let figure = page.split_once("Transactions + queries").unwrap().1;
    let figure = figure.split_once("Queries alone").unwrap().0;
    let show = |unit: Unit, value| unit.show(value);
    let (rate, ratio) = (show(Unit::Rate("tpM"), alone), show(Unit::Ratio, beside / alone));
    let said = format!("; {ratio} × the {rate} tpM of 4 tx alone");
    assert!(figure.contains(&said), "{said}: {figure}");
}

/// A response time of 0 is one below the resolution of the record.
#[test]
fn nothing_that_completed_took_no_time() {
    let mut folder = runs::plain::folder("ycsb-c", 1, 1.0);
    for operation in folder.run.steps.iter_mut().flat_map(|s| &mut s.transactions) {
        operation.latency.p50_us = 0;
    }
    let idle = &mut folder.run.steps[1].transactions[0];
    (idle.count, idle.timed, idle.latency) = (0, 0, Default::default());
    let loaded = folder.loaded("run");
    let made = tables::operations(&entry(&loaded.run));
    let at = made.columns.iter().position(|c| c.title == "p50").unwrap();
    let shown: Vec<String> = made.rows.iter().map(|r| r[at].show(made.columns[at].unit)).collect();
    assert_eq!(shown.iter().filter(|s| *s == "–").count(), 1, "nothing completed: {shown:?}");
    assert_eq!(shown.iter().filter(|s| *s == "< 1 µs").count(), shown.len() - 1, "{shown:?}");
    assert!(full(&loaded.run).contains("< 1 µs"));
    assert!(words(&html(&[loaded])).contains("< 1 µs"));
    let text = csv(&made);
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    assert_eq!(&reader.headers().unwrap()[at], "p50 (s)");
    let fields: Vec<String> = reader.records().map(|r| r.unwrap()[at].to_string()).collect();
    assert_eq!(fields.iter().filter(|f| *f == "0").count(), fields.len() - 1, "{fields:?}");
}

#[test]
fn colours_are_there_only_when_asked_for_and_change_no_word() {
    let run = runs::folder(1, 1.0).run;
    let plain = full(&run);
    let coloured = summary(&run, Style { colour: true, full: true, ..Style::default() });
    assert!(!plain.contains('\u{1b}') && coloured.contains('\u{1b}'));
    let mut stripped = coloured;
    for code in ["\u{1b}[1;31m", "\u{1b}[1m", "\u{1b}[0m"] {
        stripped = stripped.replace(code, "");
    }
    assert_eq!(stripped, plain);
}

// ---- incomplete, partial, interference
// ----------------------------------------------------------------

#[test]
fn an_incomplete_power_is_never_a_number() {
    // Spec §7: "A query that failed makes power and QpH "incomplete", never smaller".
    let mut folder = runs::folder(1, 1.0);
    let step = folder.run.steps.last_mut().unwrap();
    step.power_seconds = Some(0.777_123);
    step.queries_per_hour = Some(98_765.0);
    let why = step.incomplete.clone().unwrap();
    let text = full(&folder.run);
    let other = runs::folder(2, 1.0).loaded("other");
    let charts = data(&html(&[folder.loaded("run"), other]));
    let page = html(&[folder.loaded("run")]);
    let table = csv(&tables::query_rates(&entry(&folder.run)));
    for out in [&text, &words(&page), &table] {
        assert!(!out.contains("777 ms") && !out.contains("0.777123"), "{out}");
        assert!(!out.contains("98,765") && !out.contains("98765"), "{out}");
        assert!(out.contains("incomplete") && out.contains(&why), "{out}");
    }
    assert!(!charts.to_string().contains("0.777123"), "no chart has it");
    // The power of three steps of each run, not of the fourth.
    let power = all_of(&marks(&charts["power-by-clients"], "dot"), "points");
    let at: Vec<u64> = power.iter().map(|p| p[0].as_u64().unwrap()).collect();
    assert_eq!(at, [0, 2, 4, 0, 2, 4]);
}

/// The mean over the queries that never failed is said beside the reason, as what it is.
#[test]
fn the_power_of_the_other_queries_is_said_beside_an_incomplete_one() {
    let mut folder = runs::folder(1, 1.0);
    let step = folder.run.steps.last_mut().unwrap();
    for (n, query) in step.queries.iter_mut().enumerate() {
        (query.failed, query.at_least) = (u64::from(n == 2), 0);
        query.mean_seconds = (n != 2).then_some(0.25);
    }
    step.incomplete = Some("Q03 failed 1 time".into());
    let words = "Q03 failed 1 time; power of the other 21 queries 250 ms";
    assert!(step_line(step).contains(words), "{}", step_line(step));
    let told = full(&folder.run);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains(words), "{told}");
    // Where none failed there are no others.
    let step = folder.run.steps.last_mut().unwrap();
    step.queries[2].failed = 0;
    assert!(!step_line(step).contains("other"), "{}", step_line(step));
}

#[test]
fn a_partial_run_and_a_partial_step_say_so_first() {
    let mut folder = runs::folder(1, 1.0);
    folder.run.partial = Some("interrupted after step 2 of 8".into());
    folder.run.steps[1].partial = Some("interrupted after 12 of 30 s".into());
    let text = full(&folder.run);
    let page = words(&html(&[folder.loaded("run")]));
    for out in [&text, &page] {
        let first_number = out.find("CH2++, 1 warehouse").unwrap();
        for alert in ["partial: interrupted after step 2 of 8", "interrupted after 12 of 30 s"] {
            assert!(out.find(alert).unwrap() < first_number, "{alert}");
        }
        assert!(out.contains("2 tx (partial)"));
    }
    let told = page.strip_prefix("Skip to the numbers ").unwrap();
    assert!(told.contains("scaled down by 20: not a CH2++ result partial: interrupted"), "{told}");
}

#[test]
fn interference_compares_equal_numbers_of_clients() {
    // Spec §7: tpM with queries / tpM without, and power with transactions / power without.
    let mut run = runs::folder(1, 1.0).run;
    let table = tables::interference(&entry(&run));
    assert_eq!(table.rows.len(), 3);
    let tpm = |i: usize, run: &Run| run.steps[i].tpm.unwrap();
    let power = |i: usize, run: &Run| run.steps[i].power_seconds.unwrap();
    for (row, (alone, with)) in [(1, 4), (2, 5), (3, 6)].into_iter().enumerate() {
        assert_eq!(table.rows[row][3], Cell::Number(tpm(with, &run) / tpm(alone, &run)));
    }
    assert_eq!(table.rows[0][6], Cell::Number(power(4, &run) / power(0, &run)));
    assert!(matches!(table.rows[2][6], Cell::Incomplete(_)));

    // A partial step is nothing to compare with.
    run.steps[1].partial = Some("interrupted".into());
    let table = tables::interference(&entry(&run));
    assert!(matches!(table.rows[0][3], Cell::Incomplete(_)));
    // Without any step alone there is no interference.
    run.steps.retain(|s| s.tx_clients > 0 && s.query_clients > 0);
    assert_eq!(tables::interference(&entry(&run)).rows.len(), 0);
}

// ---- one table model
// -------------------------------------------------------------------------------

#[test]
fn terminal_page_and_csv_show_the_same_cells() {
    let on_terminal: [&[&str]; 2] = [
        &["overview", "transactions", "interference", "failures", "query-rates", "audit"],
        &["overview", "throughput", "operations", "waits", "failures"],
    ];
    for (folder, on_terminal) in samples().iter().zip(on_terminal) {
        same_cells(&folder.loaded("run"), on_terminal);
    }
}

fn same_cells(loaded: &Loaded, on_terminal: &[&str]) {
    let made = page(&Report::of(std::slice::from_ref(loaded))).unwrap();
    let (page, tables) = (words(&made.html), made.tables);
    let terminal = full(&loaded.run);
    for id in on_terminal {
        assert!(tables.iter().any(|table| table.id == *id), "{id}");
    }
    for table in tables {
        assert!(!table.rows.is_empty(), "{}", table.id);
        let text = csv(&table);
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        assert_eq!(reader.headers().unwrap().len(), table.columns.len());
        let records: Vec<::csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), table.rows.len(), "{}", table.id);
        // A very long one is made when it is opened.
        let late = made.html.contains(&format!("<div class=\"late\" id=\"{}\"", table.id));
        let on_screen = table.shown();
        for row in on_screen.rows.iter().filter(|_| !late) {
            let cells = row.iter().zip(&on_screen.columns).map(|(cell, c)| cell.show(c.unit));
            let cells: Vec<String> = cells.collect();
            assert!(page.contains(&cells.join(" ")), "{}: {cells:?}", table.id);
        }
        for row in on_screen.rows.iter().filter(|_| on_terminal.contains(&table.id.as_str())) {
            for (cell, column) in row.iter().zip(&on_screen.columns).filter(|(_, c)| !c.wide) {
                for word in cell.show(column.unit).split(' ') {
                    assert!(terminal.contains(word), "{}: {word}", table.id);
                }
            }
        }
        for (record, row) in records.iter().zip(&table.rows) {
            for ((field, cell), column) in record.iter().zip(row).zip(&table.columns) {
                if let (Cell::Number(_), Some(unit)) = (cell, column.unit) {
                    let shown = cell.show(column.unit);
                    assert_eq!(unit.show(field.parse().unwrap()), shown, "{}", table.id);
                }
            }
        }
    }
}

#[test]
fn every_step_query_check_and_setting_is_on_the_page() {
    let folder = runs::folder(1, 1.0);
    let html = html(&[folder.loaded("run")]);
    let page = words(&html);
    let run = &folder.run;
    for step in &run.steps {
        assert!(page.contains(&step.name), "{}", step.name);
        for query in &step.queries {
            assert!(page.contains(&format!("{} {}", step.name, query.kind)));
        }
    }
    for check in &run.checks {
        assert!(page.contains(&format!("{} {} {}", check.when, check.name, check.compares)));
    }
    for line in &run.audit {
        assert!(
            page.contains(&format!("{} {} {} {}", line.name, line.clause, line.seen, line.wanted))
        );
    }
    for key in run.configuration.keys() {
        assert!(page.contains(key.as_str()), "{key}");
    }
    for (key, value) in &run.operational.as_ref().unwrap().settings {
        assert!(page.contains(&format!("{key} {value}")), "{key}");
    }
    assert!(page.contains("constants.nurand.load.c_last 117"));
    assert!(page.contains(
        "hoap run ch2pp --operational sqlite:bench.db --tx-clients 2,4,8 --query-clients 0,1 \
         --duration 30s --out 'runs/first try'"
    ));
    let charts = data(&html);
    assert_eq!(all_of(&marks(&charts["throughput-0"], "words"), "words").len(), run.steps.len());
    assert_eq!(marks(&charts["percentiles-of-0"], "line").len(), 6 * 5);
}

/// 12.86 NewOrders a minute are the most of a warehouse's ten terminals (TPC-C 4.2).
#[test]
fn a_run_with_think_times_says_how_near_it_came_and_which_warehouses_nobody_used() {
    let mut run = runs::folder(1, 1.0).run;
    let told = |run: &Run| {
        let text = full(run);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    run.data["warehouses"] = 10.into();
    let mut step = run.steps[1].clone();
    (step.tx_clients, step.tpm, step.name) = (7, Some(64.3), "7 tx, 0 queries".into());
    run.steps = vec![step];
    assert!(!told(&run).contains("think times"), "it has none");
    run.configuration.insert("think-times".into(), true.into());
    let whole = "think times 7 tx, 0 queries: 6.43 tpM a warehouse, 50 % of the 12.86 that ten \
                 terminals can do";
    let text = told(&run);
    assert!(text.contains(&format!("{whole}; 3 of 10 warehouses have no terminal")), "{text}");
    let driver = |clients: u64| Driver {
        name: "d".into(),
        command: Vec::new(),
        started: run.started.clone(),
        offset_seconds: 0.0,
        seconds: 1.0,
        configuration: BTreeMap::from([("tx-clients".into(), clients.into())]),
        host: run.host.clone(),
        clock: None,
    };
    for (drivers, unused) in
        [(vec![driver(3), driver(3)], true), (vec![driver(3), driver(4)], false)]
    {
        let text = told(&Run { drivers, ..run.clone() });
        assert!(text.contains(whole) && text.contains("no terminal") == unused, "{text}");
    }
    run.configuration.insert("part".into(), "1/2".into());
    assert!(!told(&run).contains("a warehouse"), "one of several drivers knows only its own");
}

#[test]
fn answers_that_held_nothing_are_told_but_of_what_has_nothing_by_design() {
    let mut run = runs::folder(1, 1.0).run;
    let told = |run: &Run| full(run).contains("an answer held nothing");
    assert!(!told(&run));
    run.steps[1].transactions[0].empty = 3;
    assert!(told(&run));
    run.operational.as_mut().unwrap().url = "null:".into();
    assert!(!told(&run));
    let query = &mut run.steps[0].queries[19];
    query.empty = query.count;
    assert!(!told(&run), "the queries are of the same database");
    run.operational.as_mut().unwrap().url = "sqlite:t.db".into();
    run.steps[1].transactions[0].empty = 0;
    run.data["scale_down"] = 20.into();
    assert!(!told(&run), "what queries look for was not loaded");
    run.data["scale_down"] = 1.into();
    assert!(told(&run));
    let page =
        words(&html(&[runs::Folder { run: run.clone(), ..runs::folder(1, 1.0) }.loaded("run")]));
    assert!(page.contains("an answer held nothing: Q20"), "{page}");
}

#[test]
fn the_percentile_curve_of_the_log_equals_the_record() {
    let mut compared = 0;
    let loaded = samples().map(|folder| folder.loaded("run"));
    for (loaded, step) in loaded.iter().flat_map(|l| l.run.steps.iter().map(move |s| (l, s))) {
        for operation in &step.transactions {
            let parts = [("", Some(&operation.latency))]
                .into_iter()
                .chain([(SERVICE, operation.service.as_ref()), (WAIT, operation.wait.as_ref())]);
            for (part, l) in parts.filter_map(|(part, latency)| Some((part, latency?))) {
                let tag = format!("{}{part}", operation.kind);
                let of_tag = |c: &&Curve| c.step == step.number && c.kind == tag;
                let curve = loaded.curves.iter().find(of_tag).unwrap();
                assert_eq!(curve.count, operation.count);
                let recorded = [
                    (0.5, l.p50_us),
                    (0.9, l.p90_us),
                    (0.95, l.p95_us),
                    (0.99, l.p99_us),
                    (0.999, l.p999_us),
                    (1.0, l.max_us),
                ];
                for (quantile, us) in recorded {
                    if let Some((_, seconds)) = curve.points.iter().find(|p| p.0 == quantile) {
                        assert_eq!(*seconds, us as f64 / 1e6, "{tag} {quantile}");
                        compared += 1;
                    }
                }
                assert!(curve.points.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
            }
        }
    }
    assert!(compared > (6 * 5 + 5 * 3 + 2 * 3 * 2) * 5, "{compared}");
}

#[test]
fn the_samples_of_the_measured_windows_add_up_to_the_record() {
    for loaded in samples().map(|folder| folder.loaded("run")) {
        let ticks = &loaded.ticks.all;
        for step in loaded.run.steps.iter().filter(|s| s.tx_clients > 0) {
            for operation in headline_operations(step) {
                let measured = ticks.iter().filter(|t| {
                    (t.step, t.phase.as_str()) == (step.number, "measured")
                        && t.kind == operation.kind
                });
                let (count, failed) =
                    measured.fold((0, 0), |(c, f), t| (c + t.count, f + t.failed));
                assert_eq!(count, operation.count, "{}", operation.kind);
                assert_eq!(failed, operation.failures.values().sum::<u64>());
            }
        }
    }
}

// ---- the page is safe and whole
// --------------------------------------------------------------------

const HOSTILE: &str = "</script><img src=x onerror=alert(1)>&\"'\u{2028}\u{0}\u{202e}<!--]]>";

/// The record with every string in it, keys included, turned hostile.
fn hostile(run: &Run) -> Run {
    fn turn(value: &mut serde_json::Value) {
        // A record that has another word than these is refused.
        let closed =
            |s: &str| ["pass", "fail", "skip"].contains(&s) || s.parse::<RemarkId>().is_ok();
        match value {
            serde_json::Value::String(s) if !closed(s) => s.push_str(HOSTILE),
            serde_json::Value::Array(list) => list.iter_mut().for_each(turn),
            serde_json::Value::Object(map) => map.values_mut().for_each(turn),
            _ => {}
        }
    }
    let mut value = serde_json::to_value(run).unwrap();
    turn(&mut value);
    let mut run: Run = serde_json::from_value(value).unwrap();
    run.configuration.insert(HOSTILE.into(), HOSTILE.into());
    run.data = serde_json::json!({ HOSTILE: HOSTILE });
    run.operational.as_mut().unwrap().settings.insert(HOSTILE.into(), HOSTILE.into());
    for operation in run.steps.iter_mut().flat_map(|s| &mut s.transactions) {
        operation.failures.insert(HOSTILE.into(), 1);
        operation.first_errors.insert(HOSTILE.into(), HOSTILE.into());
    }
    run
}

#[test]
fn no_text_of_a_run_folder_becomes_markup() {
    for folder in samples() {
        stays_text(&folder.loaded("run"));
    }
}

fn stays_text(calm: &Loaded) {
    let mut evil = calm.clone();
    evil.run = hostile(&calm.run);
    evil.name = HOSTILE.into();
    for curve in &mut evil.curves {
        curve.kind.push_str(HOSTILE);
    }
    let page = html(&[evil.clone(), calm.clone()]);
    assert!(!page.contains("<img"), "an element got in");
    assert!(!page.contains("<!--"), "a comment got in");
    let scripts = |page: &str| page.matches("<script").count();
    assert_eq!(scripts(&page), scripts(&html(std::slice::from_ref(calm))));
    assert_eq!(page.matches("</script").count(), scripts(&page));
    assert!(!page.contains(['\u{0}', '\u{2028}', '\u{202e}']));
    // A legend has it as it is, as text.
    assert!(legend(&data(&page)["percentiles-of-0"]).iter().any(|label| label.contains(HOSTILE)));
    let text = full(&evil.run);
    fits(&text);
    assert!(!text.contains(['\u{0}', '\u{202e}', '\u{1b}']));
}

#[test]
fn the_page_is_one_file_that_loads_nothing_and_stays_small() {
    let page = html(&[runs::folder(1, 1.0).loaded("a"), runs::folder(2, 1.1).loaded("a")]);
    let ours = page
        .replace(include_str!("../../assets/vendor/d3.min.js"), "")
        .replace(include_str!("../../assets/vendor/plot.umd.min.js"), "");
    assert!(ours.len() < page.len() - 400_000);
    for load in ["src=\"", "src='", "@import", "url(", "<link", "<iframe", "<object", "<base"] {
        assert!(!ours.contains(load), "{load}");
    }
    for link in page.split("href=\"").skip(1) {
        let own = link.starts_with('#') || link.starts_with("data:text/csv;");
        assert!(own, "{}", &link[..link.len().min(60)]);
    }
    assert!(page.contains("default-src 'none'"));
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert!(page.contains("a (2)"), "two runs of one name are told apart");
}

#[test]
fn every_chart_has_words_and_a_table_and_every_id_is_unique() {
    let [hybrid, plain] = samples().map(|folder| folder.loaded("a"));
    // Failures by kind have a chart of their own, and two runs of one benchmark charts by
    // configuration: power and queries per hour as bars, throughput, two of response times, power,
    // and the queries at each of four shared steps; or throughput and two of response times, each
    // against clients and against rates. Both have two over time.
    charts_are_described(&html(&[hybrid.clone(), hybrid.clone()]), 2 * 8 + 1 + 2 + 4 + 4 + 2);
    charts_are_described(&html(&[plain.clone(), plain.clone()]), 2 * 9 + 1 + 2 * 3 + 2);
    charts_are_described(&html(&[plain, hybrid]), 9 + 1 + 8 + 1);
}

fn charts_are_described(page: &str, charts: usize) {
    let ids: Vec<&str> =
        page.split(" id=\"").skip(1).map(|rest| &rest[..rest.find('"').unwrap()]).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "{ids:?}");
    let figures: Vec<&str> = page.split("<figure id=").skip(1).collect();
    assert_eq!(figures.len(), charts);
    for figure in figures {
        let figure = &figure[..figure.find("</figure>").unwrap()];
        assert!(figure.contains("<figcaption>") && figure.contains("aria-label=\""));
        let table = figure.split("aria-describedby=\"").nth(1).unwrap();
        assert!(ids.contains(&&table[..table.find('"').unwrap()]), "{figure}");
    }
    let mut level = 0;
    for heading in page.split("<h").skip(1).filter_map(|h| h.chars().next()?.to_digit(10)) {
        assert!(heading <= level + 1, "a heading skips a level");
        level = heading;
    }
}

#[test]
fn a_run_of_any_shape_makes_a_page() {
    let whole = runs::folder(1, 1.0).loaded("run");
    let mut shapes = vec![whole.clone(); 5];
    shapes[0].run.steps.clear();
    shapes[0].samples.clear();
    shapes[0].curves.clear();
    shapes[1].run.steps.retain(|s| s.tx_clients == 0);
    shapes[2].run.steps.retain(|s| s.query_clients == 0);
    shapes[3].run.checks.clear();
    shapes[3].run.audit.clear();
    shapes[3].run.load = None;
    shapes[3].run.operational = None;
    shapes[4].run.analytical = shapes[4].run.operational.clone();
    let plain = runs::plain::folder("join", 1, 1.0).loaded("run");
    let mut few = vec![plain.clone(); 3];
    few[0].run.steps.clear();
    few[1].run.steps.truncate(1);
    few[1].run.steps[0].transactions.truncate(1);
    few[2].run.steps.retain(|s| s.rate_shortfall.is_some());
    few[2].run.steps[0].rate_achieved = None;
    few[2].run.steps[0].transactions.clear();
    shapes.extend(few);
    // A hybrid run whose transactions came at a rate.
    let mut open = whole.clone();
    open.run.steps[1].rate_intended = Some(500.0);
    open.run.steps[1].rate_shortfall = Some("no client was free".into());
    assert!(full(&open.run).contains("did not reach its rate"));
    shapes.push(open);
    for shape in &shapes {
        let page = html(&[shape.clone(), whole.clone()]);
        assert!(page.ends_with("</html>\n"));
        html(std::slice::from_ref(shape));
        fits(&full(&shape.run));
    }
    html(&[]);
    let unverified = words(&html(&[shapes[3].clone()]));
    assert!(unverified.contains("nothing here is verified"));
}

// ---- the folder
// ------------------------------------------------------------------------------------

#[test]
fn a_folder_with_files_missing_says_which_and_a_broken_one_is_an_error() {
    let folder = runs::folder(1, 1.0);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("my run");
    folder.write(&path);
    let loaded = Loaded::open(&path).unwrap();
    let run: Run = serde_json::from_str(&serde_json::to_string(&folder.run).unwrap()).unwrap();
    assert_eq!((loaded.name.as_str(), &loaded.run), ("my run", &run));
    assert_eq!(loaded.samples, folder.samples);

    std::fs::remove_file(path.join("samples.csv")).unwrap();
    std::fs::remove_file(path.join("step-03.hlog")).unwrap();
    let remarks = Loaded::open(&path).unwrap().run.remarks;
    let text = "not in the run folder: samples.csv, step-03.hlog";
    assert_eq!(remarks.last().unwrap(), &Remark::new(RemarkId::FilesMissing, text));

    std::fs::write(path.join("step-02.hlog"), "Tag=NewOrder,1,1,1,@@@\n").unwrap();
    let error = Loaded::open(&path).unwrap_err().to_string();
    assert!(error.contains("step-02.hlog"), "{error}");
    std::fs::remove_file(path.join("run.json")).unwrap();
    assert!(Loaded::open(&path).unwrap_err().to_string().contains("run.json"));
}

#[test]
fn vendored_libraries_are_the_files_their_table_names() {
    let table = include_str!("../../assets/vendor/README.md");
    for (name, bytes) in [
        ("d3.min.js", include_bytes!("../../assets/vendor/d3.min.js").as_slice()),
        ("plot.umd.min.js", include_bytes!("../../assets/vendor/plot.umd.min.js").as_slice()),
    ] {
        let sum: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
        let row = table.lines().find(|l| l.contains(&format!("`{name}`"))).unwrap();
        assert!(row.contains(&sum), "{name} {sum}");
        assert!(!String::from_utf8_lossy(bytes).contains("</script"));
    }
}

#[test]
fn verdicts_are_words_and_not_only_colours() {
    let mut run = runs::folder(1, 1.0).run;
    run.checks = [Verdict::Pass, Verdict::Fail, Verdict::Skip]
        .map(|verdict| Check { verdict, ..run.checks[0].clone() })
        .to_vec();
    let table = tables::checks(&entry(&run));
    let shown: Vec<String> = table.rows.iter().map(|row| row[4].show(None)).collect();
    assert_eq!(shown, ["pass", "FAIL", "skip"]);
}

// ---- isolation
// ------------------------------------------------------------------------------------

/// A run whose witness saw a write skew.
fn skewed() -> runs::Folder {
    let attempt =
        |did: Vec<Did>| Attempt { client: 1, from_ns: 5, to_ns: 9, end: End::Committed, did };
    let read = |list| Did::Read(list, vec![1, 2, 3, 4]);
    let edge = |from, to, list| Edge { from, to, why: Why::Misses, list: Some(list) };
    let example = Example {
        transactions: vec![
            attempt(vec![read(7), read(8), Did::Write(7, 50)]),
            attempt(vec![read(7), read(8), Did::Write(8, 60)]),
        ],
        edges: vec![edge(0, 1, 8), edge(1, 0, 7)],
        words: vec!["T1 read document 8 without T2's 60 <b>.".into()],
    };
    let (name, contradicts) = ("write skew (G2-item)".to_owned(), Level::Serializable);
    let mut folder = runs::folder(1, 1.0);
    folder.run.witness = Some(Witness {
        committed: 1234,
        rolled_back: 56,
        unknown: 1,
        reads: 4000,
        writes: 2000,
        promised: Some(Level::Snapshot),
        found: Some(Level::Snapshot),
        anomalies: vec![Anomaly { name, contradicts, count: 2, example }],
    });
    folder
}

#[test]
fn isolation_is_told_and_drawn() {
    let folder = skewed();
    let summary = full(&folder.run);
    fits(&summary);
    for words in
        ["Isolation of the transactions", "snapshot isolation", "kept", "1,234", "write skew"]
    {
        assert!(summary.contains(words), "no {words:?} in {summary}");
    }
    let page = html(&[folder.loaded("run")]);
    assert!(
        page.contains("T1 read document 8 without T2&#39;s 60 &lt;b&gt;.")
            && !page.contains("60 <b>")
    );
    assert_eq!(page.matches("<svg class=\"example\"").count(), 1);
    assert_eq!(page.matches("<rect class=\"reads\"").count(), 4);
    assert_eq!(page.matches("<rect class=\"writes\"").count(), 2);
    assert_eq!(page.matches("<path class=\"rw\"").count(), 2, "an arrow each");
    assert!(page.contains("read 7: [… 2 3 4]") && page.contains("write 8: +60"));
    // A promise that was broken, and none.
    let mut broken = skewed();
    let witness = broken.run.witness.as_mut().unwrap();
    witness.promised = Some(Level::Serializable);
    assert!(full(&broken.run).contains("BROKEN"));
    let witness = broken.run.witness.as_mut().unwrap();
    (witness.promised, witness.found) = (None, None);
    assert!(full(&broken.run).contains("not even read uncommitted"));
    assert!(!html(&[runs::folder(1, 1.0).loaded("run")]).contains("witness-section"));
}

/// A folder from elsewhere may say anything.
#[test]
fn an_example_that_makes_no_sense_is_drawn_as_far_as_it_does() {
    let mut folder = skewed();
    let example = &mut folder.run.witness.as_mut().unwrap().anomalies[0].example;
    example.edges.push(Edge { from: 0, to: 99, why: Why::Later, list: None });
    example.edges.push(Edge { from: 0, to: 1, why: Why::Overwrites, list: None });
    example.transactions[1].did.clear();
    let many = vec![example.transactions[0].clone(); 1000];
    example.transactions.extend(many);
    example.transactions[0].did = vec![Did::Read(1, vec![u32::MAX; 9]); 1000];
    let page = html(&[folder.loaded("run")]);
    let boxes = page.matches("<rect class=").count();
    assert!((16..=300).contains(&boxes), "{boxes}");
    fits(&full(&folder.run));
}
