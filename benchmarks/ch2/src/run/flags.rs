//! The flags of `hoap run ch2` and `hoap run ch2pp`.

use std::time::Duration;

use clap::{Args, ValueEnum};
use hoap_conduct::flags::{Common, Pacing, Settings, any_level, settings, together};
use hoap_conduct::plan::{Defaults, Groups, Loops, Plan, plan};
use hoap_conduct::values::{MostClients, Percent, count};
use hoap_databases::url::redact;
use hoap_record::Time;
use hoap_workload::Result;
use hoap_workload::checks::Level;
use serde_json::json;

use super::explain::Kept;
use crate::mix::Kind;
use crate::queries::ParameterSet;
use crate::run::queries::{ParameterArgs, TextArgs};

/// What steps without queries last for a multiple of, if nothing else is said.
const SECOND: Duration = Duration::from_secs(1);

/// The flags.
#[derive(Debug, Args)]
#[command(
    mut_arg("rate", |arg| arg.help(
        "Transactions a second of each step with transaction clients, whatever the database does: an \
         open loop, in which response times count from when a transaction was due; queries stay in a \
         closed loop")),
    mut_arg("arrivals", |arg| arg.help("How the transactions of an open loop are spread over time [default: constant]")),
    mut_arg("max_rate", |arg| arg.help(
        "Look for the highest rate of transactions that holds the bounds of --sla, with the clients of \
         the last step that has transactions")),
    mut_arg("operations", |arg| arg.help(
        "Transactions of a step with transaction clients, instead of a time")),
    mut_arg("duration", |arg| arg.help(
        "Measured time of a step [default: 60s, or with --loops what the queries alone take]")),
)]
#[allow(missing_docs)]
pub struct Flags {
    /// The database of the transactions
    #[arg(long, visible_alias = "target", value_name = "URL")]
    pub operational: String,
    /// The database of the queries, if it is another one
    #[arg(long, value_name = "URL")]
    pub analytical: Option<String>,
    /// Transaction clients of each step
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "4")]
    #[arg(value_parser = count::<usize>)]
    pub tx_clients: Vec<usize>,
    /// Query clients of each step; every number runs with every number of transaction clients, and
    /// where 0 is among them or with --loops also alone
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "0,1")]
    #[arg(value_parser = count::<usize>)]
    pub query_clients: Vec<usize>,
    /// Look for the throughput frontier of transactions and queries: clients of each side alone
    /// double until that gains nothing, then both run in numbers between; N transaction clients and
    /// M query clients at most
    #[arg(long, value_name = "N,M", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "256,32")]
    #[arg(conflicts_with_all = [
        "tx_clients", "query_clients", "rate", "max_rate", "operations", "think_times"
    ])]
    pub frontier: Option<MostClients>,
    #[command(flatten)]
    pub pacing: Pacing,
    /// Steps with query clients end after so many measured loops of the 22 instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(conflicts_with_all = ["operations", "max_rate"])]
    pub loops: Option<u32>,
    /// With --loops: loops of each query client before the measured ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub warmup_loops: u32,
    /// With --loops and without --duration: steps without queries last as long as the queries alone
    /// took, rounded up to a multiple of this, which is 1m in the CH2 paper [default: 1s]
    #[arg(long, value_name = "TIME")]
    pub round_up: Option<Time>,
    /// TPC-C's keying and think times, each client at a home warehouse
    #[arg(long, conflicts_with_all = ["rate", "max_rate"])]
    pub think_times: bool,
    /// Between the transactions run others on small shared documents, and judge what isolation they
    /// show; SHARE of each transaction client's time is theirs
    #[arg(long, value_name = "SHARE", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "2%")]
    pub witness: Option<Percent>,
    /// Leave the documents of --witness in the database
    #[arg(long, requires = "witness")]
    pub keep_witness: bool,
    /// How much of the data is read before and after the run to check it: full; touched (every
    /// warehouse and district, by key what the run's ledger leads to, and a sample); database (as
    /// touched, and the database adds up all documents by its own queries); sample (every warehouse
    /// and district, and a sample) or off [default: full up to 10 warehouses, touched above]
    #[arg(long, value_name = "HOW", value_parser = any_level())]
    pub check: Option<Level>,
    /// How often a transaction begins again after a conflict before it is given up
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub retries: u32,
    /// Measure how old what the queries see is; each transaction that writes then updates a small
    /// document more, so give it to the baseline too [default: on where --analytical names another
    /// database]
    #[arg(long, value_enum, value_name = "WHETHER")]
    pub freshness: Option<Switch>,
    /// Time from one look at the counters of freshness to the next
    #[arg(long, value_name = "TIME", default_value = "100ms")]
    pub freshness_every: Time,
    /// How long the database of the queries may take, before the run and after it, to hold what
    /// that of the transactions holds
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub catch_up_limit: Time,
    #[command(flatten)]
    pub parameters: ParameterArgs,
    #[command(flatten)]
    pub texts: TextArgs,
    /// After all steps and checks, run each query once more with the ref parameters for its plan
    /// and profile, in plans/q01.plan.json … of the run's folder
    #[arg(long, conflicts_with = "part")]
    pub explain: bool,
    /// After all steps and checks, ask each query once more with the parameters of --params and
    /// keep the answers in answers/q01.json … of the run's folder, for hoap answers compare:
    /// answers of two databases are equal where no transactions ran
    #[arg(long, conflicts_with = "part")]
    pub keep_answers: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Whether something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Switch {
    On,
    Off,
}

