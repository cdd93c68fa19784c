//! Records by key.
//!
//! A record is a hash. A read is one HMGET of the fields by name; an insert is a script that adds the
//! record and its key in one step. An update is one HSET, as YCSB's own binding has it: its answer, the
//! number of fields that were not there before, is 0 where the record has them all. Where it is not, a
//! script looks for the key among the table's, and takes back what was written to a record that does not
//! exist, of which somebody may have had a glimpse. A script that looks first costs the server half as much
//! again (`bench/redis`), and is what a cluster gets, where the key is on another node.
//! A scan takes keys from the collection's sorted set and then reads their records, sent together. It
//! is no snapshot: a record may change between the two.
//!
//! In a cluster a record and the set of keys are on different nodes. An insert adds the record first,
//! so that no scan finds a key without its record, whoever fails in between; the next insert of
//! that key finds the record there and adds the key.

use std::sync::Arc;

use hoap_workload::capability::Applicable;
use hoap_workload::capability::key_value::{
    Fields, KeyValue, KeyValueSession, Record, Scanned, Table,
};
use hoap_workload::{Error, Result};
use redis::{Cmd, Value};

use super::connection::{Line, Server};
use super::error::{Doing, Done, Failure};
use super::{Redis, document, documents, layout};
use crate::names;

impl KeyValue for Redis {
    type Session = Client;

    fn scans(&self) -> Applicable<()> {
        Ok(())
    }

    async fn session(&self, table: &Table) -> Result<Client> {
        let name = layout::collection(&table.name)?;
        for field in &table.fields {
            names::field(field)?;
        }
        let server: &Arc<Server> = &self.shared.server;
        let mut line = server.client_line().await?;
        documents::expect(&mut line, &[name], &[]).await?;
        let prefix = &server.options.prefix;
        let key = layout::documents(prefix, name);
        Ok(Client {
            table: table.clone(),
            keys: layout::keys(prefix, name),
            before: key.len(),
            key,
            start: String::new(),
            command: Cmd::new(),
            cluster: server.cluster.is_some(),
            line,
        })
    }
}

/// One client.
pub struct Client {
    line: Line,
    table: Table,
    /// The set of the table's keys.
    keys: String,
    /// The name of the record of the operation under way; its first `before` bytes are the table's.
    key: String,
    before: usize,
    /// Recycled: where a scan begins, the command of a read.
    start: String,
    command: Cmd,
    cluster: bool,
}

impl Client {
    fn failed(&self, failure: Failure, doing: Doing, what: &str, key: &str) -> Error {
        let tried = format!("{what} {} {key} in {}", self.table.name, self.line.server().url);
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
        Ok(self.line.send(&self.command).await? == Value::Int(1))
    }

    async fn read_named(&mut self, fields: Fields, record: &mut Record) -> Done<bool> {
        if !ask(&self.table, fields, &self.key, &mut self.command)? {
            return self.exists().await;
        }
        let answer = self.line.send(&self.command).await?;
        // Fields that are all missing say nothing of the record.
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
            return wrote(self.line.run(|s| &s.insert, 2, fill).await);
        }
        let fill = |command: &mut Cmd| {
            command.arg(name);
            write(table, record, command);
        };
        let there = self.line.run(|s| &s.insert_alone, 1, fill).await?;
        let mut add = redis::cmd("ZADD");
        add.arg(keys).arg(0).arg(key);
        let added = self.line.write(&add).await? == Value::Int(1);
        match there {
            Value::Int(0) => Ok(true),
            // The driver repeats what it sent over a connection that was lost. A record of just these
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
            return wrote(self.line.run(|s| &s.update, 1, fill).await);
        }
        self.command.clear();
        self.command.arg("HSET").arg(name);
        write(table, record, &mut self.command);
        if self.line.write(&self.command).await? == Value::Int(0) {
            return Ok(true);
        }
        // Fields that were not there: of a record that lacked them, or of none.
        let fill = |command: &mut Cmd| {
            command.arg(name).arg(keys).arg(key);
        };
        wrote(self.line.run(|s| &s.take_back, 2, fill).await)
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
        let keys = super::texts(self.line.send(&self.command).await?)?;
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
        let answers = self.line.send_all(commands).await?;
        for (key, answer) in keys.iter().zip(&answers) {
            // A record without any of these fields is one, unless it went since its key was read.
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

/// Whether a script has written. Where it has not, no replica need have anything of it.
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

/// Makes the command that reads these fields, or says that there are none to read.
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

/// Reads an answer to [`ask`] into an empty record, and says whether there was any field.
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

impl KeyValueSession for Client {
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
