//! Operations on documents, each one command: a read is HMGET, or HGETALL of a whole document, a
//! write is a script, which the server runs alone.
//!
//! A field within another one is part of a JSON text. A script could change it only by way of Lua's
//! numbers, which are doubles, and of its tables, in which an empty array is an empty object: such
//! patches are refused. Several inserts are one script; in a cluster they are one each, and a put
//! is two commands, the document first.

use async_trait::async_trait;
use hoap_database::engine::{self, OpenTransaction, Read, Session, Transactions};
use hoap_database::failure::{Done, Failure};
use hoap_database::patches::why_not;
use hoap_database::path::{self, WHOLE};
use hoap_database::{Access, Change, Condition, Find, Is, Order, Patch, Patched, Row};
use hoap_record::witness::Level;
use redis::{Arg, Cmd, Value as Answer};
use serde_json::Value;

use super::answers::texts;
use super::connection::ClientConnection;
use super::database::{NO_FINDS, NO_NESTED};
use super::document::{self, Path};
use super::documents::at_path;
use super::{RedisEngine, layout, notes};

#[async_trait]
impl Transactions for RedisEngine {
    fn isolation(&self) -> Option<Level> {
        None
    }

    async fn transaction_session(&self) -> Done<Box<dyn engine::Session>> {
        let connection = self.server.client_connection().await?;
        Ok(Box::new(Client { connection, known: Vec::new() }))
    }
}

/// The operations of one client.
struct Client {
    connection: ClientConnection,
    /// The collections that were found to be there.
    known: Vec<String>,
}

/// The names of a collection's keys.
struct Names {
    before: String,
    keys: String,
}

impl Names {
    fn document(&self, key: &str) -> String {
        [&self.before, key].concat()
    }
}

impl Client {
    /// The names in a collection, which must be there.
    async fn names(&mut self, collection: &str) -> Done<Names> {
        if !self.known.iter().any(|known| known == collection) {
            notes::expect(&mut self.connection, &[collection], &[]).await?;
            self.known.push(collection.to_owned());
        }
        let prefix = &self.connection.server().options.prefix;
        let before = layout::documents(prefix, collection);
        Ok(Names { before, keys: layout::keys(prefix, collection) })
    }

    fn in_cluster(&self) -> bool {
        self.connection.server().cluster.is_some()
    }

    /// A whole document.
    async fn whole(&mut self, name: &str) -> Done<Option<Value>> {
        let mut all = redis::cmd("HGETALL");
        all.arg(name);
        document::whole(self.connection.send(&all).await?)
    }

    /// The keys of a collection between these, at most so many.
    async fn range(
        &mut self,
        names: &Names,
        [from, to]: [&str; 2],
        (order, most): (Order, Option<usize>),
    ) -> Done<Vec<String>> {
        let mut range = redis::cmd("ZRANGE");
        range.arg(&names.keys).arg(from).arg(to).arg("BYLEX");
        if order == Order::Descending {
            range.arg("REV");
        }
        let most = most.map_or(-1, |most| i64::try_from(most).unwrap_or(i64::MAX));
        range.arg("LIMIT").arg(0).arg(most);
        texts(self.connection.send(&range).await?)
    }

    async fn exists(&mut self, name: &str) -> Done<bool> {
        let mut exists = redis::cmd("EXISTS");
        exists.arg(name);
        Ok(self.connection.send(&exists).await? == Answer::Int(1))
    }

    /// Adds a document and its key; says whether it was not there.
    async fn insert_in_cluster(&mut self, names: &Names, key: &str, fields: Cmd) -> Done<bool> {
        let fill = |command: &mut Cmd| {
            command.arg(names.document(key));
            append(&fields, command);
        };
        let there = self.connection.run(|s| &s.insert_alone, 1, fill).await?.by_replicas()?;
        self.add_key(names, key).await?;
        Ok(there == Answer::Int(0))
    }

    async fn add_key(&mut self, names: &Names, key: &str) -> Done<()> {
        let mut add = redis::cmd("ZADD");
        add.arg(&names.keys).arg(0).arg(key);
        self.connection.write(&add).await.map(drop)
    }
}

/// Names and values of a document's fields, as arguments.
fn fields_of(document: &Value) -> Done<Cmd> {
    let mut fields = Cmd::new();
    let each = |name: [&[u8]; 2], value: &[u8]| {
        fields.arg(name.concat()).arg(value);
    };
    document::fields(document.to_string().as_bytes(), each).map_err(Failure::invalid)?;
    Ok(fields)
}

/// Appends arguments to a command.
fn append(arguments: &Cmd, command: &mut Cmd) {
    for argument in arguments.args_iter() {
        if let Arg::Simple(argument) = argument {
            command.arg(argument);
        }
    }
}

// No session has to abandon a connection: see [`ClientConnection`].
#[async_trait]
impl Session for Client {
    async fn begin<'a>(&'a mut self, _: Access) -> Done<Box<dyn OpenTransaction + 'a>> {
        Ok(Box::new(Each(self)))
    }
}

