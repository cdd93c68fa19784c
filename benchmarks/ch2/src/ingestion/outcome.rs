//! The result of counting.

use std::time::Instant;

use hoap_record::{CURVE, Ingested, Ingestion};

/// A count of the documents in the analytical database.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    /// When it began.
    pub at: Instant,
    /// The documents of all collections that it saw.
    pub documents: u64,
}

/// The end is known within this share of a time, or the time gives no rate.
const WORST: f64 = 0.05;

/// The moments of a load.
pub(super) struct Moments {
    pub written: Instant,
    pub settled: Instant,
}

/// The result of these counts, the last of which missed nothing. There is at least one; times are
/// those since it.
pub(super) fn outcome(counts: &[Count], moments: &Moments) -> Ingestion {
    let (first, whole) = (counts[0], counts[counts.len() - 1]);
    let since = |at: Instant| milliseconds(at.saturating_duration_since(first.at).as_secs_f64());
    let before = counts[..counts.len() - 1].last().unwrap_or(&whole);
    let resolution = (whole.at - before.at).as_secs_f64();
    // Where the count of the end began before the last document was acknowledged, all were there.
    let from = counts.iter().find(|c| c.at >= moments.written).unwrap_or(&whole);
    let rate = |from: &Count| {
        let seconds = (whole.at - from.at).as_secs_f64();
        let per_second = (whole.documents - from.documents) as f64 / seconds;
        let known = seconds > 0.0 && resolution <= WORST * seconds;
        known.then(|| (per_second * 10.0).round() / 10.0)
    };
    Ingestion {
        documents: whole.documents,
        documents_at_begin: first.documents,
        written_seconds: since(moments.written),
        settled_seconds: since(moments.settled),
        documents_at_written: from.documents,
        whole_seconds: since(whole.at),
        after_seconds: milliseconds(
            whole.at.saturating_duration_since(moments.written).as_secs_f64(),
        ),
        resolution_seconds: milliseconds(resolution),
        per_second: rate(&first),
        per_second_after: rate(from),
        curve: curve(counts, since),
        ..Ingestion::default()
    }
}

/// At most [`CURVE`] of the counts, evenly chosen, the first and the last among them.
fn curve(counts: &[Count], since: impl Fn(Instant) -> f64) -> Vec<Ingested> {
    let shown = counts.len().min(CURVE);
    let last = (shown - 1).max(1);
    let chosen = (0..shown).map(|n| counts[n * (counts.len() - 1) / last]);
    chosen.map(|c| Ingested { seconds: since(c.at), documents: c.documents }).collect()
}

fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}
