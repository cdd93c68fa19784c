//! A run of which a check failed has no number: nowhere.

use std::path::Path;

use hoap_record::ErrorKind;
use hoap_record::{Bound, Check, Remark, RemarkId, Verdict};
use hoap_report::compare::{Comparison, Question, Side, document, plain};
use hoap_report::prices::{PriceList, Priced};
use hoap_report::{Loaded, Page, Report, html, page, published};
use hoap_testing::runs;
use hoap_testing::runs::read::{data, legend, words};

use crate::read::{ReadBack, full};

const CHECK: &str = "check \"nothing lost: Payment\" failed";

fn good(n: u32) -> Loaded {
    runs::folder(u64::from(n), f64::from(n)).loaded(&format!("good {n}"))
}

fn bad() -> Loaded {
    runs::folder(9, 9.0).void().loaded("bad")
}

/// Prices for every configuration.
fn priced(mut report: Report) -> Report {
    let list = "name = 'x'\nsource = 's'\nregion = 'r'\ncurrency = 'EUR'\ndate = '2026'\n\
                [[item]]\nwhat = 'node'\nprice = 2\nunit = 'node'\nper = 'hour'\n";
    for configuration in &mut report.configurations {
        configuration.nodes = Some(3);
        configuration.priced = Some(Priced {
            list: PriceList::parse(list).unwrap(),
            file: "mine.toml".into(),
            nodes: Some(3),
            quantities: Default::default(),
        });
    }
    report
}

fn rows(page: &Page, id: &str) -> Vec<String> {
    let table = page.tables.iter().find(|table| table.id == id);
    let rows = table.map(|table| &table.rows[..]).unwrap_or_default();
    rows.iter().map(|row| row[0].show(None)).collect()
}

/// The key figures: label, value and note of each as HTML.
fn figures(html: &str) -> Vec<[&str; 3]> {
    let list = &html[html.find("<dl class=\"figures\">").unwrap()..html.find("</dl>").unwrap()];
    list.split("<dt>")
        .skip(1)
        .map(|figure| {
            let (label, rest) = figure.split_once("</dt><dd class=\"value\">").unwrap();
            let (value, rest) = rest.split_once("</dd>").unwrap();
            let (_, note) = rest.split_once("<dd class=\"note\">").unwrap();
            [label, value, note.split_once("</dd>").unwrap().0]
        })
        .collect()
}

#[test]
fn every_key_figure_of_a_void_run_is_struck_out_beside_the_name_of_the_check() {
    let page = html(&[bad()]);
    let (checks, measured) = figures(&page).split_last().map(|(l, r)| (*l, r.to_vec())).unwrap();
    assert_eq!(measured.len(), 5);
    for [label, value, note] in measured {
        assert!(label.ends_with(" <strong>VOID</strong>"), "{label}");
        assert!(value.starts_with("<s>") && value.ends_with("</s>"), "{value}");
        assert!(
            note.starts_with("<strong>check &quot;nothing lost: Payment&quot; failed</strong>"),
            "{note}"
        );
        let after = note.split_once("</strong>").unwrap().1.trim();
        assert!(after.starts_with("<s>") && after.ends_with("</s>"), "{note}");
    }
    assert_eq!(checks[..2], ["Checks", "1 failed"]);
    let said = words(&page);
    assert!(
        said.starts_with("Skip to the numbers CH2++ on SQLite, VOID, scaled down by 20 "),
        "{said}"
    );
    assert!(said.contains(&format!(" passed VOID: {CHECK}: {}", runs::FOUND)), "{said}");
    let captions: Vec<&str> = page.split("<figcaption>").skip(1).collect();
    assert!(captions.len() > 5 && captions.iter().all(|c| c.starts_with("VOID: ")), "{captions:?}");

    // Of a run whose checks hold nothing is struck out, whatever its audit says.
    let whole = good(1);
    assert!(whole.run.audit.iter().any(|line| line.verdict == Verdict::Fail));
    let page = html(&[whole]);
    assert!(!page.contains("<s>") && !words(&page).contains("VOID"));
}

