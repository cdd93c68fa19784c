//! What makes a step the same step in another run.

use std::collections::HashMap;

use hoap_record::{Run, Step};

/// The key of a step within its run.
#[derive(Clone, Debug, PartialEq)]
pub struct StepKey {
    /// Transaction clients, or those of a workload without two sides.
    pub tx_clients: usize,
    /// Query clients.
    pub query_clients: usize,
    /// Open loop: the intended rate and how arrivals are spread.
    pub rate: Option<(f64, String)>,
    /// Of several such steps in a run, which, from 0.
    pub occurrence: usize,
}

impl StepKey {
    /// That of the first such step of a run.
    pub fn first(step: &Step) -> StepKey {
        StepKey {
            tx_clients: step.tx_clients,
            query_clients: step.query_clients,
            rate: step.rate_intended.map(|r| (r, step.arrivals.clone().unwrap_or_default())),
            occurrence: 0,
        }
    }

    /// The name of a step that has this key: "4 clients", of the second such step "4 clients (2)".
    pub fn name(&self, step: &Step) -> String {
        match self.occurrence {
            0 => step.name.clone(),
            n => format!("{} ({})", step.name, n + 1),
        }
    }
}

/// The steps of a run with their keys. The probes of a search are no steps to compare: their rates
/// depend on what was found.
pub fn steps(run: &Run) -> Vec<(StepKey, &Step)> {
    let mut occurrences = HashMap::new();
    let mut key = |step: &Step| {
        let first = StepKey::first(step);
        let bits = first.rate.as_ref().map(|(rate, arrivals)| (rate.to_bits(), arrivals.clone()));
        let before = occurrences.entry((first.tx_clients, first.query_clients, bits)).or_insert(0);
        let occurrence = *before;
        *before += 1;
        StepKey { occurrence, ..first }
    };
    run.planned_steps().iter().map(|step| (key(step), step)).collect()
}
