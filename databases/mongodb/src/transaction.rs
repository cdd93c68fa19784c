//! Document transactions: a multi-document transaction each, in the session of its client.
//!
//! Writes of two transactions to one document are a conflict at once (first updater wins), as is a
//! write to a document that another one has changed since the snapshot. So a read locks nothing.

use std::time::Instant;

use async_trait::async_trait;
use hoap_database::engine::{self, Read, in_order};
use hoap_database::failure::{Done, Failure};
use hoap_database::patches::{independent, why_not};
use hoap_database::{Find, Order, Patch, Row, path};
use hoap_record::ErrorKind;
use mongodb::ClientSession;
use mongodb::bson::raw::RawBsonRef;
use mongodb::bson::{Document, RawDocumentBuf, doc};
use mongodb::options::Hint;
use serde_json::Value;

use super::server::Server;
use super::{documentdb, error, patch, value};

const HELD: &str = "a transaction has its session until it ends";

/// An open transaction.
pub struct OpenTransaction<'a> {
    server: &'a Server,
    /// Where the session is returned to.
    home: &'a mut Option<ClientSession>,
    session: Option<ClientSession>,
    /// Whether an error has aborted the transaction, or the server will.
    failed: bool,
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        let Some(mut session) = self.session.take() else { return };
        // Otherwise the server keeps the transaction and its writes for a minute.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let limit = self.server.options.answer_timeout;
            runtime.spawn(
                async move { tokio::time::timeout(limit, session.abort_transaction()).await },
            );
        }
    }
}

impl<'a> OpenTransaction<'a> {
    /// A transaction that the session has begun; at its end the session is returned to `home`.
    pub(super) fn new(
        server: &'a Server,
        home: &'a mut Option<ClientSession>,
        session: ClientSession,
    ) -> Self {
        OpenTransaction { server, home, session: Some(session), failed: false }
    }

    /// Its session.
    fn session(&mut self) -> &mut ClientSession {
        self.session.as_mut().expect(HELD)
    }

    /// Any error of the server aborts the transaction.
    fn ended<T>(&mut self, done: mongodb::error::Result<T>) -> Done<T> {
        self.failed |= done.is_err();
        done.map_err(error::failure)
    }

    async fn find_one(
        &mut self,
        collection: &str,
        key: &str,
        projection: Option<Document>,
    ) -> Done<Option<RawDocumentBuf>> {
        let collection = self.server.collection(collection);
        let mut find = collection.find_one(doc! {"_id": key}).session(self.session());
        if let Some(projection) = projection {
            find = find.projection(projection);
        }
        let done = find.await;
        self.ended(done)
    }

    /// Documents with their keys.
    async fn find_all(
        &mut self,
        find: mongodb::action::Find<'_, RawDocumentBuf>,
        fields: &[&str],
    ) -> Done<Vec<(String, Row)>> {
        let find = find.projection(value::projection(fields));
        let session = self.session();
        let reading = async {
            let mut found = Vec::new();
            let mut cursor = find.session(&mut *session).await?;
            while cursor.advance(session).await? {
                let document = cursor.current();
                found.push((value::key(document).map(str::to_owned), value::row(document, fields)));
            }
            Ok(found)
        };
        let done = reading.await;
        self.ended(done)?.into_iter().map(|(key, row)| Ok((key?, row?))).collect()
    }

    /// Runs updates one after the other; the error of one without effect names the condition that
    /// failed.
    async fn update(&mut self, collection: &str, key: &str, patches: &[Patch<'_>]) -> Done<()> {
        let target = self.server.collection(collection);
        for (filter, update) in patch::updates(key, patches)? {
            let done = target.update_one(filter, update).session(self.session()).await;
            if self.ended(done)?.matched_count == 1 {
                continue;
            }
            let there = self.find_one(collection, key, None).await?;
            let document = there.map(|d| value::json(RawBsonRef::Document(&d))).transpose();
            let document = document.map_err(Failure::broken)?;
            return Err(Failure::broken(why_not(document.as_ref(), patches)));
        }
        Ok(())
    }
}

#[async_trait]
impl engine::OpenTransaction for OpenTransaction<'_> {
    fn is_over(&self) -> bool {
        self.failed
    }