#[test]
fn a_void_run_is_in_no_comparison_and_no_average_and_the_page_says_so() {
    let mut report = Report::of(&[good(1), bad(), good(2)]);
    report.configurations.iter_mut().for_each(|c| c.nodes = Some(3));
    let made = page(&report).unwrap();
    for id in [
        "summary-by-configuration",
        "throughput-by-configuration",
        "latency-by-configuration",
        "power-by-configuration",
        "cluster-sizes",
        "failed-shares",
    ] {
        let rows = rows(&made, id);
        assert!(rows.iter().any(|r| r.contains("good 1") || r == "SQLite"), "{id}: {rows:?}");
        assert!(!rows.iter().any(|r| r.contains("bad")), "{id}: {rows:?}");
    }
    assert_eq!(rows(&made, "cluster-sizes").len(), 2);
    let charts = data(&made.html);
    for (name, chart) in charts.as_object().unwrap() {
        assert!(!legend(chart).iter().any(|label| label.contains("bad")), "{name}");
    }
    let compared = &charts["throughput-by-clients"];
    assert_eq!(legend(compared)[..2], ["good 1", "good 2"]);
    // Its own charts have its name, which says what they are.
    let said = words(&made.html);
    assert!(said.contains("bad (VOID): NewOrder transactions per minute (tpM) against"), "{said}");
    let why = format!("Left out, because a void run has no numbers: bad (VOID): {CHECK}");
    assert_eq!(said.matches(&why).count(), 2, "compared and by cluster size: {said}");
    assert!(said.contains(&format!(" bad (VOID): VOID: {CHECK}")), "{said}");

    // Of repetitions the others are averaged.
    let mut report = Report::of(&[good(1)]);
    report.configurations[0].runs.extend([bad(), good(2)]);
    let made = page(&report).unwrap();
    let table = made.tables.iter().find(|t| t.id == "throughput-by-configuration").unwrap();
    let tpm = |run: &Loaded, step: usize| run.run.steps[step].tpm.unwrap();
    let shown: Vec<String> =
        table.rows[0].iter().zip(&table.columns).map(|(c, k)| c.show(k.unit)).collect();
    let mean = (tpm(&good(1), 1) * tpm(&good(2), 1)).sqrt();
    assert_eq!(shown[3..5], ["2".to_string(), hoap_report::number::Unit::Rate("tpM").show(mean)]);
    assert!(words(&made.html).contains("Left out, because a void run has no numbers"));
}

#[test]
fn a_void_run_has_no_price_and_no_published_figure_beside_it() {
    let error = priced(Report::of(&[good(1), bad()])).costs().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Broken);
    let refused = error.to_string();
    assert!(refused.contains("price bad") && refused.contains(CHECK), "{refused}");

    let mut report = priced(Report::of(&[good(1), bad()]));
    report.published = published::choose(None).unwrap();
    let made = page(&report).unwrap();
    assert_eq!(rows(&made, "costs"), ["good 1"]);
    assert!(words(&made.html).contains(&format!(
        "Costs Left out, because a void run has no numbers: bad (VOID): {CHECK}"
    )));
    assert!(!rows(&made, "published").is_empty());

    let mut report = priced(Report::of(&[bad()]));
    report.published = published::choose(None).unwrap();
    let made = page(&report).unwrap();
    for id in ["costs", "cost-lines", "published", "cluster-sizes"] {
        assert!(rows(&made, id).is_empty(), "{id}");
    }
    let said = words(&made.html);
    assert!(said.contains("No published figure stands beside a void run."), "{said}");
    assert!(!said.contains("a month"), "{said}");
}

#[test]
fn a_void_run_on_either_side_refuses_a_comparison_and_breaks_every_bound() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    runs::folder(1, 1.0).write(&at("good"));
    runs::folder(2, 1.0).write(&at("mixed/01"));
    runs::folder(3, 1.0).void().write(&at("mixed/02"));
    let side = |name: &str| Side::open(Path::new(&at(name))).unwrap();
    for (baseline, candidate) in [("good", "mixed"), ("mixed", "good")] {
        let question = |gates: &[&str]| Question {
            gates: gates.iter().map(|gate| gate.parse().unwrap()).collect(),
            relevant: 0.01,
            details: true,
        };
        let compared = |gates: &[&str]| {
            Comparison::new(side(baseline), vec![side(candidate)], question(gates))
        };
        let error = compared(&[]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Broken, "exit code 1");
        let refused = error.to_string();
        assert!(refused.contains("mixed/02") && refused.contains(CHECK), "{refused}");
        let c = compared(&["tpm<-99%:point", "p99>99x"]).unwrap();
        assert!(c.lines.is_empty(), "its numbers are none");
        let text = plain(&document(&c));
        assert!(text.contains("Nothing is compared") && !text.contains("interval"), "{text}");
        for gate in &c.gates {
            let [reason] = &gate.broken[..] else { panic!("{:#?}", gate.broken) };
            assert!(reason.what.ends_with("mixed/02") && reason.why.contains(CHECK), "{reason:?}");
        }
    }
}

