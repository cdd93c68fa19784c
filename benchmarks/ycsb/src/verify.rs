//! What each record must be, before a run and after it (spec nosql §1, "Verification after a run").

use std::cell::Cell;
use std::ops::Range;

use hoap_data::random::Stream;
use hoap_database::engine::RecordStore;
use hoap_database::{Database, KeyValue};
use hoap_record::check::{Check, Verdict};
use hoap_workload::checks::sample::choose;
use hoap_workload::checks::{
    self, At, Checked, Document, Expected, Found, Level, Records as Reader, Wanted,
};
use hoap_workload::load::LoadSource;
use hoap_workload::words::counted;
use hoap_workload::{Result, note};
use serde_json::{Map, Value};

use crate::data::{Key, Records};
use crate::sample::{Count, GONE, Memory};
use crate::shared::Shared;
use crate::table::UserTable;
use crate::workload::Ycsb;

/// How many of the first records after the loaded ones are looked for before a run: where an
/// earlier run inserted, one of them is there.
const BEYOND: u64 = 8;

impl<K: RecordStore> Ycsb<K> {
    /// The checks of the table: before a run, or after it with what its clients remember, who were
    /// the only writers since.
    ///
    /// # Errors
    /// Returns the errors of reading.
    pub async fn check(&self, at: &At<'_>, memory: Option<&Memory>) -> Result<Vec<Check>> {
        let drivers = self.setup().part.of;
        let (runs, unsure) = match memory {
            None => (drivers - 1, 0),
            Some(_) if self.writes() => (drivers, self.shared.owed.tried()),
            Some(_) => (0, self.shared.owed.tried()),
        };
        let fresh = fresh(at.target, runs).await?;
        let mut look = Look::new(&self.source, Known { fresh, memory, unsure });
        look.shared = memory.map(|_| &*self.shared);
        verify(&self.target, &self.source, at, look).await
    }
}

/// Whether no run wrote but so many.
async fn fresh(target: &Database, runs: u64) -> Result<bool> {
    Ok(note::read(target.documents()?).await?.is_none_or(|note| note.runs <= runs))
}

/// The checks of a table with the memory of all clients of all drivers since the load, and the
/// number of their inserts of unknown outcome.
///
/// # Errors
/// Returns the errors of reading.
pub async fn joint<K: RecordStore>(
    key_value: &KeyValue<K>,
    table: &UserTable,
    at: &At<'_>,
    (memory, unsure, drivers): (&Memory, u64, u64),
) -> Result<Vec<Check>> {
    let fresh = fresh(at.target, drivers).await?;
    let look = Look::new(table, Known { fresh, memory: Some(memory), unsure });
    verify(key_value, table, at, look).await
}

async fn verify<K: RecordStore>(
    key_value: &KeyValue<K>,
    table: &UserTable,
    at: &At<'_>,
    look: Look<'_>,
) -> Result<Vec<Check>> {
    if at.level == Level::Off {
        return Ok(Vec::new());
    }
    let table = table.table();
    let session = key_value.checking_session(&table).await?;
    checks::all(at, &look, Ok(Reader::new(session, &table, at.watch))).await
}

/// What is known of the writes since the load.
struct Known<'a> {
    /// Whether there are no others than those of `memory`.
    fresh: bool,
    /// Those of a run; `None` before it.
    memory: Option<&'a Memory>,
    /// Its inserts of unknown outcome that are still to be done.
    unsure: u64,
}

/// The records and what must be in them.
struct Look<'a> {
    table: &'a UserTable,
    known: Known<'a>,
    /// The state of this run's clients.
    shared: Option<&'a Shared>,
    /// Wrong fields, those of them that hold an earlier write of another driver, and by how much
    /// at most, nanoseconds.
    earlier: Cell<(u64, u64)>,
}

/// A record that is looked for.
#[derive(Clone, Copy)]
struct Asked {
    key: Key,
    /// Its number, where it was loaded or its insert is acknowledged, or before a run must be.
    number: Option<u64>,
}

