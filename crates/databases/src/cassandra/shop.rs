//! Customers and their orders: the join, by the joining table ([`super::joined`]). It is a read of
//! one partition with a sum, as the comparison report had it, which is why the report left it out
//! of its comparison with databases that do join.

use std::sync::Arc;

use hoap_workload::Result;
use hoap_workload::capability::shop::{JoinRow, JoinSession, JoinVariant, Joins};
use scylla::statement::prepared::PreparedStatement;

use super::connection::Connection;
use super::error::{Doing, Done, Failure};
use super::runtimes::RuntimeSession;
use super::{Cassandra, joined, notes};

impl Joins for Cassandra {
    type Session = Joiner;

    fn variants(&self) -> &'static [JoinVariant] {
        &[JoinVariant::JoiningTable]
    }

    async fn session(&self, variant: JoinVariant) -> Result<Joiner> {
        let url = &self.description.url;
        if variant != JoinVariant::JoiningTable {
            return Err(variant.refused(&self.description.name, url));
        }
        let connection = self.connection().await?;
        let statement = prepare(&connection).await;
        let statement =
            statement.map_err(|e| e.into_error(Doing::Read, format!("join in {url}")))?;
        Ok(Joiner { connection, statement })
    }
}

async fn prepare(connection: &Connection) -> Done<PreparedStatement> {
    if notes::get(connection, notes::JOINED).await?.is_none() {
        return Err(Failure::Missing("the joining table is missing or not whole".to_owned()));
    }
    let table = connection.table(joined::TABLE);
    // A sum of no rows is 0: only the count tells it from orders that cost nothing.
    let text = format!("SELECT count(*), sum(cents) FROM {table} WHERE zip = ? AND month = ?");
    let mut statement = connection.session.prepare(text).await?;
    statement.set_consistency(connection.options().read_consistency);
    statement.set_use_cached_result_metadata(true);
    Ok(statement)
}

/// One client that joins.
pub struct Joiner {
    connection: Arc<RuntimeSession>,
    statement: PreparedStatement,
}

impl Joiner {
    async fn sum(&self, zip: &str, month: &str) -> Done<Option<i64>> {
        let answer = self.connection.session.execute_unpaged(&self.statement, (zip, month)).await?;
        let rows = answer.into_rows_result().map_err(Failure::answer)?;
        let (count, sum) = rows.single_row::<(i64, Option<i64>)>().map_err(Failure::answer)?;
        Ok(sum.filter(|_| count > 0))
    }
}

impl JoinSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Result<()> {
        rows.clear();
        let sum = self.sum(zip, month).await.map_err(|e| {
            let url = &self.connection.place.url;
            e.into_error(Doing::Read, format!("join zip code {zip}, {month} in {url}"))
        })?;
        rows.extend(sum.map(|cents| JoinRow { month: month.into(), zip: zip.into(), cents }));
        Ok(())
    }
}