#[test]
fn of_several_checks_that_failed_the_first_is_named_and_the_others_are_counted() {
    let mut run = runs::folder(1, 1.0).void().run;
    for check in &mut run.checks[2..5] {
        check.verdict = Verdict::Fail;
    }
    run.checks[2].detail = None;
    let text = full(&run);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let first = format!(
        "! VOID: check \"condition 3\" failed: {}; 3 more checks failed !",
        run.checks[2].compares
    );
    assert!(flat.starts_with("CH2++ on SQLite, VOID, ") && flat.contains(&first), "{text}");
}

/// No check failed, and none passed either: that is no good news.
#[test]
fn skipped_checks_are_counted_as_what_they_are() {
    let checks = |verdicts: &[Verdict]| {
        let mut run = good(1);
        let one = run.run.checks[0].clone();
        run.run.checks = verdicts.iter().map(|&verdict| Check { verdict, ..one.clone() }).collect();
        let page = html(&[run]);
        let last = *figures(&page).last().unwrap();
        last.map(str::to_owned)
    };
    let of = |value: &str, note: &str| ["Checks", value, note].map(str::to_owned);
    assert_eq!(checks(&[Verdict::Skip]), of("none", "nothing was verified"));
    assert_eq!(checks(&[Verdict::Skip, Verdict::Pass]), of("1 pass", "1 skipped"));
    assert_eq!(checks(&[Verdict::Pass; 2]), of("all pass", "2 of 2 passed"));
}

/// A run that broke a bound: its numbers stand, and nowhere without the mark.
#[test]
fn the_numbers_of_a_run_that_broke_a_bound_are_marked_and_stand() {
    const DETAIL: &str = "Payment: all 700 failed in step 2 (2 tx)";
    let broken = |mut folder: runs::Folder| {
        let of_bound = Check {
            name: Bound::Failures.name().into(),
            verdict: Verdict::Fail,
            detail: Some(DETAIL.into()),
            ..folder.run.checks[0].clone()
        };
        folder.run.checks.push(of_bound);
        folder
    };
    let folder = broken(runs::folder(1, 1.0));
    let found = format!("check \"failures\" failed: {DETAIL}");
    let why = format!("FAILED: {found}");
    let text = full(&folder.run);
    assert!(text.starts_with("CH2++ on SQLite, FAILED, "), "{text}");
    assert!(text.contains("tpM") && text.contains(&format!("\n! {why}\n")), "{text}");
    let page_of_one = html(&[folder.loaded("bad")]);
    let (_, measured) = figures(&page_of_one).split_last().map(|(l, r)| (*l, r.to_vec())).unwrap();
    for [label, value, note] in measured {
        assert!(label.ends_with(" <strong>FAILED</strong>") && !value.contains("<s>"), "{label}");
        assert!(note.starts_with("<strong>check &quot;failures&quot; failed</strong> "), "{note}");
    }
    let said = words(&page_of_one);
    assert!(said.starts_with("Skip to the numbers CH2++ on SQLite, FAILED, "), "{said}");
    assert!(said.contains(&why), "{said}");
    let captions: Vec<&str> = page_of_one.split("<figcaption>").skip(1).collect();
    assert!(captions.iter().all(|c| c.starts_with("FAILED: ")), "{captions:?}");

    let report = priced(Report::of(&[good(1), folder.loaded("bad")]));
    let made = page(&report).unwrap();
    let shown = rows(&made, "throughput-by-configuration");
    assert!(shown.iter().any(|row| row.contains("bad")), "{shown:?}");
    assert!(words(&made.html).contains(&format!(" bad (FAILED): {why}")));
    let remark = Remark::new(RemarkId::BoundBroken, found);
    let remarks = report.costs().unwrap().remove(0).remarks;
    assert!(remarks.contains(&remark.clone().of_run("bad (FAILED)")), "{remarks:?}");

    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    runs::folder(1, 1.0).write(&at("good"));
    folder.write(&at("bad"));
    let side = |name: &str| Side::open(&at(name)).unwrap();
    let question = Question { gates: Vec::new(), relevant: 0.01, details: true };
    let compared = Comparison::new(side("good"), vec![side("bad")], question).unwrap();
    assert_eq!(compared.remarks()[0], remark.of_run(at("bad").display().to_string()));

    // That the data is wrong comes first.
    let text = full(&broken(runs::folder(1, 1.0).void()).run);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.starts_with("CH2++ on SQLite, VOID, "), "{text}");
    assert!(text.contains(&format!(" ! VOID: {CHECK}: {}; 1 more check", runs::FOUND)), "{text}");
}
