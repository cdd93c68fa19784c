//! Records by key.

use std::future::Future;
use std::sync::Arc;

use hoap_database::Applicable;
use hoap_database::key_value::{Fields, KeyValue, KeyValueSession, Record, Scanned, Table};
use hoap_record::Result;

use super::engine::{self, Engine, RecordSession};
use super::limit::{answer, maybe_applied, not_read, unlimited};
use super::stopping::Waiting;
use super::{Front, check_name, error};
use crate::failure::{Done, Failure};
use crate::{json, names};

impl<E: engine::KeyValue> KeyValue for Front<E> {
    type Session = FrontRecords<E, E::Session>;

    fn scans(&self) -> Applicable<()> {
        self.0.scans()
    }

    fn updates_are_whole(&self) -> bool {
        self.0.updates_are_whole()
    }

    async fn session(&self, table: &Table) -> Result<Self::Session> {
        self.open(table, self.0.record_session(table)).await
    }

    async fn checking_session(&self, table: &Table) -> Result<Self::Session> {
        self.open(table, self.0.checking_session(table)).await
    }
}

impl<E: engine::KeyValue> Front<E> {
    async fn open(
        &self,
        table: &Table,
        opening: impl Future<Output = Done<E::Session>>,
    ) -> Result<FrontRecords<E, E::Session>> {
        check_name(&*self.0, &table.name)?;
        table.fields.iter().try_for_each(|field| names::field(field).map(drop))?;
        match unlimited(&*self.0, opening).await {
            Ok(inner) => Ok(FrontRecords {
                engine: self.0.clone(),
                table: table.clone(),
                inner,
                waiting: Waiting::default(),
            }),
            Err(failure) => Err(error(&*self.0, failure, &format!("read {} in", table.name))),
        }
    }
}

/// The records of one client.
pub struct FrontRecords<E, S> {
    engine: Arc<E>,
    table: Table,
    inner: S,
    waiting: Waiting,
}

impl<E: Engine, S: RecordSession> FrontRecords<E, S> {
    fn check(&self, fields: Fields) -> Done<()> {
        match fields {
            Fields::One(number) if usize::from(number) >= self.table.fields.len() => {
                Err(Failure::invalid(format!("no field has the number {number}")))
            }
            _ => Ok(()),
        }
    }

    fn check_record(&self, record: &Record) -> Done<()> {
        let names = &self.table.fields;
        record.iter().try_for_each(|(field, value)| match json::check(names, field, value) {
            Ok(_) => Ok(()),
            Err(why) => Err(Failure::invalid(why)),
        })
    }

    #[cold]
    fn error(&self, failure: Failure, what: &str, key: &str) -> hoap_record::Error {
        error(&*self.engine, failure, &format!("{what} {} {key} in", self.table.name))
    }
}

impl<E: Engine, S: RecordSession> KeyValueSession for FrontRecords<E, S> {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Result<bool> {
        record.clear();
        let done = match self.check(fields) {
            Ok(()) => {
                answer!(
                    self.engine,
                    &mut self.waiting,
                    self.inner,
                    self.inner.read(key, fields, record),
                    not_read
                )
            }
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.error(failure, "read", key))
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Result<()> {
        let done = match self.check_record(record) {
            Ok(()) => {
                answer!(
                    self.engine,
                    &mut self.waiting,
                    self.inner,
                    self.inner.insert(key, record),
                    maybe_applied
                )
            }
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.error(failure, "insert", key))
    }

    async fn update(&mut self, key: &str, record: &Record) -> Result<bool> {
        let done = match self.check_record(record) {
            Ok(()) => {
                answer!(
                    self.engine,
                    &mut self.waiting,
                    self.inner,
                    self.inner.update(key, record),
                    maybe_applied
                )
            }
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.error(failure, "update", key))
    }

    async fn delete(&mut self, key: &str) -> Result<bool> {
        let done = answer!(
            self.engine,
            &mut self.waiting,
            self.inner,
            self.inner.delete(key),
            maybe_applied
        );
        done.map_err(|failure| self.error(failure, "delete", key))
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Result<()> {
        scanned.clear();
        let done = match self.check(fields) {
            Ok(()) => answer!(
                self.engine,
                &mut self.waiting,
                self.inner,
                self.inner.scan(start, count, fields, scanned),
                not_read
            ),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.error(failure, "scan from", start))
    }
}
