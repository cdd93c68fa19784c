//! The steps of a run: numbers of clients by rates.

use std::time::Duration;

use hoap_drive::search::Clients;
use hoap_drive::{Arrivals, End, FASTEST, Pace, StepPlan, WarmAt};
use hoap_observe::MetricBound;
use hoap_record::limits::MOST_STEPS;
use hoap_record::{Sla, Time};
use hoap_workload::{Error, ErrorKind, Result};

use crate::flags::{Common, Pacing};
use crate::values::Warmup;

/// Measured time of a step where nothing else decides it.
const DURATION: Duration = Duration::from_secs(60);
/// The warm-up of queries alone where a level is to end that of the others.
const QUERIES_WARMUP: Duration = Duration::from_secs(5);
/// The longest time of a probe where no flag says it, in durations of a step.
const LIMIT: u32 = 10;
/// The most steps that flags make: a search adds up to 60.
const MOST_PLANNED: usize = MOST_STEPS - 100;
/// The shortest interval of the time series: a shorter one would cost the clients time.
const SHORTEST_TICK: Duration = Duration::from_millis(10);

/// What a run does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The steps in the order they run.
    pub steps: Vec<StepPlan>,
    /// Where the loops of the queries alone set how long steps without queries last: they do as long
    /// as those took, rounded up to a multiple of this (CH2 paper 5.3).
    pub loops_set_time: Option<Duration>,
    /// The search that follows the steps.
    pub search: Option<SearchPlan>,
    /// The frontier that takes the place of the steps.
    pub frontier: Option<FrontierPlan>,
    /// What ends the warm-ups of steps that end at [`WarmAt::Word`].
    pub warm_at: Option<MetricBound>,
}

impl Plan {
    /// Whether a step has clients of transactions or operations.
    pub fn has_operations(&self) -> bool {
        self.shapes().any(|step| step.tx_clients > 0)
    }

    /// Whether a step has query clients.
    pub fn has_queries(&self) -> bool {
        self.shapes().any(|step| step.query_clients > 0)
    }

    /// Whether the loops of the queries alone set how long this step lasts.
    pub fn sets_time(&self, step: &StepPlan) -> bool {
        let alone = |step: &StepPlan| step.tx_clients == 0;
        self.loops_set_time.is_some()
            && matches!(step.end, End::After(_))
            && self.steps.iter().any(alone)
    }

    /// Its steps, and the largest that a frontier may have.
    pub fn shapes(&self) -> impl Iterator<Item = &StepPlan> {
        let frontier = self.frontier.iter().flat_map(|f| [&f.transactions, &f.queries, &f.both]);
        self.steps.iter().chain(frontier)
    }
}

/// The steps of a frontier, by the sides that have clients; each with as many as there may be.
#[derive(Clone, Debug)]
pub struct FrontierPlan {
    /// Transactions alone.
    pub transactions: StepPlan,
    /// Queries alone.
    pub queries: StepPlan,
    /// Both.
    pub both: StepPlan,
}

/// A search for the highest rate of operations.
#[derive(Clone, Debug)]
pub struct SearchPlan {
    /// The bounds.
    pub slas: Vec<Sla>,
    /// The shortest measured time of a probe.
    pub shortest: Duration,
    /// The longest.
    pub longest: Duration,
    /// How the operations are spread over time.
    pub arrivals: Arrivals,
    /// The index of the step whose clients the probes have.
    pub like: usize,
    /// How long a probe waits for a database that cannot be reached.
    pub connect_limit: Duration,
}

/// The loops of the queries by which a step ends.
#[derive(Clone, Copy, Debug)]
pub struct Loops {
    /// Loops before the measured ones.
    pub warmup: usize,
    /// Measured loops.
    pub measured: usize,
    /// Steps without queries last for a multiple of this; not 0.
    pub round_up: Duration,
}

