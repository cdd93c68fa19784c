//! The end of a load: indexes, statistics, durability.

use futures_util::{StreamExt, TryStreamExt, stream};
use hoap_workload::Result;
use hoap_workload::capability::Index;
use serde_json::json;

use super::server::{Role, Server};
use super::tables::{NOTES, PROGRESS, commit, exists, foreign, read_note, write_note};
use super::{error, sql};

/// The number of indexes or statistics that are made at the same time, each on its own connection.
const AT_ONCE: usize = 4;

/// The name of the note that has the state for which statistics were gathered last.
const SETTLED: &str = "settled";

/// Makes the indexes, gathers statistics and makes everything durable.
pub(super) async fn settle(server: &Server, indexes: &[Index]) -> Result<()> {
    for index in indexes {
        sql::create_index(index)?;
    }
    at_once(indexes.iter().map(|index| make_index(server, index)).collect()).await?;
    gather_statistics(server).await
}

async fn at_once<F: Future<Output = Result<()>>>(work: Vec<F>) -> Result<()> {
    stream::iter(work).buffer_unordered(AT_ONCE).try_collect().await
}

/// Makes an index where it is missing. Its comment is the statement that made it, which identifies
/// it.
async fn make_index(server: &Server, index: &Index) -> Result<()> {
    let tried = || format!("create index {} in {}", index.name, server.url);
    let failed = |e: tokio_postgres::Error| error::postgres(&e, tried());
    let connection = server.connect(Role::Maintenance).await?;
    let wanted = sql::create_index(index)?;
    if exists(&connection, index.name).await.map_err(failed)? {
        let text = "SELECT obj_description(to_regclass(quote_ident($1::text)), 'pg_class')";
        let comment = connection.client.query_one(text, &[&index.name]).await;
        let comment: Option<String> = comment.and_then(|row| row.try_get(0)).map_err(failed)?;
        return match comment.as_deref() == Some(&wanted) {
            true => Ok(()),
            false => Err(foreign(index.name, tried())),
        };
    }
    let comment = wanted.replace('\'', "''");
    let text = format!("BEGIN; {wanted}; COMMENT ON INDEX \"{}\" IS '{comment}'", index.name);
    connection.client.batch_execute(&text).await.map_err(failed)?;
    commit(&connection, tried).await
}

/// Gathers the planner's statistics, unless nothing was loaded since the last time, and makes
/// everything durable.
async fn gather_statistics(server: &Server) -> Result<()> {
    let tried = || format!("gather statistics in {}", server.url);
    let failed = |e: tokio_postgres::Error| error::postgres(&e, tried());
    let connection = server.connect(Role::Maintenance).await?;
    let tables = format!("SET client_min_messages = warning; {NOTES}; {}", PROGRESS);
    connection.client.batch_execute(&tables).await.map_err(failed)?;
    let state = "SELECT (SELECT coalesce(sum(position), 0)::int8 FROM hoap_load),
                 (SELECT count(*) FROM pg_indexes WHERE schemaname = current_schema())";
    let state = connection.client.query_one(state, &[]).await.map_err(failed)?;
    let (documents, indexes): (i64, i64) =
        (state.try_get(0).map_err(failed)?, state.try_get(1).map_err(failed)?);
    let state = json!({ "documents": documents, "indexes": indexes }).to_string();
    if read_note(&connection, SETTLED, false).await.map_err(failed)?.as_ref() == Some(&state) {
        return Ok(());
    }
    let loaded = "SELECT DISTINCT collection FROM hoap_load l WHERE EXISTS (
                  SELECT 1 FROM pg_tables WHERE schemaname = current_schema()
                  AND tablename = l.collection)";
    let rows = connection.client.query(loaded, &[]).await.map_err(failed)?;
    let loaded: Vec<String> = rows
        .iter()
        .map(|row| row.try_get(0))
        .collect::<std::result::Result<_, _>>()
        .map_err(failed)?;
    at_once(loaded.iter().map(|collection| vacuum(server, collection)).collect()).await?;
    // A commit that waits for its log takes the log of all commits before it to the disk.
    let begin = "BEGIN; SET LOCAL synchronous_commit = on";
    connection.client.batch_execute(begin).await.map_err(failed)?;
    write_note(&connection, SETTLED, &state).await.map_err(failed)?;
    commit(&connection, tried).await?;
    // The run should not write the load's pages. It needs the role pg_checkpoint.
    match connection.client.batch_execute("CHECKPOINT").await {
        Err(e) if e.code().is_none_or(|code| code.code() != "42501") => Err(failed(e)),
        _ => Ok(()),
    }
}

/// Gathers statistics of a table, and marks its rows as visible to all, which the server would
/// otherwise do in the background of a run.
async fn vacuum(server: &Server, collection: &str) -> Result<()> {
    let connection = server.connect(Role::Maintenance).await?;
    let text = format!("VACUUM (ANALYZE) \"{}\"", sql::name(collection)?);
    let done = connection.client.batch_execute(&text).await;
    done.map_err(|e| {
        error::postgres(&e, format!("gather statistics of {collection} in {}", server.url))
    })
}
