//! Customers and their orders: the operations of the comparison reports' Pagination and JOIN
//! workloads.

mod variant;

use std::future::Future;

use hoap_data::shop::ShopCollection;

use crate::Result;
use crate::target::Blocking;

pub use variant::JoinVariant;

/// The collection of the customers.
pub const CUSTOMERS: &str = ShopCollection::Customer.name();

/// The collection of the orders.
pub const ORDERS: &str = ShopCollection::Orders.name();

/// Index on the customers' country, for Pagination.
pub const COUNTRY_INDEX: &str = "shop_customer_country";

/// Index on the customers' zip code, for JOIN.
pub const ZIP_INDEX: &str = "shop_customer_zip";

/// Index on the orders' key that covers the fields that JOIN reads of an order, so that no order
/// need be fetched. A database that finds orders by their key may omit it.
pub const COVERING_INDEX: &str = "shop_orders_covering";

/// A database that filters on a nested field with offset and limit.
pub trait Pages: Blocking {
    /// One client's connection.
    type Session: PageSession;

    /// Connects one client.
    fn session(&self) -> impl Future<Output = Result<Self::Session>> + Send;
}

/// One client's connection for pages.
pub trait PageSession: Send {
    /// Replaces `keys` by the keys of a country's customers: at most `limit`, after the first
    /// `offset`, in the database's own order.
    fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> impl Future<Output = Result<()>> + Send;
}

/// A database that joins customers with their orders.
pub trait Joins: Blocking {
    /// One client's connection.
    type Session: JoinSession;

    /// The variants of the join that the database has, its users' first choice first. Never empty.
    fn variants(&self) -> &'static [JoinVariant];

    /// Connects one client.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) where `variant` is not one of
    /// [`Joins::variants`].
    fn session(&self, variant: JoinVariant) -> impl Future<Output = Result<Self::Session>> + Send;
}

/// One client's connection for joins.
pub trait JoinSession: Send {
    /// Replaces `rows` by the sums of sale_price, per month and zip code, of the orders that
    /// customers of this zip code placed in this month. The smallest sum comes first.
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
