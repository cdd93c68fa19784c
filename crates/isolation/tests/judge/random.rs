//! Both judges on many small histories.

use std::collections::BTreeMap;

use hoap_data::random::Stream;

use super::simulator::{Fault, simulate};
use super::*;

/// Histories of each store.
const EACH: u32 = 128;

/// What the stores seldom or never make.
const PLANTED: [&str; 7] = [
    "committed r1= w1=1\ncommitted r2= w2=2\ncommitted r1=1 r2=\ncommitted r1= r2=2",
    "committed r1= w1=1\ncommitted r1=1 w1=2\ncommitted r1=2",
    "committed 0-10 r1=1\ncommitted 0-99 r1= w1=1\ncommitted 20-30 r1=",
    "committed r1= r2= w2=1\ncommitted r2= r3= w3=2\ncommitted r3= r1= w1=3",
    "committed r1= w1=1\ncommitted r1=1,1",
    "committed r1= w1=1 r2=4 w2=2\ncommitted r1=1 w1=3 r2= w2=4",
    "committed r1= w1=1\nunknown r1=1 w1=2 r2= w2=3\ncommitted r2=3 r1=",
];

/// A history and a planted one over other lists.
fn with(mut history: Vec<Attempt>, planted: &str) -> Vec<Attempt> {
    let elsewhere = |did: Did| match did {
        Did::Read(list, values) => Did::Read(10 + list, values.iter().map(|v| 1000 + v).collect()),
        Did::Write(list, value) => Did::Write(10 + list, 1000 + value),
        Did::Append(list, value) => Did::Append(10 + list, 1000 + value),
    };
    for attempt in super::history(planted) {
        let did = attempt.did.into_iter().map(elsewhere).collect();
        history.push(Attempt { did, ..attempt });
    }
    history
}

#[test]
fn both_judges_agree_and_every_anomaly_was_met() {
    let mut met: BTreeMap<&str, u32> = BTreeMap::new();
    let mut levels: BTreeMap<Option<Level>, u32> = BTreeMap::new();
    let mut random = Stream::new(7, &[]);
    for fault in Fault::ALL {
        for number in 0..EACH {
            let planted = PLANTED.get(number as usize % 16);
            let most = 2 + random.uniform(0..=if planted.is_some() { 0 } else { 3 }) as u32;
            let history = simulate(&mut random, fault, most);
            let history = planted.map_or(history.clone(), |planted| with(history, planted));
            let witness = judge(&history, None).unwrap();
            let expected = every_order::judge(&history);
            assert_eq!(witness.found, expected, "{fault:?} {number}: {history:#?} {witness:#?}");
            *levels.entry(expected).or_default() += 1;
            for kind in kinds(&witness) {
                *met.entry(kind.name()).or_default() += 1;
            }
        }
    }
    let rare = Kind::ALL.into_iter().filter(|kind| met.get(kind.name()).is_none_or(|n| *n < 5));
    assert_eq!(rare.collect::<Vec<_>>(), [], "{met:#?}");
    assert!(levels.len() == 6 && levels.values().all(|n| *n >= 20), "{levels:?}");
}
