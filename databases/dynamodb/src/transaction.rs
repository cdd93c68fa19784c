//! The operations of document transactions: see [`super::open_transaction`].

use async_trait::async_trait;
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use hoap_database::engine::{self, Read, Session, Transactions};
use hoap_database::failure::{Done, Failure};
use hoap_database::{Access, Find, Patch, Row, path};
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
        let parts = self.read(collection, keys, fields, intent).await?;
        Ok(keys.iter().map(|key| self.row(collection, key, fields, &parts)).collect())
    }

    async fn find(&mut self, find: Find<'_>) -> Done<Vec<(String, Row)>> {
        search::find(self, find).await
    }

    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Done<()> {
        if !possible(key) {
            return Err(Failure::invalid("a key has 1 to 2048 bytes"));
        }
        let document = overlay::object(document)?;
        value::check_names(document.keys())?;
        let inserted = self.overlay.insert(collection, key, document);
        if inserted.is_err() {
            // Another transaction may have inserted it since this one began to read, and changed
            // what told this one to choose the key: that is a conflict.
            if let Err(e) = self.validate().await {
                self.conflict |= e.kind == ErrorKind::Conflict;
                return Err(e);
            }
        }
        inserted
    }

    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch<'_>]) -> Done<()> {
        for patch in patches {
            value::check_names([&path::member(patch.path).to_owned()])?;
        }
        if patches.is_empty() {
            return Ok(());
        }
        self.read_to_change(collection, key).await?;
        self.overlay.patch(collection, key, patches)
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Done<bool> {
        self.read_to_change(collection, key).await?;
        Ok(self.overlay.delete(collection, key))
    }

    async fn commit(&mut self) -> Done<()> {
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

    async fn rollback(&mut self) -> Done<()> {
        // No change was sent.
        Ok(())
    }
}
