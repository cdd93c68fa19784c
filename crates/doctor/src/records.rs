//! Records by key: what YCSB does.

use std::sync::Arc;

use hoap_database::key_value::{Fields, Record, Scanned};
use hoap_database::{AnyStore, KeyValue};
use hoap_databases::open;
use hoap_workload::load::{self, Existing, Load};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};
use hoap_ycsb::UserTable;
use hoap_ycsb::data::{RecordSpec, Records};

use crate::findings::{Findings, Proof, Step};

/// The table's name.
pub(super) const TABLE: &str = "usertable";
const COUNT: u64 = 200;

fn expect(holds: bool, tried: impl Into<String>, answer: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::new(ErrorKind::Broken, tried, answer)) }
}

/// Loads records, reads each, changes some, scans some, and removes all.
pub(super) async fn round(findings: &mut Findings<'_>, url: &str) {
    let tried = async {
        let target = open(url).await?;
        let key_value = match target.key_value() {
            Ok(key_value) => key_value,
            Err(reason) => return Ok(Step::from(reason)),
        };
        let table = UserTable::new(TABLE, RecordSpec { count: COUNT, ..RecordSpec::default() })?;
        let documents = target.documents()?;
        let what = Load::whole(table.clone(), Existing::Refuse);
        let loaded = load::load(documents, what, Arc::new(|| false), &mut |_| ()).await;
        let done = match loaded {
            Ok(_) => all(&key_value, &table).await,
            Err(e) => Err(e),
        };
        // Whatever came of it: the place was empty before.
        let removed = documents.drop(&[TABLE]).await;
        let proof = done?;
        removed?;
        Ok(Step::Proved(proof))
    };
    findings.take("records", "loading, reading, inserting, updating, scanning by key", tried).await;
}

async fn all(key_value: &KeyValue<AnyStore>, table: &UserTable) -> Result<Proof> {
    let mut session = key_value.session(&table.table()).await?;
    let records = &table.records;
    let mut record = Record::default();
    let keys: Vec<String> = (0..COUNT).map(|n| key(records, n)).collect();
    for (n, key) in (0..).zip(&keys) {
        let there = session.read(key, Fields::All, &mut record).await?;
        let sound =
            |(field, value): (u16, &[u8])| records.check(records.key(n), field, value) == Some(0);
        let whole = there && record.len() == usize::from(records.spec().fields);
        let tried = format!("read {TABLE} {key}");
        expect(whole && record.iter().all(sound), tried, "it is not the record that was loaded")?;
    }
    let new = key(records, COUNT);
    let mut fresh = Record::default();
    fresh.push(0, |value| value.extend_from_slice(b"doctor"));
    session.insert(&new, &fresh).await?;
    // Some databases write without a look at what is there, and say so in their settings.
    let replaces = match session.insert(&new, &fresh).await {
        Ok(()) => "; an insert of a key that is there replaces the record",
        Err(e) if e.kind == ErrorKind::Duplicate => "",
        Err(e) => return Err(e),
    };
    let there = session.update(&keys[0], &fresh).await?;
    session.read(&keys[0], Fields::One(0), &mut record).await?;
    let changed = record.iter().next() == Some((0, b"doctor".as_slice()));
    expect(there && changed, format!("update {TABLE} {}", keys[0]), "it is not changed")?;
    let told = match key_value.scans() {
        Err(reason) => reason.to_string(),
        Ok(()) => {
            let mut scanned = Scanned::default();
            session.scan(&keys[0], 10, Fields::All, &mut scanned).await?;
            let first = scanned.iter().next().map(|(key, _)| key.to_owned());
            expect(first.as_deref() == Some(&*keys[0]), "scan", "it does not begin at its start")?;
            counted(scanned.len(), "record scanned", "records scanned")
        }
    };
    Ok((COUNT + 3, format!("{told}{replaces}")))
}

fn key(records: &Records, n: u64) -> String {
    let mut key = String::new();
    records.append_key(records.key(n), &mut key);
    key
}
