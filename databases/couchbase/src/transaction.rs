//! Document transactions: SQL++ statements between BEGIN WORK and COMMIT.

use std::collections::HashMap;

use async_trait::async_trait;
use couchbase::collection::Collection;
use hoap_database::engine::{self, Session, Transactions};
use hoap_database::failure::{Done, Failure};
use hoap_database::patches::{independent, why_not};
use hoap_database::path;
use hoap_database::{Access, Condition, Find, Intent, Patch, Patched, Row};
use hoap_record::ErrorKind;
use hoap_record::witness::Level;
use serde_json::Value;
use tokio::task::JoinHandle;

use super::key_value::Operations;
use super::query::{Answer, Node, NodeTransaction};
use super::{CouchbaseEngine, error, indexes, patch, sql};

#[async_trait]
impl Transactions for CouchbaseEngine {
    fn isolation(&self) -> Option<Level> {
        Some(Level::ReadCommitted)
    }

    async fn transaction_session(&self) -> Done<Box<dyn engine::Session>> {
        let (node, text) = (self.node()?, String::new());
        let operations = Operations::new(node.server.clone());
        Ok(Box::new(TransactionSession { node, operations, ending: None, text }))
    }
}

/// The transactions of one client, at one query node.
pub struct TransactionSession {
    node: Node,
    /// Outside of transactions.
    operations: Operations,
    /// The ROLLBACK of a dropped transaction.
    ending: Option<JoinHandle<()>>,
    /// Recycled: the text of a statement.
    text: String,
}

#[async_trait]
impl Session for TransactionSession {
    async fn begin<'a>(
        &'a mut self,
        access: Access,
    ) -> Done<Box<dyn engine::OpenTransaction + 'a>> {
        // The changes that it staged would conflict with the next transaction.
        if let Some(ending) = &mut self.ending {
            let _ = ending.await;
            self.ending = None;
        }
        let each = access == Access::Each;
        let tx = if each { None } else { Some(self.node.begin().await?) };
        Ok(Box::new(OpenTransaction { client: self, each, tx, read: HashMap::new() }))
    }

    /// A dropped request closes its connection. A ROLLBACK without an answer is not waited for any
    /// longer; the server ends what it should have ended at its time limit.
    fn abandon(&mut self) -> bool {
        self.ending = None;
        true
    }
}

/// An open transaction.
pub struct OpenTransaction<'a> {
    client: &'a mut TransactionSession,
    /// Whether there is none: operations by themselves, by key on the data service.
    each: bool,
    /// `None` once it is over.
    tx: Option<NodeTransaction>,
    /// Each document that was read to be changed, by collection and key.
    read: HashMap<(String, String), Read>,
}

/// A document as it was when it was read to be changed.
struct Read {
    cas: Value,
    /// Whether this transaction has changed it since: its own change needs no guard.
    changed: bool,
}

fn over() -> Failure {
    Failure::invalid("the transaction is over")
}

