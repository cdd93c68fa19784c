//! `hoap run`: transactions and queries in steps, between checks.

use std::path::PathBuf;
use std::sync::Arc;

use hoap_data::{DataSet, Schema};
use hoap_databases::url::redact;
use hoap_drive::run_probed_step;
use hoap_record::merge::beside_others;
use hoap_record::{AuditLine, Check, Run, RunFolder, Verdict};
use hoap_report::{Style, void};
use hoap_workload::capability::{Documents, NonTransactional, Target};
use hoap_workload::ch2::audit::{self, Tally};
use hoap_workload::ch2::conditions::{Deliveries, Isolation, conditions};
use hoap_workload::ch2::contribution::Contribution;
use hoap_workload::ch2::ledger::Ledger;
use hoap_workload::ch2::note::{self, DataNote};
use hoap_workload::ch2::nothing_lost::Expected;
use hoap_workload::ch2::snapshot::{District, Snapshot};
use hoap_workload::ch2::stream::Streams;
use hoap_workload::ch2::terminal::{Memory, Options, Terminals};
use hoap_workload::ch2::unchanged::Sample;
use hoap_workload::note::Note;
use hoap_workload::{Error, contribution};
use serde_json::json;

use super::faults::{or_unknown, patiently, unless_void};
use super::freshness::{COST, Pair, is_measured};
use super::meter::Meter;
use super::record::{begin, default_folder};
use super::{Context, explain, open, plan, query, shop, ycsb};
use crate::args::{RunBenchmark, RunHybrid};
use crate::failure::Failure;

/// Runs, prints the summary, and fails where a check failed.
pub async fn run(context: &Context, benchmark: &RunBenchmark) -> Result<(), Failure> {
    let (folder, run) = recorded(context, benchmark).await?;
    context.result(&json!({ "folder": folder, "run": run }), || {
        let folder = folder.display().to_string();
        let style = Style { folder: Some(&folder), ..context.console.style() };
        format!(
            "{}\nMake its page with: hoap report {folder} -o report.html",
            hoap_report::summary(&run, style)
        )
    });
    verdict(context, &run)
}

/// Runs once and returns the folder and what its `run.json` says.
pub async fn recorded(
    context: &Context,
    benchmark: &RunBenchmark,
) -> Result<(PathBuf, Run), Failure> {
    use RunBenchmark::*;
    let name = benchmark.name();
    match benchmark {
        Ch2(args) => record_of(context, Schema::Ch2, args).await,
        Ch2pp(args) => record_of(context, Schema::Ch2pp, args).await,
        YcsbA(args) | YcsbB(args) | YcsbC(args) | YcsbD(args) | YcsbE(args) | YcsbEUpdate(args)
        | YcsbF(args) => ycsb::record_of(context, name, args).await,
        Pagination(args) => shop::pagination(context, args).await,
        Join(args) => shop::join(context, args).await,
    }
}

/// The exit of a run: a failed check before all else, then an error that ended it, then an
/// interruption.
pub fn verdict(context: &Context, run: &Run) -> Result<(), Failure> {
    if let Some(cause) = void::cause(run) {
        return Err(Failure::check(format!(
            "{cause}: the run is {}, it has no numbers",
            void::VOID
        )));
    }
    if let Some(why) = &run.stopped_by {
        return Err(Failure::unavailable(format!("the run ended as --on-error says: {why}")));
    }
    match (context.stop.is_set(), &run.partial) {
        (true, Some(_)) => Err(Failure::interrupted("interrupted; the run is marked partial")),
        (true, None) => {
            Err(Failure::interrupted("interrupted after the last step, which is whole"))
        }
        (false, _) => Ok(()),
    }
}

/// The reason why there are no transactions, with the flag that does without where that can be done.
fn or_allowed(no: Error, target: &dyn Target) -> Error {
    match target.stepwise() {
        Ok(_) => no.advise(
            "--allow-non-transactional runs them a document at a time, and marks the results",
        ),
        Err(_) => no,
    }
}

/// What a run works on.
struct Setting<'a> {
    context: &'a Context,
    args: &'a RunHybrid,
    data: DataSet,
    /// The database of the transactions, or of everything.
    operational: Arc<dyn Target>,
    terminals: Option<Terminals>,
    streams: Option<Streams>,
    pair: Pair<'a>,
    /// What the transactions cannot promise, where they are none.
    caveat: Option<&'static str>,
}