impl Loops {
    /// How long steps without queries last where the queries alone took these seconds.
    pub(crate) fn rounded(seconds: f64, up_to: Duration) -> Duration {
        let unit = up_to.as_secs_f64();
        Duration::try_from_secs_f64((seconds / unit).ceil().max(1.0) * unit)
            .unwrap_or(Duration::MAX)
    }
}

/// The clients of the steps, by the groups that a benchmark has.
#[derive(Clone, Copy, Debug)]
pub enum Groups<'a> {
    /// "clients": they are all alike.
    Clients(&'a [usize]),
    /// "transactions" and "queries".
    TransactionsAndQueries {
        /// Transaction clients; every number runs with every number of query clients.
        transactions: &'a [usize],
        /// Query clients.
        queries: &'a [usize],
        /// Where steps with query clients end by them.
        loops: Option<Loops>,
        /// The kind of transaction whose rate per minute is the headline; without one it is the
        /// rate of all of them, and they are operations.
        headline: Option<usize>,
        /// The numbers of clients that a frontier has at most, in place of those above.
        frontier: Option<Clients>,
    },
}

/// What a workload's own parameters say of its steps, where the flags say nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults {
    /// Operations a second.
    pub rate: Option<f64>,
    /// Operations of a step.
    pub operations: Option<u64>,
    /// Time of a step, or the longest of one that has a number of operations.
    pub duration: Option<Duration>,
}

/// Plans the steps: every number of clients at every rate. The rate is that of the operations:
/// query clients stay in a closed loop.
///
/// The queries run alone first: their power without transactions is what isolation compares with.
/// With loops the time they take is how long the steps without queries last (CH2 paper 5.3).
/// Without, they run alone where the transactions do too, for whom 0 is among the query clients.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where the flags make no steps.
pub fn plan(
    groups: Groups<'_>,
    pacing: &Pacing,
    common: &Common,
    defaults: Defaults,
) -> Result<Plan> {
    let rates: Vec<Option<f64>> = match pacing.rate.as_slice() {
        [] => vec![defaults.rate],
        given => given.iter().copied().map(Some).collect(),
    };
    let frontier = matches!(groups, Groups::TransactionsAndQueries { frontier: Some(_), .. });
    possible(&rates, (pacing, frontier), common, defaults)?;
    let planner = Planner { groups, pacing, common, defaults };
    if let Groups::TransactionsAndQueries { frontier: Some(most), .. } = groups {
        return planner.frontier(most);
    }
    let mut steps = Vec::new();
    match groups {
        Groups::Clients(numbers) => {
            if numbers.contains(&0) {
                return refuse("a step needs a client", "give --clients above 0");
            }
            for &rate in &rates {
                for &clients in numbers {
                    steps.push(planner.step(steps.len() + 1, (clients, 0), rate));
                }
            }
        }
        Groups::TransactionsAndQueries { transactions, queries, loops, .. } => {
            let mut seen = Vec::new();
            let mut add = |clients: (usize, usize), rate: Option<f64>| {
                let step = (clients, rate.filter(|_| clients.0 > 0));
                if clients != (0, 0) && !seen.contains(&step) {
                    steps.push(planner.step(steps.len() + 1, clients, step.1));
                    seen.push(step);
                }
            };
            if loops.is_some() || queries.contains(&0) {
                queries.iter().for_each(|&q| add((0, q), None));
            }
            for &rate in &rates {
                for &q in queries {
                    transactions.iter().for_each(|&tx| add((tx, q), rate));
                }
            }
        }
    }
    if steps.is_empty() {
        let advice = "give --tx-clients or --query-clients a number above 0";
        return refuse("it has no client", advice);
    }
    if steps.len() > MOST_PLANNED {
        let answer = format!("it has {} steps, more than {MOST_PLANNED}", steps.len());
        return refuse(&answer, "make several runs of them");
    }
    let like = steps.iter().rposition(|step| step.tx_clients > 0);
    let of_transactions = pacing.max_rate || !pacing.rate.is_empty() || pacing.operations.is_some();
    if like.is_none() && (of_transactions || !pacing.sla.is_empty()) {
        return refuse(
            "--rate, --max-rate, --sla and --operations are of transactions, and there is no client of these",
            "give --tx-clients a number above 0",
        );
    }
    let search = like.filter(|_| pacing.max_rate).map(|at| planner.search(&steps[at], at));
    let round_up = match groups {
        Groups::TransactionsAndQueries { loops: Some(loops), .. } => Some(loops.round_up),
        _ => None,
    };
    Ok(Plan {
        steps,
        loops_set_time: round_up.filter(|_| pacing.duration.is_none()),
        search: search.transpose()?,
        frontier: None,
        warm_at: planner.bound(),
    })
}

