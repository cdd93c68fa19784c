//! Document transactions: SQL++ statements between BEGIN WORK and COMMIT.

use std::collections::HashMap;

use async_trait::async_trait;
use hoap_workload::capability::{
    Access, Index, Intent, Order, Patch, Row, Session, Transaction, Transactions,
};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;
use tokio::task::JoinHandle;

use super::query::{Answer, Node, NodeTransaction};
use super::{Couchbase, error, patch, sql};
use crate::patches::independent;
use crate::sqlpp::Doing;

#[async_trait]
impl Transactions for Couchbase {
    async fn session(&self) -> Result<Box<dyn Session>> {
        Ok(Box::new(TransactionSession { node: self.node()?, ending: None, text: String::new() }))
    }
}

/// The transactions of one client, at one query node.
struct TransactionSession {
    node: Node,
    /// The ROLLBACK of a dropped transaction.
    ending: Option<JoinHandle<()>>,
    /// Recycled: the text of a statement.
    text: String,
}

#[async_trait]
impl Session for TransactionSession {
    async fn begin<'a>(&'a mut self, access: Access) -> Result<Box<dyn Transaction + 'a>> {
        // The changes that it staged would conflict with the next transaction.
        if let Some(ending) = self.ending.take() {
            let _ = ending.await;
        }
        let tx = self.node.begin().await;
        let tried = || format!("begin a transaction in {}", self.node.server.place.url);
        let tx = tx.map_err(|e| error::statement(e, Doing::Read, tried()))?;
        Ok(Box::new(OpenTransaction { client: self, tx: Some(tx), access, read: HashMap::new() }))
    }
}

struct OpenTransaction<'a> {
    client: &'a mut TransactionSession,
    /// `None` once it is over.
    tx: Option<NodeTransaction>,
    access: Access,
    /// The CAS of each document that was read to be changed and is not changed yet.
    read: HashMap<(String, String), Value>,
}

/// The operation: a verb, an index or a collection, a key.
#[derive(Clone, Copy)]
struct Operation<'a>(&'a str, &'a str, &'a str);

