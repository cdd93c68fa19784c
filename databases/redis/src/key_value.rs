//! Records by key.
//!
//! A record is a hash. A read is one HMGET of the fields by name; an insert is a script that adds
//! the record and its key atomically; an update is a script that sets the fields of a record that
//! is there. HSET alone, as in YCSB's own binding, costs the server two thirds (`bench/README.md`), but
//! makes a record of a missing key, and a client that dies could not take it back. A scan takes
//! keys from the collection's sorted set and then reads their records in one pipeline. It is no
//! snapshot: a record may change between the two.
//!
//! In a cluster a record and the set of keys are on different nodes. An insert adds the record
//! first, so that no scan finds a key without its record, even after a failure; the next insert of
//! that key finds the record and adds the key. A delete removes the key first.

use hoap_database::engine::{self, RecordStore};
use hoap_database::failure::{Done, Failure};
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use redis::{Cmd, Value};

use super::answers::{Written, texts};
use super::connection::ClientConnection;
use super::{RedisEngine, document, layout, notes};

impl RecordStore for RedisEngine {
    type Session = RecordSession;

    async fn record_session(&self, table: &Table) -> Done<RecordSession> {
        let server = &self.server;
        let mut connection = server.client_connection().await?;
        notes::expect(&mut connection, &[&table.name], &[]).await?;
        let prefix = &server.options.prefix;
        let key = layout::documents(prefix, &table.name);
        Ok(RecordSession {
            fields: table.fields.clone(),
            keys: layout::keys(prefix, &table.name),
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
    /// The names of the table's fields.
    fields: Vec<String>,
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

    async fn insert_named(&mut self, key: &str, record: &Record) -> Done<bool> {
        let (fields, name, keys) = (&self.fields, &self.key, &self.keys);
        if !self.cluster {
            let fill = |command: &mut Cmd| {
                command.arg(name).arg(keys).arg(key);
                write(fields, record, command);
            };
            return wrote(self.connection.run(|s| &s.insert, 2, fill).await?);
        }
        let fill = |command: &mut Cmd| {
            command.arg(name);
            write(fields, record, command);
        };
        let there = self.connection.run(|s| &s.insert_alone, 1, fill).await?.by_replicas()?;
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
}

/// Whether a script has written. If not, the replicas do not matter.
fn wrote(written: Written) -> Done<bool> {
    match written.answer {
        Value::Int(0) => Ok(false),
        _ => written.replicated.map(|()| true),
    }
}

/// Makes the command that reads these fields; returns whether there are any.
fn ask(names: &[String], fields: Fields, key: &str, command: &mut Cmd) -> bool {
    command.clear();
    command.arg("HMGET").arg(key);
    match fields {
        Fields::All if !names.is_empty() => {
            for name in names {
                command.arg(name);
            }
        }
        Fields::One(number) => {
            command.arg(&names[usize::from(number)]);
        }
        Fields::All | Fields::None => return false,
    }
    true
}

/// Reads an answer to [`ask`] into an empty record; returns whether there was any field.
fn take(answer: &Value, fields: Fields, record: &mut Record) -> Done<bool> {
    let Value::Array(values) = answer else {
        return Err(Failure::broken(format!("HMGET answered {answer:?}")));
    };
    let first = if let Fields::One(number) = fields { number } else { 0 };
    for (number, value) in (first..).zip(values) {
        match value {
            Value::BulkString(bytes) => record.push(number, |out| out.extend_from_slice(bytes)),
            Value::Nil => {}
            other => return Err(Failure::broken(format!("a field is {other:?}"))),
        }
    }
    Ok(!record.is_empty())
}

fn all_nil(answer: &Value) -> bool {
    matches!(answer, Value::Array(values) if values.iter().all(|value| *value == Value::Nil))
}

/// Appends names and values of a checked record.
fn write(names: &[String], record: &Record, command: &mut Cmd) {
    for (number, value) in record.iter() {
        command.arg(&names[usize::from(number)]).arg(value);
    }
    if record.is_empty() {
        command.arg(document::EMPTY.0).arg(document::EMPTY.1);
    }
}

impl engine::RecordSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        self.name(key);
        if !ask(&self.fields, fields, &self.key, &mut self.command) {
            return self.exists().await;
        }
        let answer = self.connection.send(&self.command).await?;
        // Where all fields are missing the record may exist all the same.
        if take(&answer, fields, record)? { Ok(true) } else { self.exists().await }
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Done<()> {
        self.name(key);
        if self.insert_named(key, record).await? { Ok(()) } else { Err(Failure::duplicate(key)) }
    }

    async fn update(&mut self, key: &str, record: &Record) -> Done<bool> {
        self.name(key);
        if record.is_empty() {
            return self.exists().await;
        }
        let (fields, name) = (&self.fields, &self.key);
        let fill = |command: &mut Cmd| {
            command.arg(name);
            write(fields, record, command);
        };
        wrote(self.connection.run(|s| &s.update, 1, fill).await?)
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        self.name(key);
        let (name, keys) = (&self.key, &self.keys);
        if !self.cluster {
            let fill = |command: &mut Cmd| {
                command.arg(name).arg(keys).arg(key);
            };
            return wrote(self.connection.run(|s| &s.delete, 2, fill).await?);
        }
        let mut forget = redis::cmd("ZREM");
        forget.arg(keys).arg(key);
        let forgot = self.connection.write(&forget).await? == Value::Int(1);
        self.command.clear();
        self.command.arg("DEL").arg(name);
        // The driver repeats a command whose connection was lost; its second answer is 0.
        Ok(self.connection.write(&self.command).await? == Value::Int(1) || forgot)
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        self.start.clear();
        self.start.push('[');
        self.start.push_str(start);
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.command.clear();
        self.command.arg("ZRANGE").arg(&self.keys).arg(&self.start).arg("+");
        self.command.arg("BYLEX").arg("LIMIT").arg(0).arg(count);
        let keys = texts(self.connection.send(&self.command).await?)?;
        if fields == Fields::None || self.fields.is_empty() {
            for key in &keys {
                scanned.push(key);
            }
            return Ok(());
        }
        let mut commands = Vec::with_capacity(keys.len());
        for key in &keys {
            self.name(key);
            let mut command = Cmd::new();
            ask(&self.fields, fields, &self.key, &mut command);
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
