//! How the flags become a run, and the ledgers of several drivers a check.

use hoap_conduct::begin::{Basis, begin};
use hoap_conduct::caller::Setting;
use hoap_conduct::faults::or_gone;
use hoap_conduct::flags::Common;
use hoap_conduct::offer::{BenchmarkLine, Drivers, KnownAnswers, Offer, Recorded};
use hoap_conduct::plan::Plan;
use hoap_conduct::values::QueryList;
use hoap_conduct::{in_use, run};
use hoap_data::Part;
use hoap_database::{Database, What};
use hoap_databases::{offers, open};
use hoap_record::merge::Joint;
use hoap_record::{Remark, RemarkId, Repetition, Run};
use hoap_workload::checks::level::unchecked;
use hoap_workload::checks::{Level, Reads};
use hoap_workload::note::Note;
use hoap_workload::{Error, ErrorKind, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::checks::{Start, after_the_run};
use super::flags::Flags;
use super::hybrid::Hybrid;
use super::known;
use super::pair::{self, Pair};
use super::witness::{self, Judge};
use crate::checks::by_database::Aggregates;
use crate::checks::draws::Shape;
use crate::data::{DataSet, Schema};
use crate::ledger::contribution::Contribution;
use crate::mix::Kind;
use crate::note::{self, DataNote};
use crate::nurand::Constants;
use crate::stream::{Asked, Streams};
use crate::terminal::{Options, Terminals};

/// The most warehouses whose documents are all read where nobody says how much.
const SMALL: u32 = 10;

impl Offer for Flags {
    type Variant = Schema;

    const HEADLINE: Option<&'static str> = Some(Kind::NewOrder.name());

    fn title(line: &BenchmarkLine<Flags>) -> String {
        line.variant.title().into()
    }

    fn common(&mut self) -> &mut Common {
        &mut self.common
    }

    fn planned(&self, _: &BenchmarkLine<Flags>) -> Result<Plan> {
        let plan = self.plan()?;
        let refuse = |answer: &str| Err(Error::new(ErrorKind::Invalid, "plan the run", answer));
        if self.explain && !plan.has_queries() {
            return refuse("--explain wants --query-clients above 0");
        }
        if self.keep_answers && !plan.has_queries() {
            return refuse("--keep-answers wants --query-clients above 0");
        }
        if self.freshness_every.0.is_zero() {
            return refuse("--freshness-every is no time; give it more, such as 100ms");
        }
        if self.round_up.is_some_and(|time| time.0.is_zero()) {
            return refuse("--round-up is no time; give it more, such as 1m");
        }
        offers(&self.operational, if plan.has_operations() { &[What::Transactions] } else { &[] })?;
        let queried = self.analytical.as_ref().unwrap_or(&self.operational);
        offers(queried, if plan.has_queries() { &[What::Analytics] } else { &[] })?;
        Ok(plan)
    }

    fn texts(run: &Run) -> Result<Vec<(String, String)>> {
        known::texts(run)
    }

    fn known(run: &Run) -> Option<Box<dyn KnownAnswers>> {
        known::answers(run)
    }

    async fn record(&self, line: &BenchmarkLine<Flags>, setting: &Setting<'_>) -> Result<Recorded> {
        let schema = line.variant;
        let plan = self.planned(line)?;
        let (with_tx, with_queries) = (plan.has_operations(), plan.has_queries());
        let operational = open(&self.operational).await?;
        operational.documents()?;
        let analytical = match &self.analytical {
            Some(url) if with_queries || self.freshness_is_measured() => Some(open(url).await?),
            _ => None,
        };
        let queried = analytical.as_ref().unwrap_or(&operational);
        // What they cannot run they need not hold.
        if with_tx {
            operational.transactions()?;
        }
        if with_queries {
            queried.analytics()?;
        }
        let (loaded, data) = note::expect_loaded(&operational, schema).await?;
        let level = Level::of(self.check, data.spec().warehouses <= SMALL);
        if with_tx && level == Level::Database {
            Aggregates::of(&operational, schema)?;
        }
        let terminals = with_tx.then(|| {
            let Flags { retries, think_times, .. } = *self;
            let options = Options { seed: setting.common.run_seed, retries, think_times };
            let part = setting.common.conduct.part.map_or(Part::WHOLE, |part| part.part);
            Terminals::new(operational.clone(), data, options).of(part)
        });
        let streams = with_queries.then(|| -> Result<Streams> {
            let dialect = queried.analytics()?.dialect();
            let say = |line: &str| setting.say(line);
            let texts = self.texts.texts(schema, dialect, &QueryList::all(), say)?;
            let asks = Asked { data, texts, parameters: self.parameters.set() };
            Ok(Streams::new(queried.clone(), asks))
        });
        let streams = streams.transpose()?;
        let pair = Pair::new(self, &operational, analytical.as_ref(), terminals.as_ref());
        let terminals = match pair.board() {
            Some(board) => terminals.map(|t| t.counted(board.clone())),
            None => terminals,
        };
        let judge = Judge::new(setting, self, &operational, terminals.as_ref())?;
        let terminals = match &judge {
            Some(judge) => terminals.map(|t| t.witnessed(judge.witnesses.clone())),
            None => terminals,
        };
        let queried = queried.clone();
        let (claim, loaded) = match with_tx {
            true => {
                let begun = in_use::begin(setting, &operational, &loaded, line.name).await?;
                (Some(begun.0), begun.1)
            }
            false => (None, loaded),
        };
        let claim = claim.as_ref();
        let record = async {
            let catch_up = pair.begin(setting, &loaded).await?;
            let hybrid = Hybrid {
                data,
                operational: operational.clone(),
                terminals,
                streams,
                probes: pair.probes(),
                pair,
                judge,
                queried,
                kept: self.kept(),
                level,
                told: level.announced(self.check, "10 warehouses"),
                reads: Reads::new(),
                runs: loaded.runs,
                claim,
                before: Vec::new(),
            };
            let record = self.begin(setting, &hybrid, &loaded, analytical.as_ref());
            run::record(setting, &plan, Run { catch_up, ..record }, hybrid).await
        };
        in_use::during(setting, claim, record).await
    }

    async fn joint(drivers: &Drivers<'_>) -> Result<Joint> {
        let mut all = drivers.ledgers::<Contribution>()?.into_iter();
        let Some((name, mut joined)) = all.next() else { return Ok(Joint::default()) };
        for (other_name, other) in all {
            joined.join(&name, other, &other_name)?;
        }
        let level = Level::of_run(drivers.first)?;
        if joined.before.is_empty() && level != Level::Off {
            let why = "none of the drivers looked at the data before the run, as part 1 does";
            return Err(drivers.refuse(why));
        }
        let target = open(drivers.url).await?;
        let (_, data) = note::expect_loaded(&target, schema(&drivers.first.benchmark)?).await?;
        drivers.same_data(&json!(DataNote::of(data.spec())))?;
        drivers.caller.say("checking the data after all runs");
        let Contribution { before, fresh, tally, mut ledger } = joined;
        let audit = tally.audit(data.spec().warehouses, Some(&drawn(drivers.first, &data)?));
        if level.by_key() {
            ledger.sort();
        }
        let reads = &Reads::new();
        let start = Start { target: &target, data: &data, fresh, level, before: &before, reads };
        let checks = or_gone(after_the_run(&start, &ledger).await.map(|(checks, _)| checks))?;
        Ok(Joint { checks, audit })
    }
}

/// What the terminals of a run had to draw: all drivers have the same constants.
fn drawn(run: &Run, data: &DataSet) -> Result<Shape> {
    let constants = run.constants.get("nurand").unwrap_or(&Value::Null);
    let constants = Constants::deserialize(constants)
        .map_err(|e| Error::new(ErrorKind::Invalid, "read the run's NURand constants", e))?;
    Ok(Shape::of(data, &constants))
}

/// The schema that has the benchmark's name.
fn schema(name: &str) -> Result<Schema> {
    name.parse().map_err(|e| Error::new(ErrorKind::Invalid, format!("run {name}"), e))
}

impl Flags {
    /// The record as far as it is known before the first step.
    fn begin(
        &self,
        setting: &Setting<'_>,
        hybrid: &Hybrid<'_>,
        loaded: &Note,
        analytical: Option<&Database>,
    ) -> Run {
        let spec = hybrid.data.spec();
        let title = spec.schema.title();
        let mut remarks = Vec::new();
        let level = hybrid.terminals.as_ref().map(|_| hybrid.level);
        if level == Some(Level::Off) {
            remarks.push(unchecked());
        }
        if spec.scale_down > 1 {
            let text = format!("scaled down by {}: not a {title} result", spec.scale_down);
            remarks.push(Remark::new(RemarkId::ScaledDown, text));
        }
        if hybrid.pair.board().is_some() {
            remarks.push(pair::cost());
        }
        if hybrid.judge.is_some() {
            remarks.push(witness::cost());
        }
        if let Some(Repetition { number: 2.., .. }) = setting.repetition {
            let text = "a repetition: it began on the data that the repetitions before it left, with their orders";
            remarks.push(Remark::new(RemarkId::Repeated, text));
        }
        let constants = json!({
            "nurand": hybrid.terminals.as_ref().map(Terminals::constants),
            "run_seed": setting.common.run_seed,
        });
        let basis = Basis { note: Some(loaded), data: json!(DataNote::of(spec)), constants };
        let name = (spec.schema.name(), title);
        Run {
            remarks,
            headline: Self::HEADLINE.map(Into::into),
            analytical: analytical.map(Database::description),
            query_set: hybrid.streams.as_ref().and_then(|_| {
                let dialect = hybrid.queried.analytics().ok()?.dialect();
                Some(self.texts.in_effect(spec.schema, dialect).name().into())
            }),
            ..begin(name, &hybrid.operational, basis, self.settings(level))
        }
    }
}