impl Flags {
    /// Whether `--analytical` names another database than `--operational`.
    pub fn are_two(&self) -> bool {
        self.analytical.as_ref().is_some_and(|url| *url != self.operational)
    }

    /// Whether a run measures freshness: in every step that has transactions, with queries beside
    /// them or without, so that all of them write the same; or in none. A run without transactions
    /// measures nothing.
    ///
    /// The default is on where the databases are two, because only the counters show that the
    /// second one follows the first; off on one, because the benchmark asks for no such write.
    /// Reports refuse to average or judge across the two.
    pub fn freshness_is_measured(&self) -> bool {
        (self.frontier.is_some() || self.tx_clients.iter().any(|&clients| clients > 0))
            && self.freshness.map_or_else(|| self.are_two(), |switch| switch == Switch::On)
    }

    /// What is kept of the queries at the end, and with which parameters.
    pub(super) fn kept(&self) -> Vec<(Kept, ParameterSet)> {
        let plans = self.explain.then_some((Kept::Plans, ParameterSet::Reference));
        let answers = self.keep_answers.then(|| (Kept::Answers, self.parameters.set()));
        plans.into_iter().chain(answers).collect()
    }

    /// The steps.
    pub(super) fn plan(&self) -> Result<Plan> {
        let groups = Groups::TransactionsAndQueries {
            transactions: &self.tx_clients,
            queries: &self.query_clients,
            loops: self.loops.map(|measured| Loops {
                warmup: self.warmup_loops as usize,
                measured: measured as usize,
                round_up: self.round_up.map_or(SECOND, |time| time.0),
            }),
            headline: Some(Kind::NewOrder as usize),
            frontier: self.frontier.map(|most| (most.transactions, most.queries)),
        };
        plan(groups, &self.pacing, &self.common, Defaults::default())
    }

    /// Every flag with the value it has; of freshness whether it is measured, of the checks the
    /// level, where there are any.
    pub(super) fn settings(&self, level: Option<Level>) -> Settings {
        let Flags {
            operational,
            analytical,
            tx_clients,
            query_clients,
            frontier,
            pacing,
            loops,
            warmup_loops,
            round_up,
            think_times,
            witness,
            keep_witness,
            check: _,
            retries,
            freshness: _,
            freshness_every,
            catch_up_limit,
            parameters,
            texts,
            explain,
            keep_answers,
            common,
        } = self;
        let own = json!({
            "operational": redact(operational),
            "analytical": analytical.as_deref().map(redact),
            // The steps of a frontier say how many it had.
            "tx-clients": frontier.is_none().then_some(tx_clients),
            "query-clients": frontier.is_none().then_some(query_clients),
            "frontier": frontier.map(|most| most.to_string()),
            "loops": loops,
            "warmup-loops": warmup_loops,
            "round-up": round_up.map(|time| time.to_string()),
            "think-times": think_times,
            "witness": witness.map(|share| share.0),
            "keep-witness": keep_witness,
            "check": level.map(|level| level.to_string()),
            "retries": retries,
            "freshness": self.freshness_is_measured(),
            "freshness-every": freshness_every.to_string(),
            "catch-up-limit": catch_up_limit.to_string(),
            "explain": explain,
            "keep-answers": keep_answers,
        });
        let queries = [parameters.settings(), texts.settings()];
        together([settings(own), together(queries), pacing.settings(common), common.settings()])
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    /// Flags as a user types them.
    fn parse<F: Args>(words: &str) -> F {
        let command = F::augment_args(clap::Command::new("run").no_binary_name(true));
        F::from_arg_matches(&command.get_matches_from(words.split_whitespace())).unwrap()
    }

    fn recorded(flags: &str) -> Settings {
        parse::<Flags>(flags).settings(None)
    }

    #[test]
    fn freshness_is_recorded_as_it_is_and_not_as_it_was_asked_for() {
        for (flags, measured) in [
            ("--operational sqlite:a", false),
            ("--operational sqlite:a --freshness on", true),
            ("--operational sqlite:a --analytical sqlite:a", false),
            ("--operational sqlite:a --analytical sqlite:b", true),
            ("--operational sqlite:a --analytical sqlite:b --query-clients 0", true),
            ("--operational sqlite:a --analytical sqlite:b --freshness off", false),
            ("--operational sqlite:a --analytical sqlite:b --tx-clients 0", false),
            ("--operational sqlite:a --freshness on --tx-clients 0", false),
        ] {
            assert_eq!(recorded(flags)["freshness"], measured, "{flags}");
        }
    }

    /// As they may come from a configuration file.
    #[test]
    fn the_record_of_the_flags_has_no_password() {
        let settings = recorded(
            "--operational postgres://u:hunter2@h/d --analytical postgres://u:hunter2@r/d",
        );
        assert_eq!(settings["operational"], "postgres://u:***@h/d");
        assert_eq!(settings["analytical"], "postgres://u:***@r/d");
        assert!(!format!("{settings:?}").contains("hunter2"));
    }
}