impl<'a> Look<'a> {
    fn new(table: &'a UserTable, known: Known<'a>) -> Look<'a> {
        Look { table, known, shared: None, earlier: Cell::default() }
    }

    fn records(&self) -> &Records {
        &self.table.records
    }

    /// Numbers and keys of records that were inserted: all of these are acknowledged.
    fn inserted(&self) -> Range<u64> {
        let end = self.records().numbers().end;
        end..self.shared.map_or(end, |shared| shared.inserts.readable())
    }

    /// The versions of a field that may be there; `None`: any.
    fn versions(&self, Asked { key, number }: Asked, field: u16) -> Option<Vec<u64>> {
        let loaded = self.known.fresh
            && number.is_some_and(|number| self.records().numbers().contains(&number));
        let Some(memory) = self.known.memory else { return loaded.then(|| vec![0]) };
        // Of other keys the writes are not remembered.
        if !memory.sample.has(key) {
            return None;
        }
        memory.sample.acceptable(key, field).or_else(|| {
            let unsure = memory.sample.unsure(key, field);
            loaded.then(|| std::iter::once(0).chain(unsure).collect())
        })
    }

    /// Whether a record must be there.
    fn must_be(&self, Asked { key, number }: Asked, versions: &[Option<Vec<u64>>]) -> bool {
        let may_be_gone = number
            .is_some_and(|number| self.shared.is_some_and(|shared| shared.may_be_gone(number)));
        match self.known.memory {
            // One that may be gone is right where a delete may be the last write of every field.
            Some(memory) if memory.sample.has(key) => match number {
                None => versions.iter().flatten().any(|versions| !versions.contains(&GONE)),
                Some(_) => {
                    let gone = versions.iter().flatten().all(|versions| versions.contains(&GONE));
                    !(may_be_gone && gone)
                }
            },
            _ => !may_be_gone,
        }
    }

    /// What is wrong with a field that must have one of these versions.
    fn wrong(
        &self,
        key: Key,
        field: u16,
        versions: Option<&[u64]>,
        found: &Value,
    ) -> Option<String> {
        let (records, name) = (self.records(), self.records().field_name(field));
        let Some(value) = found.as_str().map(str::as_bytes) else {
            // An update without a read may have made the record again, of one field.
            let gone = found.is_null() && versions.is_some_and(|v| v.contains(&GONE));
            return (!gone).then(|| format!("{name} is missing"));
        };
        let Some(states) = records.check(key, field, value) else {
            let shown: String = String::from_utf8_lossy(value).chars().take(40).collect();
            return Some(format!("{name} holds {shown:?}, which no write of this record wrote"));
        };
        let versions = versions?;
        let is_there = |version: u64| states == records.stated(version, value.len());
        if versions.iter().any(|&version| is_there(version)) {
            return None;
        }
        let sample = self.known.memory.map(|memory| &memory.sample);
        if let Some(by) = sample.and_then(|sample| sample.earlier(key, field, is_there)) {
            let (fields, most) = self.earlier.get();
            self.earlier.set((fields + 1, most.max(by)));
        }
        Some(match versions.first() {
            Some(&GONE) => {
                format!("{name} is at version {states:x}, and a delete was acknowledged")
            }
            Some(&0) => {
                format!("{name} is at version {states:x}, and nobody wrote it since the load")
            }
            last => {
                let last = last.copied().unwrap_or_default();
                format!("{name} is at version {states:x}, not at the last acknowledged {last:x}")
            }
        })
    }
}

