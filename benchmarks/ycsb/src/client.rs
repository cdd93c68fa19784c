//! One client: it draws operations, runs them and remembers acknowledged writes.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use hoap_data::random::Stream;
use hoap_database::KeyValueSession;
use hoap_database::engine::RecordSession;
use hoap_database::key_value::{Fields, Record, Scanned};
use hoap_drive::{Client, Completion, Next};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};

use crate::data::{Key, Records};
use crate::deletes::Deletes;
use crate::distribution::Keys;
use crate::proportions::Kind;
use crate::sample::{Count, GONE, Memory, Place, Sample, Write};
use crate::setup::{ReadFields, ScanFields};
use crate::shared::{Owing, Shared};

/// Draws of a record whose delete has not begun, before any such record is taken.
const REDRAWS: u32 = 64;

/// One client. [`Client::next`] prepares the operation, so that [`Client::run`] takes the time of
/// the database alone and, with `check_reads`, that of the checks.
pub struct YcsbClient<S> {
    session: KeyValueSession<S>,
    shared: Arc<Shared>,
    keys: Keys,
    stream: Stream,
    /// The last version written. It starts at random, so that no two clients of any run share a
    /// version.
    version: u64,
    operation: Operation,
    /// The record that this client inserts next, once it has claimed one.
    owing: Option<Owing>,
    /// The current write. It stays set where [`Client::run`] is dropped before the answer.
    pending: Option<(Place, u64)>,
    key: String,
    written: Record,
    found: Record,
    scanned: Scanned,
    sample: Sample,
    count: Count,
    /// Whether the delete drawn last has a record.
    claimed: bool,
    /// Whether a delete has begun whose answer is not known.
    deleting: bool,
}

/// The operation drawn last.
struct Operation {
    kind: Kind,
    number: u64,
    key: Key,
    /// The fields it reads.
    fields: Fields,
    /// The field it writes; `None`: all fields.
    field: Option<u16>,
    /// The number of records it scans.
    count: usize,
}

impl<S: RecordSession> YcsbClient<S> {
    pub(super) fn new(
        session: KeyValueSession<S>,
        shared: Arc<Shared>,
        keys: Keys,
        stream: Stream,
    ) -> Self {
        let key = shared.records.key(0);
        YcsbClient {
            session,
            keys,
            stream,
            version: RandomState::new().build_hasher().finish(),
            operation: Operation {
                kind: Kind::Read,
                number: 0,
                key,
                fields: Fields::All,
                field: None,
                count: 0,
            },
            owing: None,
            pending: None,
            key: String::with_capacity(32),
            written: Record::default(),
            found: Record::default(),
            scanned: Scanned::default(),
            sample: Sample::new(),
            count: Count::default(),
            claimed: false,
            deleting: false,
            shared,
        }
    }

    /// A uniformly drawn field.
    fn any_field(&mut self) -> u16 {
        self.stream.uniform(0..=i64::from(self.shared.records.spec().fields) - 1) as u16
    }

    /// Fills `written` with a new version of one field or, with `None`, of all fields.
    fn write(&mut self, field: Option<u16>) {
        let records = &self.shared.records;
        self.version = self.version.wrapping_add(1);
        // Version 0 is the loaded one.
        if matches!(self.version, 0 | GONE) {
            self.version = 1;
        }
        let (key, version) = (self.operation.key, self.version);
        self.operation.field = field;
        self.written.clear();
        let fields = match field {
            Some(field) => field..field + 1,
            None => 0..records.spec().fields,
        };
        for field in fields {
            self.written.push(field, |out| records.append_value(key, field, version, out));
        }
    }

    /// The record to insert: one that another client left, or a new one. There is none where an
    /// insert has been outstanding for 2^20 others; [`Client::run`] then fails.
    fn claim(&mut self) -> u64 {
        if self.owing.is_none() {
            let number = self.shared.owed.take().or_else(|| {
                let number = self.shared.inserts.claim()?;
                Some(Owing { number, tried: false })
            });
            self.owing = number;
        }
        self.owing.map_or(self.shared.inserts.readable(), |owing| owing.number)
    }

    async fn read(&mut self) -> Result<u64> {
        let Operation { key, fields, .. } = self.operation;
        if !self.session.read(&self.key, fields, &mut self.found).await? {
            return self.absent().map(|()| 1);
        }
        if self.found.is_empty() && self.shared.answers {
            return Err(self.failed(ErrorKind::Broken, "the record has none of the fields"));
        }
        if self.shared.setup.check_reads {
            check(&self.shared.records, key, fields, &self.found)
                .map_err(|answer| self.failed(ErrorKind::Broken, &answer))?;
        }
        Ok(1)
    }

    async fn update(&mut self) -> Result<u64> {
        let start = self.begin(self.version);
        let answer = self.session.update(&self.key, &self.written).await;
        if !self.end(start, answer)? {
            return self.absent().map(|()| 1);
        }
        // A database that writes without reading may have made the record again.
        self.count.after_deletes += u64::from(self.shared.may_be_gone(self.operation.number));
        Ok(1)
    }

