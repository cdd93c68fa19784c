//! `hoap run pagination` and `hoap run join`.

use std::path::PathBuf;

use hoap_data::shop::{ShopData, ShopSpec};
use hoap_databases::{AnyTarget, open_any, with_joins, with_pages};
use hoap_workload::Error;
use hoap_workload::client::Workload;
use hoap_workload::load::Source;
use hoap_workload::note::{self, Note};
use hoap_workload::shop::{Join, Options, Pagination, source};
use serde_json::json;

use super::Context;
use super::record::begin;
use super::steps::{Defaults, Steps, configuration, plans};
use crate::args::{RunJoin, RunShop, StepArgs};
use crate::failure::Failure;

type Recorded = Result<(PathBuf, hoap_record::Run), Failure>;

/// Runs Pagination.
pub async fn pagination(context: &Context, args: &RunShop) -> Recorded {
    let target = open_any(&args.steps.target).await?;
    // What it cannot run it need not hold.
    with_pages!(&target, |_| ()).map_err(Error::from)?;
    let run = Run::new(context, "pagination", &args.steps, target).await?;
    with_pages!(run.target.clone(), |pages| {
        run.on(&Pagination::new(pages, run.data, run.options()), json!({})).await
    })
    .map_err(Error::from)?
}

/// Runs JOIN.
pub async fn join(context: &Context, args: &RunJoin) -> Recorded {
    let target = open_any(&args.steps.target).await?;
    with_joins!(&target, |_| ()).map_err(Error::from)?;
    let run = Run::new(context, "join", &args.steps, target).await?;
    with_joins!(run.target.clone(), |joins| {
        let join = Join::new(joins, run.data, args.variant, run.options())?;
        let variant = join.variant().name();
        run.on(&join, json!({ "variant": variant })).await
    })
    .map_err(Error::from)?
}

struct Run<'a> {
    context: &'a Context,
    name: &'a str,
    args: &'a StepArgs,
    target: AnyTarget,
    note: Option<Note>,
    data: ShopData,
}

impl<'a> Run<'a> {
    async fn new(
        context: &'a Context,
        name: &'a str,
        args: &'a StepArgs,
        target: AnyTarget,
    ) -> Result<Run<'a>, Failure> {
        let (note, data) = match target {
            // Nothing is ever loaded there: the data is what a load would have written by default.
            AnyTarget::Null(_) => {
                let data = ShopData::new(ShopSpec::new(10_000));
                (None, data.map_err(|e| Failure::usage(e.to_string()))?)
            }
            _ => {
                let note = note::expect_loaded(target.target(), "shop").await?;
                let data = source::data_of(&note.data)?;
                (Some(note), data)
            }
        };
        Ok(Run { context, name, args, target, note, data })
    }

    fn options(&self) -> Options {
        Options { seed: self.args.run_seed, check_reads: self.args.check_reads }
    }

    async fn on<W: Workload>(&self, workload: &W, more: serde_json::Value) -> Recorded {
        let plans = plans(self.args, Defaults::default())?;
        let mut settings = configuration(self.args, &plans);
        for (name, value) in more.as_object().into_iter().flatten() {
            settings[name] = value.clone();
        }
        let constants = json!({ "run_seed": self.args.run_seed });
        let (target, note) = (self.target.target(), self.note.as_ref());
        let record = begin(self.name, target, note, self.data.parameters(), constants, settings);
        let steps = Steps {
            context: self.context,
            args: self.args,
            target,
            plans,
            check_reads: self.args.check_reads,
        };
        // These workloads only read: there is nothing to look for afterwards.
        steps.conduct(workload, record, async |_, _| Ok(Vec::new())).await
    }
}