impl OpenTransaction<'_> {
    /// Runs the statement in the recycled text.
    async fn run(&mut self, args: &[Value]) -> Done<Answer> {
        // Without it the statement would be a transaction of its own.
        if self.tx.is_none() && !self.each {
            return Err(over());
        }
        let TransactionSession { node, text, .. } = &mut *self.client;
        let done = node.run(text, args, self.tx.as_mut()).await;
        done.map_err(|e| {
            let failure = error::in_transaction(e);
            if failure.kind == ErrorKind::Conflict {
                self.end();
            }
            failure
        })
    }

    /// Sends ROLLBACK and does not wait for it. If it is lost the server ends the transaction at
    /// its time limit.
    fn end(&mut self) {
        let Some(mut tx) = self.tx.take() else { return };
        let node = self.client.node.beside();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            self.client.ending = Some(runtime.spawn(async move {
                let _ = node.ask("ROLLBACK WORK", &[], Some(&mut tx)).await;
            }));
        }
    }

    /// Reads rows `[key, CAS, field…]` and keeps the CAS of documents that are read to be changed.
    fn take(
        &mut self,
        answer: Answer,
        collection: &str,
        intent: Intent,
    ) -> Done<Vec<(String, Row)>> {
        let mut taken = Vec::with_capacity(answer.rows.len());
        for mut row in answer.lists()? {
            let values = row.split_off(row.len().min(2));
            let (Some(Value::String(key)), Some(cas)) =
                (row.first_mut().map(Value::take), row.pop())
            else {
                return Err(Failure::broken("a row has no key"));
            };
            if intent == Intent::Change {
                if !cas.is_number() {
                    let answer = format!("the CAS of {key} is {cas}: a change could be lost");
                    return Err(Failure::broken(answer));
                }
                let place = (collection.to_owned(), key.clone());
                self.read.entry(place).or_insert(Read { cas, changed: false });
            }
            taken.push((key, values));
        }
        Ok(taken)
    }

    /// The CAS that guards the first change of a document that was read before.
    fn guard(&mut self, collection: &str, key: &str) -> Option<Value> {
        let read = self.read.get_mut(&(collection.to_owned(), key.to_owned()))?;
        (!std::mem::replace(&mut read.changed, true)).then(|| read.cas.clone())
    }

    /// Whether another transaction has changed a document since this one read it to change it.
    async fn is_overtaken(&mut self) -> Done<bool> {
        let TransactionSession { node, text, .. } = &mut *self.client;
        for ((collection, key), read) in &self.read {
            sql::by_keys(collection, &[], text);
            // Outside of the transaction, which sees its own changes.
            let now = node.run(text, &[vec![key.as_str()].into()], None).await?.lists()?;
            if now.first().and_then(|row| row.get(1)) != Some(&read.cas) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// One UPDATE of independent patches.
    async fn update(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Done<Patched> {
        let cas = self.guard(collection, key);
        let mut args = vec![Value::from(key)];
        let text = &mut self.client.text;
        patch::update(collection, patches, conditions, (cas.as_ref(), &mut args), text);
        if self.run(&args).await?.rows.len() == 1 {
            return Ok(Patched::Done);
        }
        patch::why(collection, &mut self.client.text);
        let found = self.run(&args[..1]).await?.lists()?.into_iter().next();
        self.check_cas(cas.as_ref(), found.as_ref().and_then(|row| row.first()))?;
        why_not(found.as_ref().and_then(|row| row.get(1)), patches, conditions)
    }

    /// One INSERT.
    async fn insert_one(&mut self, collection: &str, key: &str, document: &Value) -> Done<()> {
        sql::insert(collection, &mut self.client.text);
        if !self.run(&[key.into(), document.clone()]).await?.rows.is_empty() {
            return Ok(());
        }
        // Who read the same counter may have committed its document meanwhile; this transaction
        // would be refused at its COMMIT.
        if self.is_overtaken().await? {
            self.end();
            let answer =
                format!("the key {key} was inserted after this transaction read what it changes");
            return Err(Failure::new(ErrorKind::Conflict, answer));
        }
        Err(Failure::duplicate(key))
    }

    /// The data service's collection of this name.
    fn collection(&self, name: &str) -> Collection {
        self.client.node.server.collection(name)
    }

    /// A conflict where the CAS of the document is not the one that was read.
    fn check_cas(&mut self, read: Option<&Value>, found: Option<&Value>) -> Done<()> {
        if read.is_none() || read == found {
            return Ok(());
        }
        self.end();
        let answer = "the document was changed after it was read (CAS mismatch)";
        Err(Failure::new(ErrorKind::Conflict, answer))
    }
}

#[async_trait]
impl engine::OpenTransaction for OpenTransaction<'_> {
    fn is_over(&self) -> bool {
        self.tx.is_none() && !self.each
    }

    async fn get(&mut self, read: engine::Read<'_>) -> Done<Vec<Option<Row>>> {
        let engine::Read { collection, keys, fields, intent } = read;
        if self.each {
            let (collection, mut rows) = (self.collection(collection), Vec::new());
            for key in keys {
                let text = self.client.operations.get(&collection, key).await?;
                let document = text.map(|text| serde_json::from_slice::<Value>(&text)).transpose();
                rows.push(document.map_err(Failure::broken)?.map(|document| {
                    let at = |path: &&str| path::get(&document, path).cloned();
                    fields.iter().map(|path| at(path).unwrap_or_default()).collect()
                }));
            }
            return Ok(rows);
        }
        sql::by_keys(collection, fields, &mut self.client.text);
        let mut asked = keys.to_vec();
        asked.sort_unstable();
        asked.dedup();
        let answer = self.run(&[asked.into()]).await?;
        engine::in_order(keys, &self.take(answer, collection, intent)?)
    }

    async fn find(&mut self, find: Find<'_>) -> Done<Vec<(String, Row)>> {
        let Find { index, prefix, intent, .. } = find;
        if prefix.first().is_some_and(Value::is_null) {
            let answer = format!("{} has no documents without {}", index.name, index.fields[0]);
            return Err(Failure::invalid(answer));
        }
        let made = indexes::made(index, self.client.node.server.place.options.indexes);
        let args = sql::by_index(&find, &made, &mut self.client.text);
        let answer = self.run(&args).await?;
        self.take(answer, &index.collection, intent)
    }

    async fn insert(&mut self, collection: &str, documents: &[(&str, &Value)]) -> Done<()> {
        for (key, document) in documents {
            if self.each {
                let (collection, text) = (self.collection(collection), document.to_string());
                self.client.operations.insert(&collection, key, text.as_bytes()).await?;
            } else {
                self.insert_one(collection, key, document).await?;
            }
        }
        Ok(())
    }

    async fn put(&mut self, collection: &str, key: &str, document: &Value) -> Done<()> {
        if self.each {
            let (collection, text) = (self.collection(collection), document.to_string());
            return self.client.operations.upsert(&collection, key, text.as_bytes()).await;
        }
        sql::put(collection, &mut self.client.text);
        self.run(&[key.into(), (*document).clone()]).await.map(drop)
    }

    async fn patch(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        mut conditions: &[Condition<'_>],
    ) -> Done<Patched> {
        for part in independent(patches) {
            match self.update(collection, key, part, std::mem::take(&mut conditions)).await? {
                Patched::Done => {}
                not => return Ok(not),
            }
        }
        Ok(Patched::Done)
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Done<bool> {
        if self.each {
            let collection = self.collection(collection);
            return self.client.operations.remove(&collection, key).await;
        }
        let cas = self.guard(collection, key);
        sql::delete(collection, cas.is_some(), &mut self.client.text);
        let mut args = vec![Value::from(key)];
        args.extend(cas.clone());
        if !self.run(&args).await?.rows.is_empty() {
            return Ok(true);
        }
        // A document that was read existed then.
        self.check_cas(cas.as_ref(), None)?;
        Ok(false)
    }

    async fn commit(&mut self) -> Done<()> {
        if self.each {
            return Ok(());
        }
        let Some(mut tx) = self.tx.take() else { return Err(over()) };
        let done = self.client.node.commit(&mut tx).await;
        done.map(drop).or_else(|e| error::commit(e).map_or(Ok(()), Err))
    }

    async fn rollback(&mut self) -> Done<()> {
        let Some(mut tx) = self.tx.take() else { return Ok(()) };
        let done = self.client.node.ask("ROLLBACK WORK", &[], Some(&mut tx)).await;
        match done.map_err(error::in_transaction) {
            // An expired transaction is rolled back.
            Err(e) if e.kind != ErrorKind::Conflict => Err(e),
            _ => Ok(()),
        }
    }

    /// A statement may be under way: the ROLLBACK comes after it, or the server's time limit does.
    fn abandon(&mut self) -> bool {
        self.end();
        true
    }
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