/// Refuses flags that make no steps, whatever the clients are.
fn possible(
    rates: &[Option<f64>],
    (pacing, frontier): (&Pacing, bool),
    common: &Common,
    defaults: Defaults,
) -> Result<()> {
    let is_zero = |time: Option<Time>| time.is_some_and(|time| time.0.is_zero());
    let (open, conduct) = (rates.iter().any(Option::is_some), &common.conduct);
    let (until_level, until_metric) = (
        matches!(pacing.warmup, Warmup::UntilLevel(_)),
        matches!(pacing.warmup, Warmup::UntilMetric(..)),
    );
    // Whether it is so, why that is refused, what to do.
    let refusals = [
        (
            rates.iter().flatten().any(|&rate| !(rate > 0.0 && rate <= FASTEST)),
            "a rate is above 0 and at most 1e9 a second",
            "give --rate another",
        ),
        (
            pacing.arrivals.is_some() && !pacing.max_rate && !open,
            "--arrivals is of an open loop, and no rate is given",
            "give --rate or --max-rate, or leave it out",
        ),
        (is_zero(pacing.duration), "a step needs a time above 0", "give --duration more"),
        (is_zero(pacing.probe_limit), "a probe needs a time above 0", "give --probe-limit more"),
        (
            pacing.max_rate && defaults.rate.is_some(),
            "--max-rate finds the rate, and a property sets one",
            "leave target out",
        ),
        (
            pacing.operations == Some(0),
            "a step needs an operation at least",
            "give --operations more",
        ),
        (
            common.tick.0 < SHORTEST_TICK,
            "an interval of the time series is at least 10ms",
            "give --tick more",
        ),
        (
            until_metric && common.observe.is_empty(),
            "a warm-up until a metric needs a source of it",
            "give --observe a source",
        ),
        (
            until_level && (pacing.max_rate || open),
            "in an open loop the rate decides the throughput, so its level tells nothing of the \
             database",
            "give --warmup a time",
        ),
        (
            (until_level || until_metric) && conduct.part.is_some(),
            "each of several drivers would end its warm-up at another time",
            "give --warmup a time",
        ),
        (
            (pacing.max_rate || frontier) && conduct.part.is_some() && conduct.meet.is_none(),
            "with --max-rate and --frontier each of several drivers would decide by what it alone \
             measured",
            "let them meet (--meet), or run one driver",
        ),
    ];
    match refusals.into_iter().find(|(is_so, ..)| *is_so) {
        Some((_, answer, advice)) => refuse(answer, advice),
        None => Ok(()),
    }
}

fn refuse<T>(answer: &str, advice: &str) -> Result<T> {
    Err(Error::new(ErrorKind::Invalid, "plan the run", answer).advise(advice))
}

struct Planner<'a> {
    groups: Groups<'a>,
    pacing: &'a Pacing,
    common: &'a Common,
    defaults: Defaults,
}

