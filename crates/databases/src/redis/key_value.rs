//! Records by key.
//!
//! A record is a hash. A read is one HMGET of the fields by name; an insert is a script that adds
//! the record and its key atomically. An update is one HSET, as in YCSB's own binding: its answer,
//! the number of new fields, is 0 where the record has them all. Otherwise a script searches the
//! table's keys, and removes a record that did not exist; another client may have seen it in
//! between. A script that checks first costs the server half as much again (`bench/redis`); in a
//! cluster, where the key is on another node, it is used. A scan takes keys from the collection's
//! sorted set and then reads their records in one pipeline. It is no snapshot: a record may change
//! between the two.
//!
//! In a cluster a record and the set of keys are on different nodes. An insert adds the record
//! first, so that no scan finds a key without its record, even after a failure; the next insert of
//! that key finds the record and adds the key.

use std::sync::Arc;

use hoap_workload::capability::Applicable;
use hoap_workload::capability::key_value::{
    Fields, KeyValue, KeyValueSession, Record, Scanned, Table,
};
use hoap_workload::{Error, Result};
use redis::{Cmd, Value};

use super::answers::texts;
use super::connection::{ClientConnection, Server};
use super::error::{Doing, Done, Failure};
use super::{Redis, document, layout, notes};
use crate::names;

impl KeyValue for Redis {
    type Session = RecordSession;

    fn scans(&self) -> Applicable<()> {
        Ok(())
    }

    async fn session(&self, table: &Table) -> Result<RecordSession> {
        let name = layout::collection(&table.name)?;
        for field in &table.fields {
            names::field(field)?;
        }
        let server: &Arc<Server> = &self.server;
        let mut connection = server.client_connection().await?;
        notes::expect(&mut connection, &[name], &[]).await?;
        let prefix = &server.options.prefix;
        let key = layout::documents(prefix, name);
        Ok(RecordSession {
            table: table.clone(),
            keys: layout::keys(prefix, name),
            before: key.len(),
            key,
            start: String::new(),
            command: Cmd::new(),
            cluster: server.cluster.is_some(),
            connection,
        })
    }
}

/// The records of one client.
pub struct RecordSession {
    connection: ClientConnection,
    table: Table,
    /// The set of the table's keys.
    keys: String,
    /// The name of the current operation's record; its first `before` bytes are the table's.
    key: String,
    before: usize,
    /// Recycled: the start of a scan, the command of a read.
    start: String,
    command: Cmd,
    cluster: bool,
}

impl RecordSession {
    fn failed(&self, failure: Failure, doing: Doing, what: &str, key: &str) -> Error {
        let tried = format!("{what} {} {key} in {}", self.table.name, self.connection.server().url);
        failure.into_error(doing, tried)
    }

    /// Makes `self.key` the name of a record.
    fn name(&mut self, key: &str) {
        self.key.truncate(self.before);
        self.key.push_str(key);
    }

    async fn exists(&mut self) -> Done<bool> {
        self.command.clear();
        self.command.arg("EXISTS").arg(&self.key);
        Ok(self.connection.send(&self.command).await? == Value::Int(1))
    }

    async fn read_named(&mut self, fields: Fields, record: &mut Record) -> Done<bool> {
        if !ask(&self.table, fields, &self.key, &mut self.command)? {
            return self.exists().await;
        }
        let answer = self.connection.send(&self.command).await?;
        // Where all fields are missing the record may exist all the same.
        if take(&answer, fields, record)? { Ok(true) } else { self.exists().await }
    }

    async fn insert_named(&mut self, key: &str, record: &Record) -> Done<bool> {
        check(&self.table, record)?;
        let (table, name, keys) = (&self.table, &self.key, &self.keys);
        if !self.cluster {
            let fill = |command: &mut Cmd| {
                command.arg(name).arg(keys).arg(key);
                write(table, record, command);
            };
            return wrote(self.connection.run(|s| &s.insert, 2, fill).await);
        }
        let fill = |command: &mut Cmd| {
            command.arg(name);
            write(table, record, command);
        };
        let there = self.connection.run(|s| &s.insert_alone, 1, fill).await?;
        let mut add = redis::cmd("ZADD");
        add.arg(keys).arg(0).arg(key);
        let added = self.connection.write(&add).await? == Value::Int(1);
        match there {
            Value::Int(0) => Ok(true),
            // The driver repeats a command whose connection was lost. A record of exactly these
            // fields whose key was not among the keys yet is this insert's.
            Value::Int(2) => Ok(added),
            _ => Ok(false),
        }
    }

    async fn update_named(&mut self, key: &str, record: &Record) -> Done<bool> {
        check(&self.table, record)?;
        if record.is_empty() {
            return self.exists().await;
        }
        let (table, name, keys) = (&self.table, &self.key, &self.keys);
        if self.cluster {
            let fill = |command: &mut Cmd| {
                command.arg(name);
                write(table, record, command);
            };
            return wrote(self.connection.run(|s| &s.update, 1, fill).await);
        }
        self.command.clear();
        self.command.arg("HSET").arg(name);
        write(table, record, &mut self.command);
        if self.connection.write(&self.command).await? == Value::Int(0) {
            return Ok(true);
        }
        // New fields: the record lacked them, or did not exist.
        let fill = |command: &mut Cmd| {
            command.arg(name).arg(keys).arg(key);
        };
        wrote(self.connection.run(|s| &s.take_back, 2, fill).await)
    }

