//! The judge against anomalies from the literature, and against a judge that tries every order.

mod every_order;
mod known;
mod random;
mod simulator;

use hoap_isolation::judge;
use hoap_isolation::kind::Kind;
use hoap_record::history::{Attempt, Did, End};
use hoap_record::witness::{Level, Witness};

/// A history in short: an attempt a line, `committed`, `rolled-back` or `unknown`, then if it
/// matters its time, as in `5-9`, then what it did: `r1=2,3` read list 1 and found 2 and 3,
/// `w1=4` replaced it with 4 at the end, `a1=4` had 4 appended.
fn history(text: &str) -> Vec<Attempt> {
    let mut all = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut attempt = Attempt {
            client: all.len() as u32,
            from_ns: 0,
            to_ns: 1000,
            end: End::Committed,
            did: Vec::new(),
        };
        for word in line.split_whitespace() {
            let number = |text: &str| text.parse::<u32>().unwrap();
            match (word, word.split_once('='), word.split_once('-')) {
                ("committed", ..) => attempt.end = End::Committed,
                ("rolled-back", ..) => attempt.end = End::RolledBack,
                ("unknown", ..) => attempt.end = End::Unknown,
                (_, Some((of, values)), _) => {
                    let (what, list) = of.split_at(1);
                    let values = values.split(',').filter(|v| !v.is_empty()).map(number);
                    let values: Vec<u32> = values.collect();
                    attempt.did.push(match what {
                        "r" => Did::Read(number(list), values),
                        "w" => Did::Write(number(list), values[0]),
                        "a" => Did::Append(number(list), values[0]),
                        _ => panic!("{word}"),
                    });
                }
                (_, None, Some((from, to))) => {
                    attempt.from_ns = from.parse().unwrap();
                    attempt.to_ns = to.parse().unwrap();
                }
                _ => panic!("{word}"),
            }
        }
        all.push(attempt);
    }
    all
}

fn judged(text: &str) -> Witness {
    judge(&history(text), None).unwrap()
}

/// The names of what a history shows.
fn kinds(witness: &Witness) -> Vec<Kind> {
    let named = |name: &str| Kind::ALL.into_iter().find(|kind| kind.name() == name).unwrap();
    witness.anomalies.iter().map(|anomaly| named(&anomaly.name)).collect()
}

#[track_caller]
fn shows(text: &str, expected: &[Kind], level: Option<Level>) -> Witness {
    let witness = judged(text);
    assert_eq!((kinds(&witness), witness.found), (expected.to_vec(), level), "{witness:#?}");
    witness
}

/// All orders of these.
fn permutations(of: &[usize]) -> Vec<Vec<usize>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, first) in of.iter().enumerate() {
        let rest = [&of[..at], &of[at + 1..]].concat();
        all.extend(permutations(&rest).into_iter().map(|rest| [&[*first], &rest[..]].concat()));
    }
    all
}
