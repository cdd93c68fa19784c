//! The highest rate at which bounds on the response times hold.
//!
//! Doubles or halves the rate until one holds and a higher one does not, then goes to the geometric mean
//! of the two until they are close. Every probe is a step of its own, and all of them are the evidence.
//!
//! * [`Effort`]: how long a probe lasts, so that its percentiles rest on enough operations.
//! * `judge`: what the probes of one rate say together, with their noise.
//!
//! The answer is an interval: the highest rate that held and the lowest that did not. Rates between the
//! two whose probes scatter across a bound are undecided.

mod judge;
#[cfg(test)]
mod tests;

use std::time::Duration;

use hoap_record::Bounds;
use hoap_record::search::{Effort, Probe, Search, Undecided};
use hoap_record::words::counted;
use hoap_record::{Latency, Result, Step};

use judge::{Rate, Verdict, overdispersion};

use crate::pace::FASTEST;

/// The highest rate that held and the lowest that did not are this close at the end, as a ratio, unless
/// rates between them are undecided.
pub const PRECISION: f64 = 1.02;
/// A decided rate and the next undecided one are this close at the end.
const EDGE: f64 = 1.04;
/// A search that would go on below this rate, per second, ends without one.
const SLOWEST: f64 = 0.1;
/// Probes after which a search gives up.
const MOST_PROBES: usize = 60;

/// What a probe at a rate measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProbeResult {
    /// Operations per second that began.
    pub achieved: f64,
    /// Why the rate was not reached or the numbers are not those of the rate: see
    /// [`Step::rate_shortfall`].
    pub shortfall: Option<String>,
    /// Operations that succeeded, and that failed.
    pub succeeded: u64,
    /// See above.
    pub failed: u64,
    /// Response times by kind of operation, of kinds that have any.
    pub kinds: Vec<Timed>,
}

/// Response times of a kind of operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timed {
    /// Kind of operation.
    pub kind: String,
    /// How many operations the response times rest on.
    pub operations: u64,
    /// The response times.
    pub latency: Latency,
}

impl ProbeResult {
    /// What a step at this rate measured.
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

/// Searches for the highest rate that holds the bounds, from `start` on, operations per second.
///
/// `probe` measures a rate for a time; it says `None` where somebody asked for the end. A rate whose
/// probe breaks a bound is probed again; near a bound it is probed until the probes' noise leaves no
/// doubt, or it is undecided. The rate found held, the lowest one above it that did not is at most 2 %
/// higher where no rate between them is undecided.
///
/// Errors: those of `probe`.
pub fn max_rate(
    bounds: Bounds,
    effort: Effort,
    start: f64,
    mut probe: impl FnMut(f64, Duration) -> Result<Option<ProbeResult>>,
) -> Result<Search> {
    let mut hunt = Hunt::new(bounds, effort);
    // A start that is no number begins at one.
    let start = if start > 0.0 && start.is_finite() { start } else { 1.0 };
    let mut next = start.clamp(hunt.floor, FASTEST);
    let unfinished = loop {
        match hunt.decide(next, &mut probe)? {
            Some(verdict) => hunt.keep(next, verdict),
            None if hunt.probes.len() >= MOST_PROBES => {
                break Some(format!("given up after {MOST_PROBES} probes"));
            }
            None => {
                let probes = counted(hunt.probes.len(), "probe", "probes");
                break Some(format!("interrupted after {probes}"));
            }
        }
        match hunt.next() {
            Next::Rate(rate) => next = rate,
            Next::Done => break None,
            Next::Nothing(why) => break Some(why),
        }
    };
    Ok(hunt.finish(unfinished))
}

/// Where a search goes on.
enum Next {
    Rate(f64),
    Done,
    Nothing(String),
}

/// A search that is under way.
struct Hunt {
    bounds: Bounds,
    effort: Effort,
    /// No lower rate can be judged.
    floor: f64,
    probes: Vec<Probe>,
    /// What each rate's probes say, for the noise.
    rates: Vec<Rate>,
    low: Option<f64>,
    high: Option<(f64, String)>,
    undecided: Vec<Undecided>,
    /// How far the next step down goes where nothing has held.
    down: f64,
    /// Operations a second that began in the last probe.
    achieved: f64,
}

impl Hunt {
    fn new(bounds: Bounds, effort: Effort) -> Self {
        let floor = effort.lowest_rate(&bounds).clamp(SLOWEST, FASTEST);
        Hunt {
            bounds,
            effort,
            floor,
            probes: Vec::new(),
            rates: Vec::new(),
            low: None,
            high: None,
            undecided: Vec::new(),
            down: 2.0,
            achieved: 0.0,
        }
    }

