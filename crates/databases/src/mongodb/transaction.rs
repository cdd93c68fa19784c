//! Document transactions: a multi-document transaction each, in the session of its client.
//!
//! Writes of two transactions to one document are a conflict at once (first updater wins), as is a
//! write to a document that another one has changed since the snapshot. So a read locks nothing.

use std::time::Instant;

use async_trait::async_trait;
use hoap_workload::capability::{Access, Index, Intent, Order, Patch, Row, Transaction};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};
use mongodb::ClientSession;
use mongodb::bson::{Document, RawDocumentBuf, doc};
use mongodb::options::Hint;
use serde_json::Value;

use super::error::{self, Doing};
use super::layout::name;
use super::server::Server;
use super::{patch, value};
use crate::patches::{independent, why_not};

const HELD: &str = "a transaction has its session until it ends";

pub(super) struct OpenTransaction<'a> {
    server: &'a Server,
    /// Where the session is returned to.
    home: &'a mut Option<ClientSession>,
    session: Option<ClientSession>,
    access: Access,
    /// Whether an error has aborted the transaction, or the server will.
    failed: bool,
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        let Some(mut session) = self.session.take() else { return };
        // Otherwise the server keeps the transaction and its writes for a minute.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { session.abort_transaction().await });
        }
    }
}

impl<'a> OpenTransaction<'a> {
    /// A transaction that the session has begun; at its end the session is returned to `home`.
    pub fn new(
        server: &'a Server,
        home: &'a mut Option<ClientSession>,
        session: ClientSession,
        access: Access,
    ) -> Self {
        OpenTransaction { server, home, session: Some(session), access, failed: false }
    }

    /// Its session.
    pub fn session(&mut self) -> &mut ClientSession {
        self.session.as_mut().expect(HELD)
    }

    fn check_open(&self, tried: &(dyn Fn() -> String + Sync)) -> Result<()> {
        match self.failed {
            false => Ok(()),
            true => Err(Error::new(
                ErrorKind::Invalid,
                tried(),
                "the transaction is over since an earlier error",
            )),
        }
    }

    fn check_writer(&self, tried: &(dyn Fn() -> String + Sync)) -> Result<()> {
        self.check_open(tried)?;
        match self.access {
            Access::Write => Ok(()),
            Access::Read => Err(Error::new(
                ErrorKind::Invalid,
                tried(),
                "the transaction was begun for reading only",
            )),
        }
    }

    /// Any error of the server aborts the transaction.
    fn ended<T>(&mut self, done: Result<T>) -> Result<T> {
        self.failed |= done.is_err();
        done
    }

    async fn find_one(
        &mut self,
        collection: &str,
        key: &str,
        projection: Option<Document>,
        tried: &(dyn Fn() -> String + Sync),
    ) -> Result<Option<RawDocumentBuf>> {
        let collection = self.server.collection(name(collection)?);
        let session = self.session.as_mut().expect(HELD);
        let mut find = collection.find_one(doc! {"_id": key}).session(session);
        if let Some(projection) = projection {
            find = find.projection(projection);
        }
        let done = self.server.within(Doing::InTransaction, tried, find.into_future()).await;
        self.ended(done)
    }

    /// Documents with their keys.
    async fn find_all(
        &mut self,
        find: mongodb::action::Find<'_, RawDocumentBuf>,
        fields: &[&str],
        tried: &(dyn Fn() -> String + Sync),
    ) -> Result<Vec<(String, Row)>> {
        let find = find.projection(value::projection(fields)?);
        let session = self.session.as_mut().expect(HELD);
        let reading = async {
            let mut found = Vec::new();
            let mut cursor = find.session(&mut *session).await?;
            while cursor.advance(session).await? {
                let document = cursor.current();
                found.push((
                    value::key(document, tried).map(str::to_owned),
                    value::row(document, fields),
                ));
            }
            Ok(found)
        };
        let done = self.server.within(Doing::InTransaction, tried, reading).await;
        let pair = |(key, row): (Result<String>, std::result::Result<Row, String>)| {
            Ok((key?, row.map_err(|e| Error::new(ErrorKind::Broken, tried(), e))?))
        };
        self.ended(done)?.into_iter().map(pair).collect()
    }