    async fn delete(&mut self) -> Result<u64> {
        if !self.claimed {
            let answer = "half of the loaded records are deleted, and no more may go: load more \
                          records, or lower deleteproportion";
            return Err(self.failed(ErrorKind::Unavailable, answer));
        }
        let start = self.begin(GONE);
        self.deleting = true;
        let answer = self.session.delete(&self.key).await;
        self.deleting = false;
        let answer = self.end(start, answer);
        match &answer {
            Ok(true) => self.count.deleted += 1,
            Ok(false) => {
                return Err(self.failed(ErrorKind::NotFound, "there is no such record"));
            }
            Err(e) => self.count.unsure_deletes += u64::from(!not_applied(e)),
        }
        answer.map(|_| 1)
    }

    /// The record to delete. Where there is none, [`Client::run`] fails.
    fn claim_delete(&mut self) -> u64 {
        let number = self.shared.deletes.as_ref().and_then(Deletes::claim);
        self.claimed = number.is_some();
        number.unwrap_or(0)
    }

    async fn insert(&mut self) -> Result<u64> {
        let Some(Owing { number, tried }) = self.owing else {
            return Err(self.failed(
                ErrorKind::Unavailable,
                "an insert that began 2^20 inserts ago is not acknowledged",
            ));
        };
        // Set until the answer is known: if this future is dropped, the record may exist.
        self.owing = Some(Owing { number, tried: true });
        let start = self.begin(self.version);
        let answer = self.session.insert(&self.key, &self.written).await.map(|()| true);
        let answer = self.end(start, answer);
        let there = match &answer {
            Ok(_) => true,
            // An earlier attempt of unknown outcome was applied, or another client created the
            // record.
            Err(e) => e.kind == ErrorKind::Duplicate,
        };
        if there {
            self.owing = None;
            self.count.inserted += u64::from(answer.is_ok() || tried);
            self.shared.inserts.acknowledge(number);
        } else if answer.as_ref().is_err_and(not_applied) {
            self.owing = Some(Owing { number, tried });
        }
        answer.map(|_| 1)
    }

    async fn scan(&mut self) -> Result<u64> {
        let Operation { fields, count, .. } = self.operation;
        self.session.scan(&self.key, count, fields, &mut self.scanned).await?;
        if self.shared.setup.check_reads {
            let begins = !self.shared.may_be_gone(self.operation.number);
            let start = begins.then_some(self.key.as_str());
            check_scan(&self.shared.records, start, count, fields, &self.scanned)
                .map_err(|answer| self.failed(ErrorKind::Broken, &answer))?;
        }
        Ok(self.scanned.len() as u64)
    }

    async fn read_modify_write(&mut self) -> Result<u64> {
        self.read().await?;
        self.update().await
    }

    /// The operation's record is not there, which is right only where its delete has begun.
    #[cold]
    fn absent(&self) -> Result<()> {
        match self.shared.may_be_gone(self.operation.number) {
            true => Ok(()),
            false => Err(self.failed(ErrorKind::NotFound, "there is no such record")),
        }
    }

    /// A record for an operation that neither makes nor removes it. One whose delete has begun is
    /// drawn again.
    #[inline]
    fn draw(&mut self) -> u64 {
        let readable = self.shared.inserts.readable();
        let mut number = self.keys.next(&mut self.stream, readable);
        let Some(deletes) = &self.shared.deletes else { return number };
        for _ in 0..REDRAWS {
            if !deletes.has(number) {
                return number;
            }
            number = self.keys.next(&mut self.stream, readable);
        }
        // The records that the distribution prefers are gone.
        while deletes.has(number) {
            number = deletes.any(&mut self.stream);
        }
        number
    }

    /// The start time of a write of this version, if the sample includes its key.
    #[inline]
    fn begin(&mut self, version: u64) -> Option<u64> {
        let place = (self.operation.key, self.operation.field);
        if !self.sample.has(place.0) {
            return None;
        }
        self.pending = Some((place, version));
        Some(self.shared.now())
    }

    /// Remembers a write that began at `start`, as far as the sample includes it. `Ok(false)` is a
    /// write that found no record.
    #[inline]
    fn end(&mut self, start: Option<u64>, answer: Result<bool>) -> Result<bool> {
        let Some(start) = start else { return answer };
        let Some((place, version)) = self.pending.take() else { return answer };
        match &answer {
            Ok(true) => {
                let end = self.shared.now();
                self.sample.acknowledged(place, Write { version, start, end });
            }
            Ok(false) => {}
            Err(e) if not_applied(e) => {}
            Err(_) => self.sample.unsure(place, version),
        }
        answer
    }

    #[cold]
    fn failed(&self, kind: ErrorKind, answer: &str) -> Error {
        let tried = format!("{} {}", self.operation.kind.name(), self.key);
        Error::new(kind, tried, answer)
    }
}

