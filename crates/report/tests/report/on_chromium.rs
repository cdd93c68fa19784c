//! Every chart is drawn, nothing is fetched, nothing overflows.

use hoap_report::{Loaded, Report, page, published};
use hoap_testing::browser::whole;
use hoap_testing::runs;

use crate::read::ReadBack;

fn runs() -> Vec<Loaded> {
    vec![
        runs::folder(1, 1.0).ingested().loaded("4Q+4A"),
        runs::folder(2, 1.7).loaded("8Q+4A"),
        runs::plain::folder("ycsb-a", 1, 1.0).loaded("small"),
        runs::plain::folder("ycsb-a", 2, 2.0).loaded("large"),
    ]
}

#[test]
fn every_chart_is_drawn_without_an_error_or_a_request_at_every_width_and_in_the_dark() {
    let mut report = Report::of(&runs());
    report.published = published::choose(None).unwrap();
    for (nodes, configuration) in [4, 8, 3, 6].into_iter().zip(&mut report.configurations) {
        configuration.nodes = Some(nodes);
    }
    let html = page(&report).unwrap().html;
    for (width, dark) in [(1280, false), (768, true), (390, false)] {
        whole(&html, width, dark);
    }
}

#[test]
fn the_page_of_a_void_run_is_whole_alone_and_beside_others() {
    let void = || runs::folder(3, 1.3).void().loaded("void");
    let alone = page(&Report::of(&[void()])).unwrap().html;
    let among = page(&Report::of(&[&runs()[..], &[void()]].concat())).unwrap().html;
    whole(&alone, 1280, true);
    whole(&among, 390, false);
}

/// Where the longest are a hundred times the shortest, the scale has logarithms, and 0 has none.
#[test]
fn times_below_a_microsecond_leave_every_chart_whole() {
    let quick = |n: u32| {
        let mut folder = runs::plain::folder("ycsb-a", u64::from(n), 1.0);
        for operation in folder.run.steps.iter_mut().flat_map(|s| &mut s.transactions) {
            operation.latency.p50_us = 0;
        }
        folder.samples.iter_mut().step_by(3).for_each(|s| s.p99_us = 0);
        folder.loaded(&format!("quick {n}"))
    };
    whole(&page(&Report::of(&[quick(1)])).unwrap().html, 1280, false);
    whole(&page(&Report::of(&[quick(1), quick(2)])).unwrap().html, 1280, false);
}

#[test]
fn a_page_of_twenty_runs_is_whole_too() {
    let runs: Vec<Loaded> = (1..=20u32)
        .map(|n| runs::folder(u64::from(n), 1.0).loaded(&format!("configuration {n}")))
        .collect();
    whole(&page(&Report::of(&runs)).unwrap().html, 1280, false);
}
