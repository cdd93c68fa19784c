//! The collections of a run beside those of the benchmark: the counters of
//! [freshness](crate::freshness), the documents of the [witness](crate::witness).

use hoap_database::{Access, Database};
use hoap_workload::Result;

/// The most documents that one transaction removes.
const AT_ONCE: usize = 50;

/// Creates the collection and removes what earlier runs left in it. One of several drivers
/// (`beside_others`) removes nothing: the documents of the others look like those of an earlier
/// run, and none reads any that are not its own.
///
/// # Errors
/// Returns the errors of the database.
pub async fn prepare(target: &Database, collection: &str, beside_others: bool) -> Result<()> {
    target.documents()?.create(&[collection]).await?;
    if beside_others {
        return Ok(());
    }
    clear(target, collection, |_| true).await
}

/// Removes documents of the collection by their keys.
///
/// # Errors
/// Returns the errors of the database.
pub async fn clear(
    target: &Database,
    collection: &str,
    which: impl Fn(&str) -> bool + Send + Sync,
) -> Result<()> {
    let mut keys = Vec::new();
    let mut each = |key: &str, _| {
        if which(key) {
            keys.push(key.to_owned());
        }
        Ok(())
    };
    target.documents()?.scan(collection, &[], &mut each).await?;
    let mut session = target.transactions()?.session().await?;
    for some in keys.chunks(AT_ONCE) {
        let mut tx = session.begin(Access::Write).await?;
        for key in some {
            tx.delete(collection, key).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}
