//! The search for the highest rate: what it found, from its probes, and these from their steps.

use hoap_record::Run;

use crate::finding::Findings;

/// The search of a run.
pub(super) fn held(run: &Run, place: &str, findings: &mut Findings) {
    let Some(search) = &run.search else { return };
    let place = format!("{place}, search");
    let held = search.probes.iter().filter(|probe| probe.holds());
    if let Some(rate) = search.rate
        && !held.clone().any(|probe| probe.rate == rate)
    {
        findings.void(&place, format!("rate is {rate}, and no probe of it held"));
    }
    if let Some(below) = search.below {
        let broke = search.probes.iter().any(|p| p.rate == below && p.broken.is_some());
        if !broke || search.rate.is_some_and(|rate| rate >= below) {
            findings.void(&place, format!("below is {below}, and no probe of it broke above rate"));
        }
    }
    findings.made_again += 2;
    // One of several drivers has the probes of all and the steps of its own.
    let Some(first) = run.steps.len().checked_sub(search.probes.len()) else {
        return findings.void(&place, "it has more probes than the run has steps");
    };
    if search.drivers.is_some() {
        return;
    }
    for (n, (probe, step)) in search.probes.iter().zip(&run.steps[first..]).enumerate() {
        let place = format!("{place}, probe {}", n + 1);
        if let Some(rate) = step.rate_intended {
            findings.near(&place, "rate", probe.rate, rate);
        }
        if let Some(achieved) = step.rate_achieved {
            findings.near(&place, "achieved", probe.achieved, achieved);
        }
        for time in &probe.times {
            let operation = step.transactions.iter().find(|o| o.kind == time.kind);
            let Some(operation) = operation else {
                findings.void(&place, format!("its step has no {}", time.kind));
                continue;
            };
            let again = time.percentile.of(&operation.latency);
            let name = format!("{} of {}", time.percentile.name(), time.kind);
            findings.same(&place, &name, time.us, again);
        }
    }
}
