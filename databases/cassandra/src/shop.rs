//! Customers and their orders: the join, by the joining table ([`super::joined`]). It is a read of
//! one partition with a sum, as the comparison report had it, which is why the report left it out
//! of its comparison with databases that do join.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_database::engine::{self, Shop};
use hoap_database::failure::{Done, Failure};
use hoap_database::shop::{Ask, JoinRow, JoinVariant};
use scylla::statement::prepared::PreparedStatement;

use super::connection::Connection;
use super::runtimes::RuntimeSession;
use super::{CassandraEngine, joined, notes};
use crate::error::OrFail;

#[async_trait]
impl Shop for CassandraEngine {
    fn variants(&self) -> &'static [JoinVariant] {
        &[JoinVariant::JoiningTable]
    }

    async fn shop_session(&self, _: Ask) -> Done<Box<dyn engine::ShopSession>> {
        let connection = self.connection().await?;
        let statement = prepare(&connection).await?;
        Ok(Box::new(Joiner { connection, statement }))
    }
}

async fn prepare(connection: &Connection) -> Done<PreparedStatement> {
    if notes::get(connection, notes::JOINED).await?.is_none() {
        return Err(Failure::missing("the joining table is missing or not whole"));
    }
    let table = connection.table(joined::TABLE);
    // A sum of no rows is 0: only the count tells it from orders that cost nothing.
    let text = format!("SELECT count(*), sum(cents) FROM {table} WHERE zip = ? AND month = ?");
    let mut statement = connection.session.prepare(text).await.or_fail()?;
    statement.set_consistency(connection.options().read_consistency);
    statement.set_use_cached_result_metadata(true);
    Ok(statement)
}

/// One client that joins.
pub struct Joiner {
    connection: Arc<RuntimeSession>,
    statement: PreparedStatement,
}

#[async_trait]
impl engine::ShopSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        let answer = self
            .connection
            .session
            .execute_unpaged(&self.statement, (zip, month))
            .await
            .or_fail()?;
        let (count, sum) =
            answer.into_rows_result().or_fail()?.single_row::<(i64, Option<i64>)>().or_fail()?;
        let sum = sum.filter(|_| count > 0);
        rows.extend(sum.map(|cents| JoinRow { month: month.into(), zip: zip.into(), cents }));
        Ok(())
    }
}
