//! Reading a table page by page.

use hoap_database::failure::Done;
use scylla::response::query_result::QueryRowsResult;
use scylla::response::{PagingState, PagingStateResponse};
use scylla::statement::prepared::PreparedStatement;

use super::connection::Connection;
use crate::error::OrFail;

/// The rows of a statement without values, page by page.
pub(super) struct Pages {
    statement: PreparedStatement,
    /// Where the next page begins; `None` after the last one.
    state: Option<PagingState>,
}

impl Pages {
    pub async fn new(connection: &Connection, text: String, size: i32) -> Done<Pages> {
        let mut statement = connection.session.prepare(text).await.or_fail()?;
        statement.set_consistency(connection.options().read_consistency);
        statement.set_page_size(size);
        Ok(Pages { statement, state: Some(PagingState::start()) })
    }

    /// The next page; `None` after the last one.
    pub async fn next(&mut self, connection: &Connection) -> Done<Option<QueryRowsResult>> {
        let Some(state) = self.state.take() else { return Ok(None) };
        let page =
            connection.session.execute_single_page(&self.statement, (), state).await.or_fail()?;
        if let PagingStateResponse::HasMorePages { state } = page.1 {
            self.state = Some(state);
        }
        Ok(Some(page.0.into_rows_result().or_fail()?))
    }
}
