//! The steps of a run.

use std::time::Duration;

use hoap_drive::{End, StepPlan};
use hoap_workload::ch2::mix::Kind;

use super::faults;
use crate::args::RunHybrid;
use crate::failure::Failure;

/// Measured time of a step where nothing else decides it.
pub const DURATION: Duration = Duration::from_secs(60);

/// Numbers of transaction and query clients of each step, in the order they run.
///
/// The queries run alone first: their power without transactions is what isolation compares with. With
/// `--loops` the time they take is how long the steps without queries last (CH2 paper 5.3). Without, they
/// run alone where the transactions do too, for whom 0 is among the query clients.
pub fn steps(args: &RunHybrid) -> Result<Vec<(usize, usize)>, Failure> {
    let mut steps = Vec::new();
    let mut add = |step| {
        if step != (0, 0) && !steps.contains(&step) {
            steps.push(step);
        }
    };
    if args.loops.is_some() || args.query_clients.contains(&0) {
        args.query_clients.iter().for_each(|&q| add((0, q)));
    }
    for &q in &args.query_clients {
        args.tx_clients.iter().for_each(|&tx| add((tx, q)));
    }
    if steps.is_empty() {
        return Err(Failure::usage(
            "plan the run: it has no client; give --tx-clients or --query-clients a number above 0",
        ));
    }
    Ok(steps)
}

/// One step. `alone` is how long the measured loops of the queries took without transactions.
pub fn step(
    args: &RunHybrid,
    number: usize,
    (tx, queries): (usize, usize),
    alone: Option<f64>,
) -> StepPlan {
    let end = match args.loops {
        Some(measured) if queries > 0 => {
            End::Loops { warmup: args.warmup_loops as usize, measured: measured as usize }
        }
        _ => {
            let alone = alone.map(|s| Duration::from_secs(s.ceil() as u64));
            End::After(args.duration.map(|t| t.0).or(alone).unwrap_or(DURATION))
        }
    };
    let mut plan = StepPlan::new(number, tx, queries, end);
    // Queries alone warm up by their loops; there is nothing else to warm up.
    let by_loops = tx == 0 && matches!(plan.end, End::Loops { .. });
    plan.warmup = if by_loops { Duration::ZERO } else { args.warmup.0 };
    plan.headline = Some(Kind::NewOrder as usize);
    faults::apply(&args.faults, &mut plan);
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command, RunBenchmark};
    use clap::Parser;

    fn run(words: &[&str]) -> RunHybrid {
        let start = ["hoap", "run", "ch2pp", "--operational", "sqlite:x.db"];
        match Cli::try_parse_from(start.iter().chain(words)).unwrap().command {
            Command::Run { benchmark: RunBenchmark::Ch2pp(run), .. } => run,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_number_runs_with_every_number() {
        let args = run(&["--tx-clients", "4,8", "--query-clients", "0,1", "--duration", "9s"]);
        assert_eq!(steps(&args).unwrap(), [(0, 1), (4, 0), (8, 0), (4, 1), (8, 1)]);
        for clients in [(0, 1), (4, 1)] {
            let plan = step(&args, 1, clients, None);
            assert_eq!(plan.end, End::After(Duration::from_secs(9)));
            assert_eq!(plan.warmup, Duration::from_secs(5));
        }
    }

    #[test]
    fn nothing_runs_alone_that_is_compared_with_nothing() {
        let steps = |words: &[&str]| steps(&run(words)).unwrap();
        assert_eq!(steps(&["--query-clients", "1,2"]), [(4, 1), (4, 2)]);
        assert_eq!(steps(&["--query-clients", "0"]), [(4, 0)]);
        assert_eq!(steps(&["--tx-clients", "0,4"]), [(0, 1), (4, 0), (4, 1)]);
    }

    /// CH2 paper 5.3.
    #[test]
    fn with_loops_the_queries_run_alone_first_and_set_the_time_of_the_rest() {
        let args = run(&["--tx-clients", "4", "--query-clients", "0,1", "--loops", "2"]);
        assert_eq!(steps(&args).unwrap(), [(0, 1), (4, 0), (4, 1)]);
        assert_eq!(step(&args, 1, (0, 1), None).end, End::Loops { warmup: 1, measured: 2 });
        assert_eq!(step(&args, 1, (0, 1), None).warmup, Duration::ZERO);
        let without = step(&args, 2, (4, 0), Some(12.3));
        assert_eq!(without.end, End::After(Duration::from_secs(13)));
    }

    #[test]
    fn nothing_to_run_is_a_usage_error() {
        assert!(steps(&run(&["--tx-clients", "0", "--query-clients", "0"])).is_err());
    }
}
