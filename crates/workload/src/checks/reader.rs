//! Reads documents: by their keys, by several sessions at a time or from a store of records; and whole
//! collections.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::try_join_all;
use hoap_database::engine::RecordSession;
use hoap_database::key_value::{Fields, Record, Table};
use hoap_database::path::WHOLE;
use hoap_database::{
    Access, Applicable, Database, Documents, Intent, KeyValueSession, Row, Session, Transactions,
};
use serde_json::{Map, Value};

use super::by_key::{ByKey, Read};
use super::watch::Watch;
use crate::{Error, ErrorKind, Result};

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
pub struct Reader<'a> {
    sessions: Vec<Session>,
    access: Access,
    watch: Watch<'a>,
}

impl<'a> Reader<'a> {
    /// Connects.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] if the database has neither transactions nor operations, and its
    /// errors.
    pub async fn new(target: &Database, watch: &Watch<'a>) -> Result<Reader<'a>> {
        let (of, access) = sessions(target)?;
        let mut sessions = vec![of.session().await?];
        while !target.blocking() && sessions.len() < SESSIONS {
            sessions.push(of.session().await?);
        }
        Ok(Reader { sessions, access, watch: *watch })
    }

    /// The number of keys that one call reads at a time.
    pub fn batch(&self) -> usize {
        KEYS * self.sessions.len()
    }

    /// Who watches.
    pub fn watch(&self) -> &Watch<'a> {
        &self.watch
    }

    /// Its sessions, each with a part of `all`, of which there are no more than a batch.
    pub fn shared<'s, T>(
        &'s mut self,
        all: &'s [T],
    ) -> impl Iterator<Item = (&'s mut Session, &'s [T])> {
        self.sessions.iter_mut().zip(all.chunks(KEYS))
    }
}

/// What documents are read by: transactions, or commands of a database that has none.
fn sessions(target: &Database) -> Applicable<(Transactions<'_>, Access)> {
    match target.transactions() {
        Ok(transactions) => Ok((transactions, Access::Read)),
        Err(lacks) => match target.operations() {
            Ok(operations) => Ok((operations, Access::Each)),
            Err(_) => Err(lacks),
        },
    }
}

impl Reader<'_> {
    /// These fields of documents, in the order of the keys; `None` where there is none.
    ///
    /// # Errors
    /// Those of [`ByKey::documents`].
    pub async fn read(
        &mut self,
        collection: &str,
        keys: &[String],
        names: &[&str],
    ) -> Result<Vec<Option<Row>>> {
        let mut rows = Vec::with_capacity(keys.len());
        for keys in keys.chunks(self.batch()) {
            self.watch.go_on(collection)?;
            let access = self.access;
            let parts = self.shared(keys);
            let parts = parts.map(|(session, keys)| {
                let session = (session, access);
                part(session, collection, keys, names)
            });
            rows.extend(try_join_all(parts).await?.into_iter().flatten());
        }
        let there = keys.iter().zip(&rows).filter_map(|(key, row)| Some((key, row.as_ref()?)));
        there.for_each(|(key, row)| self.watch.saw(key, row));
        Ok(rows)
    }

    /// Reads these fields of all documents of these keys, each of which comes with what it is read
    /// for, and hands them over in this order. `None` of `each`: a field is not what it must be.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] for such a field, and those of [`ByKey::documents`].
    pub async fn each<T>(
        &mut self,
        (collection, names): (&str, &[&str]),
        all: impl IntoIterator<Item = (T, String)>,
        mut each: impl FnMut(T, &str, Option<&Row>) -> Option<()>,
    ) -> Result<()> {
        let mut all = all.into_iter();
        loop {
            let (batch, keys): (Vec<T>, Vec<String>) = all.by_ref().take(self.batch()).unzip();
            if keys.is_empty() {
                return Ok(());
            }
            let rows = self.read(collection, &keys, names).await?;
            for ((one, key), row) in batch.into_iter().zip(&keys).zip(&rows) {
                let malformed = || malformed(collection, key, names, row.as_ref());
                each(one, key, row.as_ref()).ok_or_else(malformed)?;
            }
        }
    }
}

/// The error for a document with a field of the wrong type or range.
pub fn malformed(collection: &str, key: &str, names: &[&str], row: Option<&Row>) -> Error {
    let fields: Vec<_> = names.iter().zip(row.into_iter().flatten()).collect();
    let tried = format!("read {collection} {key}");
    Error::new(ErrorKind::Broken, tried, format!("a field is not what it must be: {fields:?}"))
}

/// Reads these fields of every document of a collection.
///
/// # Errors
/// Returns [`ErrorKind::Cancelled`] soon after the watch says so, and the errors of `each` and of
/// the database.
pub async fn scan(
    (documents, watch): (Documents<'_>, &Watch<'_>),
    collection: &str,
    names: &[&str],
    mut each: impl FnMut(&str, Row) -> Result<()> + Send,
) -> Result<()> {
    let mut one = |key: &str, row: Row| {
        watch.go_on(collection)?;
        watch.saw(key, &row);
        each(key, row)
    };
    documents.scan(collection, names, &mut one).await
}

/// A field whose name is that of the key in some databases.
const ID: &str = "_id";

