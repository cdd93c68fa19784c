//! The operations of document transactions: see [`super::open_transaction`].

use async_trait::async_trait;
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use hoap_database::engine::{self, Read, Session, Transactions};
use hoap_database::failure::{Done, Failure};
use hoap_database::patches::holds;
use hoap_database::{Access, Condition, Find, Patch, Patched, Row, path};
use hoap_record::ErrorKind;
use hoap_record::witness::Level;
use serde_json::Value;

use super::counters::Units;
use super::open_transaction::{OpenTransaction, TransactionSession};
use super::options::Conditions;
use super::reading::possible;
use super::{DynamoDbEngine, commit, index, search, value};
use crate::overlay;

/// Items that one TransactWriteItems takes.
const ITEMS: usize = 100;

#[async_trait]
impl Transactions for DynamoDbEngine {
    /// Without conditions on what a transaction only read, that may be of several moments.
    fn isolation(&self) -> Option<Level> {
        Some(match self.server.options.conditions {
            Conditions::Read => Level::Serializable,
            Conditions::Changed => Level::ReadCommitted,
        })
    }

    async fn transaction_session(&self) -> Done<Box<dyn engine::Session>> {
        let server = self.server.clone();
        let driver = server.driver();
        let indexes = index::all(&server, &driver).await;
        let tried = || format!("look for indexes in {}", server.url);
        let indexes = indexes.map_err(|e| e.trying(tried()))?;
        Ok(Box::new(TransactionSession { server, driver, indexes }))
    }
}

#[async_trait]
impl Session for TransactionSession {
    async fn begin<'a>(
        &'a mut self,
        access: Access,
    ) -> Done<Box<dyn engine::OpenTransaction + 'a>> {
        Ok(Box::new(OpenTransaction::new(self, access)))
    }
}

#[async_trait]
impl engine::OpenTransaction for OpenTransaction<'_> {
    /// Nothing is open in the service that an error could end. After a conflict the commit is one.
    fn is_over(&self) -> bool {
        false
    }

    async fn get(&mut self, read: Read<'_>) -> Done<Vec<Option<Row>>> {
        let Read { collection, keys, fields, intent } = read;
        self.forget();
        let parts = self.read(collection, keys, fields, intent).await?;
        Ok(keys.iter().map(|key| self.row(collection, key, fields, &parts)).collect())
    }

    async fn find(&mut self, find: Find<'_>) -> Done<Vec<(String, Row)>> {
        self.forget();
        search::find(self, find).await
    }

    async fn insert(&mut self, collection: &str, documents: &[(&str, &Value)]) -> Done<()> {
        self.forget();
        for (key, document) in documents {
            check(key, document)?;
        }
        if let ([(key, document)], true) = (documents, self.is_alone(collection)) {
            return self.put_item(collection, key, document, true).await;
        }
        for (key, document) in documents {
            let inserted = self.overlay.insert(collection, key, overlay::object(document)?);
            if inserted.is_err() {
                // Another transaction may have inserted it since this one began to read, and
                // changed what told this one to choose the key: that is a conflict.
                if let Err(e) = self.validate().await {
                    self.conflict |= e.kind == ErrorKind::Conflict;
                    return Err(e);
                }
                return inserted;
            }
        }
        self.each_commit().await
    }

    async fn put(&mut self, collection: &str, key: &str, document: &Value) -> Done<()> {
        self.forget();
        check(key, document)?;
        if self.is_alone(collection) {
            return self.put_item(collection, key, document, false).await;
        }
        self.read_to_change(collection, key).await?;
        self.overlay.put(collection, key, overlay::object(document)?);
        self.each_commit().await
    }

    async fn patch(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Done<Patched> {
        for patch in patches {
            value::check_names([&path::member(patch.path).to_owned()])?;
        }
        self.forget();
        if !possible(key) {
            return Ok(Patched::Missing);
        }
        if self.access == Access::Each && !self.moves_entries(collection, patches) {
            return self.update_item(collection, key, patches, conditions).await;
        }
        self.read_to_change(collection, key).await?;
        let there = self.overlay.now(collection, key).cloned().map(Value::Object);
        match &there {
            None => return Ok(Patched::Missing),
            Some(there) if !conditions.iter().all(|condition| holds(condition, there)) => {
                return Ok(Patched::Refused);
            }
            Some(_) => {}
        }
        self.overlay.patch(collection, key, patches)?;
        self.each_commit().await?;
        Ok(Patched::Done)
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Done<bool> {
        self.forget();
        if self.is_alone(collection) {
            return self.delete_item(collection, key).await;
        }
        self.read_to_change(collection, key).await?;
        let deleted = self.overlay.delete(collection, key);
        self.each_commit().await?;
        Ok(deleted)
    }

    async fn commit(&mut self) -> Done<()> {
        match self.access {
            Access::Each => Ok(()),
            _ => self.commit_all().await,
        }
    }

    async fn rollback(&mut self) -> Done<()> {
        // No change was sent.
        Ok(())
    }
}

/// Refuses what no item can be.
fn check(key: &str, document: &Value) -> Done<()> {
    if !possible(key) {
        return Err(Failure::invalid("a key has 1 to 2048 bytes"));
    }
    value::check_names(overlay::object(document)?.keys())
}

impl OpenTransaction<'_> {
    /// Sends the changes.
    pub(super) async fn commit_all(&mut self) -> Done<()> {
        if self.conflict {
            return Err(Failure::new(ErrorKind::Conflict, "the transaction met a conflict before"));
        }
        if self.access == Access::Read {
            return if self.reads < 2 { Ok(()) } else { self.validate().await };
        }
        let (server, driver) = (self.server(), self.driver());
        let prefix = &server.options.prefix;
        let indexes = &self.session.indexes;
        let mut commit = commit::items(prefix, &self.overlay, &self.checked, indexes)?;
        let writes = std::mem::take(&mut commit.items);
        if writes.is_empty() {
            return Ok(());
        }
        if writes.len() > ITEMS {
            return Err(Failure::invalid(format!(
                "the transaction has {} items with its conditions and the entries of its indexes, and \
                 TransactWriteItems takes {ITEMS}",
                writes.len()
            )));
        }
        let request = driver
            .transact_write_items()
            .set_transact_items(Some(writes))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = match server.send(request.send()).await {
            Ok(answer) => answer,
            Err(e) => {
                let Some((collection, key)) = commit.taken(&e.answer) else { return Err(e) };
                // Another transaction may have inserted it since this one began to read, and
                // changed what told this one to choose the key: that is a conflict.
                let nothing_applied = |e| Failure { may_be_applied: false, ..e };
                self.validate().await.map_err(nothing_applied)?;
                let tried = format!("insert {collection} {key} into {}", server.url);
                return Err(Failure::duplicate(key).trying(tried));
            }
        };
        server.counters.consumed(Units::Write, answer.consumed_capacity());
        Ok(())
    }
}
