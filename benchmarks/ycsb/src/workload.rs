//! The workload on a database.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use hoap_database::KeyValue;
use hoap_database::engine::RecordStore;
use hoap_database::key_value::Table;
use hoap_drive::Workload;
use hoap_workload::clients::ClientStreams;
use hoap_workload::{Error, ErrorKind, Result};

use crate::client::YcsbClient;
use crate::deletes::Deletes;
use crate::distribution::{KeySpace, Keys};
use crate::inserts::Inserts;
use crate::proportions::Kind;
use crate::setup::Setup;
use crate::shared::{Lengths, Owed, Shared};
use crate::table::UserTable;

/// The tag of the clients' random streams.
const CLIENT: u64 = u64::from_be_bytes(*b"client\0\0");

/// YCSB's core workload on one database. It lives for a run with all its steps: later steps read
/// what earlier ones inserted.
pub struct Ycsb<K: RecordStore> {
    pub(super) target: KeyValue<K>,
    pub(super) shared: Arc<Shared>,
    table: Table,
    pub(super) source: UserTable,
    names: Vec<&'static str>,
    space: KeySpace,
    keys: Keys,
    clients: ClientStreams,
}

impl<K: RecordStore> Ycsb<K> {
    /// The workload on a table with the records of `table`, before any run. Reads nothing.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where the set-up is for another number of records, has scans
    /// that the database lacks, or requests that no record can satisfy.
    pub fn new(target: KeyValue<K>, table: &UserTable, setup: Setup) -> Result<Self> {
        let records = table.records;
        let there = records.numbers();
        if setup.mix.share(Kind::Scan) > 0.0 {
            target.scans()?;
        }
        let space = setup.key_space(there.end);
        let wanted = setup.record_count.unwrap_or(there.end);
        if wanted != there.end || there.start > space.requests.start || space.requests.is_empty() {
            let tried = format!("run on table {}", table.name());
            let asked = match wanted == there.end {
                true => {
                    format!("the run asks for {} to {}", space.requests.start, space.requests.end)
                }
                false => format!("recordcount is {wanted}"),
            };
            let answer = format!("it holds the records {} to {}, {asked}", there.start, there.end);
            return Err(Error::new(ErrorKind::Invalid, tried, answer)
                .advise("set recordcount and insertstart to what is loaded, or load it again"));
        }
        space.check(setup.distribution)?;
        let inserts = match setup.mix.share(Kind::Insert) > 0.0 {
            true => Inserts::new(there.end),
            false => Inserts::none(there.end),
        };
        let deletes = setup.mix.share(Kind::Delete) > 0.0;
        if deletes && setup.part.of > 1 {
            let tried = format!("run part {} of {}", setup.part.part, setup.part.of);
            let answer = "a driver does not know which records the others delete";
            return Err(Error::new(ErrorKind::Invalid, tried, answer)
                .advise("use one driver, or leave deleteproportion out"));
        }
        let (whole, answers) = (target.updates_are_whole(), target.answers());
        Ok(Ycsb {
            target,
            table: table.table(),
            source: table.clone(),
            names: setup.mix.kinds().iter().map(|k| k.name()).collect(),
            keys: Keys::with(setup.distribution, setup.exponent, &space),
            clients: ClientStreams::default(),
            shared: Arc::new(Shared {
                records,
                whole_updates: setup.write_all_fields || whole,
                answers,
                scan_length: Lengths::new(setup.scan_length),
                setup,
                inserts,
                owed: Owed::default(),
                deletes: deletes.then(|| Deletes::of(space.requests.clone())),
                epoch: Instant::now(),
                began: SystemTime::now(),
            }),
            space,
        })
    }

    /// The set-up.
    pub fn setup(&self) -> &Setup {
        &self.shared.setup
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        let writes = [Kind::Update, Kind::ReadModifyWrite, Kind::Insert, Kind::Delete];
        writes.iter().any(|kind| self.shared.mix().share(*kind) > 0.0)
    }

    /// The records that its clients draw from.
    pub fn key_space(&self) -> &KeySpace {
        &self.space
    }

    /// The table for a session.
    pub fn table(&self) -> &Table {
        &self.table
    }
}

impl<K: RecordStore> Workload for Ycsb<K> {
    type Client = YcsbClient<K::Session>;

    fn kinds(&self) -> Vec<&str> {
        self.names.clone()
    }

    fn blocking(&self) -> bool {
        self.target.blocking()
    }

    async fn client(&self, number: usize) -> Result<Self::Client> {
        let session = self.target.session(&self.table).await?;
        let stream = self.clients.next(self.shared.setup.records.seed, CLIENT, number);
        Ok(YcsbClient::new(session, self.shared.clone(), self.keys.clone(), stream))
    }
}