    /// Probes a rate until its probes decide. `None`: somebody asked for the end, or there were too many.
    fn decide(
        &mut self,
        rate: f64,
        probe: &mut impl FnMut(f64, Duration) -> Result<Option<ProbeResult>>,
    ) -> Result<Option<Verdict>> {
        let mut time = self.effort.time(&self.bounds, rate);
        self.rates.push(Rate::default());
        loop {
            if self.probes.len() >= MOST_PROBES {
                return Ok(None);
            }
            let Some(result) = probe(rate, time)? else { return Ok(None) };
            self.achieved = result.achieved;
            let (record, seen) = judge::probe(&self.bounds, rate, time, &result);
            let few = record.undecided.is_some();
            self.probes.push(record);
            // What chance left too few for is probed for longer.
            if few && time < self.effort.longest() {
                time = (time * 2).min(self.effort.longest());
                continue;
            }
            let at = self.rates.len() - 1;
            self.rates[at].seen.push(seen);
            let noise = overdispersion(&self.rates);
            if let Some(verdict) = self.rates[at].verdict(&self.bounds, noise) {
                return Ok(Some(verdict));
            }
        }
    }

    fn keep(&mut self, rate: f64, verdict: Verdict) {
        match verdict {
            Verdict::Held => {
                self.low = Some(rate);
                self.undecided.retain(|u| u.rate > rate);
            }
            Verdict::Broken(why) => {
                self.high = Some((rate, why));
                self.undecided.retain(|u| u.rate < rate);
            }
            Verdict::Undecided(why) => {
                let place = self.undecided.partition_point(|u| u.rate < rate);
                self.undecided.insert(place, Undecided { rate, why });
            }
        }
    }

    fn next(&mut self) -> Next {
        let unsure = self.undecided.first().zip(self.undecided.last());
        let unsure = unsure.map(|(first, last)| (first.rate, last.rate));
        let between = |low: f64, high: f64| Next::Rate((low * high).sqrt());
        match (self.low, self.high.as_ref().map(|(rate, _)| *rate), unsure) {
            (Some(low), Some(high), None) if high / low <= PRECISION => Next::Done,
            (Some(low), Some(high), None) => between(low, high),
            (Some(low), Some(high), Some((first, last))) => {
                match (first / low > EDGE, high / last > EDGE) {
                    (true, _) => between(low, first),
                    (false, true) => between(last, high),
                    (false, false) => Next::Done,
                }
            }
            (low, None, unsure) => {
                let highest = unsure.map(|(_, last)| last).or(low).unwrap_or(self.floor);
                if highest >= FASTEST {
                    return Next::Nothing(format!("no rate is higher than {FASTEST:e}"));
                }
                Next::Rate((highest * 2.0).min(FASTEST))
            }
            (None, Some(high), unsure) => {
                let lowest = unsure.map_or(high, |(first, _)| first);
                if lowest <= self.floor {
                    return Next::Nothing(self.nothing());
                }
                // What began in spite of an overload is a good guess of what can be reached.
                let most = lowest / self.down;
                self.down *= self.down;
                let guess = if self.achieved > 0.0 { self.achieved } else { most };
                Next::Rate(guess.clamp(self.floor, most.max(self.floor)))
            }
        }
    }

    /// Why no rate held.
    fn nothing(&self) -> String {
        let floor = (self.floor * 100.0).round() / 100.0;
        let needs = match self.floor > SLOWEST {
            true => {
                let longest = self.effort.longest();
                format!("; at lower rates a probe of {longest:?} has too few operations to judge")
            }
            false => String::new(),
        };
        format!("not even {floor} operations a second hold{needs}")
    }

    fn finish(self, unfinished: Option<String>) -> Search {
        let (below, broken) = self.high.unzip();
        Search {
            noise: judge::scatter(&self.rates),
            bounds: self.bounds,
            rate: self.low,
            below,
            broken,
            undecided: self.undecided,
            effort: Some(self.effort),
            unfinished,
            probes: self.probes,
        }
    }
}
