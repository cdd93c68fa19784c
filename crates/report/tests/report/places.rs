//! What is averaged, compared and priced: the steps of a configuration that are whole and are
//! repetitions of one measurement.

use hoap_report::compare::{ComparedLine, Comparison, Metric, Question, RELEVANT, Scope, Side};
use hoap_report::prices::{PriceList, Priced};
use hoap_report::{Loaded, Named, Report, csv, page};
use hoap_testing::runs::{self, Folder};

use crate::read::ReadBack;

/// A report of these configurations, each of several runs.
fn report(configurations: &[(&str, &[&Folder])]) -> Report {
    let place = tempfile::tempdir().unwrap();
    let mut named = Vec::new();
    for (label, folders) in configurations {
        for (n, folder) in folders.iter().enumerate() {
            let path = place.path().join(format!("{label}-{n}"));
            folder.write(&path);
            named.push(Named { label: Some((*label).to_owned()), path });
        }
    }
    Report::open(&named).unwrap()
}

/// The tables by configuration as CSV, with the costs of the first one.
fn shown(mut report: Report) -> Vec<(String, String)> {
    let list = "name = 'x'\nsource = 's'\nregion = 'r'\ncurrency = 'EUR'\ndate = '2026'\n\
                [[item]]\nwhat = 'work'\nprice = 1\nunit = 'operations'\nper = 'million'\n";
    report.configurations[0].priced = Some(Priced {
        list: PriceList::parse(list).unwrap(),
        file: "x.toml".into(),
        nodes: Some(1),
        quantities: Default::default(),
    });
    let mut tables: Vec<(String, String)> =
        report.costs().unwrap().iter().map(|of| ("costs".to_owned(), csv(&of.costs))).collect();
    let made = page(&report).unwrap();
    let by = made.tables.iter().filter(|t| t.id.ends_with("-by-configuration"));
    // The summary counts runs.
    tables.extend(by.filter(|t| !t.id.starts_with("summary")).map(|t| (t.id.clone(), csv(t))));
    let failed = made.tables.iter().filter(|t| t.id == "failed-shares");
    tables.extend(failed.map(|t| (t.id.clone(), csv(t))));
    tables
}

/// It stands with its mark where its own run is shown.
#[test]
fn a_step_that_is_not_whole_enters_no_mean_and_no_price() {
    for make in [runs::folder as fn(u64, f64) -> Folder, |seed, speed| {
        runs::plain::folder("ycsb-a", seed, speed)
    }] {
        let (one, other) = (make(1, 1.0), make(3, 0.8));
        let mut cut = make(2, 1.6);
        for step in &mut cut.run.steps {
            step.partial = Some("interrupted 4.0 s into the measured window".into());
        }
        let alone = shown(report(&[("SSD", &[&one]), ("HDD", &[&other])]));
        for both in [[&one, &cut], [&cut, &one]] {
            let beside = shown(report(&[("SSD", &both), ("HDD", &[&other])]));
            assert_eq!(beside, alone);
        }
        assert!(alone.len() >= 4, "{}", alone.len());
        // And two whole ones are averaged.
        let two = shown(report(&[("SSD", &[&one, &make(2, 1.6)]), ("HDD", &[&other])]));
        assert!(
            two.iter().zip(&alone).all(|(two, one)| two.1 != one.1 || one.0 == "failed-shares")
        );
        // Of nothing but such steps there is no number, and the reason.
        let none = shown(report(&[("SSD", &[&cut]), ("HDD", &[&other])]));
        let throughput = none.iter().find(|(id, _)| id == "throughput-by-configuration").unwrap();
        let cut = throughput.1.lines().filter(|line| line.starts_with("SSD"));
        assert!(cut.clone().count() > 2 && cut.clone().all(|line| line.contains("interrupted")));
    }
}

/// Two steps with the same clients, and two with the same rate but other arrivals, are four
/// measurements, in the report as in a comparison.
#[test]
fn what_a_comparison_keeps_apart_a_report_does_not_average() {
    let make = |seed| {
        let mut folder = runs::plain::folder("ycsb-a", seed, 1.0);
        let steps = &mut folder.run.steps;
        // 4, 4; 4 at 2,000 Poisson, 4 at 2,000 constant.
        steps.remove(0);
        let four = steps[1].clone();
        steps[0] = hoap_record::Step { number: steps[0].number, ..four };
        for step in &mut steps[2..] {
            step.rate_intended = Some(2_000.0);
            step.name = "4 clients, 2000/s".into();
        }
        steps[3].arrivals = Some("constant".into());
        folder
    };
    let (a, b) = (make(1), make(2));
    let of = |folder: &Folder, step: usize| -> f64 {
        folder.run.steps[step].transactions.iter().map(|o| o.per_second).sum()
    };
    let made = page(&report(&[("SSD", &[&a, &b]), ("HDD", &[&b])])).unwrap();
    let table = made.tables.iter().find(|t| t.id == "throughput-by-configuration").unwrap();
    let rows: Vec<String> = csv(table).lines().map(String::from).collect();
    assert_eq!(rows.len(), 1 + 4 + 4, "{rows:?}");
    for (step, row) in rows[1..5].iter().enumerate() {
        let mean = (of(&a, step) * of(&b, step)).sqrt();
        let numbers = row.split(',').filter_map(|field| field.parse::<f64>().ok());
        assert!(numbers.into_iter().any(|n| (n / mean - 1.0).abs() < 1e-6), "{row}: {mean}");
    }
    assert!(rows[0].contains("arrivals") && rows[0].contains("step"), "{}", rows[0]);
    assert!(rows[2].contains("4 clients (2)"), "{}", rows[2]);
    assert!(rows[3].contains("poisson") && rows[4].contains("constant"), "{rows:?}");

    let loaded = |folder: &Folder, name: &str| -> Loaded { folder.loaded(name) };
    let side = |name: &str, runs: &[&Loaded]| Side::of(name, runs).unwrap();
    let (a, b) = (loaded(&a, "a"), loaded(&b, "b"));
    let (one, two) = (side("one", &[&a, &b]), side("two", &[&b, &a]));
    let question = Question { gates: Vec::new(), relevant: RELEVANT, details: false };
    let compared = Comparison::new(one, vec![two], question).unwrap();
    let step = |line: &&ComparedLine| matches!(line.place, Scope::Step(_));
    let rates = compared.of(0).filter(step).filter(|line| line.metric == Metric::Ops);
    assert_eq!(rates.count(), 4);
}