    async fn get(&mut self, read: Read<'_>) -> Done<Vec<Option<Row>>> {
        let Read { collection, keys, fields, .. } = read;
        if let [key] = keys {
            let found = self.find_one(collection, key, Some(value::projection(fields))).await?;
            let row = found.map(|document| value::row(&document, fields)).transpose()?;
            return Ok(vec![row]);
        }
        let target = self.server.collection(collection);
        let find = target.find(doc! {"_id": {"$in": keys}});
        in_order(keys, &self.find_all(find, fields).await?)
    }

    async fn find(&mut self, find: Find<'_>) -> Done<Vec<(String, Row)>> {
        let Find { index, prefix, order, limit, fields, .. } = find;
        let mut filter = Document::new();
        let mut sort = Document::new();
        for (at, field) in index.fields.iter().enumerate() {
            let path = path::joined(field, ".");
            match prefix.get(at) {
                Some(value) => filter.insert(path, value::bson(value).map_err(Failure::invalid)?),
                None => sort.insert(path, if order == Order::Ascending { 1 } else { -1 }),
            };
        }
        let target = self.server.collection(&index.collection);
        // Without its index a search would read every document; with the hint that is an error.
        let find = target.find(filter).hint(Hint::Name(index.name.clone()));
        let mut find = if sort.is_empty() { find } else { find.sort(sort) };
        match limit {
            // For MongoDB a limit of 0 is none.
            Some(0) => return Ok(Vec::new()),
            Some(limit) => find = find.limit(i64::try_from(limit).unwrap_or(i64::MAX)),
            None => {}
        }
        self.find_all(find, fields).await
    }

    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Done<()> {
        let target = self.server.collection(collection);
        let mut with_key = doc! {"_id": key};
        if let Value::Object(fields) = document {
            let fields = value::document(fields).map_err(Failure::invalid)?;
            with_key.extend(fields.into_iter().filter(|(name, _)| name != "_id"));
        }
        let raw = RawDocumentBuf::try_from(&with_key).map_err(Failure::invalid)?;
        let done = target.insert_one(&raw).session(self.session()).await;
        self.ended(done).map(drop)
    }

    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch<'_>]) -> Done<()> {
        for part in independent(patches) {
            self.update(collection, key, part).await?;
        }
        Ok(())
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Done<bool> {
        let target = self.server.collection(collection);
        let done = target.delete_one(doc! {"_id": key}).session(self.session()).await;
        Ok(self.ended(done)?.deleted_count > 0)
    }

    async fn commit(&mut self) -> Done<()> {
        let mut session = self.session.take().expect(HELD);
        let limit = self.server.options.commit_timeout;
        let deadline = Instant::now() + limit;
        let failed = match self.server.facts.documentdb {
            Some(_) => documentdb::committing,
            None => error::failure,
        };
        // The drivers' specification of transactions: a commit of unknown result may be sent again;
        // the server applies it once.
        let committing = async {
            loop {
                match session.commit_transaction().await {
                    Err(e) if error::is_unknown_commit(&e) && Instant::now() < deadline => {
                        tokio::time::sleep(AGAIN_AFTER).await;
                    }
                    done => return done.map_err(failed),
                }
            }
        };
        let done = tokio::time::timeout(limit, committing).await.unwrap_or_else(|_| {
            let answer = format!("no certain answer within {} ms", limit.as_millis());
            Err(Failure::new(ErrorKind::Timeout, answer))
        });
        if !matches!(&done, Err(failure) if failure.may_be_applied) {
            *self.home = Some(session);
        }
        done
    }

    async fn rollback(&mut self) -> Done<()> {
        let mut session = self.session.take().expect(HELD);
        // The server has aborted a transaction whose end it refuses.
        session.abort_transaction().await.map_err(error::failure)?;
        *self.home = Some(session);
        Ok(())
    }

    /// Dropped, it is aborted in the background, and its session is not used again.
    fn abandon(&mut self) -> bool {
        self.failed = true;
        true
    }
}

/// A pause between attempts, so that an election is not flooded with commits.
const AGAIN_AFTER: std::time::Duration = std::time::Duration::from_millis(20);
