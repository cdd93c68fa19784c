//! The ends of an index, and whole collections.

use futures_util::future::try_join_all;
use hoap_database::{Access, Documents, Find, Order, Row, Session, Transaction};
use hoap_workload::Result;
use hoap_workload::checks::reader::{malformed, pause};
use hoap_workload::checks::{self, Reader, Watch};
use serde_json::Value;

use super::district::Undelivered;
use crate::data::{Collection, Schema};
use crate::schema::Paths;

/// The oldest and the newest undelivered order of each of these districts, and those of all numbers
/// between them.
///
/// # Errors
/// Returns [`Cancelled`](hoap_workload::ErrorKind::Cancelled) soon after the watch says so, and the errors of the database.
pub(super) async fn undelivered(
    reader: &mut Reader<'_>,
    schema: Schema,
    districts: &[(u32, u32)],
) -> Result<Vec<Undelivered>> {
    let paths = Paths::of(schema);
    let mut found = Vec::with_capacity(districts.len());
    for districts in districts.chunks(reader.batch()) {
        reader.watch().go_on(Collection::Neworder.name())?;
        let parts = reader.shared(districts);
        let parts = parts.map(|(session, districts)| ends(session, &paths, districts));
        found.extend(try_join_all(parts).await?.into_iter().flatten());
    }
    Ok(found)
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
    let name = Collection::Neworder.name();
    number.map(Some).ok_or_else(|| malformed(name, &key, &["no_o_id"], Some(&row)))
}

/// Reads a collection, a document after the other. `None` of `each`: a field is not what it must be.
pub(super) async fn scan<T: Send>(
    documents: Documents<'_>,
    watch: &Watch<'_>,
    collection: Collection,
    fields: &[&str],
    to: &mut T,
    mut each: impl FnMut(&mut T, &str, &Row) -> Option<()> + Send,
) -> Result<()> {
    let name = collection.name();
    let one = |key: &str, row: Row| {
        each(to, key, &row).ok_or_else(|| malformed(name, key, fields, Some(&row)))
    };
    checks::scan((documents, watch), name, fields, one).await
}
