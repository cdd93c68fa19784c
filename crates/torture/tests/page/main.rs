//! The page of campaigns. `./test` leaves the module `on_chromium` out where there is no Chromium.
#![cfg(target_os = "linux")]

mod on_chromium;

use std::path::Path;

use hoap_record::{Remark, RemarkId};
use hoap_report::page::Page;
use hoap_report::table::{Cell, Table};
use hoap_testing::browser::only_its_own_scripts;
use hoap_testing::runs::read::{all_of, data, legend, marks, words};
use hoap_torture::result::{Checked, Verdict};
use hoap_torture::tables::Campaign;
use hoap_torture::{gather, page};

/// The campaigns that the repository has.
fn kept() -> Vec<Campaign> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/faults");
    gather::campaigns([(None, folder)]).unwrap()
}

/// Those of these names, in this order.
fn some(names: &[&str]) -> Vec<Campaign> {
    let all = kept();
    let find = |name: &&str| all.iter().find(|c| c.name == *name).cloned();
    names.iter().map(|name| find(name).unwrap_or_else(|| panic!("no {name}"))).collect()
}

fn table<'a>(page: &'a Page, id: &str) -> &'a Table {
    page.tables.iter().find(|t| t.id == id).unwrap_or_else(|| panic!("no table {id}"))
}

/// The cell of the row that begins with this word, under the heading.
fn cell(table: &Table, row: &str, column: &str) -> Cell {
    let at = table.columns.iter().position(|c| c.title == column);
    let at = at.unwrap_or_else(|| panic!("no column {column}"));
    let of = table.rows.iter().find(|cells| cells[0] == Cell::text(row));
    of.unwrap_or_else(|| panic!("no row {row}"))[at].clone()
}

#[test]
fn the_page_of_many_campaigns_has_every_fault_and_every_number_of_their_files() {
    let campaigns = kept();
    let made = page(&campaigns);
    let faults: u64 = campaigns.iter().map(|c| c.outcome.done()).sum();
    assert!(faults > 1000, "{faults}");
    let all = |id: &str, column: &str| -> f64 {
        let table = table(&made, id);
        let at = table.columns.iter().position(|c| c.title == column).unwrap();
        table.rows.iter().filter_map(|row| row[at].number()).sum()
    };
    assert_eq!(all("kinds", "count"), faults as f64);
    assert_eq!(all("campaigns", "faults"), faults as f64);
    let each = (1..=campaigns.len()).map(|n| table(&made, &format!("faults-{n}")).rows.len());
    assert_eq!(each.sum::<usize>() as u64, faults);
    // The files' own summaries are not read: what is shown comes from the runs.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/faults");
    for (n, campaign) in campaigns.iter().enumerate() {
        let text = std::fs::read(folder.join(format!("{}.json", campaign.name))).unwrap();
        let file: serde_json::Value = serde_json::from_slice(&text).unwrap();
        for kind in file["summary"]["kinds"].as_array().unwrap() {
            let name = kind["kind"].as_str().unwrap();
            let shown = |column| cell(table(&made, &format!("kinds-{}", n + 1)), name, column);
            assert_eq!(shown("count").number(), kind["count"].as_f64());
            assert_eq!(shown("outage p50").number(), kind["outage"]["p50"].as_f64());
            assert_eq!(shown("failed operations").number(), kind["failed"].as_f64());
        }
        for (field, column) in [("acknowledged", "acknowledged"), ("lost", "lost")] {
            if file["summary"]["acknowledged"] != 0 {
                let shown = cell(table(&made, "writes"), &campaign.name, column).number();
                assert_eq!(shown, file["summary"][field].as_f64(), "{}", campaign.name);
            }
        }
    }
    let text = words(&made.html);
    for said in
        ["Losses on purpose found 50 of 50 runs with loss", "False alarms 1", "Losses unnoticed 0"]
    {
        assert!(text.contains(said), "no {said:?}");
    }
    let alarm = |r: &Remark| {
        let text = "postgres-replica-before, run 5: FALSE ALARM";
        r.id == RemarkId::FaultRunBad && r.text.starts_with(text)
    };
    assert!(made.remarks.iter().any(alarm));
    only_its_own_scripts(&made.html);
}

