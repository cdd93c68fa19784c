//! What a probe at a rate measured.

use hoap_record::{Latency, Step};

/// What a probe at a rate measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProbeResult {
    /// Operations per second that began.
    pub achieved: f64,
    /// Why the numbers are not those of the rate: see [`Step::rate_shortfall`].
    pub shortfall: Option<String>,
    /// Operations that succeeded.
    pub succeeded: u64,
    /// Operations that failed.
    pub failed: u64,
    /// Response times of each kind of operation that has any.
    pub kinds: Vec<Timed>,
}

/// Response times of a kind of operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timed {
    /// Kind of operation.
    pub kind: String,
    /// The number of operations that the response times are of.
    pub operations: u64,
    /// The response times.
    pub latency: Latency,
}

impl ProbeResult {
    /// The result of a step that ran at a rate.
    pub fn of(step: &Step) -> Self {
        let lines = || step.transactions.iter();
        let unmeasured = || Some("the step ended before its rate was measured".to_string());
        ProbeResult {
            achieved: step.rate_achieved.unwrap_or(0.0),
            shortfall: match step.rate_achieved {
                Some(_) => step.rate_shortfall.clone(),
                None => unmeasured(),
            },
            succeeded: lines().map(|line| line.count).sum(),
            failed: lines().flat_map(|line| line.failures.values()).sum(),
            kinds: lines()
                .map(|line| Timed {
                    kind: line.kind.clone(),
                    operations: line.timed,
                    latency: line.latency.clone(),
                })
                .filter(|timed| timed.operations > 0)
                .collect(),
        }
    }
}
