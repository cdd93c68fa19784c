//! `hoap load`: a benchmark's documents into a database.

use std::time::Instant;

use hoap_data::Schema;
use hoap_workload::Error;
use hoap_workload::capability::Target;
use hoap_workload::load::{self, Load, Loaded, Progress, Source};
use hoap_workload::words::counted;
use serde_json::json;

use super::{Context, megabytes};
use crate::args::{LoadBenchmark, LoadHybrid, Loading};
use crate::failure::Failure;

/// Loads, and says how it went.
pub async fn load(context: &Context, benchmark: &LoadBenchmark) -> Result<(), Failure> {
    let (source, loading) = source(benchmark)?;
    let target = hoap_databases::open(&loading.target).await?;
    let loaded = into(context, &*target, &*source, loading).await?;
    let Loaded { documents, bytes, seconds, whole } = loaded;
    let result = json!({
        "documents": documents, "bytes": bytes, "seconds": seconds, "whole": whole,
        "target": target.description(),
    });
    context.result(&result, || {
        let url = target.description().url;
        let rest = if whole { "" } else { "; other parts are missing still" };
        format!("{} into {url}{rest}", in_short(&loaded))
    });
    Ok(())
}

/// The documents that the flags describe, and where they go.
pub fn source(benchmark: &LoadBenchmark) -> Result<(Box<dyn Source>, &Loading), Failure> {
    let hybrid = |args: &LoadHybrid, schema| -> Result<Box<dyn Source>, Failure> {
        Ok(Box::new(args.data.data_set(schema)?))
    };
    Ok(match benchmark {
        LoadBenchmark::Ch2(args) => (hybrid(args, Schema::Ch2)?, &args.loading),
        LoadBenchmark::Ch2pp(args) => (hybrid(args, Schema::Ch2pp)?, &args.loading),
        LoadBenchmark::Ycsb(args) => (Box::new(args.records.table()?), &args.loading),
        LoadBenchmark::Shop(args) => (Box::new(args.shop.data_set()?), &args.loading),
    })
}

/// "309078 documents, 663 MB in 5.9 s (112 MB/s)".
pub fn in_short(loaded: &Loaded) -> String {
    let Loaded { documents, bytes, seconds, .. } = *loaded;
    let rate = bytes as f64 / 1e6 / seconds;
    let documents = counted(documents, "document", "documents");
    format!("{documents}, {} in {seconds:.1} s ({rate:.0} MB/s)", megabytes(bytes))
}

/// Loads with progress.
pub async fn into(
    context: &Context,
    target: &dyn Target,
    source: &dyn Source,
    loading: &Loading,
) -> Result<Loaded, Failure> {
    let documents = target.documents().map_err(Error::from)?;
    let mut bar = context.console.bar("load", 1);
    let started = Instant::now();
    let mut progress = |progress: Progress<'_>| match progress {
        Progress::Written { collection, documents, of, bytes } => {
            let rate = bytes as f64 / 1e6 / started.elapsed().as_secs_f64().max(1e-3);
            bar.length(of);
            bar.set(documents, format!("{rate:.0} MB/s, {collection}"));
        }
        Progress::Settling => bar.say("making indexes, gathering statistics, syncing to disk"),
    };
    let (part, existing) = (loading.part.0, loading.existing());
    let stop = || context.stop.is_set();
    let what = Load { source, part, existing };
    let loaded = load::load(documents, what, &stop, &mut progress).await;
    let url = target.description().url;
    Ok(loaded.map_err(|e| match e.tried.contains(&url) {
        true => e,
        false => Error { tried: format!("{} into {url}", e.tried), ..e },
    })?)
}
