//! Adopting data that another program loaded: reading it, and describing it by a note.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use hoap_data::Part;
use hoap_database::{Documents, Row};
use serde_json::{Map, Value};

use super::begin::{first_note, next_range, there_already};
use super::crew::{Progress, Stopping};
use super::division::Division;
use super::earlier::Earlier;
use super::removal::unless_foreign;
use super::source::{Joined, LoadSource};
use super::what::Load;
use crate::alike::{same, unlike};
use crate::at_work::{self, AtWork};
use crate::note::{self, LoadNote, Note};
use crate::words::counted;
use crate::{Error, ErrorKind, Result};

/// The documents of each collection that are compared, unless all are.
const SAMPLE: u64 = 1000;
/// The most documents that one pass over a collection compares: 16 bytes of memory each, and a bit.
const PASS: u64 = 4 << 20;

/// An adopted load has no parts.
const WHOLE: Division = Division { part: Part::WHOLE, slices: 1, range: 1 };

/// What was adopted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Documents that are there.
    pub documents: u64,
    /// Those that were compared with what a load makes, every field of it.
    pub compared: u64,
}

/// Checks what is there, all of it or a sample, and then writes the note, of a load that lacks its
/// end only. Returns it, what is to be said of marks that no longer count, and what was checked.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] with the first document that differs, or where collections or
/// documents are missing, with nothing written; and the errors of the database.
pub(super) async fn adopt(
    documents: Documents<'_>,
    (load, whole): (&Load, bool),
    mine: &AtWork,
    stop: &Stopping,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<(Note, Vec<String>, Adopted)> {
    let source = &*load.source;
    let tried = format!("adopt the {} data", source.benchmark());
    let current = documents.note().await?;
    let before = match &current {
        None => None,
        Some(_) => Some(expect_joining(documents, source, &tried).await?),
    };
    let names = source.collections();
    for name in &names {
        if !documents.any_exists(&[name]).await? {
            let answer = format!("there is no collection {name}");
            return Err(Error::new(ErrorKind::Unavailable, tried, answer)
                .advise("import it, or leave out --adopt to load it"));
        }
    }
    if before.is_none() {
        let beside: Vec<String> = source.other_collections().into_iter().map(Into::into).collect();
        unless_foreign(documents, &beside, &tried).await?;
    }
    let (all, bytes) = sized(load, names.len()).await?;
    let adopted = Adopted::default();
    let mut reading = Reading { documents, source, tried: &tried, stop, all, adopted };
    let loaded_before = before.as_ref().map_or(0, |note| note.load.documents);
    for at in 0..names.len() {
        reading.collection(at, whole, loaded_before, progress).await?;
    }
    let adopted = reading.adopted;
    // What hoap keeps beside the data, and that the collections are as it makes them.
    documents.create(&names).await?;
    let mut ignored = Vec::new();
    let mut note = match before {
        None => first_note(source, WHOLE, mine),
        Some(before) => {
            let mut note = next_range(before, source, WHOLE);
            ignored = at_work::enter(&mut note.at_work, mine, &load.work(), &tried)?;
            note
        }
    };
    let LoadNote { begun, done, documents: noted, bytes: noted_bytes, untimed, .. } =
        &mut note.load;
    *begun = vec![1];
    *done = vec![1];
    *noted += all;
    *noted_bytes += bytes;
    // Nobody knows how long the other program took.
    *untimed = true;
    match documents.set_note(current.as_ref(), &note::write(&note)).await? {
        true => Ok((note, ignored, adopted)),
        false => Err(crate::claim::changed_meanwhile(&tried)),
    }
}

/// The note of a load that this data follows as another range of the same.
async fn expect_joining(
    documents: Documents<'_>,
    source: &dyn LoadSource,
    tried: &str,
) -> Result<Note> {
    let note = note::read(documents).await?;
    let note = note.ok_or_else(|| crate::claim::changed_meanwhile(tried))?;
    let same = note.benchmark == source.benchmark();
    match source.joins(&note.data).filter(|_| same && note.load.settled && note.runs == 0) {
        Some(Joined::Together(_)) => Ok(note),
        Some(Joined::Within) => Err(there_already(tried, true)),
        _ => {
            let what = &note.benchmark;
            let answer = format!("a note of hoap is there already, of {what} data");
            let elsewhere = documents.elsewhere();
            Err(Error::new(ErrorKind::Unavailable, tried, answer)
                .advise(format!("what has a note need not be adopted; name {elsewhere}")))
        }
    }
}

/// Documents and bytes of JSON text of all that a load makes. Only who makes it knows the bytes.
async fn sized(load: &Load, collections: usize) -> Result<(u64, u64)> {
    let source = load.source.clone();
    let count = move || {
        let all = Earlier::default();
        for at in 0..collections {
            all.count(&*source, at, source.part(at, 1, 1));
        }
        all.counted()
    };
    let ended = |e| Error::new(ErrorKind::Cancelled, "make the documents", e);
    tokio::task::spawn_blocking(count).await.map_err(ended)
}

/// What is there, and what it is compared with.
struct Reading<'a> {
    documents: Documents<'a>,
    source: &'a dyn LoadSource,
    tried: &'a str,
    stop: &'a Stopping,
    /// The documents that a load makes, of all collections.
    all: u64,
    adopted: Adopted,
}

