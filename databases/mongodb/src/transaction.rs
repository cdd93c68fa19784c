//! Document transactions: a multi-document transaction each, in the session of its client.
//!
//! Writes of two transactions to one document are a conflict at once (first updater wins), as is a
//! write to a document that another one has changed since the snapshot. So a read locks nothing.

use std::time::Instant;

use async_trait::async_trait;
use hoap_database::engine::{self, Read, in_order};
use hoap_database::failure::{Done, Failure};
use hoap_database::patches::{independent, why_not};
use hoap_database::search::{self, Term};
use hoap_database::{Condition, Find, Order, Patch, Patched, Row};
use hoap_record::ErrorKind;
use mongodb::ClientSession;
use mongodb::bson::raw::RawBsonRef;
use mongodb::bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use mongodb::options::Hint;
use serde_json::Value;

use super::server::Server;
use super::{documentdb, error, patch, value};

/// An open transaction, or none: operations by themselves.
pub struct OpenTransaction<'a> {
    server: &'a Server,
    /// Where the session is returned to.
    home: &'a mut Option<ClientSession>,
    /// `None` of operations by themselves, and once the transaction has ended.
    session: Option<ClientSession>,
    /// Whether an error has aborted the transaction, or the server will.
    failed: bool,
}

/// Does something in the session of the transaction, or by itself.
macro_rules! in_session {
    ($transaction:ident, $action:expr) => {
        match &mut $transaction.session {
            Some(session) => $action.session(session).await,
            None => $action.await,
        }
    };
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
    /// Without a session there is none.
    pub(super) fn new(
        server: &'a Server,
        home: &'a mut Option<ClientSession>,
        session: Option<ClientSession>,
    ) -> Self {
        OpenTransaction { server, home, session, failed: false }
    }

    /// Any error of the server aborts the transaction.
    fn ended<T>(&mut self, done: mongodb::error::Result<T>) -> Done<T> {
        self.failed |= done.is_err() && self.session.is_some();
        done.map_err(error::failure)
    }

    async fn find_one(
        &mut self,
        collection: &str,
        key: &str,
        projection: Option<Document>,
    ) -> Done<Option<RawDocumentBuf>> {
        let collection = self.server.collection(collection);
        let mut find = collection.find_one(doc! {"_id": key});
        if let Some(projection) = projection {
            find = find.projection(projection);
        }
        let done = in_session!(self, find);
        self.ended(done)
    }

    /// Documents with their keys.
    async fn find_all(
        &mut self,
        find: mongodb::action::Find<'_, RawDocumentBuf>,
        fields: &[&str],
    ) -> Done<Vec<(String, Row)>> {
        let find = find.projection(value::projection(fields));
        let session = &mut self.session;
        let reading = async {
            let mut found = Vec::new();
            let mut take = |document: &RawDocument| {
                found.push((value::key(document).map(str::to_owned), value::row(document, fields)));
            };
            match session {
                Some(session) => {
                    let mut cursor = find.session(&mut *session).await?;
                    while cursor.advance(session).await? {
                        take(cursor.current());
                    }
                }
                None => {
                    let mut cursor = find.await?;
                    while cursor.advance().await? {
                        take(cursor.current());
                    }
                }
            }
            Ok(found)
        };
        let done = reading.await;
        self.ended(done)?.into_iter().map(|(key, row)| Ok((key?, row?))).collect()
    }

    /// Runs updates one after the other; looks why one without effect had none.
    async fn update(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Done<Patched> {
        let target = self.server.collection(collection);
        let updates = patch::updates(key, patches, conditions)?;
        if self.session.is_none() && updates.len() > 1 {
            let answer = "one update cannot add a decimal and change an element of an array";
            return Err(Failure::invalid(answer));
        }
        for (filter, update) in updates {
            let done = in_session!(self, target.update_one(filter, update));
            if self.ended(done)?.matched_count == 1 {
                continue;
            }
            let there = self.find_one(collection, key, None).await?;
            let document = there.map(|d| value::json(RawBsonRef::Document(&d))).transpose();
            let document = document.map_err(Failure::broken)?;
            return why_not(document.as_ref(), patches, conditions);
        }
        Ok(Patched::Done)
    }
}

/// A document with its key, as the server takes it.
fn with_key(key: &str, document: &Value) -> Done<RawDocumentBuf> {
    let mut with_key = doc! {"_id": key};
    if let Value::Object(fields) = document {
        let fields = value::document(fields).map_err(Failure::invalid)?;
        with_key.extend(fields.into_iter().filter(|(name, _)| name != "_id"));
    }
    RawDocumentBuf::try_from(&with_key).map_err(Failure::invalid)
}

/// What the documents fulfil that a search finds.
fn conditions(find: &Find<'_>) -> Done<Vec<Bson>> {
    let stored = |value: &Value| value::bson(value).map_err(Failure::invalid);
    let mut all = Vec::new();
    for (field, value) in find.index.fields.iter().zip(find.prefix) {
        all.push(doc! {value::dotted(field)?: stored(value)?}.into());
    }
    if let Some(range) = find.range {
        let field = match find.rest().first() {
            Some(field) => value::dotted(field)?,
            None => "_id".to_owned(),
        };
        all.push(doc! {field: patch::within(range)?}.into());
    }
    let than = if find.order == Order::Ascending { "$gt" } else { "$lt" };
    let mut ways: Vec<Bson> = Vec::new();
    for terms in search::behind(find) {
        let mut way = Document::new();
        for term in terms {
            match term {
                Term::Equal(path, value) => way.insert(value::dotted(path)?, stored(value)?),
                Term::After(path, Value::Null) => {
                    way.insert(value::dotted(path)?, doc! {"$ne": null})
                }
                Term::After(path, value) if find.order == Order::Descending => {
                    let path = value::dotted(path)?;
                    let after: [Document; 2] =
                        [doc! {&path: {than: stored(value)?}}, doc! {&path: null}];
                    way.insert("$or", after.map(Bson::from).to_vec())
                }
                Term::After(path, value) => {
                    way.insert(value::dotted(path)?, doc! {than: stored(value)?})
                }
                Term::KeyAfter(key) => way.insert("_id", doc! {than: key}),
            };
        }
        ways.push(way.into());
    }
    if !ways.is_empty() {
        all.push(doc! {"$or": ways}.into());
    }
    Ok(all)
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
        let Find { index, order, limit, fields, .. } = find;
        let conditions = conditions(&find)?;
        let filter = match conditions.is_empty() {
            true => Document::new(),
            false => doc! {"$and": conditions},
        };
        let direction = if order == Order::Ascending { 1 } else { -1 };
        let mut sort = Document::new();
        for field in find.rest() {
            sort.insert(value::dotted(field)?, direction);
        }
        if find.pages.is_some() {
            sort.insert("_id", direction);
        }
        let target = self.server.collection(&index.collection);
        // Without its index a search would read every document; with the hint that is an error.
        let name = if index.is_keys() { "_id_" } else { &index.name };
        let find = target.find(filter).hint(Hint::Name(name.to_owned()));
        let mut find = if sort.is_empty() { find } else { find.sort(sort) };
        match limit {
            // For MongoDB a limit of 0 is none.
            Some(0) => return Ok(Vec::new()),
            Some(limit) => find = find.limit(i64::try_from(limit).unwrap_or(i64::MAX)),
            None => {}
        }
        self.find_all(find, fields).await
    }

    async fn insert(&mut self, collection: &str, documents: &[(&str, &Value)]) -> Done<()> {
        let target = self.server.collection(collection);
        let raw = documents.iter().map(|(key, document)| with_key(key, document));
        let raw = raw.collect::<Done<Vec<_>>>()?;
        let done = match &raw[..] {
            [one] => in_session!(self, target.insert_one(one)).map(drop),
            all => in_session!(self, target.insert_many(all)).map(drop),
        };
        self.ended(done)
    }

    async fn put(&mut self, collection: &str, key: &str, document: &Value) -> Done<()> {
        let target = self.server.collection(collection);
        let raw = with_key(key, document)?;
        let done = in_session!(self, target.replace_one(doc! {"_id": key}, &raw).upsert(true));
        self.ended(done).map(drop)
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
        let target = self.server.collection(collection);
        let done = in_session!(self, target.delete_one(doc! {"_id": key}));
        Ok(self.ended(done)?.deleted_count > 0)
    }

    async fn commit(&mut self) -> Done<()> {
        let Some(mut session) = self.session.take() else { return Ok(()) };
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
        let Some(mut session) = self.session.take() else { return Ok(()) };
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