/// No transaction: each operation by itself.
struct Each<'a>(&'a mut Client);

/// The command that reads a document, and the paths whose fields it reads; `None` for all of it.
fn reading(name: &str, fields: &[&str]) -> (Cmd, Option<Vec<Path>>) {
    if fields.contains(&WHOLE) {
        let mut command = redis::cmd("HGETALL");
        command.arg(name);
        return (command, None);
    }
    let paths: Vec<Path> = fields.iter().map(|field| Path::new(field)).collect();
    let mut command = redis::cmd(if paths.is_empty() { "EXISTS" } else { "HMGET" });
    command.arg(name);
    for name in paths.iter().flat_map(|path| &path.fields) {
        command.arg(name);
    }
    (command, Some(paths))
}

#[async_trait]
impl OpenTransaction for Each<'_> {
    fn is_over(&self) -> bool {
        false
    }

    async fn get(&mut self, read: Read<'_>) -> Done<Vec<Option<Row>>> {
        let names = self.0.names(read.collection).await?;
        let (mut commands, mut paths) = (Vec::new(), None);
        for key in read.keys {
            let (command, of) = reading(&names.document(key), read.fields);
            commands.push(command);
            paths = of;
        }
        let answers = match &commands[..] {
            [command] => vec![self.0.connection.send(command).await?],
            _ => self.0.connection.send_all(commands).await?,
        };
        let mut rows = Vec::with_capacity(answers.len());
        for (key, answer) in read.keys.iter().zip(answers) {
            let Some(paths) = &paths else {
                let document = document::whole(answer)?;
                let row = |document: Value| {
                    read.fields.iter().map(|path| at_path(&document, path)).collect()
                };
                rows.push(document.map(row));
                continue;
            };
            let there = match &answer {
                Answer::Int(there) => *there == 1,
                Answer::Array(values) if values.iter().all(|value| *value == Answer::Nil) => {
                    // It may have none of these fields.
                    self.0.exists(&names.document(key)).await?
                }
                _ => true,
            };
            let values = if let Answer::Array(values) = &answer { &values[..] } else { &[] };
            let row = paths.iter().zip(values.chunks(2)).map(|(path, values)| path.value(values));
            rows.push(if there { Some(row.collect::<Done<Row>>()?) } else { None });
        }
        Ok(rows)
    }

    /// By keys alone: those of the collection's sorted set, then their documents. One that was
    /// deleted between the two makes room for the next.
    async fn find(&mut self, find: Find<'_>) -> Done<Vec<(String, Row)>> {
        let Find { index, limit, fields, intent, .. } = find;
        if !index.is_keys() {
            return Err(Failure::invalid(NO_FINDS));
        }
        let collection = &*index.collection;
        let names = self.0.names(collection).await?;
        let (mut from, to) = ends(&find);
        let mut found: Vec<(String, Row)> = Vec::new();
        loop {
            let left = limit.map(|limit| limit - found.len());
            let keys = self.0.range(&names, [&from, &to], (find.order, left)).await?;
            let is_end = left.is_none_or(|left| keys.len() < left);
            let Some(last) = keys.last() else { return Ok(found) };
            from = format!("({last}");
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            let rows = self.get(Read { collection, keys: &keys, fields, intent }).await?;
            let rows = keys.into_iter().zip(rows);
            found.extend(rows.filter_map(|(key, row)| Some((key.to_owned(), row?))));
            if is_end || limit == Some(found.len()) {
                return Ok(found);
            }
        }
    }

    async fn insert(&mut self, collection: &str, documents: &[(&str, &Value)]) -> Done<()> {
        let names = self.0.names(collection).await?;
        let fields = documents.iter().map(|(_, document)| fields_of(document));
        let fields = fields.collect::<Done<Vec<Cmd>>>()?;
        if self.0.in_cluster() {
            for ((key, _), fields) in documents.iter().zip(fields) {
                if !self.0.insert_in_cluster(&names, key, fields).await? {
                    return Err(Failure::duplicate(key));
                }
            }
            return Ok(());
        }
        let fill = |command: &mut Cmd| {
            for (key, _) in documents {
                command.arg(names.document(key));
            }
            command.arg(&names.keys);
            for ((key, _), fields) in documents.iter().zip(&fields) {
                command.arg(key).arg(fields.args_iter().count());
                append(fields, command);
            }
        };
        let keys = documents.len() + 1;
        let written = self.0.connection.run(|s| &s.insert_all, keys, fill).await?;
        match written.answer {
            Answer::Int(0) => written.replicated,
            Answer::Int(n) => {
                let taken = usize::try_from(n - 1).ok().and_then(|at| documents.get(at));
                Err(Failure::duplicate(taken.map_or("", |(key, _)| key)))
            }
            other => Err(Failure::broken(format!("the script answered {other:?}"))),
        }
    }

    async fn put(&mut self, collection: &str, key: &str, document: &Value) -> Done<()> {
        let names = self.0.names(collection).await?;
        let (fields, cluster) = (fields_of(document)?, self.0.in_cluster());
        let fill = |command: &mut Cmd| {
            command.arg(names.document(key));
            if !cluster {
                command.arg(&names.keys).arg(key);
            }
            append(&fields, command);
        };
        let written = match cluster {
            true => self.0.connection.run(|s| &s.replace, 1, fill).await?,
            false => self.0.connection.run(|s| &s.put, 2, fill).await?,
        };
        written.by_replicas()?;
        if cluster {
            self.0.add_key(&names, key).await?;
        }
        Ok(())
    }

    async fn patch(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Done<Patched> {
        let paths = patches.iter().map(|patch| patch.path);
        if paths.chain(conditions.iter().map(|c| c.path)).any(|path| !path::is_member(path)) {
            return Err(Failure::invalid(NO_NESTED));
        }
        let mut asked = conditions.iter().map(|condition| path::member(condition.path));
        if let Some(name) = asked.find(|name| !document::is_plain(name)) {
            return Err(Failure::invalid(format!("no condition can be on a field named `{name}`")));
        }
        let name = self.0.names(collection).await?.document(key);
        let fill = |command: &mut Cmd| {
            command.arg(&name);
            conditions.iter().for_each(|condition| ask(condition, command));
            patches.iter().for_each(|patch| change(patch, command));
        };
        let written = self.0.connection.run(|s| &s.patch, 1, fill).await?;
        match written.answer {
            Answer::Int(0) => Ok(Patched::Missing),
            Answer::Int(1) => written.replicated.map(|()| Patched::Done),
            Answer::Int(2) => Ok(Patched::Refused),
            Answer::Int(3) => why_not(self.0.whole(&name).await?.as_ref(), patches, &[]),
            other => Err(Failure::broken(format!("the script answered {other:?}"))),
        }
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Done<bool> {
        let names = self.0.names(collection).await?;
        let name = names.document(key);
        if !self.0.in_cluster() {
            let fill = |command: &mut Cmd| {
                command.arg(&name).arg(&names.keys).arg(key);
            };
            let written = self.0.connection.run(|s| &s.delete, 2, fill).await?;
            return match written.answer {
                Answer::Int(0) => Ok(false),
                _ => written.replicated.map(|()| true),
            };
        }
        let mut forget = redis::cmd("ZREM");
        forget.arg(&names.keys).arg(key);
        let forgot = self.0.connection.write(&forget).await? == Answer::Int(1);
        let mut delete = redis::cmd("DEL");
        delete.arg(&name);
        // The driver repeats a command whose connection was lost; its second answer is 0.
        Ok(self.0.connection.write(&delete).await? == Answer::Int(1) || forgot)
    }

    async fn commit(&mut self) -> Done<()> {
        Ok(())
    }

    async fn rollback(&mut self) -> Done<()> {
        Ok(())
    }
}

/// Where a search by keys begins and where it ends, as ZRANGE takes them.
fn ends(find: &Find<'_>) -> (String, String) {
    let range = find.range.unwrap_or_default();
    let end = |bound: Option<&Value>, open: &str| {
        bound.and_then(Value::as_str).map_or(open.to_owned(), |key| format!("[{key}"))
    };
    let (low, high) = (end(range.min, "-"), end(range.max, "+"));
    let (from, to) = if find.order == Order::Ascending { (low, high) } else { (high, low) };
    (find.behind().map_or(from, |last| format!("({}", last.key)), to)
}

/// Appends a condition for the script `patch`.
fn ask(condition: &Condition<'_>, command: &mut Cmd) {
    let mut add = |what: &str, value: &str| {
        command.arg(what).arg(path::member(condition.path)).arg(value);
    };
    match condition.is {
        Is::Equal(Value::Null) => add("null", ""),
        Is::Equal(Value::String(text)) => add("text", text),
        Is::Equal(value) => add("same", &value.to_string()),
        Is::Within(bounds) => {
            for (what, bound) in [("min", bounds.min), ("max", bounds.max)] {
                match bound {
                    Some(Value::String(text)) => add(&format!("text {what}"), text),
                    Some(number) => add(what, &number.to_string()),
                    None => {}
                }
            }
        }
    }
}

/// Appends a change for the script `patch`.
fn change(patch: &Patch<'_>, command: &mut Cmd) {
    let name = path::member(patch.path);
    let plain = document::is_plain(name);
    let (what, value) = match &patch.change {
        Change::Set(Value::String(text)) if plain => ("set text", text.clone()),
        Change::Set(value) if plain => ("set", value.to_string()),
        Change::Set(value) => ("set json", value.to_string()),
        Change::AddInteger(n) => ("add", n.to_string()),
        Change::AddDecimal { units, digits } => ("sum", format!("{units} {digits}")),
        Change::Append(value) => ("append", value.to_string()),
        Change::Remove if plain => ("remove", String::new()),
        Change::Remove => ("remove json", String::new()),
    };
    command.arg(what).arg(name).arg(value);
}
