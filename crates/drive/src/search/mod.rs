//! Search for the highest rate at which bounds on the response times hold.
//!
//! The search doubles or halves the rate until one rate holds and a higher one does not. Then it
//! probes the geometric mean of the two until they are close. Every probe is a step of its own, and
//! the record keeps all of them.
//!
//! * [`Effort`]: how long a probe lasts, so that it has enough operations for its percentiles.
//! * `judge`: the verdict on a rate from all its probes and their noise.
//!
//! The result is an interval: the highest rate that held and the lowest that did not. A rate
//! between the two is undecided if its probes scatter across a bound.

mod frontier;
mod judge;
mod result;
#[cfg(test)]
mod tests;

use std::time::Duration;

use hoap_record::search::{Effort, Probe, Search, Undecided};
use hoap_record::words::counted;
use hoap_record::{Bounds, Result};

use crate::plan::FASTEST;
use judge::{RateProbes, Verdict, overdispersion};

pub use frontier::{Clients, frontier};
pub use result::{ProbeResult, Timed};

/// The ratio of the lowest rate that did not hold to the highest that held, at the end of a search
/// without undecided rates between them.
pub const PRECISION: f64 = 1.02;
/// The ratio of a decided rate and the next undecided one at the end of a search.
const EDGE: f64 = 1.04;
/// A search that would continue below this rate, per second, ends without a result.
const SLOWEST: f64 = 0.1;
/// The probes of a rate on average: one far from the bounds, more near them, so that those so far say
/// little about those that follow.
const PROBES_OF_A_RATE: f64 = 2.75;
/// About how many probes a search makes.
pub const ABOUT_PROBES: u32 = 22;
/// The number of probes after which a search gives up.
const MOST_PROBES: usize = 60;

/// Searches for the highest rate that holds the bounds, from `start` on, operations per second.
///
/// `probe` measures a rate for a time, is told about how many probes follow, and returns `None` if the
/// search is interrupted. A rate whose
/// probe breaks a bound is probed again. A rate near a bound is probed until the verdict is certain
/// in spite of noise, or it is undecided. The lowest rate that did not hold is at most 2 % above
/// the rate found, if no rate between them is undecided.
///
/// Errors: those of `probe`.
pub fn max_rate(
    bounds: Bounds,
    effort: Effort,
    start: f64,
    mut probe: impl FnMut(f64, Duration, usize) -> Result<Option<ProbeResult>>,
) -> Result<Search> {
    let mut state = SearchState::new(bounds, effort);
    // A start that is not a positive number is replaced by 1.
    let start = if start > 0.0 && start.is_finite() { start } else { 1.0 };
    let mut next = start.clamp(state.floor, FASTEST);
    let unfinished = loop {
        match state.decide(next, &mut probe)? {
            Some(verdict) => state.apply(next, verdict),
            None if state.probes.len() >= MOST_PROBES => {
                break Some(format!("given up after {MOST_PROBES} probes"));
            }
            None => {
                let probes = counted(state.probes.len(), "probe", "probes");
                break Some(format!("interrupted after {probes}"));
            }
        }
        match state.next() {
            Next::Rate(rate) => next = rate,
            Next::Done => break None,
            Next::Nothing(why) => break Some(why),
        }
    };
    Ok(state.finish(unfinished))
}

/// The next step of a search.
enum Next {
    Rate(f64),
    Done,
    Nothing(String),
}

/// The state of a search.
struct SearchState {
    bounds: Bounds,
    effort: Effort,
    /// The lowest rate that can be judged.
    floor: f64,
    probes: Vec<Probe>,
    /// The probes by rate, for the noise.
    rates: Vec<RateProbes>,
    /// The highest rate that held.
    low: Option<f64>,
    /// The lowest rate that did not hold, and why.
    high: Option<(f64, String)>,
    undecided: Vec<Undecided>,
    /// The factor of the next step down while no rate has held.
    down: f64,
    /// Operations per second that began in the last probe.
    achieved: f64,
}

impl SearchState {
    fn new(bounds: Bounds, effort: Effort) -> Self {
        let floor = effort.lowest_rate(&bounds).clamp(SLOWEST, FASTEST);
        SearchState {
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

    /// Probes a rate until its probes give a verdict. Returns `None` if the search is interrupted
    /// or has made too many probes.
    fn decide(
        &mut self,
        rate: f64,
        probe: &mut impl FnMut(f64, Duration, usize) -> Result<Option<ProbeResult>>,
    ) -> Result<Option<Verdict>> {
        let mut time = self.effort.time(&self.bounds, rate);
        self.rates.push(RateProbes::default());
        loop {
            if self.probes.len() >= MOST_PROBES {
                return Ok(None);
            }
            let Some(result) = probe(rate, time, self.left())? else { return Ok(None) };
            self.achieved = result.achieved;
            let (record, judged) = judge::probe(&self.bounds, rate, time, &result);
            let few = record.undecided.is_some();
            self.probes.push(record);
            // A probe that had too few operations by chance is repeated for longer.
            if few && time < self.effort.longest() {
                time = (time * 2).min(self.effort.longest());
                continue;
            }
            let at = self.rates.len() - 1;
            self.rates[at].probes.push(judged);
            let noise = overdispersion(&self.rates);
            if let Some(verdict) = self.rates[at].verdict(&self.bounds, noise) {
                return Ok(Some(verdict));
            }
        }
    }

    /// About how many probes follow the one that is next.
    fn left(&self) -> usize {
        let between = |ratio: f64| (ratio.ln() / PRECISION.ln()).log2().ceil().max(0.0);
        let rates = match (self.low, &self.high) {
            (Some(low), Some((high, _))) => between(high / low),
            (None, None) => 2.0 + between(2.0),
            // The rate doubles or halves once more.
            _ => 1.0 + between(2.0),
        };
        (rates * PROBES_OF_A_RATE).round() as usize
    }

    /// Applies the verdict on a rate.
    fn apply(&mut self, rate: f64, verdict: Verdict) {
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

    /// Chooses the next rate.
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
                // The rate that an overloaded probe achieved is a good guess.
                let most = lowest / self.down;
                self.down *= self.down;
                let guess = if self.achieved > 0.0 { self.achieved } else { most };
                Next::Rate(guess.clamp(self.floor, most.max(self.floor)))
            }
        }
    }

    /// The reason why no rate held.
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
            effort: self.effort,
            unfinished,
            probes: self.probes,
            drivers: None,
        }
    }
}
