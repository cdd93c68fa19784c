//! Whether the clients of a step are accounted for: by Little's law they are its throughput times
//! its response time.

use hoap_record::{Remark, RemarkId, Step};

/// The share of the clients that may be missing, or too many, without a word.
const OFF: f64 = 0.05;
/// Operations of each client that there must be: those that reach over the ends of the window then
/// make less than a hundredth.
const EACH: u64 = 100;

/// A remark where throughput and response time account for another number of clients than there
/// were. In an open loop and with think times clients wait, and where the database works in this
/// process (`in_process`) an operation is as short as what lies between two: none is told.
pub fn remarks(step: &Step, in_process: bool, think_times: bool) -> Vec<Remark> {
    let told = || {
        let (clients, at_work) = (step.tx_clients as f64, step.clients_at_work()?);
        let done: u64 = step.transactions.iter().map(|operation| operation.count).sum();
        let enough = done >= EACH * step.tx_clients as u64 && step.partial.is_none();
        let off = (at_work / clients - 1.0).abs() > OFF;
        (enough && off).then(|| {
            let why = match at_work < clients {
                true => "the rest of their time went to operations that failed, pauses after these, \
                         or the driver between operations",
                false => "operations that reach over the ends of the window weigh",
            };
            let text = format!(
                "throughput × response time is {at_work:.1} clients, of {clients} (Little's law); {why}"
            );
            Remark::new(RemarkId::ClientsUnaccounted, text)
                .advise("look at the failures and the driver's CPU before reading throughput")
        })
    };
    let told = if in_process || think_times { None } else { told() };
    told.map(|remark| remark.of_step(step.number)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use hoap_record::{Latency, Operation};

    use super::*;

    fn step(clients: usize, per_second: f64, mean_ms: f64) -> Step {
        let count = (per_second * 100.0) as u64;
        let latency = Latency { mean_us: mean_ms * 1000.0, ..Latency::default() };
        let one = Operation { count, per_second, timed: count, latency, ..Operation::default() };
        let transactions = vec![one.clone(), one];
        Step { number: 2, tx_clients: clients, seconds: 100.0, transactions, ..Step::default() }
    }

    /// Two kinds of 100 a second at 20 ms keep four clients busy. CH2 paper, footnote 4: throughput
    /// fell and response times did not.
    #[test]
    fn clients_that_throughput_and_response_time_do_not_account_for_are_told() {
        for (step, in_process, think_times, told) in [
            (step(4, 100.0, 20.0), false, false, None),
            (step(4, 96.0, 20.0), false, false, None),
            (step(4, 90.0, 20.0), false, false, Some("3.6 clients, of 4")),
            (step(4, 90.0, 20.0), true, false, None),
            (step(4, 90.0, 20.0), false, true, None),
            (step(4, 120.0, 20.0), false, false, Some("4.8 clients, of 4")),
            (step(400, 90.0, 20.0), false, false, None),
            (Step { rate_intended: Some(200.0), ..step(4, 90.0, 20.0) }, false, false, None),
            (Step { partial: Some("ended".into()), ..step(4, 90.0, 20.0) }, false, false, None),
        ] {
            let found = remarks(&step, in_process, think_times);
            match told {
                None => assert!(found.is_empty(), "{found:?}"),
                Some(says) => assert!(
                    found[0].text.contains(says) && found[0].steps == [2],
                    "no {says:?} in {found:?}"
                ),
            }
        }
    }
}