/// Runs everything and returns the folder and what its `run.json` says.
pub async fn record_of(
    context: &Context,
    schema: Schema,
    args: &RunHybrid,
) -> Result<(PathBuf, Run), Failure> {
    let steps = plan::steps(args)?;
    let operational = open(&args.operational).await?;
    let (operational, caveat) = match args.allow_non_transactional {
        true => NonTransactional::allow(operational),
        false => (operational, None),
    };
    let documents = operational.documents().map_err(Error::from)?;
    let with_tx = steps.iter().any(|s| s.0 > 0);
    let with_queries = steps.iter().any(|s| s.1 > 0);
    let analytical = match &args.analytical {
        Some(url) if with_queries || is_measured(args) => Some(open(url).await?),
        _ => None,
    };
    if args.explain && !with_queries {
        return Err(Failure::usage("plan the run: --explain wants --query-clients above 0"));
    }
    let queried = analytical.as_ref().unwrap_or(&operational);
    // What they cannot run they need not hold.
    if with_tx {
        operational.transactions().map_err(|no| or_allowed(no.into(), &*operational))?;
    }
    if with_queries {
        queried.analytics().map_err(Error::from)?;
    }
    let (loaded, data) = note::expect_loaded(&*operational, schema).await?;

    let terminals = with_tx.then(|| {
        let options =
            Options { seed: args.run_seed, retries: args.retries, think_times: args.think_times };
        Terminals::new(operational.clone(), data, options)
    });
    let streams = with_queries
        .then(|| -> Result<Streams, Error> {
            let dialect = queried.analytics()?.dialect();
            let texts = query::texts(&args.texts, schema, dialect)?;
            let set = query::parameter_set(&args.parameters);
            Ok(Streams::new(queried.clone(), data, texts, set))
        })
        .transpose()?;

    let pair = Pair::new(context, args, &operational, analytical.as_ref(), terminals.as_ref());
    let terminals = match pair.board() {
        Some(board) => terminals.map(|t| t.counted(board.clone())),
        None => terminals,
    };
    let catch_up = pair.begin(&loaded).await?;
    let operational = operational.clone();
    let setting = Setting { context, args, data, operational, terminals, streams, pair, caveat };
    let path = args.out.clone().unwrap_or_else(|| default_folder(schema.name()));
    let mut record = setting.record(&loaded, analytical.as_ref());
    record.catch_up = catch_up;
    context.mark(&mut record);
    let mut folder = RunFolder::create(&path, &record)?;
    let end = setting.conduct(documents, &steps, &mut folder, &mut record).await;
    record.seconds = folder.seconds();
    if let Some(streams) = &setting.streams {
        record.warnings.extend(streams.warnings());
        if args.explain && end.is_ok() && record.partial.is_none() {
            context.console.say("explaining the queries");
            let (analytics, texts) = (queried.analytics().map_err(Error::from)?, streams.texts());
            let dir = folder.path().join("plans");
            let missing = explain::all(context, analytics, data.spec(), texts, &dir).await;
            record.warnings.extend(missing);
        }
    }
    match end {
        Ok(()) => folder.finish(&record)?,
        Err(e) => {
            record.partial.get_or_insert_with(|| format!("it ended early: {e}"));
            folder.finish(&record)?;
            unless_void(&record, e)?;
        }
    }
    Ok((path, record))
}

