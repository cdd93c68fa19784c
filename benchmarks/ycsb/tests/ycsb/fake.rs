//! A key-value database in memory, with faults on demand.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use hoap_database::Database;
use hoap_database::engine::{
    About, Calls, Documents, Done, Each, Engine, Offers, RecordSession, RecordStore, What,
};
use hoap_database::failure::Failure;
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_record::{Description, ErrorKind};
use hoap_workload::load::LoadSource;
use hoap_ycsb::UserTable;
use serde_json::Value;

pub type Rows = BTreeMap<String, Vec<Vec<u8>>>;
/// Decides on each write by kind of call and key what becomes of it.
pub type Faults = Box<dyn FnMut(&'static str, &str) -> Fault + Send>;

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It works.
    None,
    /// It fails with this and does nothing.
    Refuse(ErrorKind),
    /// It fails with this and works.
    Lie(ErrorKind),
    /// It says that it worked and does nothing.
    Lose,
    /// It never answers.
    Hang,
}

#[derive(Default)]
pub struct State {
    pub rows: Rows,
    pub calls: Vec<(&'static str, String, Fields)>,
    pub faults: Option<Faults>,
}

/// The database.
#[derive(Clone, Default)]
pub struct Fake {
    state: Arc<Mutex<State>>,
    pub no_scans: bool,
    /// Whether calls are noted.
    pub note: bool,
    /// Whether reads are answered without a field, as `null:` does.
    pub empty: bool,
}

impl Fake {
    /// Loaded with a table.
    pub fn loaded(table: &UserTable) -> Self {
        let fake = Fake { note: true, ..Fake::default() };
        for n in LoadSource::part(table, 0, 1, 1) {
            let (mut key, mut text) = (String::new(), Vec::new());
            LoadSource::append(table, 0, n, &mut key, &mut text);
            let json: Value = serde_json::from_slice(&text).expect("JSON");
            let fields = json.as_object().expect("an object").values();
            let fields = fields.map(|v| v.as_str().expect("a string").as_bytes().to_vec());
            let earlier = fake.state().rows.insert(key, fields.collect());
            assert!(earlier.is_none(), "two records of one key");
        }
        fake
    }

    /// It as a database, whose documents are its records.
    pub fn database(&self) -> Database {
        Database::new(self.clone())
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }

    pub fn faults(&self, faults: impl FnMut(&'static str, &str) -> Fault + Send + 'static) {
        self.state().faults = Some(Box::new(faults));
    }
}

impl Engine for Fake {
    fn about(&self) -> About {
        let lacks: &[_] = if self.no_scans { &[(What::Scans, "it was told so")] } else { &[] };
        About { offers: Offers(lacks), ..About::new("Fake", "fake:", &[], Calls::InProcess) }
    }

    fn description(&self) -> Description {
        unreachable!("nothing is recorded of it")
    }

    fn documents(&self) -> Option<&dyn Documents> {
        Some(self)
    }
}

impl RecordStore for Fake {
    type Session = FakeSession;

    fn answers(&self) -> bool {
        !self.empty
    }

    async fn record_session(&self, _: &Table) -> Done<FakeSession> {
        Ok(FakeSession(self.clone()))
    }
}

pub struct FakeSession(Fake);

impl FakeSession {
    /// Notes the call and decides on its fault.
    async fn begin(&self, call: &'static str, key: &str, fields: Fields) -> Fault {
        let fault = {
            let mut state = self.0.state();
            if self.0.note {
                state.calls.push((call, key.to_owned(), fields));
            }
            state.faults.as_mut().map_or(Fault::None, |faults| faults(call, key))
        };
        if fault == Fault::Hang {
            std::future::pending::<()>().await;
        }
        fault
    }

    /// Does it or not, and answers.
    fn end<T>(&self, fault: Fault, lost: T, act: impl FnOnce(&mut State) -> Done<T>) -> Done<T> {
        let error = |kind| Failure::new(kind, "a fault on purpose").trying("call the fake");
        match fault {
            Fault::Refuse(kind) => Err(error(kind)),
            Fault::Lose => Ok(lost),
            Fault::Lie(kind) => act(&mut self.0.state()).and(Err(error(kind))),
            _ => act(&mut self.0.state()),
        }
    }
}

fn fill(row: &[Vec<u8>], fields: Fields, record: &mut Record) {
    for (field, value) in row.iter().enumerate() {
        let field = field as u16;
        if fields == Fields::All || fields == Fields::One(field) {
            record.push(field, |out| out.extend_from_slice(value));
        }
    }
}

impl RecordSession for FakeSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        let fault = self.begin("read", key, fields).await;
        self.end(fault, true, |state| {
            let Some(row) = state.rows.get(key) else { return Ok(false) };
            fill(row, fields, record);
            Ok(true)
        })
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Done<()> {
        let fault = self.begin("insert", key, Fields::All).await;
        self.end(fault, (), |state| {
            if state.rows.contains_key(key) {
                return Err(Failure::duplicate(key));
            }
            state.rows.insert(key.to_owned(), record.iter().map(|(_, v)| v.to_vec()).collect());
            Ok(())
        })
    }

    async fn update(&mut self, key: &str, record: &Record) -> Done<bool> {
        let fault = self.begin("update", key, Fields::All).await;
        self.end(fault, true, |state| {
            let Some(row) = state.rows.get_mut(key) else { return Ok(false) };
            for (field, value) in record.iter() {
                // Rows that a test cut short stay so.
                if let Some(old) = row.get_mut(usize::from(field)) {
                    *old = value.to_vec();
                }
            }
            Ok(true)
        })
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        let fault = self.begin("delete", key, Fields::All).await;
        self.end(fault, true, |state| Ok(state.rows.remove(key).is_some()))
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        let fault = self.begin("scan", start, fields).await;
        self.end(fault, (), |state| {
            for (key, row) in state.rows.range(start.to_owned()..).take(count) {
                fill(row, fields, scanned.push(key));
            }
            Ok(())
        })
    }
}

hoap_testing::only_scanned! { Fake:
    async fn scan(
        &self,
        collection: &str,
        _: &[&str],
        each: &mut Each<'_>,
    ) -> Done<()> {
        assert_eq!(collection, "usertable");
        let keys: Vec<String> = self.state().rows.keys().cloned().collect();
        keys.iter().try_for_each(|key| each(key, Vec::new()))
    }
}