impl Reading<'_> {
    /// Compares a collection that holds so many documents of earlier ranges.
    async fn collection(
        &mut self,
        at: usize,
        whole: bool,
        before: u64,
        progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<()> {
        let range = self.source.part(at, 1, 1);
        let passes = if whole { (range.end - range.start).div_ceil(PASS).max(1) } else { 1 };
        for part in 1..=passes {
            let pass: Vec<u64> = match whole {
                true => Part { part, of: passes }.range(range.clone()).collect(),
                false => drawn(range.clone()),
            };
            let (compared, wanted) = (pass.len() as u64, Wanted::new(self.source, at, pass));
            let found = self.pass(at, &wanted, progress).await?;
            let expected = before + range.end - range.start;
            if found != expected {
                let name = self.source.collections()[at];
                let holds = counted(found, "document", "documents");
                return Err(self.differs(format!("{name} holds {holds}, a load makes {expected}")));
            }
            self.adopted.compared += compared;
        }
        self.adopted.documents += range.end - range.start;
        Ok(())
    }

    /// Reads a collection, and compares what is wanted of it. Returns how many documents there are.
    async fn pass(
        &self,
        at: usize,
        wanted: &Wanted,
        progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<u64> {
        let name = self.source.collections()[at];
        let fields: Vec<&str> = wanted.fields.iter().map(String::as_str).collect();
        let (mut found, mut seen) = (0, vec![false; wanted.places.len()]);
        let mut each = |key: &str, row: Row| {
            found += 1;
            if found % 1024 == 0 {
                let documents = self.adopted.documents + found;
                progress(Progress::Read { collection: name, documents, of: self.all });
            }
            if (self.stop)() {
                return Err(Error::new(ErrorKind::Cancelled, self.tried, "interrupted"));
            }
            let Some((place, made)) = wanted.find(self.source, at, key) else { return Ok(()) };
            seen[place] = true;
            let wrong = fields.iter().zip(&row).find_map(|(field, found)| {
                let made = made.get(*field).unwrap_or(&Value::Null);
                (!same(made, found)).then(|| unlike(field, found, made))
            });
            match wrong {
                None => Ok(()),
                Some(wrong) => Err(self.differs(format!("{name} {key}: {wrong}"))),
            }
        };
        self.documents.scan(name, &fields, &mut each).await?;
        match seen.iter().position(|seen| !seen) {
            None => Ok(found),
            Some(place) => {
                let (key, _) = made(self.source, at, wanted.places[place].1);
                Err(self.differs(format!("{name} has no document {key}, which a load makes")))
            }
        }
    }

    fn differs(&self, answer: String) -> Error {
        let advice = "name the parameters that the data was made with, or load it with hoap";
        Error::new(ErrorKind::Unavailable, self.tried, answer)
            .advise(format!("{advice} into {}", self.documents.elsewhere()))
    }
}

/// Documents of a collection that are compared, found by their keys.
struct Wanted {
    random: RandomState,
    /// The hash of each key and its index, sorted.
    places: Vec<(u64, u64)>,
    /// The names of a document's fields, which are those of all documents of the collection.
    fields: Vec<String>,
}

impl Wanted {
    fn new(source: &dyn LoadSource, at: usize, indexes: Vec<u64>) -> Wanted {
        let random = RandomState::new();
        let fields = match indexes.first() {
            Some(&first) => made(source, at, first).1.keys().cloned().collect(),
            None => Vec::new(),
        };
        let (mut key, mut text) = (String::new(), Vec::new());
        let place = |index| {
            key.clear();
            text.clear();
            source.append(at, index, &mut key, &mut text);
            (random.hash_one(&key), index)
        };
        let mut places: Vec<(u64, u64)> = indexes.into_iter().map(place).collect();
        places.sort_unstable();
        Wanted { random, places, fields }
    }

    /// The place of the document with this key, and what a load makes of it.
    fn find(&self, source: &dyn LoadSource, at: usize, key: &str) -> Option<(usize, Document)> {
        let hash = self.random.hash_one(key);
        let first = self.places.partition_point(|(other, _)| *other < hash);
        let alike = self.places[first..].iter().take_while(|(other, _)| *other == hash);
        alike.enumerate().find_map(|(n, &(_, index))| {
            let (made_key, document) = made(source, at, index);
            (made_key == key).then_some((first + n, document))
        })
    }
}

type Document = Map<String, Value>;

/// Key and fields of a document.
fn made(source: &dyn LoadSource, at: usize, index: u64) -> (String, Document) {
    let (mut key, mut text) = (String::new(), Vec::new());
    source.append(at, index, &mut key, &mut text);
    (key, serde_json::from_slice(&text).expect("a document is an object"))
}

/// Documents spread over a range, each drawn from an equal part of it.
fn drawn(range: Range<u64>) -> Vec<u64> {
    let random = RandomState::new();
    let of = (range.end - range.start).min(SAMPLE);
    let draw = |part| {
        let Range { start, end } = Part { part, of }.range(range.clone());
        start + random.hash_one(part) % (end - start)
    };
    (1..=of).map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_distinct_documents_of_the_whole_range() {
        for (range, size) in [(0..0, 0), (7..8, 1), (0..999, 999), (5..100_005, SAMPLE)] {
            let sample = drawn(range.clone());
            assert_eq!(sample.len() as u64, size);
            assert!(sample.windows(2).all(|two| two[0] < two[1]));
            assert!(sample.iter().all(|index| range.contains(index)));
        }
    }
}
