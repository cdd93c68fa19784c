//! Tables of look-ups: for each index one of entries ([`crate::entries`]), as users of Cassandra keep a table for
//! each way in which they look something up. A load makes them at its end; the transactions keep them in step,
//! each entry by a write of its own. A search therefore takes an entry for a hint: the document decides.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use hoap_workload::Result;
use hoap_workload::capability::{Index, Order};
use scylla::deserialize::row::ColumnIterator;
use scylla::statement::prepared::PreparedStatement;

use super::documents::Pages;
use super::error::{Done, Failure};
use super::lane::Lane;
use super::schema::{self, DOCUMENT, KEY, LOOKUP, MARKS};
use super::values::next_text;
use super::{bulk, notes};
use crate::entries::{Made, Place};
use crate::names;

/// Documents of a page while a table is made.
const PAGE: i32 = 500;

/// What an index is made of; refuses names that are none.
pub(super) fn describe(index: &Index) -> Result<Made> {
    schema::collection(index.collection)?;
    names::field(index.name)?;
    let fields = index.fields.iter().map(|field| names::path(field).map(str::to_owned));
    Ok(Made {
        name: index.name.to_owned(),
        collection: index.collection.to_owned(),
        fields: fields.collect::<Result<_>>()?,
        whole: true,
    })
}

/// A table and its statements.
pub(super) struct Lookup {
    pub made: Made,
    table: String,
    ascending: PreparedStatement,
    descending: PreparedStatement,
    insert: PreparedStatement,
    delete: PreparedStatement,
}

/// Makes the table, unless it is whole already.
pub(super) async fn make(lane: &Arc<Lane>, made: &Made) -> Done<()> {
    let note = format!("{}{}", notes::LOOKUP, made.name);
    let there = notes::get(lane, &note).await?;
    if there.as_ref() == Some(&made.text()) {
        return Ok(());
    }
    let table = lane.table(&format!("{LOOKUP}{}", made.name));
    if there.is_some() {
        lane.alter(format!("DROP TABLE IF EXISTS {table}")).await?;
    }
    lane.alter(format!(
        "CREATE TABLE IF NOT EXISTS {table} (part blob, sort blob, {KEY} varchar, PRIMARY KEY (part, \
         sort)){}",
        schema::table_options(lane)
    ))
    .await?;
    schema::add_columns(lane, &made.collection, &[DOCUMENT, MARKS]).await?;
    let lookup = Lookup::new(lane, made.clone(), table).await?;
    let collection = lane.table(&made.collection);
    let mut pages =
        Pages::new(lane, format!("SELECT {KEY}, {DOCUMENT} FROM {collection}"), PAGE).await?;
    while let Some(page) = pages.next(lane).await? {
        let mut entries = Vec::new();
        for row in page.rows::<ColumnIterator<'_, '_>>().map_err(Failure::answer)? {
            let mut row = row.map_err(Failure::answer)?;
            let key = next_text(&mut row)?.unwrap_or_default();
            let text = next_text(&mut row)?.unwrap_or("{}");
            let document = serde_json::from_str(text)
                .map_err(|e| Failure::Broken(format!("the document {key} is no JSON: {e}")))?;
            entries.push((made.place(key, &document), key.to_owned()));
        }
        let adds: Vec<_> =
            entries.iter().map(|(place, key)| lookup.add(lane, place, key)).collect();
        stream::iter(adds)
            .buffer_unordered(lane.options().load_concurrency as usize)
            .try_collect::<()>()
            .await?;
    }
    notes::set(lane, &note, &made.text()).await
}

/// The look-ups that are whole, with their statements.
pub(super) async fn all(lane: &Lane) -> Done<Vec<Arc<Lookup>>> {
    let noted = notes::all(lane, notes::LOOKUP).await?;
    let mut known = lane.lookups.lock().await;
    let mut all = Vec::new();
    for (name, text) in noted {
        let made = Made::parse(&text).filter(|made| made.whole);
        let made = made.ok_or_else(|| Failure::Broken(format!("the note {name} is {text}")))?;
        let made = Made { name, ..made };
        match known.get(&made.name).filter(|lookup| lookup.made == made) {
            Some(lookup) => all.push(lookup.clone()),
            None => {
                let table = lane.table(&format!("{LOOKUP}{}", made.name));
                let lookup = Arc::new(Lookup::new(lane, made, table).await?);
                known.insert(lookup.made.name.clone(), lookup.clone());
                all.push(lookup);
            }
        }
    }
    Ok(all)
}

/// Where a search begins and ends: from the first bytes on, up to the second without them.
pub(super) type Range = (Vec<u8>, Vec<u8>);

impl Lookup {
    async fn new(lane: &Lane, made: Made, table: String) -> Done<Lookup> {
        let options = lane.options();
        let prepare = async |text: String, consistency| {
            let mut statement = lane.session.prepare(text).await?;
            statement.set_consistency(consistency);
            Ok::<_, Failure>(statement)
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
            made,
            table,
        })
    }

    /// Adds an entry.
    pub async fn add(&self, lane: &Lane, place: &Place, key: &str) -> Done<()> {
        bulk::send(lane, &self.insert, (&place.partition, &place.sort, key)).await
    }

    /// Removes an entry.
    pub async fn remove(&self, lane: &Lane, place: &Place) -> Done<()> {
        bulk::send(lane, &self.delete, (&place.partition, &place.sort)).await
    }

    /// The first entries of a range of a partition, so many at most.
    pub async fn some(
        &self,
        lane: &Lane,
        partition: &[u8],
        (from, to): &Range,
        order: Order,
        limit: i32,
    ) -> Done<Vec<(Place, String)>> {
        let statement = match order {
            Order::Ascending => &self.ascending,
            Order::Descending => &self.descending,
        };
        let answer = lane.session.execute_unpaged(statement, (partition, from, to, limit)).await?;
        let rows = answer.into_rows_result().map_err(Failure::answer)?;
        let mut some = Vec::new();
        for row in rows.rows::<(Vec<u8>, String)>().map_err(Failure::answer)? {
            let (sort, key) = row.map_err(Failure::answer)?;
            some.push((Place { partition: partition.to_vec(), sort }, key));
        }
        Ok(some)
    }

    /// All entries: partitions have no order among them.
    pub async fn every(&self, lane: &Lane) -> Done<Vec<(Place, String)>> {
        let text = format!("SELECT part, sort, {KEY} FROM {}", self.table);
        let mut pages = Pages::new(lane, text, 10 * PAGE).await?;
        let mut all = Vec::new();
        while let Some(page) = pages.next(lane).await? {
            for row in page.rows::<(Vec<u8>, Vec<u8>, String)>().map_err(Failure::answer)? {
                let (partition, sort, key) = row.map_err(Failure::answer)?;
                all.push((Place { partition, sort }, key));
            }
        }
        Ok(all)
    }
}
