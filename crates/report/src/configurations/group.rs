//! The runs of one benchmark by configuration. Numbers of different benchmarks share no table and
//! no scale.

use hoap_record::words::counted;
use hoap_record::{Latency, Step};

use super::report::Report;
use crate::format::table::Cell;
use crate::run::Loaded;
use crate::run::key::{self, StepKey};
use crate::run::measure::{Axis, Measure, all_failed, headline, headline_operations};
use crate::run::void::{reason, verdicts, void};

/// The runs of one benchmark.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// "ch2pp", "ycsb-a", …
    pub benchmark: &'a str,
    /// "CH2++", "YCSB A", …
    pub title: &'a str,
    /// What it measures.
    pub measure: Measure,
    /// The only kind of transaction that its headline counts.
    pub headline: Option<&'a str>,
    /// Its configurations, in the order of the report, with the runs that have numbers.
    pub members: Vec<Member<'a>>,
    /// Its void runs, which stand in no comparison and no average.
    pub void: Vec<VoidRun<'a>>,
}

/// A run without numbers.
#[derive(Clone, Copy, Debug)]
pub struct VoidRun<'a> {
    /// Its configuration's name.
    pub label: &'a str,
    /// Its number on the page.
    pub number: usize,
    /// The run.
    pub run: &'a Loaded,
}

/// The runs of one configuration that are of the group's benchmark.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// The configuration's name.
    pub label: &'a str,
    /// Names of its databases: "PostgreSQL", "MongoDB + AsterixDB".
    pub system: String,
    /// Nodes of the cluster.
    pub nodes: Option<u32>,
    /// The runs with their numbers on the page.
    pub runs: Vec<(usize, &'a Loaded)>,
}

/// The groups of a report. `runs` are all its runs, by configuration ([`Report::named_runs`]).
pub fn groups<'a>(report: &'a Report, runs: &'a [Loaded]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut numbered = runs.iter().enumerate();
    for configuration in &report.configurations {
        for (number, run) in numbered.by_ref().take(configuration.runs.len()) {
            let (benchmark, measure) = (run.run.benchmark.as_str(), run.measure());
            let at = groups
                .iter()
                .position(|g| (g.benchmark, g.measure) == (benchmark, measure))
                .unwrap_or_else(|| {
                    let (title, headline) = (run.run.title(), headline(&run.run));
                    let (members, void) = (vec![], vec![]);
                    groups.push(Group { benchmark, title, measure, headline, members, void });
                    groups.len() - 1
                });
            if void(&run.run).is_some() {
                groups[at].void.push(VoidRun { label: &configuration.label, number, run });
                continue;
            }
            let members = &mut groups[at].members;
            match members.iter_mut().find(|m| m.label == configuration.label) {
                Some(member) => member.runs.push((number, run)),
                None => members.push(Member {
                    label: &configuration.label,
                    system: system(run),
                    nodes: configuration.nodes,
                    runs: vec![(number, run)],
                }),
            }
        }
    }
    groups
}

fn system(run: &Loaded) -> String {
    let mut names: Vec<&str> = Vec::new();
    for database in [&run.run.operational, &run.run.analytical].into_iter().flatten() {
        if !names.contains(&database.name.as_str()) {
            names.push(&database.name);
        }
    }
    names.join(" + ")
}

impl<'a> Group<'a> {
    /// Whether there is anything to compare or to average.
    pub fn compares(&self) -> bool {
        self.members.len() > 1 || self.members.iter().any(|m| m.runs.len() > 1)
    }

    /// The number of the configuration to which the run of this number on the page belongs, where
    /// several runs are compared; `None` for a void run.
    pub fn member(&self, number: usize) -> Option<usize> {
        let own = |m: &Member<'_>| m.runs.iter().any(|(n, _)| *n == number);
        self.members.iter().position(own).filter(|_| self.compares())
    }

    /// All its runs with their numbers on the page, in that order, the void ones among them.
    pub fn runs(&self) -> Vec<(usize, &'a Loaded)> {
        let members = self.members.iter().flat_map(|m| m.runs.iter().copied());
        let mut runs: Vec<_> = members.chain(self.void.iter().map(|v| (v.number, v.run))).collect();
        runs.sort_by_key(|(number, _)| *number);
        runs
    }

    /// Which runs of these configurations are void and why, a sentence each.
    pub fn left_out(&self, which: impl Fn(&str) -> bool) -> Vec<String> {
        let void = self.void.iter().filter(|v| which(v.label));
        void.filter_map(|v| Some(format!("{}: {}", v.run.name, reason(&v.run.run)?))).collect()
    }

    /// The places of all members, a member after the other, each in the order of its runs.
    pub fn places(&self) -> Vec<Place<'a>> {
        self.members.iter().enumerate().flat_map(|(n, member)| member.places(n)).collect()
    }
}

