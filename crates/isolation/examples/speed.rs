//! How long the judge takes for a history of about a million operations.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use hoap_data::random::Stream;
use hoap_isolation::judge;
use hoap_record::history::{Attempt, Did, End};

/// Clients that run at the same time.
const CLIENTS: usize = 32;
/// Values of a list before the next one takes its place.
const LONGEST: usize = 48;
/// Lists in use at a time.
const HOT: u32 = 8;

fn main() {
    for (name, lost) in [("serializable", 0.0), ("a lost update in a thousand writes", 0.001)] {
        let history = history(300_000, lost);
        let start = Instant::now();
        let witness = judge(&history, None).expect("a history");
        let (operations, found) = (witness.reads + witness.writes, witness.found);
        let seconds = start.elapsed().as_secs_f64();
        println!("{name}: {operations} operations in {seconds:.2} s, found {found:?}");
        for anomaly in &witness.anomalies {
            println!("  {} × {}", anomaly.name, anomaly.count);
        }
    }
}

/// Transactions that take effect one after the other, but for the updates that are lost, and
/// overlap in time.
fn history(transactions: usize, lost: f64) -> Vec<Attempt> {
    let mut random = Stream::new(1, &[]);
    let mut lists: Vec<(u32, Vec<u32>)> = (0..HOT).map(|list| (list, Vec::new())).collect();
    let (mut next, mut value) = (HOT, 0);
    let mut history = Vec::with_capacity(transactions);
    for number in 0..transactions {
        let mut did = Vec::new();
        let first = random.uniform(0..=i64::from(HOT) - 1) as usize;
        for place in 0..random.uniform(1..=3) as usize {
            let (list, values) = &mut lists[(first + place) % HOT as usize];
            let dropped = values.len() > 1 && random.chance(lost);
            if dropped {
                values.pop();
            }
            did.push(Did::Read(*list, values.clone()));
            if random.chance(0.6) {
                value += 1;
                values.push(value);
                did.push(Did::Write(*list, value));
            }
            if values.len() == LONGEST {
                (*list, *values) = (next, Vec::new());
                next += 1;
            }
        }
        let at = number as u64 * 1000;
        history.push(Attempt {
            client: (number % CLIENTS) as u32,
            from_ns: at,
            to_ns: at + 1000 * CLIENTS as u64 - 1,
            end: End::Committed,
            did,
        });
    }
    history
}
