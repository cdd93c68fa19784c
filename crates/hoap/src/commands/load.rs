//! `hoap load`: a benchmark's documents into a database.

use hoap_data::DataSet;
use hoap_workload::capability::Target;
use hoap_workload::load::{self, Existing, Loaded, Part, Progress};
use serde_json::json;

use super::{Context, megabytes, open};
use crate::args::Load;
use crate::failure::Failure;

/// Loads, and says how it went.
pub async fn load(context: &Context, args: &Load) -> Result<(), Failure> {
    let data = args.data.data_set(args.benchmark.schema())?;
    let existing = match (args.replace, args.resume) {
        (true, _) => Existing::Replace,
        (_, true) => Existing::Resume,
        _ => Existing::Refuse,
    };
    let target = open(&args.target).await?;
    let loaded = into(context, &*target, &data, args.part.0, existing).await?;
    let Loaded { documents, bytes, seconds, whole } = loaded;
    let result = json!({
        "documents": documents, "bytes": bytes, "seconds": seconds, "whole": whole,
        "target": target.description(),
    });
    context.result(&result, || {
        let rate = bytes as f64 / 1e6 / seconds;
        let rest = if whole { "" } else { "; other parts are missing still" };
        let (size, url) = (megabytes(bytes), target.description().url);
        format!("{documents} documents, {size} in {seconds:.1} s ({rate:.0} MB/s) into {url}{rest}")
    });
    Ok(())
}

/// Loads with progress.
pub async fn into(
    context: &Context,
    target: &dyn Target,
    data: &DataSet,
    part: Part,
    existing: Existing,
) -> Result<Loaded, Failure> {
    let documents = target.documents().map_err(hoap_workload::Error::from)?;
    let mut bar = context.console.bar("load", 1);
    let started = std::time::Instant::now();
    let stop = context.stop.clone();
    let loaded = load::load(documents, data, part, existing, &|| stop.is_set(), &mut |progress| {
        match progress {
            Progress::Written { collection, documents, of, bytes } => {
                let rate = bytes as f64 / 1e6 / started.elapsed().as_secs_f64().max(1e-3);
                bar.length(of);
                bar.set(documents, format!("{rate:.0} MB/s, {}", { collection }));
            }
            Progress::Settling => bar.say("making indexes, gathering statistics, syncing to disk"),
        }
    })
    .await?;
    Ok(loaded)
}