impl Setting<'_> {
    async fn conduct(
        &self,
        documents: &dyn Documents,
        steps: &[(usize, usize)],
        folder: &mut RunFolder,
        record: &mut Run,
    ) -> Result<(), Error> {
        let say = |line: String| self.context.console.say(line);
        let writes = self.terminals.is_some();
        let mut before = None;
        if writes {
            say("checking the data before the run".into());
            let stop = || self.context.stop.is_set();
            let mut snapshot =
                Snapshot::take(documents, &self.data, &mut Expected::nothing(), &stop).await?;
            let source = Deliveries::OfCustomers;
            let isolation = Isolation::of(self.caveat);
            record.checks = conditions(&snapshot, &self.data, source, isolation, "before the run");
            if record.checks.iter().any(|c| c.verdict == Verdict::Fail) {
                record.partial = Some("the data was not consistent before the run".into());
                return Ok(());
            }
            hoap_workload::note::begin_run(documents).await?;
            // What is compared with the state after the run is a district's.
            snapshot.customers = Vec::new();
            before = Some(snapshot);
        }

        let mut memory = Memory::default();
        record.warnings.extend(self.context.wait_for_start(&self.args.conduct));
        let end = self.all_steps(steps, folder, record, &mut memory);

        if let (Some(before), Some(_)) = (&before, self.args.conduct.part) {
            record.checks.push(beside_others(
                "conditions, nothing lost, nothing added",
                "when all have ended, `hoap merge --operational URL` checks the data",
            ));
            record.audit = self.audit(&memory.tally);
            let ours = Contribution { before: before.districts.clone(), ledger: memory.ledger };
            folder.write_ledger(&contribution::to_json(&ours)?)?;
        } else if let Some(before) = before {
            record.checks.extend(self.pair.end(record.catch_up.as_mut()).await);
            say("checking the data after the run".into());
            let Memory { ledger, tally } = &memory;
            record.audit = self.audit(tally);
            let faults = &self.args.faults;
            // An interrupted run is checked like any other.
            let checks = patiently(self.context, faults, async || {
                let (checks, after) = after_the_run(
                    (&*self.operational, self.caveat),
                    &self.data,
                    ledger,
                    &before.districts,
                )
                .await?;
                record.warnings.extend(growth(&before, &after));
                Ok(checks)
            });
            record.checks.extend(or_unknown(faults, checks.await)?);
        }
        end
    }

    /// Runs the steps. What the clients remember is kept also where a step fails or is stopped.
    fn all_steps(
        &self,
        steps: &[(usize, usize)],
        folder: &mut RunFolder,
        record: &mut Run,
        memory: &mut Memory,
    ) -> Result<(), Error> {
        let mut alone = None;
        let probes = self.pair.probes();
        for (i, &clients) in steps.iter().enumerate() {
            let plan = plan::step(self.args, i + 1, clients, alone);
            self.context.console.say(format!("step {} of {}: {}", i + 1, steps.len(), plan.name()));
            let watch = self.context.watch();
            let meter = Meter::new(&watch, &*self.operational);
            let mut outcome = run_probed_step(
                &plan,
                (self.terminals.as_ref(), self.streams.as_ref(), probes.as_ref()),
                folder,
                &self.context.stop,
                &meter,
            )?;
            outcome.step.usage = meter.used();
            outcome.transactions.into_iter().for_each(|m| memory.merge(m));
            if clients.0 == 0 && self.args.loops.is_some() && alone.is_none() {
                alone = Some(outcome.step.seconds);
            }
            self.context.console.say(format!("  {}", hoap_report::step_line(&outcome.step)));
            record.steps.push(outcome.step);
            record.events.extend(outcome.events);
            if let Some(e) = outcome.stopped_by {
                record.partial =
                    Some(format!("an error ended it in step {} of {}", i + 1, steps.len()));
                record.stopped_by = Some(e.to_string());
                return Ok(());
            }
            if self.context.stop.is_set() {
                record.partial = Some(format!("interrupted in step {} of {}", i + 1, steps.len()));
                return Ok(());
            }
            folder.checkpoint(record)?;
        }
        Ok(())
    }

    /// The audit: whether there were transactions at all, then their mix.
    fn audit(&self, tally: &Tally) -> Vec<AuditLine> {
        let none = self.caveat.map(audit::without_transactions);
        let shape = self.terminals.as_ref().map(Terminals::shape);
        none.into_iter().chain(tally.audit(self.data.spec().warehouses, shape)).collect()
    }

    /// The record as far as it is known before the first step.
    fn record(&self, loaded: &Note, analytical: Option<&Arc<dyn Target>>) -> Run {
        let spec = self.data.spec();
        let caveat = self.caveat.filter(|_| self.terminals.is_some());
        let mut warnings = Vec::new();
        if let Some(caveat) = caveat {
            let title = spec.schema.title();
            warnings.push(format!("NON-TRANSACTIONAL: {caveat}; not a {title} result"));
        }
        if spec.scale_down > 1 {
            let title = spec.schema.title();
            warnings.push(format!("scaled down by {}: not a {title} result", spec.scale_down));
        }
        if self.pair.board().is_some() {
            warnings.push(COST.into());
        }
        let constants = json!({
            "nurand": self.terminals.as_ref().map(Terminals::constants),
            "run_seed": self.args.run_seed,
        });
        let data = json!(DataNote::of(spec));
        let configuration = configuration(self.args);
        let benchmark = spec.schema.name();
        let target = &*self.operational;
        Run {
            warnings,
            non_transactional: caveat.map(Into::into),
            analytical: analytical.map(|a| a.description()),
            query_set: self.streams.as_ref().map(|_| self.args.texts.query_set.name().into()),
            ..begin(benchmark, target, Some(loaded), data, constants, configuration)
        }
    }
}

