//! What the messages keep to, whatever comes: for tests and under `cfg(fuzzing)`.
//! `hoap_testing::fuzz` says what a target is.

use std::time::{Duration, Instant};

use crate::hall::Hall;
use crate::message::{Here, Word};

/// A line each: messages of drivers, which come back and which a [`Hall`] hears one after the
/// other, and answers.
pub fn fleet(input: &[u8]) {
    let now = Instant::now();
    let mut hall = Hall::new(2, Duration::from_secs(60), "0.1.0", now);
    let told = |why: &str| assert!(!why.is_empty() && !why.contains(['\n', '\r']), "{why:?}");
    for (at, line) in input.split(|b| *b == b'\n').enumerate() {
        match Here::read(line) {
            Err(why) => told(&why),
            Ok(here) => {
                let written = serde_json::to_vec(&here).unwrap();
                let again = Here::read(&written).unwrap();
                // Numbers with many digits come back with their last one rounded.
                assert_eq!(again.measured.is_some(), here.measured.is_some());
                let plain = |here: Here| Here { measured: None, ..here };
                assert_eq!(plain(again), plain(here.clone()));
                let word = hall.here(here, now, at as i64);
                word.over.iter().for_each(|why| told(why));
                let written = serde_json::to_vec(&word).unwrap();
                let again = Word::read(&written).unwrap();
                assert_eq!(again.joint.is_some(), word.joint.is_some());
                let plain = |word: &Word| Word { joint: None, ..word.clone() };
                assert_eq!(plain(&again), plain(&word));
                assert!(!(word.done && word.over.is_some()), "both well and not");
                hall.look(now);
                told(&hall.to_string());
            }
        }
        if let Err(why) = Word::read(line) {
            told(&why);
        }
    }
}

#[cfg(test)]
#[test]
fn messages() {
    hoap_testing::fuzz::round("fleet", fleet);
}
