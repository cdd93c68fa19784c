//! Examples in words.

use hoap_record::history::Attempt;
use hoap_record::witness::{Edge, Example, Why};

use crate::kind::{Dependency, Kind, Seen};

/// The most transactions that an example shows.
const MOST: usize = 16;

/// The transactions of an anomaly, what binds them, and what happened.
pub(crate) fn example(history: &[Attempt], seen: &Seen) -> Example {
    let mut shown: Vec<u32> = Vec::new();
    for transaction in &seen.transactions {
        if !shown.contains(transaction) && shown.len() < MOST {
            shown.push(*transaction);
        }
    }
    let place = |transaction: u32| shown.iter().position(|other| *other == transaction);
    let known = |edge: &Dependency| Some((place(edge.from)?, place(edge.to)?));
    let bound: Vec<(Dependency, (usize, usize))> =
        seen.edges.iter().filter_map(|edge| Some((*edge, known(edge)?))).collect();
    let mut words: Vec<String> =
        bound.iter().map(|(edge, places)| sentence(history, edge, *places)).collect();
    let left_out = seen.edges.len() - bound.len();
    if left_out > 0 {
        words.push(format!("{left_out} more dependencies close the cycle."));
    }
    words.push(conclusion(seen));
    Example {
        transactions: shown.iter().map(|index| history[*index as usize].clone()).collect(),
        edges: bound
            .iter()
            .map(|&(edge, (from, to))| Edge {
                from,
                to,
                why: edge.why,
                list: (edge.why != Why::Later).then_some(edge.of.0),
            })
            .collect(),
        words,
    }
}

fn sentence(history: &[Attempt], edge: &Dependency, (from, to): (usize, usize)) -> String {
    let ((from, to), (list, value)) = ((from + 1, to + 1), edge.of);
    match edge.why {
        Why::Overwrites => {
            format!("T{to} wrote {value} over T{from}'s version of document {list}.")
        }
        Why::Reads => format!("T{to} read T{from}'s {value} in document {list}."),
        Why::Misses => format!("T{from} read document {list} without T{to}'s {value}."),
        Why::Later => {
            let (first, second) = (&history[edge.from as usize], &history[edge.to as usize]);
            let after = second.from_ns.saturating_sub(first.to_ns) as f64 / 1e6;
            format!("T{to} began {after:.3} ms after T{from} had ended.")
        }
    }
}

fn conclusion(seen: &Seen) -> String {
    let (list, value) = seen.value.unwrap_or_default();
    match seen.kind {
        Kind::Unwritten => format!("T1 read {value} in document {list}; nobody wrote it there."),
        Kind::Duplicate => format!("T1 read document {list} with {value} in it twice."),
        Kind::Internal => {
            format!("T1 wrote {value} to document {list} and did not read it there afterwards.")
        }
        Kind::AbortedRead => {
            format!("T1 wrote {value} to document {list} and rolled back; T2 read it there.")
        }
        Kind::IntermediateRead => format!(
            "T2 read document {list} as it was after T1's {value}, which T1 then overwrote."
        ),
        Kind::IncompatibleOrders => match seen.transactions.len() {
            1 => format!("T1 and others saw {value} in document {list} after different values."),
            _ => format!(
                "T1's and T2's versions of document {list} differ before {value}, and neither \
                 continues the other."
            ),
        },
        Kind::LostUpdate => {
            "Both replaced the same version of the document: one write is lost.".into()
        }
        Kind::StaleRead => "T1 read what had been overwritten before it began.".into(),
        Kind::TimeCycle => {
            "So each comes before the next: they took effect in another order than in time.".into()
        }
        _ => "So each comes before the next: they did not run in any order.".into(),
    }
}