impl OpenTransaction<'_> {
    fn tried(&self, Operation(verb, collection, key): Operation<'_>) -> String {
        let url = &self.client.node.server.place.url;
        match (collection, key) {
            ("", _) => format!("{verb} in {url}"),
            (_, "") => format!("{verb} {collection} in {url}"),
            _ => format!("{verb} {collection} {key} in {url}"),
        }
    }

    fn may_write(&self, operation: Operation<'_>) -> Result<()> {
        match self.access {
            Access::Write => Ok(()),
            Access::Read => {
                let answer = "the transaction was begun to read only";
                Err(Error::new(ErrorKind::Invalid, self.tried(operation), answer))
            }
        }
    }

    /// Runs the statement in the recycled text.
    async fn run(&mut self, args: &[Value], operation: Operation<'_>) -> Result<Answer> {
        let Some(tx) = self.tx.as_mut() else {
            return Err(Error::new(
                ErrorKind::Conflict,
                self.tried(operation),
                "the transaction is over",
            ));
        };
        let TransactionSession { node, text, .. } = &mut *self.client;
        let done = node.run(text, args, Some(tx)).await;
        done.map_err(|e| {
            let e = error::in_transaction(e, self.tried(operation));
            if e.kind == ErrorKind::Conflict {
                self.end();
            }
            e
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
        operation: Operation<'_>,
    ) -> Result<Vec<(String, Row)>> {
        let mut taken = Vec::with_capacity(answer.rows.len());
        for mut row in answer.lists(|| self.tried(operation))? {
            let values = row.split_off(row.len().min(2));
            let (Some(Value::String(key)), Some(cas)) =
                (row.first_mut().map(Value::take), row.pop())
            else {
                return Err(Error::new(
                    ErrorKind::Broken,
                    self.tried(operation),
                    "a row has no key",
                ));
            };
            if intent == Intent::Change && self.access == Access::Write {
                if !cas.is_number() {
                    let answer = format!("the CAS of {key} is {cas}: a change could be lost");
                    return Err(Error::new(ErrorKind::Broken, self.tried(operation), answer));
                }
                self.read.insert((collection.to_owned(), key.clone()), cas);
            }
            taken.push((key, values));
        }
        Ok(taken)
    }

    /// One UPDATE of independent patches.
    async fn update(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()> {
        let operation = Operation("patch", collection, key);
        let known = (collection.to_owned(), key.to_owned());
        let cas = self.read.remove(&known);
        let mut args = vec![Value::from(key)];
        patch::update(collection, patches, cas.as_ref(), &mut args, &mut self.client.text)?;
        if self.run(&args, operation).await?.rows.len() == 1 {
            return Ok(());
        }
        patch::why(collection, patches, &mut self.client.text)?;
        let found = self.run(&args[..1], operation).await?;
        let found = found.lists(|| self.tried(operation))?.into_iter().next();
        self.check_cas(cas.as_ref(), found.as_ref().and_then(|row| row.first()), operation)?;
        let answer = match found {
            None => "no such key".to_owned(),
            Some(row) => patch::why_not(&row, patches),
        };
        Err(Error::new(ErrorKind::Broken, self.tried(operation), answer))
    }

    /// A conflict where the CAS of the document is not the one that was read.
    fn check_cas(
        &mut self,
        read: Option<&Value>,
        found: Option<&Value>,
        operation: Operation<'_>,
    ) -> Result<()> {
        if read.is_none() || read == found {
            return Ok(());
        }
        self.end();
        let answer = "the document was changed after it was read (CAS mismatch)";
        Err(Error::new(ErrorKind::Conflict, self.tried(operation), answer))
    }
}

#[async_trait]
impl Transaction for OpenTransaction<'_> {
    async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        intent: Intent,
    ) -> Result<Option<Row>> {
        let operation = Operation("read", collection, key);
        sql::by_keys(collection, fields, &mut self.client.text)?;
        let answer = self.run(&[vec![key].into()], operation).await?;
        Ok(self.take(answer, collection, intent, operation)?.pop().map(|(_, row)| row))
    }

    async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        intent: Intent,
    ) -> Result<Vec<Option<Row>>> {
        let operation = Operation("read several documents of", collection, "");
        sql::by_keys(collection, fields, &mut self.client.text)?;
        let mut asked: Vec<&str> = keys.iter().map(String::as_str).collect();
        asked.sort_unstable();
        asked.dedup();
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let answer = self.run(&[asked.into()], operation).await?;
        let rows: HashMap<_, _> =
            self.take(answer, collection, intent, operation)?.into_iter().collect();
        Ok(keys.iter().map(|key| rows.get(key).cloned()).collect())
    }

    async fn find(
        &mut self,
        index: &Index,
        prefix: &[Value],
        order: Order,
        limit: Option<usize>,
        fields: &[&str],
        intent: Intent,
    ) -> Result<Vec<(String, Row)>> {
        let operation = Operation("search", index.name, "");
        sql::by_index(index, prefix, order, limit, fields, &mut self.client.text)?;
        let args: Vec<Value> = prefix.iter().filter(|value| !value.is_null()).cloned().collect();
        let answer = self.run(&args, operation).await?;
        self.take(answer, index.collection, intent, operation)
    }

    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Result<()> {
        let operation = Operation("insert", collection, key);
        self.may_write(operation)?;
        sql::insert(collection, &mut self.client.text)?;
        self.run(&[key.into(), document.clone()], operation).await.map(drop)
    }

    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()> {
        self.may_write(Operation("patch", collection, key))?;
        for part in independent(patches) {
            self.update(collection, key, part).await?;
        }
        Ok(())
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Result<bool> {
        let operation = Operation("delete", collection, key);
        self.may_write(operation)?;
        let cas = self.read.remove(&(collection.to_owned(), key.to_owned()));
        sql::delete(collection, cas.is_some(), &mut self.client.text)?;
        let mut args = vec![Value::from(key)];
        args.extend(cas.clone());
        if !self.run(&args, operation).await?.rows.is_empty() {
            return Ok(true);
        }
        if cas.is_some() {
            // The document existed when it was read.
            self.check_cas(cas.as_ref(), None, operation)?;
        }
        Ok(false)
    }

    async fn commit(mut self: Box<Self>) -> Result<()> {
        let tried = self.tried(Operation("commit", "", ""));
        let Some(mut tx) = self.tx.take() else {
            return Err(Error::new(ErrorKind::Conflict, tried, "the transaction is over"));
        };
        match self.client.node.ask("COMMIT WORK", &[], Some(&mut tx)).await {
            Ok(_) => Ok(()),
            Err(e) => error::commit(e, tried).map_or(Ok(()), Err),
        }
    }

    async fn rollback(mut self: Box<Self>) -> Result<()> {
        let tried = self.tried(Operation("roll back", "", ""));
        let Some(mut tx) = self.tx.take() else { return Ok(()) };
        let done = self.client.node.ask("ROLLBACK WORK", &[], Some(&mut tx)).await;
        match done.map_err(|e| error::in_transaction(e, tried)) {
            // An expired transaction is rolled back.
            Err(e) if e.kind != ErrorKind::Conflict => Err(e),
            _ => Ok(()),
        }
    }
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
