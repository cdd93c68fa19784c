//! The end of a load: indexes, statistics, durability.

use hoap_database::failure::Done;
use hoap_database::{Index, at_once};
use serde_json::json;

use super::connection::Connection;
use super::server::Server;
use super::sql;
use super::tables::{NOTES, PROGRESS, begin_alone, commit, exists, foreign, read_note, write_note};
use crate::error;
use crate::error::OrFail;

/// The name of the note that has the state for which statistics were gathered last.
const SETTLED: &str = "settled";

/// Makes the indexes, gathers statistics and makes everything durable.
pub(super) async fn settle(server: &Server, indexes: &[Index]) -> Done<()> {
    let made = indexes.iter().map(async |index| {
        let made = make_index(server, index).await;
        made.map_err(|e| e.trying(format!("create index {} in {}", index.name, server.url)))
    });
    at_once(made.collect()).await?;
    let gathered = gather_statistics(server).await;
    gathered.map_err(|e| e.trying(format!("gather statistics in {}", server.url)))
}

/// Makes an index where it is missing. Its comment is the statement that made it, which identifies
/// it.
async fn make_index(server: &Server, index: &Index) -> Done<()> {
    let mut connection = server.maintain().await?;
    // Each index has a turn of its own, so that several are made at the same time.
    begin_alone(&connection, &format!("{}.{}", server.options.schema, index.name)).await?;
    let wanted = sql::create_index(index);
    if exists(&connection, &index.name).await? {
        return match is_made(&connection, index).await? {
            true => commit(&mut connection).await,
            false => Err(foreign(&index.name)),
        };
    }
    let comment = wanted.replace('\'', "''");
    let text = format!("{wanted}; COMMENT ON INDEX \"{}\" IS '{comment}'", index.name);
    connection.client.batch_execute(&text).await.or_fail()?;
    commit(&mut connection).await
}

/// Whether an index is there as [`make_index`] makes it.
pub(super) async fn is_made(connection: &Connection, index: &Index) -> Done<bool> {
    let text = "SELECT obj_description(to_regclass(quote_ident($1::text)), 'pg_class')";
    let comment = connection.client.query_one(text, &[&index.name]).await.or_fail()?;
    let comment: Option<String> = comment.try_get(0).or_fail()?;
    Ok(comment.as_deref() == Some(&sql::create_index(index)))
}

/// Gathers the planner's statistics, unless nothing was loaded since the last time, and makes
/// everything durable.
async fn gather_statistics(server: &Server) -> Done<()> {
    let mut connection = server.maintain().await?;
    let tables = format!("SET client_min_messages = warning; {NOTES}; {PROGRESS}");
    connection.client.batch_execute(&tables).await.or_fail()?;
    let state = "SELECT (SELECT coalesce(sum(position), 0)::int8 FROM hoap_load),
                 (SELECT count(*) FROM pg_indexes WHERE schemaname = current_schema())";
    let state = connection.client.query_one(state, &[]).await.or_fail()?;
    let (documents, indexes): (i64, i64) =
        (state.try_get(0).or_fail()?, state.try_get(1).or_fail()?);
    let state = json!({ "documents": documents, "indexes": indexes });
    if read_note(&connection, SETTLED, false).await?.as_ref() == Some(&state) {
        connection.rest();
        return Ok(());
    }
    let loaded = "SELECT DISTINCT collection FROM hoap_load l WHERE EXISTS (
                  SELECT 1 FROM pg_tables WHERE schemaname = current_schema()
                  AND tablename = l.collection)";
    let rows = connection.client.query(loaded, &[]).await.or_fail()?;
    let loaded: Vec<String> =
        rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>().or_fail()?;
    at_once(loaded.iter().map(|collection| vacuum(server, collection)).collect()).await?;
    // A commit that waits for its log takes the log of all commits before it to the disk.
    let begin = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = on";
    connection.client.batch_execute(begin).await.or_fail()?;
    write_note(&connection, SETTLED, &state).await?;
    commit(&mut connection).await?;
    // The run should not write the load's pages. It needs the role pg_checkpoint.
    match connection.client.batch_execute("CHECKPOINT").await.map_err(error::failure) {
        Err(e) if e.code != "42501" => Err(e),
        _ => Ok(()),
    }
}

/// Gathers statistics of a table, and marks its rows as visible to all, which the server would
/// otherwise do in the background of a run.
async fn vacuum(server: &Server, collection: &str) -> Done<()> {
    let mut connection = server.maintain().await?;
    let done = connection.client.batch_execute(&format!("VACUUM (ANALYZE) \"{collection}\"")).await;
    connection.answered(done.map_err(|e| {
        error::failure(e).trying(format!("gather statistics of {collection} in {}", server.url))
    }))
}
