//! Reads documents by key, and the ends of an index, in several sessions at a time; and whole
//! collections.

use std::time::Duration;

use futures_util::future::try_join_all;
use hoap_database::{Access, Database, Documents, Find, Intent, Order, Row, Session, Transaction};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::district::Undelivered;
use crate::data::{Collection, Schema};
use crate::schema::Paths;

/// Documents that a session reads at once; every database reads this many in one transaction.
const KEYS: usize = 50;

/// Fields read at once; databases limit the arguments of a function or the length of an expression.
const FIELDS: usize = 40;

/// How often a transaction is run again that conflicts, and the pause before the first time, which
/// grows by itself. Nobody changes the data; but a database may have locks of its own work.
const RETRIES: u32 = 8;
const PAUSE: Duration = Duration::from_millis(20);

/// Sessions side by side, where a database answers several at a time.
const SESSIONS: usize = 8;

/// Sessions that only read.
pub(super) struct Reader<'a> {
    sessions: Vec<Session>,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Reader<'a> {
    /// Connects.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where the database has no transactions, and its errors.
    pub async fn new(target: &Database, stop: &'a (dyn Fn() -> bool + Sync)) -> Result<Reader<'a>> {
        let transactions = target.transactions()?;
        let mut sessions = vec![transactions.session().await?];
        while !target.blocking() && sessions.len() < SESSIONS {
            sessions.push(transactions.session().await?);
        }
        Ok(Reader { sessions, stop })
    }

    /// The number of keys that one call reads at a time.
    pub fn batch(&self) -> usize {
        KEYS * self.sessions.len()
    }

    /// The fields of documents, in the order of the keys; `None` where there is none.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Cancelled`] soon after `stop` returns true, and the errors of the
    /// database.
    pub async fn read(
        &mut self,
        collection: Collection,
        keys: &[String],
        names: &[&str],
    ) -> Result<Vec<Option<Row>>> {
        let mut rows = Vec::with_capacity(keys.len());
        for keys in keys.chunks(self.batch()) {
            go_on(self.stop, collection)?;
            let parts = self.sessions.iter_mut().zip(keys.chunks(KEYS));
            let parts = parts.map(|(session, keys)| part(&mut *session, collection, keys, names));
            rows.extend(try_join_all(parts).await?.into_iter().flatten());
        }
        Ok(rows)
    }

    /// The oldest and the newest undelivered order of each of these districts, and those of all
    /// numbers between them.
    ///
    /// # Errors
    /// Those of [`Reader::read`].
    pub async fn undelivered(
        &mut self,
        schema: Schema,
        districts: &[(u32, u32)],
    ) -> Result<Vec<Undelivered>> {
        let paths = Paths::of(schema);
        let mut found = Vec::with_capacity(districts.len());
        for districts in districts.chunks(self.batch()) {
            go_on(self.stop, Collection::Neworder)?;
            let parts = self.sessions.iter_mut().zip(districts.chunks(KEYS));
            let parts = parts.map(|(session, districts)| ends(&mut *session, &paths, districts));
            found.extend(try_join_all(parts).await?.into_iter().flatten());
        }
        Ok(found)
    }
}

async fn part(
    session: &mut Session,
    collection: Collection,
    keys: &[String],
    names: &[&str],
) -> Result<Vec<Option<Row>>> {
    let mut all: Vec<Option<Row>> = vec![Some(Row::new()); keys.len()];
    for names in names.chunks(FIELDS) {
        let mut retries = 0;
        let rows = loop {
            match look(session, collection, keys, names).await {
                Err(e) => pause(e, &mut retries).await?,
                Ok(rows) => break rows,
            }
        };
        for (whole, part) in all.iter_mut().zip(rows) {
            *whole = whole.take().zip(part).map(|(mut whole, part)| {
                whole.extend(part);
                whole
            });
        }
    }
    Ok(all)
}

async fn ends(
    session: &mut Session,
    paths: &Paths,
    districts: &[(u32, u32)],
) -> Result<Vec<Undelivered>> {
    let mut all = Vec::with_capacity(districts.len());
    // A district a transaction: some databases limit what one may do.
    for &district in districts {
        let mut retries = 0;
        all.push(loop {
            match both_ends(session, paths, district).await {
                Err(e) => pause(e, &mut retries).await?,
                Ok(undelivered) => break undelivered,
            }
        });
    }
    Ok(all)
}

/// Reads fields in one transaction.
async fn look(
    session: &mut Session,
    collection: Collection,
    keys: &[String],
    names: &[&str],
) -> Result<Vec<Option<Row>>> {
    let mut tx = session.begin(Access::Read).await?;
    let rows = tx.get_many(collection.name(), keys, names, Intent::Look).await?;
    tx.commit().await?;
    Ok(rows)
}

/// Reads the ends of a district's undelivered orders in one transaction.
async fn both_ends(
    session: &mut Session,
    paths: &Paths,
    district: (u32, u32),
) -> Result<Undelivered> {
    let mut tx = session.begin(Access::Read).await?;
    let oldest = end(&mut tx, paths, district, Order::Ascending).await?;
    let newest = match oldest {
        Some(_) => end(&mut tx, paths, district, Order::Descending).await?,
        None => None,
    };
    tx.commit().await?;
    Ok(Undelivered::between(oldest.zip(newest)))
}

/// Waits before a transaction that failed by this error is run again.
///
/// # Errors
/// The error, where it is no conflict or one too many.
async fn pause(error: Error, retries: &mut u32) -> Result<()> {
    if error.kind != ErrorKind::Conflict || *retries == RETRIES {
        return Err(error);
    }
    *retries += 1;
    tokio::time::sleep(PAUSE * *retries).await;
    Ok(())
}

/// The first number of a district's undelivered orders in this order.
async fn end(
    tx: &mut Transaction<'_>,
    paths: &Paths,
    (w, d): (u32, u32),
    order: Order,
) -> Result<Option<u32>> {
    let (index, prefix) = (&paths.neworder_by_number, [Value::from(w), Value::from(d)]);
    let found = tx
        .find(Find { order, limit: Some(1), fields: &["no_o_id"], ..Find::by(index, &prefix) })
        .await?;
    let Some((key, row)) = found.into_iter().next() else { return Ok(None) };
    let number = row.first().and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
    let malformed = || malformed(Collection::Neworder, &key, &["no_o_id"], &row);
    number.map(Some).ok_or_else(malformed)
}

/// The error of a check that is to stop.
fn go_on(stop: &(dyn Fn() -> bool + Sync), collection: Collection) -> Result<()> {
    match stop() {
        true => Err(Error::new(ErrorKind::Cancelled, format!("check {collection}"), "interrupted")),
        false => Ok(()),
    }
}

/// Reads a collection, a document after the other.
pub(super) async fn scan<T: Send>(
    documents: Documents<'_>,
    stop: &(dyn Fn() -> bool + Sync),
    collection: Collection,
    fields: &[&str],
    to: &mut T,
    mut each: impl FnMut(&mut T, &str, &Row) -> Option<()> + Send,
) -> Result<()> {
    documents
        .scan(collection.name(), fields, &mut |key, row| {
            go_on(stop, collection)?;
            each(to, key, &row).ok_or_else(|| malformed(collection, key, fields, &row))
        })
        .await
}

/// The error for a document with a field of the wrong type or range.
pub(super) fn malformed(collection: Collection, key: &str, fields: &[&str], row: &Row) -> Error {
    let fields: Vec<_> = fields.iter().zip(row).collect();
    let tried = format!("read {} {key}", collection.name());
    Error::new(ErrorKind::Broken, tried, format!("a field is not what it must be: {fields:?}"))
}
