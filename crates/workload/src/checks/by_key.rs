//! Documents are read by key and compared with what they must be.

use std::future::Future;
use std::ops::RangeInclusive;

use hoap_data::random::Stream;
use hoap_record::check::Check;
use serde_json::{Map, Value};

use super::expected::{Expected, Found};
use super::finding::Finding;
use super::sample::choose;
use crate::load::LoadSource;
use crate::words::counted;
use crate::{ErrorKind, Result};

/// Documents that are read and compared at once.
const KEYS: usize = 400;
/// Wrong fields of a document that a check lists.
const LISTED: usize = 3;

/// A document that was read; `None` where there is none.
pub type Read = Option<Map<String, Value>>;

/// Reads documents by key.
pub trait ByKey {
    /// Whether it tells a field that is null from one that is not there.
    fn tells(&self) -> bool {
        true
    }

    /// The documents of these keys, in their order: all fields, or those of these names where it
    /// reads no others.
    ///
    /// # Errors
    /// Returns [`Cancelled`](crate::ErrorKind::Cancelled) soon after the watch says so,
    /// [`Broken`](crate::ErrorKind::Broken) where a key has two documents, and the errors of the
    /// database.
    fn documents(
        &mut self,
        collection: &str,
        keys: &[String],
        names: &[&str],
    ) -> impl Future<Output = Result<Vec<Read>>>;
}

/// What a benchmark knows of its documents, of which the checks of all levels are made.
pub trait Checked {
    /// What names a document, loaded or made by a run.
    type Key: Copy;

    /// The documents that a load makes.
    fn source(&self) -> &dyn LoadSource;

    /// What names document `index` of the collection at `at` in [`LoadSource::collections`].
    fn loaded(&self, at: usize, index: u64) -> Self::Key;

    /// The position of its collection, and its key there.
    fn place(&self, key: Self::Key) -> (usize, String);

    /// What it must be now: as the load made it, and what runs owe to it.
    ///
    /// # Errors
    /// Returns [`Broken`](crate::ErrorKind::Broken) where the load makes no document of it.
    fn expected(&self, key: Self::Key) -> Result<Expected<'_>>;

    /// What the run wrote, inserted and deleted, as far as that is remembered. `None` before a run,
    /// and where it only reads.
    fn written(&self) -> Option<Vec<Self::Key>> {
        None
    }

    /// What the check of [`Checked::written`] compares.
    fn compares(&self) -> String {
        "what was written and acknowledged with what is there".into()
    }

    /// More about so many faults in what was written.
    fn explained(&self, _faults: u64) -> Option<String> {
        None
    }

    /// A sample of `size` documents of each collection.
    fn drawn(&self, size: u64, random: &mut Stream) -> Vec<Self::Key> {
        let source = self.source();
        let mut drawn = Vec::new();
        for at in 0..source.collections().len() {
            let all = source.part(at, 1, 1);
            let chosen = choose(all.end - all.start, size, random);
            drawn.extend(chosen.into_iter().map(|n| self.loaded(at, all.start + n)));
        }
        drawn
    }

    /// The name of the check of how many documents there are.
    fn counted(&self) -> &'static str {
        "document counts"
    }

    /// How many documents the collection at `at` may have.
    fn count(&self, at: usize) -> RangeInclusive<u64> {
        let all = self.source().part(at, 1, 1);
        all.end - all.start..=all.end - all.start
    }

    /// Whether runs may have made or removed documents of the collection at `at`. If not, its keys
    /// are those that were loaded.
    fn moved(&self, _at: usize) -> bool {
        false
    }

    /// The conditions on all documents, of each collection of which there are so many.
    fn conditions(&self, counts: &[u64], when: &str) -> Vec<Check> {
        let mut finding = Finding::default();
        for (at, (name, &found)) in self.source().collections().iter().zip(counts).enumerate() {
            let wanted = self.count(at);
            finding.expect(wanted.contains(&found), || {
                let found = counted(found, "document", "documents");
                format!("{name} has {found}, not {}", wanted.end())
            });
        }
        let compares = "documents of each collection with those loaded and acknowledged";
        vec![finding.check(when, self.counted(), compares)]
    }
}

/// Reads documents and compares each with what it must be. A field is a place, and a document that
/// must not be there.
///
/// # Errors
/// Those of [`ByKey::documents`] and of [`Checked::expected`].
pub async fn by_key<C: Checked>(
    checked: &C,
    reader: &mut impl ByKey,
    keys: &[C::Key],
    finding: &mut Finding,
) -> Result<()> {
    let source = checked.source();
    for (at, name) in source.collections().into_iter().enumerate() {
        let here: Vec<_> =
            keys.iter().map(|&key| (key, checked.place(key))).filter(|(_, p)| p.0 == at).collect();
        for part in here.chunks(KEYS) {
            let expected =
                part.iter().map(|(key, _)| checked.expected(*key)).collect::<Result<Vec<_>>>()?;
            let names = names(&expected);
            let keys: Vec<String> = part.iter().map(|(_, (_, key))| key.clone()).collect();
            let found = match reader.documents(name, &keys, &names).await {
                // A document that is none, or is there twice, is as wrong as one with a wrong field.
                Err(e) if e.kind == ErrorKind::Broken => {
                    finding.expect(false, || e.to_string());
                    continue;
                }
                found => found?,
            };
            let tells = reader.tells();
            for ((expected, key), found) in expected.iter().zip(&keys).zip(&found) {
                let found = found.as_ref().map(|fields| Found { fields, tells });
                compare(expected, found, (finding, &format!("{name} {key}")));
            }
        }
    }
    Ok(())
}

/// The names of the fields of all these documents.
fn names<'e>(expected: &'e [Expected<'_>]) -> Vec<&'e str> {
    let mut names: Vec<&str> = Vec::new();
    for expected in expected {
        if let Expected::There(document) | Expected::Perhaps(document) = expected {
            // All documents of most collections have the same.
            if document.names().eq(names.iter().copied()) {
                continue;
            }
            for name in document.names() {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    names
}

/// Compares a document with what it must be. `place` names it.
pub fn compare(
    expected: &Expected<'_>,
    found: Option<Found<'_>>,
    (finding, place): (&mut Finding, &str),
) {
    match (expected, found) {
        (Expected::Absent, found) => {
            finding.expect(found.is_none(), || format!("{place} is there, and must not be"));
        }
        (Expected::There(_), None) => finding.fail(|| format!("{place} is not there")),
        (Expected::Perhaps(_), None) => finding.expect(true, String::new),
        (Expected::There(document) | Expected::Perhaps(document), Some(found)) => {
            let wrong = document.wrong(found);
            let fields = document.names().count().max(wrong.len());
            finding.add(fields as u64, wrong.len() as u64, || {
                let listed = &wrong[..wrong.len().min(LISTED)];
                format!("{place}: {}", listed.join(", "))
            });
        }
    }
}
