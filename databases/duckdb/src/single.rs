//! One thread while a file is loaded.
//!
//! A load has one thread of DuckDB's work at a time. With several, a commit runs on one of them,
//! and the caller asks again and again whether it has ended: it takes as much CPU as the commit.

use std::sync::{Mutex, PoisonError};

use duckdb::Connection;
use hoap_database::failure::Done;

use crate::error::OrFail;

/// The instance has one thread until this is dropped.
pub(super) struct Single {
    connection: Mutex<Connection>,
    /// The threads before.
    threads: i64,
}

impl Single {
    /// Takes the other threads away.
    pub fn begin(connection: Connection) -> Done<Single> {
        let text = "SELECT CAST(current_setting('threads') AS BIGINT)";
        let threads = connection.query_row(text, [], |row| row.get(0)).or_fail()?;
        connection.execute_batch("SET threads = 1").or_fail()?;
        Ok(Single { connection: Mutex::new(connection), threads })
    }
}

impl Drop for Single {
    fn drop(&mut self) {
        let connection = self.connection.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = connection.execute_batch(&format!("SET threads = {}", self.threads));
    }
}