/// The conditions with the ledger's deliveries, and the ledger itself, on the database as it is now, and
/// that state; then a sample of documents. `before` are the districts as they were before the run. `caveat` is what
/// transactions that are none could not promise.
pub async fn after_the_run(
    (target, caveat): (&dyn Target, Option<&str>),
    data: &DataSet,
    ledger: &Ledger,
    before: &[District],
) -> Result<(Vec<Check>, Snapshot), Error> {
    let when = "after the run";
    let documents = target.documents().map_err(Error::from)?;
    let sample = Sample::draw(data).without_isolation(caveat.is_some());
    let mut expected = Expected::of(ledger).sampling(sample);
    let after = Snapshot::take(documents, data, &mut expected, &|| false).await?;
    let deliveries = Deliveries::OfLedger { before, ledger };
    let mut checks = conditions(&after, data, deliveries, Isolation::of(caveat), when);
    let unchanged = expected.sample.check(target, data, ledger, when, &|| false).await?;
    checks.extend(expected.checks(ledger, before, &after, when));
    checks.push(unchanged);
    Ok((checks, after))
}

/// A warning where the run added so many orders that its steps do not compare: without think times
/// a small data set grows fast.
fn growth(before: &Snapshot, after: &Snapshot) -> Option<String> {
    let orders = |s: &Snapshot| s.districts.iter().map(|d| d.orders).sum::<u64>();
    let (from, to) = (orders(before), orders(after));
    (to * 10 > from * 11).then(|| {
        format!(
            "orders grew from {from} to {to}: later steps worked on more data than earlier ones"
        )
    })
}

/// Every flag with the value it has.
fn configuration(args: &RunHybrid) -> serde_json::Value {
    let RunHybrid {
        operational,
        analytical,
        tx_clients,
        query_clients,
        duration,
        loops,
        warmup,
        warmup_loops,
        think_times,
        allow_non_transactional,
        retries,
        run_seed,
        freshness: _,
        freshness_every,
        catch_up_limit,
        faults,
        parameters,
        texts,
        explain,
        conduct,
        out: _,
    } = args;
    json!({
        "operational": redact(operational),
        "analytical": analytical.as_deref().map(redact),
        "tx-clients": tx_clients,
        "query-clients": query_clients,
        "duration": duration.map(|t| t.to_string()),
        "loops": loops,
        "warmup": warmup.to_string(),
        "warmup-loops": warmup_loops,
        "think-times": think_times,
        "allow-non-transactional": allow_non_transactional,
        "retries": retries,
        "run-seed": run_seed,
        "freshness": is_measured(args),
        "freshness-every": freshness_every.to_string(),
        "catch-up-limit": catch_up_limit.to_string(),
        "on-error": faults.on_error.to_string(),
        "recovery-limit": faults.recovery_limit.to_string(),
        "warn-failures": faults.warn_failures.0,
        "params": query::parameter_set(parameters).name(),
        "params-seed": parameters.params_seed,
        "query-set": texts.query_set.name(),
        "queries-dir": texts.queries_dir,
        "explain": explain,
        "part": conduct.part.map(|p| p.to_string()),
        "start-at": conduct.start_at.map(|t| t.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn recorded(flags: &str) -> serde_json::Value {
        let words = format!("hoap run ch2 {flags}");
        let Command::Run { benchmark: RunBenchmark::Ch2(run), .. } =
            Cli::try_parse_from(words.split(' ')).unwrap().command
        else {
            panic!("not CH2");
        };
        configuration(&run)
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
        let configuration = recorded(
            "--operational postgres://u:hunter2@h/d --analytical postgres://u:hunter2@r/d",
        );
        assert_eq!(configuration["operational"], "postgres://u:***@h/d");
        assert_eq!(configuration["analytical"], "postgres://u:***@r/d");
        assert!(!configuration.to_string().contains("hunter2"));
    }
}
