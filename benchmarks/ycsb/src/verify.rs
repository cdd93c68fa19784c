//! The check of the table after a run.

use hoap_database::engine::{RecordSession, RecordStore};
use hoap_database::key_value::{Fields, Record, Table};
use hoap_database::{Documents, KeyValue, KeyValueSession};
use hoap_record::check::{Check, Verdict};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};

use crate::client::check;
use crate::data::{Key, Records};
use crate::sample::{Count, GONE, Memory, Merged};
use crate::workload::Ycsb;

/// The most faults that a check lists.
const LISTED: usize = 5;

impl<K: RecordStore> Ycsb<K> {
    /// Counts the table's records: those that a run reads must exist.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`], with both numbers, where the count differs from the loaded
    /// one.
    pub async fn expect_whole(&self, documents: Documents<'_>) -> Result<()> {
        let name = &self.table().name;
        let (found, loaded) = (count(documents, name).await?, self.shared.records.spec().count);
        if found == loaded {
            return Ok(());
        }
        let found = counted(found, "record", "records");
        let answer = format!("it holds {found}, {loaded} were loaded");
        Err(Error::new(ErrorKind::Invalid, format!("run on table {name}"), answer)
            .advise("an earlier run inserted or deleted, or somebody else wrote; if nobody needs that, load it again with --replace"))
    }

    /// [`verify`] after the steps of this workload, whose clients were the only writers since the
    /// load.
    ///
    /// # Errors
    /// Returns the errors of [`verify`].
    pub async fn verify(
        &self,
        documents: Documents<'_>,
        memory: &Memory,
        when: &str,
    ) -> Result<Vec<Check>> {
        let place = (self.table(), &self.shared.records);
        let unsure = self.shared.owed.tried();
        verify(&self.target, place, documents, (memory, unsure), when).await
    }
}

/// Verification after a run (spec §1): the number of records, and the last acknowledged writes of a
/// sample of the keys. `memory` is that of all clients of all steps since the load, with the number
/// of their inserts of unknown outcome.
///
/// # Errors
/// Returns the errors of reading.
pub async fn verify<K: RecordStore>(
    key_value: &KeyValue<K>,
    (table, records): (&Table, &Records),
    documents: Documents<'_>,
    (memory, unsure): (&Memory, u64),
    when: &str,
) -> Result<Vec<Check>> {
    let found = count(documents, &table.name).await?;
    let loaded = records.spec().count;
    let counted = check_count(found, loaded, (memory.count, unsure), when);
    let session = key_value.checking_session(table).await?;
    Ok(vec![counted, check_writes(session, records, memory, when).await?])
}

async fn count(documents: Documents<'_>, table: &str) -> Result<u64> {
    let mut count = 0;
    let mut each = |_: &str, _| {
        count += 1;
        Ok(())
    };
    documents.scan(table, &[], &mut each).await?;
    Ok(count)
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
    Check {
        when: when.into(),
        name: "record count".into(),
        compares: compares.into(),
        verdict: if wrong { Verdict::Fail } else { Verdict::Pass },
        checked: found,
        detail,
    }
}

async fn check_writes<S: RecordSession>(
    mut session: KeyValueSession<S>,
    records: &Records,
    memory: &Memory,
    when: &str,
) -> Result<Check> {
    let mut record = Record::default();
    let (mut checked, mut faults, mut listed) = (0, 0u64, Vec::new());
    let mut earlier = Earlier::default();
    let keys = memory.sample.keys();
    let mut text = String::new();
    for &key in &keys {
        text.clear();
        records.append_key(key, &mut text);
        let there = session.read(&text, Fields::All, &mut record).await?;
        let (fields, wrong) = judge(records, &memory.sample, key, there, &record, &mut earlier);
        checked += fields;
        faults += wrong.len() as u64;
        let room = LISTED - listed.len();
        listed.extend(wrong.into_iter().take(room).map(|fault| format!("{text}: {fault}")));
    }
    Ok(Check {
        when: when.into(),
        name: "nothing lost: writes".into(),
        compares: format!(
            "fields of {} of the written keys (1 in {}) with their last acknowledged writes",
            keys.len(),
            memory.one_in()
        ),
        verdict: if faults > 0 { Verdict::Fail } else { Verdict::Pass },
        checked,
        detail: (faults > 0).then(|| {
            let clocks = earlier.words(faults).unwrap_or_default();
            format!("{faults} wrong: {}{clocks}", listed.join("; "))
        }),
    })
}

/// Fields that hold an earlier write of another driver.
#[derive(Default)]
struct Earlier {
    fields: u64,
    /// By how much at most, nanoseconds.
    most: u64,
}

impl Earlier {
    /// That the clocks of the drivers explain all these faults.
    fn words(&self, faults: u64) -> Option<String> {
        let seconds = self.most as f64 / 1e9;
        (self.fields == faults).then(|| {
            format!(
                "; each of them holds what another driver wrote up to {seconds:.1} s earlier by its \
                 clock: the drivers' CLOCKS differ by so much, or the database lost the later \
                 writes; set the clocks (NTP), then load and run again"
            )
        })
    }
}

/// The number of compared fields of a key, and what is wrong.
fn judge(
    records: &Records,
    sample: &Merged,
    key: Key,
    there: bool,
    record: &Record,
    earlier: &mut Earlier,
) -> (u64, Vec<String>) {
    let fields = 0..records.spec().fields;
    if !there {
        // A record may be missing only where no write of it was acknowledged, or where a delete may
        // be the last.
        let owes = |versions: Vec<u64>| !versions.contains(&GONE);
        let owed = fields.clone().any(|field| sample.acceptable(key, field).is_some_and(owes));
        let fault = || "a write was acknowledged and the record is not there".to_owned();
        return (1, owed.then(fault).into_iter().collect());
    }
    if let Err(fault) = check(records, key, Fields::All, record) {
        return (u64::from(fields.end), vec![fault]);
    }
    let mut faults = Vec::new();
    for (field, value) in record.iter() {
        let Some(acceptable) = sample.acceptable(key, field) else { continue };
        let states = records.check(key, field, value);
        let is_there = |version: u64| states == Some(records.stated(version, value.len()));
        if !acceptable.iter().any(|&version| is_there(version)) {
            if let Some(by) = sample.earlier(key, field, is_there) {
                earlier.fields += 1;
                earlier.most = earlier.most.max(by);
            }
            let (name, now) = (records.field_name(field), states.unwrap_or_default());
            faults.push(match acceptable[0] {
                GONE => format!("{name} is at version {now:x}, and a delete was acknowledged"),
                last => {
                    format!("{name} is at version {now:x}, not at the last acknowledged {last:x}")
                }
            });
        }
    }
    (record.len() as u64, faults)
}