impl Planner<'_> {
    fn bound(&self) -> Option<MetricBound> {
        match &self.pacing.warmup {
            Warmup::UntilMetric(bound, _) => Some(bound.clone()),
            Warmup::For(_) | Warmup::UntilLevel(_) => None,
        }
    }

    fn step(&self, number: usize, clients: (usize, usize), rate: Option<f64>) -> StepPlan {
        let (end, limit) = self.end(clients);
        let mut plan = match self.groups {
            Groups::Clients(_) => StepPlan::plain(number, clients.0, end),
            Groups::TransactionsAndQueries { headline, .. } => StepPlan {
                headline,
                plain: headline.is_none(),
                ..StepPlan::new(number, clients.0, clients.1, end)
            },
        };
        // Queries alone warm up by their loops; there is nothing else to warm up.
        let by_loops = clients.0 == 0 && matches!(end, End::Loops { .. });
        (plan.warmup, plan.warm_at) = match &self.pacing.warmup {
            _ if by_loops => (Duration::ZERO, WarmAt::Time),
            Warmup::For(time) => (time.0, WarmAt::Time),
            // Queries are too few to have a throughput.
            Warmup::UntilLevel(_) if clients.0 == 0 => (QUERIES_WARMUP, WarmAt::Time),
            Warmup::UntilLevel(most) => (most.0, WarmAt::Level),
            Warmup::UntilMetric(_, most) => (most.0, WarmAt::Word),
        };
        plan.limit = limit;
        plan.tick = self.common.tick.0;
        plan.on_error = self.common.faults.on_error;
        // A database that is not there when the run begins is not waited for: it may never have
        // been.
        if number > 1 {
            plan.connect_limit = self.common.faults.recovery_limit.0;
        }
        if let Some(rate) = rate {
            plan.pace = Pace::Open { rate, arrivals: self.pacing.arrivals(self.common) };
        }
        plan
    }

    /// When a step ends, and the longest time of one that has a number of operations.
    ///
    /// A duration that was asked for is the length of the step; one that is a workload's own only
    /// ends a number of operations that takes longer, as YCSB's does.
    fn end(&self, (operations, queries): (usize, usize)) -> (End, Option<Duration>) {
        if let Groups::TransactionsAndQueries { loops: Some(loops), .. } = self.groups
            && queries > 0
        {
            let Loops { warmup, measured, .. } = loops;
            return (End::Loops { warmup, measured }, None);
        }
        let number = self.pacing.operations.or(self.defaults.operations);
        match (self.pacing.duration, number.filter(|_| operations > 0)) {
            (Some(time), _) => (End::After(time.0), None),
            (None, Some(number)) => (End::Operations(number), self.defaults.duration),
            (None, None) => (End::After(self.defaults.duration.unwrap_or(DURATION)), None),
        }
    }

    fn frontier(&self, (transactions, queries): Clients) -> Result<Plan> {
        /// Any number but the first step's, which waits for no database.
        const AGAIN: usize = 2;
        if transactions == 0 || queries == 0 {
            return refuse(
                "a frontier needs clients of both sides",
                "give --frontier both numbers",
            );
        }
        let plan = FrontierPlan {
            transactions: self.step(AGAIN, (transactions, 0), None),
            queries: self.step(AGAIN, (0, queries), None),
            both: self.step(AGAIN, (transactions, queries), None),
        };
        let warm_at = self.bound();
        Ok(Plan {
            steps: vec![],
            loops_set_time: None,
            search: None,
            frontier: Some(plan),
            warm_at,
        })
    }

    /// The search whose probes are like the step at this index.
    fn search(&self, step: &StepPlan, like: usize) -> Result<SearchPlan> {
        let End::After(shortest) = step.end else {
            return refuse("the probes of --max-rate last for a time", "give --duration");
        };
        let limit = self.pacing.probe_limit.map(|limit| limit.0);
        Ok(SearchPlan {
            slas: self.pacing.sla.clone(),
            shortest,
            longest: limit.unwrap_or(shortest.saturating_mul(LIMIT)),
            arrivals: self.pacing.arrivals(self.common),
            like,
            connect_limit: self.common.faults.recovery_limit.0,
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use clap::Args;

    use super::*;
    use crate::flags::tests::parse;

    #[derive(Debug, Args)]
    pub struct Flags {
        #[command(flatten)]
        pub pacing: Pacing,
        #[command(flatten)]
        pub common: Common,
    }

    fn of(groups: Groups<'_>, words: &str) -> Result<Plan> {
        let flags: Flags = parse(words);
        plan(groups, &flags.pacing, &flags.common, Defaults::default())
    }

    fn hybrid<'a>(transactions: &'a [usize], queries: &'a [usize], loops: bool) -> Groups<'a> {
        let round_up = Duration::from_secs(60);
        let loops = loops.then_some(Loops { warmup: 1, measured: 2, round_up });
        let frontier = None;
        Groups::TransactionsAndQueries { transactions, queries, loops, headline: Some(0), frontier }
    }

    fn names(plan: Result<Plan>) -> Vec<String> {
        plan.unwrap().steps.iter().map(StepPlan::name).collect()
    }

    #[test]
    fn every_number_runs_with_every_number() {
        let made = of(hybrid(&[4, 8], &[0, 1], false), "--duration 9s --tick 250ms").unwrap();
        for step in &made.steps {
            assert_eq!(step.tick, Duration::from_millis(250));
            assert_eq!(step.end, End::After(Duration::from_secs(9)));
            assert_eq!(step.warmup, Duration::from_secs(5));
        }
        let all = ["0 tx, 1 query", "4 tx, 0 queries", "8 tx, 0 queries"];
        let all = [&all[..], &["4 tx, 1 query", "8 tx, 1 query"]].concat();
        assert_eq!(names(Ok(made)), all);
    }

    #[test]
    fn nothing_runs_alone_that_is_compared_with_nothing() {
        let steps = |tx: &[usize], q: &[usize]| names(of(hybrid(tx, q, false), ""));
        assert_eq!(steps(&[4], &[1, 2]), ["4 tx, 1 query", "4 tx, 2 queries"]);
        assert_eq!(steps(&[4], &[0]), ["4 tx, 0 queries"]);
        let all = ["0 tx, 1 query", "4 tx, 0 queries", "4 tx, 1 query"];
        assert_eq!(steps(&[0, 4], &[0, 1]), all);
    }

    /// CH2 paper 5.3.
    #[test]
    fn with_loops_the_queries_run_alone_first_and_set_the_time_of_the_rest() {
        let made = of(hybrid(&[4], &[0, 1], true), "").unwrap();
        let loops = End::Loops { warmup: 1, measured: 2 };
        assert_eq!((made.steps[0].end, made.steps[0].warmup), (loops, Duration::ZERO));
        assert_eq!((made.steps[2].end, made.steps[2].warmup), (loops, Duration::from_secs(5)));
        assert_eq!(made.steps[1].end, End::After(DURATION));
        assert_eq!(made.loops_set_time, Some(Duration::from_secs(60)));
        let given = of(hybrid(&[4], &[0], true), "--duration 1s").unwrap();
        assert_eq!(given.loops_set_time, None);
    }

    /// CH2 paper 5.3: "rounded up to the nearest minute".
    #[test]
    fn what_the_queries_alone_took_is_rounded_up_to_whole_units() {
        let minute = Duration::from_secs(60);
        for (seconds, up_to, lasts) in [
            (0.0, minute, 60),
            (59.9, minute, 60),
            (60.0, minute, 60),
            (60.1, minute, 120),
            (3599.0, minute, 3600),
            (12.3, Duration::from_secs(1), 13),
        ] {
            assert_eq!(Loops::rounded(seconds, up_to).as_secs(), lasts, "{seconds} {up_to:?}");
        }
    }

    #[test]
    fn every_number_of_clients_runs_at_every_rate_and_queries_at_none() {
        let rates = "--rate 10,20 --arrivals poisson --run-seed 7";
        let clients = ["1 client, 10/s", "2 clients, 10/s", "1 client, 20/s", "2 clients, 20/s"];
        assert_eq!(names(of(Groups::Clients(&[1, 2]), rates)), clients);
        let made = of(hybrid(&[4], &[0, 1], false), rates).unwrap();
        assert_eq!(made.steps[0].pace, Pace::Closed);
        let arrivals = Arrivals::Poisson { seed: 7 };
        assert_eq!(made.steps[1].pace, Pace::Open { rate: 10.0, arrivals });
        let all = ["0 tx, 1 query", "4 tx, 0 queries, 10/s", "4 tx, 1 query, 10/s"];
        let all = [&all[..], &["4 tx, 0 queries, 20/s", "4 tx, 1 query, 20/s"]].concat();
        assert_eq!(names(Ok(made)), all);
    }

    #[test]
    fn operations_are_of_transactions_and_queries_alone_last_for_a_time() {
        let made = of(hybrid(&[4], &[0, 1], false), "--operations 50").unwrap();
        let ends: Vec<_> = made.steps.iter().map(|step| step.end).collect();
        assert_eq!(ends, [End::After(DURATION), End::Operations(50), End::Operations(50)]);
    }

    #[test]
    fn a_search_has_the_clients_of_the_last_step_that_has_transactions() {
        let words = "--max-rate --sla p99=10ms --duration 2s";
        let made = of(hybrid(&[4, 0], &[1], false), words).unwrap();
        let search = made.search.unwrap();
        assert_eq!(made.steps[search.like].tx_clients, 4);
        let times = (search.shortest, search.longest);
        assert_eq!(times, (Duration::from_secs(2), Duration::from_secs(20)));
        assert!(of(hybrid(&[4], &[0, 1], false), "").unwrap().search.is_none());
    }

    /// A database that restarts between two steps of a frontier is waited for, as between all
    /// others.
    #[test]
    fn every_step_of_a_frontier_waits_for_a_database_that_was_there() {
        let groups = Groups::TransactionsAndQueries {
            transactions: &[],
            queries: &[],
            loops: None,
            headline: Some(0),
            frontier: Some((4, 2)),
        };
        let made = of(groups, "--recovery-limit 9s").unwrap();
        let limits: Vec<_> = made.shapes().map(|step| step.connect_limit.as_secs()).collect();
        assert_eq!(limits, [9, 9, 9]);
    }

    #[test]
    fn what_makes_no_steps_is_a_usage_error() {
        let hybrid = |tx, q| hybrid(tx, q, false);
        for (groups, words, says) in [
            (hybrid(&[0], &[0]), "", "no client"),
            (Groups::Clients(&[0]), "", "needs a client"),
            (Groups::Clients(&[1]), "--arrivals constant", "no rate"),
            (hybrid(&[4], &[0]), "--duration 0s", "a time above 0"),
            (Groups::Clients(&[1]), "--operations 0", "an operation at least"),
            (hybrid(&[4], &[0]), "--tick 9ms", "at least 10ms"),
            (
                Groups::Clients(&[1]),
                "--max-rate --sla p99=1s --part 1/2 --start-at 2100-01-01T00:00:00Z",
                "--meet",
            ),
            (hybrid(&[0], &[1]), "--rate 5", "--tx-clients"),
            (hybrid(&[0], &[1]), "--operations 5", "--tx-clients"),
            (hybrid(&[0], &[1]), "--sla p99=1s", "--tx-clients"),
            (hybrid(&[0], &[1]), "--max-rate --sla p99=1s", "--tx-clients"),
        ] {
            let e = of(groups, words).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid);
            assert!(e.to_string().contains(says), "{words}: {e}");
        }
        let flags: Flags = parse("--max-rate --sla p99=1s");
        let operations = Defaults { operations: Some(9), ..Defaults::default() };
        let e = plan(Groups::Clients(&[1]), &flags.pacing, &flags.common, operations).unwrap_err();
        assert!(e.to_string().contains("give --duration"), "{e}");
    }
}