/// The steps of a configuration's runs that have the same key: repetitions of one measurement.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// Number of the member.
    pub member: usize,
    /// What the steps have in common.
    pub key: StepKey,
    /// Its name: "4 tx, 1 query", "8 clients, 5000/s".
    pub name: String,
    /// The whole steps, one of each run that has it.
    pub steps: Vec<&'a Step>,
    /// Those that are not whole: they enter no number.
    pub partial: Vec<&'a Step>,
}

impl<'a> Member<'a> {
    /// Its places. The steps of a search for the highest rate are not among them: its rates are the
    /// search's and not the user's.
    pub fn places(&self, number: usize) -> Vec<Place<'a>> {
        let mut places: Vec<Place<'a>> = Vec::new();
        let runs = self.runs.iter().filter(|(_, run)| run.run.search.is_none());
        for (key, step) in runs.flat_map(|(_, run)| key::steps(&run.run)) {
            match places.iter_mut().find(|place| place.key == key) {
                Some(place) => place.add(step),
                None => places.push(Place::new(number, key, &[step])),
            }
        }
        places
    }

    /// What the checks of its runs say, and what failed. None but those of bounds failed: a void run is no member's.
    pub fn checks(&self) -> String {
        let checks: Vec<_> = self.runs.iter().flat_map(|(_, run)| &run.run.checks).collect();
        let steps = self.runs.iter().flat_map(|(_, run)| &run.run.steps);
        let failed = match steps.map(all_failed).fold(0, u64::saturating_add) {
            0 => "nothing failed".to_owned(),
            n => format!("{} failed", counted(n, "operation", "operations")),
        };
        match checks.len() {
            0 => format!("none made; {failed}"),
            n => format!("{n}: {}; {failed}", verdicts(checks)),
        }
    }

    /// Documents per second of the load, mean over the runs that know it.
    pub fn load_rate(&self) -> Option<f64> {
        let loads = self.runs.iter().filter_map(|(_, run)| run.run.load.as_ref());
        Spread::geometric(loads.filter(|l| l.seconds > 0.0).map(|l| l.documents as f64 / l.seconds))
            .map(|s| s.mean)
    }

    /// Bytes that the database stored after the load, mean over the runs that know it.
    pub fn stored(&self) -> Option<f64> {
        let loads = self.runs.iter().filter_map(|(_, run)| run.run.load.as_ref()?.stored.as_ref());
        Spread::geometric(loads.map(|stored| stored.bytes as f64)).map(|s| s.mean)
    }

    /// Documents per second of the ingestion, mean over the runs that know it.
    pub fn ingestion_rate(&self) -> Option<f64> {
        let all = self.runs.iter().filter_map(|(_, run)| run.run.ingestion()?.per_second);
        Spread::geometric(all).map(|s| s.mean)
    }

    /// What the configuration sustains, with its throughput: the probes at the rates that its
    /// searches found to hold, and where there is no search the whole steps of the highest
    /// throughput that reached their rate. A search that found none sustains nothing.
    pub fn sustained(&self, measure: Measure) -> Option<(Place<'a>, Spread)> {
        self.sustained_of(measure, |_| true)
    }

    /// The same of the places that count.
    pub fn sustained_of(
        &self,
        measure: Measure,
        counts: impl Fn(&StepKey) -> bool,
    ) -> Option<(Place<'a>, Spread)> {
        let searches: Vec<_> = self
            .runs
            .iter()
            .filter_map(|(_, run)| Some((run.run.search.as_ref()?, &run.run.steps)))
            .collect();
        if searches.is_empty() {
            return self.best_of(measure, counts);
        }
        let mut steps = Vec::new();
        for (search, all) in searches {
            let first = all.len().saturating_sub(search.probes.len());
            steps.extend(search.held().filter_map(|n| all.get(first + n)));
        }
        let step: &Step = *steps.first()?;
        let place = Place::new(0, StepKey::first(step), &steps);
        let value = place.spread(|s| measure.value(s).ok())?;
        Some((place, value))
    }

    /// The closed-loop place of the highest throughput of whole steps, with that throughput.
    pub fn best(&self, measure: Measure) -> Option<(Place<'a>, Spread)> {
        self.best_of(measure, |_| true)
    }

    fn best_of(
        &self,
        measure: Measure,
        counts: impl Fn(&StepKey) -> bool,
    ) -> Option<(Place<'a>, Spread)> {
        let mut best: Option<(Place<'a>, Spread)> = None;
        for place in self.places(0).into_iter().filter(|place| counts(&place.key)) {
            let Some(value) = place.spread(|s| measure.value(s).ok()) else { continue };
            let short = place.steps.iter().any(|s| s.rate_shortfall.is_some());
            if short || place.clients() == 0 {
                continue;
            }
            if best.as_ref().is_none_or(|(_, b)| value.mean > b.mean) {
                best = Some((place, value));
            }
        }
        best
    }

    /// The place with query clients whose power is complete and lowest in transaction clients.
    pub fn power(&self) -> Option<(Place<'a>, Spread)> {
        let places = self.places(0);
        let complete = places.into_iter().filter_map(|p| {
            let power = p.spread(|s| crate::run::interference::power(s).ok())?;
            Some((p, power))
        });
        complete.min_by_key(|(p, _)| (p.query_clients(), p.clients()))
    }
}