    async fn scan_from(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        if let Fields::One(number) = fields {
            field(&self.table, number)?;
        }
        self.start.clear();
        self.start.push('[');
        self.start.push_str(start);
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.command.clear();
        self.command.arg("ZRANGE").arg(&self.keys).arg(&self.start).arg("+");
        self.command.arg("BYLEX").arg("LIMIT").arg(0).arg(count);
        let keys = texts(self.connection.send(&self.command).await?)?;
        if fields == Fields::None || self.table.fields.is_empty() {
            for key in &keys {
                scanned.push(key);
            }
            return Ok(());
        }
        let mut commands = Vec::with_capacity(keys.len());
        for key in &keys {
            self.name(key);
            let mut command = Cmd::new();
            ask(&self.table, fields, &self.key, &mut command)?;
            commands.push(command);
        }
        let answers = self.connection.send_all(commands).await?;
        for (key, answer) in keys.iter().zip(&answers) {
            // A record may lack all of these fields; it may also have been removed since its key
            // was read.
            if all_nil(answer) {
                self.name(key);
                if !self.exists().await? {
                    continue;
                }
            }
            take(answer, fields, scanned.push(key))?;
        }
        Ok(())
    }
}

/// Whether a script has written. If not, the replicas do not matter.
fn wrote(answer: Done<Value>) -> Done<bool> {
    match answer {
        Ok(Value::Int(0)) | Err(Failure::NotReplicated { answer: Value::Int(0), .. }) => Ok(false),
        Ok(_) => Ok(true),
        Err(e) => Err(e),
    }
}

/// The name of a field.
fn field(table: &Table, number: u16) -> Done<&str> {
    let name = table.fields.get(usize::from(number)).map(String::as_str);
    name.ok_or_else(|| Failure::Invalid(format!("no field has the number {number}")))
}

/// Refuses a record with a field that the table does not have.
fn check(table: &Table, record: &Record) -> Done<()> {
    record.iter().try_for_each(|(number, _)| field(table, number).map(drop))
}

/// Makes the command that reads these fields; returns whether there are any.
fn ask(table: &Table, fields: Fields, key: &str, command: &mut Cmd) -> Done<bool> {
    command.clear();
    command.arg("HMGET").arg(key);
    match fields {
        Fields::All if !table.fields.is_empty() => {
            for name in &table.fields {
                command.arg(name);
            }
        }
        Fields::One(number) => {
            command.arg(field(table, number)?);
        }
        Fields::All | Fields::None => return Ok(false),
    }
    Ok(true)
}

/// Reads an answer to [`ask`] into an empty record; returns whether there was any field.
fn take(answer: &Value, fields: Fields, record: &mut Record) -> Done<bool> {
    let Value::Array(values) = answer else {
        return Err(Failure::Broken(format!("HMGET answered {answer:?}")));
    };
    let first = if let Fields::One(number) = fields { number } else { 0 };
    for (number, value) in (first..).zip(values) {
        match value {
            Value::BulkString(bytes) => record.push(number, |out| out.extend_from_slice(bytes)),
            Value::Nil => {}
            other => return Err(Failure::Broken(format!("a field is {other:?}"))),
        }
    }
    Ok(!record.is_empty())
}

fn all_nil(answer: &Value) -> bool {
    matches!(answer, Value::Array(values) if values.iter().all(|value| *value == Value::Nil))
}

/// Appends names and values of a checked record.
fn write(table: &Table, record: &Record, command: &mut Cmd) {
    for (number, value) in record.iter() {
        command.arg(&table.fields[usize::from(number)]).arg(value);
    }
    if record.is_empty() {
        command.arg(document::EMPTY.0).arg(document::EMPTY.1);
    }
}

impl KeyValueSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Result<bool> {
        record.clear();
        self.name(key);
        let done = self.read_named(fields, record).await;
        done.map_err(|e| self.failed(e, Doing::Read, "read", key))
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Result<()> {
        self.name(key);
        match self.insert_named(key, record).await {
            Ok(true) => Ok(()),
            Ok(false) => {
                Err(self.failed(Failure::Duplicate(key.to_owned()), Doing::Write, "insert", key))
            }
            Err(e) => Err(self.failed(e, Doing::Write, "insert", key)),
        }
    }

    async fn update(&mut self, key: &str, record: &Record) -> Result<bool> {
        self.name(key);
        let done = self.update_named(key, record).await;
        done.map_err(|e| self.failed(e, Doing::Write, "update", key))
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Result<()> {
        scanned.clear();
        let done = self.scan_from(start, count, fields, scanned).await;
        done.map_err(|e| self.failed(e, Doing::Read, "scan from", start))
    }
}