impl Checked for Look<'_> {
    type Key = Asked;

    fn source(&self) -> &dyn LoadSource {
        self.table
    }

    fn loaded(&self, _: usize, index: u64) -> Asked {
        Asked { key: self.records().key(index), number: Some(index) }
    }

    fn place(&self, asked: Asked) -> (usize, String) {
        let mut text = String::new();
        self.records().append_key(asked.key, &mut text);
        (0, text)
    }

    fn expected(&self, asked: Asked) -> Result<Expected<'_>> {
        let loaded = self.records().numbers();
        if self.known.memory.is_none() && asked.number.is_some_and(|n| !loaded.contains(&n)) {
            return Ok(Expected::Absent);
        }
        let fields = 0..self.records().spec().fields;
        let versions: Vec<_> = fields.clone().map(|field| self.versions(asked, field)).collect();
        let must_be = self.must_be(asked, &versions);
        let name = |field| (self.records().field_name(field), Value::Null);
        let mut document = Document::of(fields.clone().map(name).collect::<Map<_, _>>());
        for (field, versions) in fields.zip(versions) {
            let fits = move |found: &Value, _: Found<'_>| {
                self.wrong(asked.key, field, versions.as_deref(), found)
            };
            document = document.but(self.records().field_name(field), Wanted::Fits(Box::new(fits)));
        }
        Ok(if must_be { Expected::There(document) } else { Expected::Perhaps(document) })
    }

    fn written(&self) -> Option<Vec<Asked>> {
        let keys = self.known.memory?.sample.keys();
        Some(keys.into_iter().map(|key| Asked { key, number: None }).collect())
    }

    fn compares(&self) -> String {
        let memory = self.known.memory;
        format!(
            "fields of {} of the written keys (1 in {}) with their last acknowledged writes",
            memory.map_or(0, |memory| memory.sample.keys().len()),
            memory.map_or(1.0, Memory::one_in)
        )
    }

    /// That the clocks of the drivers explain all faults.
    fn explained(&self, faults: u64) -> Option<String> {
        let (fields, most) = self.earlier.get();
        let seconds = most as f64 / 1e9;
        (fields == faults).then(|| {
            format!(
                "; each of them holds what another driver wrote up to {seconds:.1} s earlier by its \
                 clock: the drivers' CLOCKS differ by so much, or the database lost the later \
                 writes; set the clocks (NTP), then load and run again"
            )
        })
    }

    /// Of the loaded records and of those inserted since; before a run, and the first ones that
    /// must not be there.
    fn drawn(&self, size: u64, random: &mut Stream) -> Vec<Asked> {
        let Range { start, end } = self.records().numbers();
        let loaded = choose(end - start, size, random).into_iter().map(|n| start + n);
        let mut drawn: Vec<Asked> = loaded.map(|number| self.loaded(0, number)).collect();
        if self.known.memory.is_none() {
            drawn.extend((end..end + BEYOND).map(|number| self.loaded(0, number)));
        }
        if let Some(shared) = self.shared {
            let Range { start, end } = self.inserted();
            let numbers = choose(end - start, size, random).into_iter().map(|n| start + n);
            let inserted = |number| Asked { key: shared.key(number), number: Some(number) };
            drawn.extend(numbers.map(inserted));
        }
        drawn
    }

    fn moved(&self, _: usize) -> bool {
        let count = self.known.memory.map(|memory| memory.count);
        self.known.unsure > 0 || count.is_some_and(|count| count != Count::default())
    }

    fn counted(&self) -> &'static str {
        "record count"
    }

    fn conditions(&self, counts: &[u64], when: &str) -> Vec<Check> {
        let found = counts.iter().sum();
        let loaded = self.records().spec().count;
        let Some(memory) = self.known.memory else {
            let detail = (found != loaded).then(|| {
                format!(
                    "{} found, {loaded} were loaded: an earlier run inserted or deleted, or \
                     somebody else wrote; if nobody needs that, load it again with --replace",
                    counted(found, "record", "records")
                )
            });
            return vec![record_count(found, "records found with those loaded", detail, when)];
        };
        vec![check_count(found, loaded, (memory.count, self.known.unsure), when)]
    }
}

fn check_count(found: u64, loaded: u64, (count, unsure): (Count, u64), when: &str) -> Check {
    let Count { inserted, deleted, unsure_deletes, after_deletes } = count;
    let acknowledged = (loaded + inserted).saturating_sub(deleted);
    let least = acknowledged.saturating_sub(unsure_deletes);
    let wrong = !(least..=acknowledged + unsure + after_deletes).contains(&found);
    let deletes = deleted + unsure_deletes > 0;
    let detail = wrong.then(|| {
        let mut detail = format!(
            "{} found; {loaded} loaded, {} acknowledged, {unsure} of unknown outcome",
            counted(found, "record", "records"),
            counted(inserted, "insert", "inserts")
        );
        if deletes {
            let deleted = counted(deleted, "delete", "deletes");
            detail += &format!(", {deleted} acknowledged, {unsure_deletes} of unknown outcome");
        }
        detail
    });
    let compares = match deletes {
        true => "records found with those loaded and the acknowledged inserts and deletes",
        false => "records found with those loaded and the acknowledged inserts",
    };
    record_count(found, compares, detail, when)
}

fn record_count(checked: u64, compares: &str, detail: Option<String>, when: &str) -> Check {
    let verdict = if detail.is_some() { Verdict::Fail } else { Verdict::Pass };
    let (when, compares) = (when.into(), compares.into());
    Check { when, name: "record count".into(), compares, verdict, checked, detail }
}