impl ByKey for Reader<'_> {
    async fn documents(
        &mut self,
        collection: &str,
        keys: &[String],
        names: &[&str],
    ) -> Result<Vec<Read>> {
        // A database whose keys are this field leaves it out of the whole document.
        let paths = if names.contains(&ID) { &[ID, WHOLE][..] } else { &[WHOLE] };
        let rows = self.read(collection, keys, paths).await?;
        let object = |(key, row): (&String, Option<Row>)| match row.map(|mut row| (row.pop(), row))
        {
            None => Ok(None),
            Some((Some(Value::Object(mut fields)), mut id)) => {
                if let Some(id) = id.pop().filter(|id| !id.is_null() && !fields.contains_key(ID)) {
                    fields.insert(ID.into(), id);
                }
                Ok(Some(fields))
            }
            Some((other, _)) => {
                let tried = format!("read {collection} {key}");
                let answer = format!("{} is no JSON object", other.unwrap_or_default());
                Err(Error::new(ErrorKind::Broken, tried, answer))
            }
        };
        keys.iter().zip(rows).map(object).collect()
    }
}

async fn part(
    (session, access): (&mut Session, Access),
    collection: &str,
    keys: &[String],
    names: &[&str],
) -> Result<Vec<Option<Row>>> {
    let mut all: Vec<Option<Row>> = vec![Some(Row::new()); keys.len()];
    for names in names.chunks(FIELDS) {
        let mut retries = 0;
        let rows = loop {
            match look((&mut *session, access), collection, keys, names).await {
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

/// Reads fields in one transaction, if there are any.
async fn look(
    (session, access): (&mut Session, Access),
    collection: &str,
    keys: &[String],
    names: &[&str],
) -> Result<Vec<Option<Row>>> {
    let mut tx = session.begin(access).await?;
    let rows = tx.get_many(collection, keys, names, Intent::Look).await?;
    tx.commit().await?;
    Ok(rows)
}

/// Waits before a transaction that failed by this error is run again.
///
/// # Errors
/// The error, where it is no conflict or one too many.
pub async fn pause(error: Error, retries: &mut u32) -> Result<()> {
    if error.kind != ErrorKind::Conflict || *retries == RETRIES {
        return Err(error);
    }
    *retries += 1;
    tokio::time::sleep(PAUSE * *retries).await;
    Ok(())
}

/// Records of a store, whose fields are text.
pub struct Records<'a, S> {
    session: KeyValueSession<S>,
    table: &'a Table,
    watch: Watch<'a>,
    record: Record,
}

impl<'a, S> Records<'a, S> {
    /// Those of a session on this table.
    pub fn new(session: KeyValueSession<S>, table: &'a Table, watch: &Watch<'a>) -> Self {
        Records { session, table, watch: *watch, record: Record::default() }
    }
}

impl<S: RecordSession> ByKey for Records<'_, S> {
    async fn documents(
        &mut self,
        collection: &str,
        keys: &[String],
        _: &[&str],
    ) -> Result<Vec<Read>> {
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            self.watch.go_on(collection)?;
            if !self.session.read(key, Fields::All, &mut self.record).await? {
                found.push(None);
                continue;
            }
            let mut fields = Map::new();
            for (field, value) in self.record.iter() {
                let name = self.table.fields.get(usize::from(field)).map_or("?", String::as_str);
                self.watch.saw_bytes(value.len());
                let value = String::from_utf8_lossy(value).into_owned();
                if fields.insert(name.to_owned(), value.into()).is_some() {
                    let tried = format!("read {collection} {key}");
                    let answer = format!("{name} came back twice");
                    return Err(Error::new(ErrorKind::Broken, tried, answer));
                }
            }
            self.watch.saw(key, &Row::new());
            found.push(Some(fields));
        }
        Ok(found)
    }
}

/// The most documents of a collection that is scanned for a few of them.
const SCANNED: u64 = 1_000_000;

/// Documents by key, or by a scan of a database that reads none by key.
pub enum Reading<'a> {
    #[allow(missing_docs)]
    Keys(Reader<'a>),
    #[allow(missing_docs)]
    Scan(Documents<'a>, Watch<'a>),
}

impl<'a> Reading<'a> {
    /// How this database's documents are read, of which the largest collection has so many; or why
    /// not.
    ///
    /// # Errors
    /// Those of connecting.
    pub async fn of(
        target: &'a Database,
        most: u64,
        watch: &Watch<'a>,
    ) -> Result<std::result::Result<Reading<'a>, String>> {
        match sessions(target) {
            Ok(_) => Ok(Ok(Reading::Keys(Reader::new(target, watch).await?))),
            Err(_) if most <= SCANNED => Ok(Ok(Reading::Scan(target.documents()?, *watch))),
            Err(lacks) => Ok(Err(format!("no document is read by key: {lacks}"))),
        }
    }
}

impl ByKey for Reading<'_> {
    /// Those that are scanned are read by field.
    fn tells(&self) -> bool {
        matches!(self, Reading::Keys(_))
    }

    async fn documents(
        &mut self,
        collection: &str,
        keys: &[String],
        names: &[&str],
    ) -> Result<Vec<Read>> {
        let (documents, watch) = match self {
            Reading::Keys(reader) => return reader.documents(collection, keys, names).await,
            Reading::Scan(documents, watch) => (documents, watch),
        };
        let places: HashMap<&str, usize> =
            keys.iter().zip(0..).map(|(key, at)| (key.as_str(), at)).collect();
        let mut found: Vec<Read> = vec![None; keys.len()];
        let each = |key: &str, row: Row| {
            let Some(&at) = places.get(key) else { return Ok(()) };
            let fields = names.iter().map(|&name| name.to_owned()).zip(row).collect();
            match found[at].replace(fields) {
                Some(_) => {
                    let tried = format!("scan {collection}");
                    let answer = format!("two documents have the key {key}");
                    Err(Error::new(ErrorKind::Broken, tried, answer))
                }
                None => Ok(()),
            }
        };
        scan((*documents, watch), collection, names, each).await?;
        Ok(found)
    }
}