    /// Runs updates one after the other; the error of one without effect names the condition that
    /// failed.
    async fn update(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()> {
        let server = self.server;
        let tried = || format!("patch {collection} {key} in {}", server.shown);
        let target = server.collection(name(collection)?);
        for (filter, update) in patch::updates(key, patches)? {
            let session = self.session.as_mut().expect(HELD);
            let update = target.update_one(filter, update).session(session);
            let done = server.within(Doing::InTransaction, &tried, update.into_future()).await;
            if self.ended(done)?.matched_count == 1 {
                continue;
            }
            let there = self.find_one(collection, key, None, &tried).await?;
            let broken = |answer: String| Error::new(ErrorKind::Broken, tried(), answer);
            let document = there
                .map(|d| value::json(mongodb::bson::raw::RawBsonRef::Document(&d)))
                .transpose()
                .map_err(broken)?;
            return Err(broken(why_not(document.as_ref(), patches)));
        }
        Ok(())
    }
}

#[async_trait]
impl Transaction for OpenTransaction<'_> {
    async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        _: Intent,
    ) -> Result<Option<Row>> {
        let server = self.server;
        let tried = || format!("get {collection} {key} in {}", server.shown);
        self.check_open(&tried)?;
        let projection = value::projection(fields)?;
        let found = self.find_one(collection, key, Some(projection), &tried).await?;
        let row = |document: RawDocumentBuf| {
            value::row(&document, fields).map_err(|e| Error::new(ErrorKind::Broken, tried(), e))
        };
        found.map(row).transpose()
    }

    async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        _: Intent,
    ) -> Result<Vec<Option<Row>>> {
        let server = self.server;
        let tried = || format!("get {} {collection} in {}", keys.len(), server.shown);
        self.check_open(&tried)?;
        let target = server.collection(name(collection)?);
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let find = target.find(doc! {"_id": {"$in": keys}});
        let found = self.find_all(find, fields, &tried).await?;
        // A transaction names a dozen keys: a linear search costs less than a hash table.
        let row_of =
            |key: &String| found.iter().find(|(there, _)| there == key).map(|(_, row)| row.clone());
        Ok(keys.iter().map(row_of).collect())
    }

    async fn find(
        &mut self,
        index: &Index,
        prefix: &[Value],
        order: Order,
        limit: Option<usize>,
        fields: &[&str],
        _: Intent,
    ) -> Result<Vec<(String, Row)>> {
        let server = self.server;
        let tried =
            || format!("find in {} by {} in {}", index.collection, index.name, server.shown);
        self.check_open(&tried)?;
        let invalid = |answer: String| Error::new(ErrorKind::Invalid, tried(), answer);
        if prefix.len() > index.fields.len() {
            let fields = counted(index.fields.len(), "field", "fields");
            let answer = format!("{} values for {fields}", prefix.len());
            return Err(invalid(answer));
        }
        let mut filter = Document::new();
        let mut sort = Document::new();
        for (at, field) in index.fields.iter().enumerate() {
            let path = value::dotted(field)?;
            match prefix.get(at) {
                Some(Value::Array(_) | Value::Object(_)) => {
                    return Err(invalid(format!("{} cannot be searched for", prefix[at])));
                }
                Some(value) => filter.insert(path, value::bson(value).map_err(invalid)?),
                None => sort.insert(path, if order == Order::Ascending { 1 } else { -1 }),
            };
        }
        let target = server.collection(name(index.collection)?);
        // Without its index a search would read every document; with the hint that is an error.
        let find = target.find(filter).hint(Hint::Name(index.name.to_owned()));
        let mut find = if sort.is_empty() { find } else { find.sort(sort) };
        match limit {
            // For MongoDB a limit of 0 is none.
            Some(0) => {
                value::projection(fields)?;
                return Ok(Vec::new());
            }
            Some(limit) => find = find.limit(i64::try_from(limit).unwrap_or(i64::MAX)),
            None => {}
        }
        self.find_all(find, fields, &tried).await
    }

    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Result<()> {
        let server = self.server;
        let tried = || format!("insert {collection} {key} into {}", server.shown);
        self.check_writer(&tried)?;
        let target = server.collection(name(collection)?);
        let invalid = |e: String| Error::new(ErrorKind::Invalid, tried(), e);
        let Value::Object(fields) = document else {
            return Err(invalid(format!("{document} is no JSON object")));
        };
        let mut with_key = doc! {"_id": key};
        let fields = value::document(fields).map_err(invalid)?;
        with_key.extend(fields.into_iter().filter(|(name, _)| name != "_id"));
        let raw = RawDocumentBuf::try_from(&with_key).map_err(|e| invalid(e.to_string()))?;
        let session = self.session.as_mut().expect(HELD);
        let insert = target.insert_one(&raw).session(session);
        let done = server.within(Doing::InTransaction, &tried, insert.into_future()).await;
        self.ended(done).map(drop)
    }

    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()> {
        let server = self.server;
        self.check_writer(&|| format!("patch {collection} {key} in {}", server.shown))?;
        for part in independent(patches) {
            self.update(collection, key, part).await?;
        }
        Ok(())
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Result<bool> {
        let server = self.server;
        let tried = || format!("delete {collection} {key} in {}", server.shown);
        self.check_writer(&tried)?;
        let target = server.collection(name(collection)?);
        let session = self.session.as_mut().expect(HELD);
        let delete = target.delete_one(doc! {"_id": key}).session(session);
        let done = server.within(Doing::InTransaction, &tried, delete.into_future()).await;
        Ok(self.ended(done)?.deleted_count > 0)
    }

    async fn commit(mut self: Box<Self>) -> Result<()> {
        let server = self.server;
        let tried = || format!("commit in {}", server.shown);
        self.check_open(&tried)?;
        let mut session = self.session.take().expect(HELD);
        let limit = server.options.commit_timeout;
        let deadline = Instant::now() + limit;
        // The drivers' specification of transactions: a commit of unknown result may be sent again;
        // the server applies it once.
        let committing = async {
            loop {
                match session.commit_transaction().await {
                    Err(e) if error::is_unknown_commit(&e) && Instant::now() < deadline => {
                        tokio::time::sleep(AGAIN_AFTER).await;
                    }
                    done => return done,
                }
            }
        };
        match tokio::time::timeout(limit, committing).await {
            Ok(Ok(())) => {
                *self.home = Some(session);
                Ok(())
            }
            Ok(Err(e)) => {
                let e = error::mongo(&e, Doing::Committing, tried());
                if e.kind != ErrorKind::Ambiguous {
                    *self.home = Some(session);
                }
                Err(e)
            }
            Err(_) => {
                let answer = format!("no certain answer within {} ms", limit.as_millis());
                Err(Error::new(ErrorKind::Ambiguous, tried(), answer))
            }
        }
    }

    async fn rollback(mut self: Box<Self>) -> Result<()> {
        let server = self.server;
        let tried = || format!("roll back in {}", server.shown);
        let mut session = self.session.take().expect(HELD);
        // The server has aborted a transaction whose end it refuses.
        let abort = session.abort_transaction().into_future();
        server.within(Doing::InTransaction, &tried, abort).await?;
        *self.home = Some(session);
        Ok(())
    }
}

/// A pause between attempts, so that an election is not flooded with commits.
const AGAIN_AFTER: std::time::Duration = std::time::Duration::from_millis(20);