#[test]
fn a_line_ends_below_all_by_the_faults_that_nothing_succeeded_after() {
    let campaigns = some(&["postgres-async"]);
    let made = page(&campaigns);
    let kinds = table(&made, "kinds");
    let number = |column| cell(kinds, "kill", column).number().unwrap();
    let (count, without) = (number("count"), number("no success after"));
    assert!(without > 0.0);
    let charts = data(&made.html);
    let chart = &charts["outages"];
    assert_eq!(legend(chart), ["outage", "recovery", "median and 95th percentile"]);
    let lines = marks(chart, "line");
    assert_eq!(lines.len(), 2);
    let last = all_of(&lines[..1], "points").last().unwrap()[1].as_f64().unwrap();
    assert!((last - (count - without) / count).abs() < 1e-4, "{last}");
    // Who takes durability away wants the losses to be found.
    assert!(made.remarks.is_empty(), "{:?}", made.remarks);
    assert_eq!(cell(table(&made, "writes"), "postgres-async", "found by hoap"), Cell::count(25));
}

#[test]
fn what_ended_badly_and_what_is_not_finished_stands_below_the_key_figures() {
    let mut campaigns = some(&["redis", "sqlite"]);
    campaigns[0].outcome.faults = 999;
    let run = &mut campaigns[1].outcome.runs[3];
    (run.verdict, run.checked) =
        (Verdict::Broken, Checked::Broken("exit code 101: panicked".into()));
    let made = page(&campaigns);
    let done = campaigns[0].outcome.done();
    let bad = "sqlite, run 4: BROKEN: exit code 101: panicked";
    let unfinished = format!("redis: not finished: {done} of 999 faults");
    let told = [(RemarkId::FaultRunBad, bad), (RemarkId::CampaignNotFinished, unfinished.as_str())];
    assert_eq!(made.remarks, told.map(|(id, text)| Remark::new(id, text)));
    let text = words(&made.html);
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    let [title, figures, remark] = ["Campaigns of faults", "Losses unnoticed", bad].map(place);
    assert!(title < figures && figures < remark, "{text}");
    // A loss counts against the promise only where there is one.
    campaigns[0].outcome.durable = false;
    let looked = |campaign: &Campaign| campaign.outcome.summary.acknowledged as f64;
    let sum = hoap_report::number::Unit::Count.show(looked(&campaigns[1]));
    assert!(words(&page(&campaigns).html).contains(&format!("0 of {sum} acknowledged writes")));
}

#[test]
fn no_word_of_a_campaign_becomes_markup() {
    const BAD: &str = "</script><img src=x onerror=alert(1)>\u{202e}\"'&";
    let mut campaigns = some(&["redis"]);
    let outcome = &mut campaigns[0].outcome;
    outcome.title = BAD.into();
    outcome.hoap = BAD.into();
    outcome.started = BAD.into();
    outcome.command = vec![BAD.into()];
    outcome.left_out.insert(BAD.into(), BAD.into());
    outcome.runs[0].benchmark = BAD.into();
    outcome.runs[0].verdict = Verdict::FalseAlarm;
    outcome.runs[0].checked = Checked::Wrong(vec![BAD.into()]);
    outcome.runs[0].faults[0].detail = BAD.into();
    campaigns[0].name = BAD.into();
    for campaigns in [campaigns.clone(), [campaigns, some(&["sqlite"])].concat()] {
        let made = page(&campaigns);
        assert!(!made.html.contains("<img") && !made.html.contains('\u{202e}'));
        assert!(made.html.contains("&lt;img"));
        only_its_own_scripts(&made.html);
    }
}

#[test]
fn a_campaign_without_a_run_and_one_of_the_driver_alone_have_a_page() {
    let mut campaigns = some(&["sqlite"]);
    campaigns[0].outcome.runs.truncate(1);
    campaigns[0].outcome.runs[0].faults.retain(|fault| fault.kind.is_of_driver());
    campaigns[0].outcome.summary = Default::default();
    assert!(page(&campaigns).html.contains("Every fault"));
    campaigns[0].outcome.runs.clear();
    let made = page(&campaigns);
    assert!(made.remarks[0].text.contains("0 of 250 faults"), "{:?}", made.remarks);
    page(&[]);
}
