//! The level of isolation that a history of transactions does not contradict.
//!
//! Transactions read lists and write unique values at their ends (Kingsbury and Alvaro, *Elle*,
//! VLDB 2020). A list then shows every version of its document that came before it, so that who
//! overwrote whom is known and not guessed. The judge derives the dependencies of Adya's
//! *Direct Serialization Graph* and looks for cycles.
//!
//! What it reports is in the history, whatever the database did. What it does not report may have
//! happened: a history shows only what its transactions met. Of versions that two transactions made
//! of the same one (a lost update) the order is unknown; no dependency is derived from it.
//!
//! * [`kind`]: the anomalies and the levels that exclude them.
//! * `writes`: who wrote which value; `versions`: the versions of each document, from the lists
//!   that were read and written.
//! * `dependencies`: who must come before whom.
//! * `graph`: strongly connected components and shortest paths; `cycles`: cycles by kind.
//! * `words`: examples in words.

mod cycles;
mod dependencies;
mod graph;
pub mod kind;
mod versions;
mod words;
mod writes;

use hoap_record::history::{Attempt, End};
use hoap_record::witness::{Anomaly, Level, Witness};

use dependencies::Dependencies;
use kind::{Kind, Seen};
use versions::Versions;

/// Judges a history. `promised` is what the database promises, for the record.
///
/// # Errors
/// Describes what makes it no history: a value that is written twice, an attempt that ended before
/// it began, or more of either than 2³¹.
pub fn judge(history: &[Attempt], promised: Option<Level>) -> Result<Witness, String> {
    let versions = Versions::of(history)?;
    let dependencies = Dependencies::of(&versions);
    let mut seen = dependencies.lost_updates(&versions);
    seen.extend(versions.seen.iter().cloned());
    let stale = dependencies.stale_reads(history, &versions);
    seen.extend(cycles::all(history, &dependencies, stale.is_empty()));
    seen.extend(stale);
    let mut anomalies: Vec<Anomaly> = Vec::new();
    for kind in Kind::ALL {
        let of_kind = || seen.iter().filter(|seen| seen.kind == kind);
        let size = |seen: &&Seen| -> usize {
            seen.transactions.iter().map(|index| history[*index as usize].did.len()).sum()
        };
        let Some(smallest) = of_kind().min_by_key(size) else { continue };
        anomalies.push(Anomaly {
            name: kind.name().into(),
            contradicts: kind.contradicts(),
            count: of_kind().map(|seen| seen.count).sum(),
            example: words::example(history, smallest),
        });
    }
    let weakest = anomalies.iter().map(|anomaly| anomaly.contradicts).min();
    let found = Level::ALL.into_iter().rfind(|level| weakest.is_none_or(|w| *level < w));
    let ended = |end| history.iter().filter(|attempt| attempt.end == end).count() as u64;
    let all = || history.iter().flat_map(|attempt| &attempt.did);
    let writes = all().filter(|did| did.written().is_some()).count() as u64;
    Ok(Witness {
        committed: ended(End::Committed),
        rolled_back: ended(End::RolledBack),
        unknown: ended(End::Unknown),
        reads: all().count() as u64 - writes,
        writes,
        promised,
        found,
        anomalies,
    })
}
