//! Lookup tables: a table of entries ([`crate::overlay::entries`]) for each index, as users of
//! Cassandra keep a table for each of their queries. A load makes them at its end; transactions
//! update them, each entry by a write of its own. So an entry is only a hint for a search: the
//! document decides.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use hoap_workload::capability::{Index, Order};
use scylla::deserialize::row::ColumnIterator;
use scylla::statement::prepared::PreparedStatement;

use super::connection::Connection;
use super::notes;
use super::pages::Pages;
use super::schema::{self, DOCUMENT, KEY, LOOKUP, MARKS};
use super::values::next_text;
use crate::failure::{Done, Failure};
use crate::overlay::entries::{EntryKey, IndexDefinition};

/// Documents of a page while a table is made.
const PAGE: i32 = 500;

/// The definition of an index.
pub(super) fn describe(index: &Index) -> IndexDefinition {
    IndexDefinition {
        name: index.name.to_owned(),
        collection: index.collection.to_owned(),
        fields: index.fields.iter().map(|field| (*field).to_owned()).collect(),
        whole: true,
    }
}

/// A lookup table and its statements.
pub(super) struct Lookup {
    pub definition: IndexDefinition,
    table: String,
    ascending: PreparedStatement,
    descending: PreparedStatement,
    insert: PreparedStatement,
    delete: PreparedStatement,
}

/// Makes the table, unless it is complete.
pub(super) async fn make(connection: &Connection, definition: &IndexDefinition) -> Done<()> {
    let note = format!("{}{}", notes::LOOKUP, definition.name);
    let there = notes::get(connection, &note).await?;
    if there.as_ref() == Some(&definition.text()) {
        return Ok(());
    }
    let table = connection.table(&format!("{LOOKUP}{}", definition.name));
    if there.is_some() {
        connection.alter(format!("DROP TABLE IF EXISTS {table}")).await?;
    }
    connection.alter(format!(
        "CREATE TABLE IF NOT EXISTS {table} (part blob, sort blob, {KEY} varchar, PRIMARY KEY (part, \
         sort)){}",
        schema::table_options(connection)
    ))
    .await?;
    schema::add_columns(connection, &definition.collection, &[DOCUMENT, MARKS]).await?;
    let lookup = Lookup::new(connection, definition.clone(), table).await?;
    let collection = connection.table(&definition.collection);
    let mut pages =
        Pages::new(connection, format!("SELECT {KEY}, {DOCUMENT} FROM {collection}"), PAGE).await?;
    while let Some(page) = pages.next(connection).await? {
        let mut entries = Vec::new();
        for row in page.rows::<ColumnIterator<'_, '_>>()? {
            let mut row = row?;
            let key = next_text(&mut row)?.unwrap_or_default();
            let text = next_text(&mut row)?.unwrap_or("{}");
            let document = serde_json::from_str(text)
                .map_err(|e| Failure::broken(format!("the document {key} is no JSON: {e}")))?;
            entries.push((definition.entry_key(key, &document), key.to_owned()));
        }
        let adds: Vec<_> =
            entries.iter().map(|(entry, key)| lookup.add(connection, entry, key)).collect();
        stream::iter(adds)
            .buffer_unordered(connection.options().load_concurrency as usize)
            .try_collect::<()>()
            .await?;
    }
    notes::set(connection, &note, &definition.text()).await
}

/// The lookup tables that transactions use, by the names of their indexes.
pub(super) type Cache = tokio::sync::Mutex<HashMap<String, Arc<Lookup>>>;

/// The lookup tables that are complete.
pub(super) async fn all(connection: &Connection, cache: &Cache) -> Done<Vec<Arc<Lookup>>> {
    let noted = notes::all(connection, notes::LOOKUP).await?;
    let mut known = cache.lock().await;
    let mut all = Vec::new();
    for (name, text) in noted {
        let definition = IndexDefinition::parse(&text).filter(|definition| definition.whole);
        let definition =
            definition.ok_or_else(|| Failure::broken(format!("the note {name} is {text}")))?;
        let definition = IndexDefinition { name, ..definition };
        match known.get(&definition.name).filter(|lookup| lookup.definition == definition) {
            Some(lookup) => all.push(lookup.clone()),
            None => {
                let table = connection.table(&format!("{LOOKUP}{}", definition.name));
                let lookup = Arc::new(Lookup::new(connection, definition, table).await?);
                known.insert(lookup.definition.name.clone(), lookup.clone());
                all.push(lookup);
            }
        }
    }
    Ok(all)
}

/// The sort keys of a search: from the first, up to the second and without it.
pub(super) type Range = (Vec<u8>, Vec<u8>);

impl Lookup {
    async fn new(
        connection: &Connection,
        definition: IndexDefinition,
        table: String,
    ) -> Done<Lookup> {
        let options = connection.options();
        let prepare = async |text: String, consistency| {
            let mut statement = connection.session.prepare(text).await?;
            statement.set_consistency(consistency);
            Done::Ok(statement)
        };
        let search = |order: &str| {
            format!(
                "SELECT sort, {KEY} FROM {table} WHERE part = ? AND sort >= ? AND sort < ?{order} LIMIT ?"
            )
        };
        let (read, write) = (options.read_consistency, options.write_consistency);
        let insert = format!("INSERT INTO {table} (part, sort, {KEY}) VALUES (?, ?, ?)");
        let delete = format!("DELETE FROM {table} WHERE part = ? AND sort = ?");
        Ok(Lookup {
            ascending: prepare(search(""), read).await?,
            descending: prepare(search(" ORDER BY sort DESC"), read).await?,
            insert: prepare(insert, write).await?,
            delete: prepare(delete, write).await?,
            definition,
            table,
        })
    }

    /// Adds an entry.
    pub async fn add(&self, connection: &Connection, entry: &EntryKey, key: &str) -> Done<()> {
        connection.write_repeatable(&self.insert, (&entry.partition, &entry.sort, key)).await
    }

    /// Removes an entry.
    pub async fn remove(&self, connection: &Connection, entry: &EntryKey) -> Done<()> {
        connection.write_repeatable(&self.delete, (&entry.partition, &entry.sort)).await
    }

    /// The first entries of a range of a partition, at most `limit`.
    pub async fn some(
        &self,
        connection: &Connection,
        partition: &[u8],
        (from, to): &Range,
        order: Order,
        limit: i32,
    ) -> Done<Vec<(EntryKey, String)>> {
        let statement = match order {
            Order::Ascending => &self.ascending,
            Order::Descending => &self.descending,
        };
        let answer =
            connection.session.execute_unpaged(statement, (partition, from, to, limit)).await?;
        let rows = answer.into_rows_result()?;
        let mut some = Vec::new();
        for row in rows.rows::<(Vec<u8>, String)>()? {
            let (sort, key) = row?;
            some.push((EntryKey { partition: partition.to_vec(), sort }, key));
        }
        Ok(some)
    }

    /// All entries, in no order.
    pub async fn every(&self, connection: &Connection) -> Done<Vec<(EntryKey, String)>> {
        let text = format!("SELECT part, sort, {KEY} FROM {}", self.table);
        let mut pages = Pages::new(connection, text, 10 * PAGE).await?;
        let mut all = Vec::new();
        while let Some(page) = pages.next(connection).await? {
            for row in page.rows::<(Vec<u8>, Vec<u8>, String)>()? {
                let (partition, sort, key) = row?;
                all.push((EntryKey { partition, sort }, key));
            }
        }
        Ok(all)
    }
}