/// Whether the error implies that nothing was written.
fn not_applied(e: &Error) -> bool {
    match e.kind {
        ErrorKind::Conflict
        | ErrorKind::Duplicate
        | ErrorKind::NotFound
        | ErrorKind::Missing
        | ErrorKind::Throttled
        | ErrorKind::Invalid => true,
        ErrorKind::Ambiguous
        | ErrorKind::Timeout
        | ErrorKind::Cancelled
        | ErrorKind::Unavailable
        | ErrorKind::Broken => false,
    }
}

impl<S: RecordSession> Client for YcsbClient<S> {
    type Memory = Memory;

    fn next(&mut self) -> Next {
        let at = self.shared.mix().draw(self.stream.next_u64());
        let kind = self.shared.mix().kinds()[at];
        let number = match kind {
            Kind::Insert => self.claim(),
            Kind::Delete => self.claim_delete(),
            _ => self.draw(),
        };
        self.operation.kind = kind;
        self.operation.number = number;
        self.operation.key = self.shared.key(number);
        self.key.clear();
        self.shared.records.append_key(self.operation.key, &mut self.key);
        let setup = &self.shared.setup;
        if matches!(kind, Kind::Read | Kind::ReadModifyWrite) {
            self.operation.fields = match setup.read_fields {
                ReadFields::All => Fields::All,
                ReadFields::One => Fields::One(self.any_field()),
            };
        }
        match kind {
            Kind::Read => {}
            Kind::Update | Kind::ReadModifyWrite => {
                let field = (!self.shared.whole_updates).then(|| self.any_field());
                self.write(field);
            }
            Kind::Insert => self.write(None),
            Kind::Delete => self.operation.field = None,
            Kind::Scan => {
                self.operation.count = self.shared.scan_length.draw(&mut self.stream);
                self.operation.fields = match self.shared.setup.scan_fields {
                    ScanFields::All => Fields::All,
                    ScanFields::One => Fields::One(self.any_field()),
                    ScanFields::None => Fields::None,
                };
            }
        }
        Next::of(at)
    }

    async fn run(&mut self) -> Completion {
        let answer = match self.operation.kind {
            Kind::Read => self.read().await,
            Kind::Update => self.update().await,
            Kind::Insert => self.insert().await,
            Kind::Scan => self.scan().await,
            Kind::ReadModifyWrite => self.read_modify_write().await,
            Kind::Delete => self.delete().await,
        };
        Completion::of(answer)
    }

    fn finish(mut self) -> Memory {
        if let Some((place, version)) = self.pending.take() {
            self.sample.unsure(place, version);
        }
        if let Some(owing) = self.owing.take() {
            self.shared.owed.leave(owing);
        }
        self.count.unsure_deletes += u64::from(self.deleting);
        Memory::of(self.sample, self.count)
    }
}

/// Checks the fields found under a key against those asked for.
fn check(
    records: &Records,
    key: Key,
    fields: Fields,
    found: &Record,
) -> std::result::Result<(), String> {
    let wanted = match fields {
        Fields::All => usize::from(records.spec().fields),
        Fields::One(_) => 1,
        Fields::None => 0,
    };
    if found.len() != wanted {
        return Err(format!("{} came back, not {wanted}", counted(found.len(), "field", "fields")));
    }
    // Distinct fields, all wanted and as many as wanted, are exactly the wanted ones.
    let mut ascending = true;
    let mut before = None;
    for (at, (field, value)) in found.iter().enumerate() {
        ascending = ascending && before < Some(field);
        before = Some(field);
        let asked = match fields {
            Fields::One(one) => field == one,
            _ => ascending || !found.iter().take(at).any(|(other, _)| other == field),
        };
        if !asked {
            return Err(format!("{} came back unasked", records.field_name(field)));
        }
        if records.check(key, field, value).is_none() {
            let shown: String = String::from_utf8_lossy(value).chars().take(40).collect();
            let named = records.field_name(field);
            return Err(format!("{named} holds {shown:?}, which no write of this record wrote"));
        }
    }
    Ok(())
}

/// Checks a scan from a key on, which is `start` where its record is surely there.
fn check_scan(
    records: &Records,
    start: Option<&str>,
    count: usize,
    fields: Fields,
    scanned: &Scanned,
) -> std::result::Result<(), String> {
    if scanned.len() > count {
        let scanned = counted(scanned.len(), "record", "records");
        return Err(format!("{scanned} came back, {count} were asked for"));
    }
    // The first record exists; the following ones depend on the database's key order.
    let first = scanned.iter().next().map_or("none", |(text, _)| text);
    if start.is_some_and(|start| first != start) {
        return Err(format!("the first record that came back is {first}"));
    }
    for (text, record) in scanned.iter() {
        let Some(key) = records.parse_key(text) else {
            return Err(format!("the key {text:?} came back, which no load or insert wrote"));
        };
        check(records, key, fields, record).map_err(|answer| format!("{text}: {answer}"))?;
    }
    Ok(())
}
