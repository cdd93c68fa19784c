//! Customers and their orders: what the Pagination and JOIN workloads of the comparison reports ask.

use std::future::Future;

use super::Applicable;
use crate::Result;

/// A database that runs Pagination, JOIN or both.
pub trait Shop: Send + Sync {
    /// One client's connection.
    type Session: ShopSession;

    /// Whether calls block their thread.
    fn blocking(&self) -> bool;

    /// Whether it can filter on a nested field with offset and limit, and if not, why.
    fn pagination(&self) -> Applicable<()>;

    /// The variants of the join that it has, the one its users would take first.
    fn joins(&self) -> Applicable<&'static [JoinVariant]>;

    /// Connects one client. `variant` is one of [`Shop::joins`].
    fn session(
        &self,
        variant: Option<JoinVariant>,
    ) -> impl Future<Output = Result<Self::Session>> + Send;
}

/// How a database runs the JOIN (the variants that the reports name).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinVariant {
    /// From each customer's list of order keys by key or index (ON KEYS, index nested loop).
    Index,
    /// A join of two collections as standard SQL writes it.
    Ansi,
    /// The same with a hash table.
    Hash,
    /// Customers first, then their orders by key, put together in the client.
    TwoPhase,
    /// MongoDB's `$lookup`.
    Lookup,
    /// A third table that holds the joined rows (Cassandra).
    JoiningTable,
}

/// One client's connection.
pub trait ShopSession: Send {
    /// Keys of the customers of a country, after `offset` of them, `limit` at most, into `keys`, which
    /// it empties first. The order is the database's own.
    fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Per month and zip code the sum of sale_price of the orders of the zip code's customers in that
    /// month, smallest sum first, into `rows`, which it empties first.
    fn join(
        &mut self,
        zip: &str,
        month: &str,
        rows: &mut Vec<JoinRow>,
    ) -> impl Future<Output = Result<()>> + Send;
}

/// A row of the JOIN's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinRow {
    /// Name of the month.
    pub month: String,
    /// Zip code.
    pub zip: String,
    /// Sum of sale_price, cents.
    pub cents: i64,
}
