//! `hoap load`: a benchmark's documents into a database.

use hoap_conduct::load::{self, LoadBenchmark};
use hoap_workload::load::Loaded;
use hoap_workload::words::counted;
use serde_json::json;

use super::{Context, megabytes};
use crate::failure::Failure;

/// Loads, and says how it went.
pub async fn load(context: &Context, benchmark: &LoadBenchmark) -> Result<(), Failure> {
    let (loaded, target) = load::load(context, benchmark).await?;
    let Loaded { documents, bytes, seconds, whole } = loaded;
    let result = json!({
        "documents": documents, "bytes": bytes, "seconds": seconds, "whole": whole,
        "target": target,
    });
    context.result(&result, || {
        let rest = if whole { "" } else { "; other parts are missing still" };
        format!("{} into {}{rest}", in_short(&loaded), target.url)
    });
    Ok(())
}

/// "309078 documents, 663 MB in 5.9 s (112 MB/s)".
pub fn in_short(loaded: &Loaded) -> String {
    let Loaded { documents, bytes, seconds, .. } = *loaded;
    let rate = bytes as f64 / 1e6 / seconds;
    let documents = counted(documents, "document", "documents");
    format!("{documents}, {} in {seconds:.1} s ({rate:.0} MB/s)", megabytes(bytes))
}