impl<'a> Place<'a> {
    /// Of these steps, at least one.
    fn new(member: usize, key: StepKey, steps: &[&'a Step]) -> Place<'a> {
        let name = steps.first().map(|step| key.name(step)).unwrap_or_default();
        let mut place = Place { member, key, name, steps: Vec::new(), partial: Vec::new() };
        steps.iter().for_each(|step| place.add(step));
        place
    }

    fn add(&mut self, step: &'a Step) {
        match step.partial {
            None => self.steps.push(step),
            Some(_) => self.partial.push(step),
        }
    }

    /// Clients of transactions, or of a workload without two sides.
    pub fn clients(&self) -> usize {
        self.key.tx_clients
    }

    /// Clients of queries.
    pub fn query_clients(&self) -> usize {
        self.key.query_clients
    }

    /// Intended operations per second of an open loop.
    pub fn rate(&self) -> Option<f64> {
        Some(self.key.rate.as_ref()?.0)
    }

    /// What it differs in from others.
    pub fn axis(&self) -> Axis {
        if self.key.rate.is_some() { Axis::Rate } else { Axis::Clients }
    }

    /// Where it stands on its axis.
    pub fn x(&self) -> f64 {
        self.rate().unwrap_or(self.clients() as f64)
    }

    /// A value over the whole steps that have it, with its geometric mean.
    pub fn spread(&self, value: impl Fn(&Step) -> Option<f64>) -> Option<Spread> {
        Spread::geometric(self.steps.iter().filter_map(|s| value(s)))
    }

    /// Why a step is not whole.
    fn part(&self) -> Option<String> {
        self.partial.iter().find_map(|s| s.partial.clone())
    }

    /// The mean of a value, or why there is none.
    pub fn cell(&self, value: impl Fn(&Step) -> Result<f64, String>) -> Cell {
        match self.spread(|s| value(s).ok()) {
            Some(spread) => Cell::Number(spread.mean),
            None => match self.steps.iter().find_map(|s| value(s).err()).or_else(|| self.part()) {
                Some(why) => Cell::Incomplete(why),
                None => Cell::Empty,
            },
        }
    }

    /// A number of the response times of this kind of operation, in seconds.
    pub fn latency(&self, kind: &str, of: impl Fn(&Latency) -> f64) -> Option<Spread> {
        self.spread(|s| {
            let times = s.transactions.iter().find(|o| o.kind == kind)?.response()?;
            Some(of(times) / 1e6)
        })
    }

    /// Mean response time of the operations that the headline counts, in seconds.
    pub fn mean_latency(&self) -> Option<Spread> {
        self.spread(|s| {
            let all = || headline_operations(s).filter(|o| o.response().is_some());
            let timed: u64 = all().map(|o| o.timed).sum();
            let sum: f64 = all().map(|o| o.timed as f64 * o.latency.mean_us).sum();
            (timed > 0).then(|| sum / timed as f64 / 1e6)
        })
    }

    /// The share of the operations that the headline counts that failed, 0 to 1.
    pub fn failed(&self) -> Option<Spread> {
        Spread::arithmetic(self.steps.iter().filter_map(|s| {
            let failed = headline_operations(s).fold(0, |n: u64, o| n.saturating_add(o.failed()));
            let ended = headline_operations(s).fold(failed, |n, o| n.saturating_add(o.count));
            (ended > 0).then(|| failed as f64 / ended as f64)
        }))
    }

    /// The longest 99th percentile of the kinds that the headline counts, in seconds.
    pub fn worst_p99(&self) -> Option<Spread> {
        self.spread(|s| {
            let times = headline_operations(s).filter_map(|o| o.response());
            let p99 = times.map(|latency| latency.p99_us).max()?;
            Some(p99 as f64 / 1e6)
        })
    }
}

/// A value over repetitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mean: geometric, as that of `hoap compare`; of shares and ages, which may be 0,
    /// arithmetic.
    pub mean: f64,
    /// Lowest.
    pub low: f64,
    /// Highest.
    pub high: f64,
    /// How many.
    pub count: usize,
}

impl Spread {
    /// With the geometric mean, which is 0 where one value is; `None` where there is no finite
    /// value.
    pub fn geometric(values: impl Iterator<Item = f64>) -> Option<Spread> {
        Spread::of(values, |values| match values {
            [one] => *one,
            _ => (values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64).exp(),
        })
    }

    /// With the arithmetic mean; `None` where there is no finite value.
    pub fn arithmetic(values: impl Iterator<Item = f64>) -> Option<Spread> {
        Spread::of(values, |values| values.iter().sum::<f64>() / values.len() as f64)
    }

    fn of(values: impl Iterator<Item = f64>, mean: fn(&[f64]) -> f64) -> Option<Spread> {
        let values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
        if values.is_empty() {
            return None;
        }
        Some(Spread {
            mean: mean(&values),
            low: values.iter().copied().fold(f64::INFINITY, f64::min),
            high: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            count: values.len(),
        })
    }
}
