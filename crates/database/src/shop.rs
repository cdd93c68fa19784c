//! Customers and their orders: the operations of the comparison reports' Pagination and JOIN
//! workloads.

mod variant;

pub use variant::JoinVariant;

/// The collection of the customers.
pub const CUSTOMERS: &str = "shop_customer";

/// The collection of the orders.
pub const ORDERS: &str = "shop_orders";

/// Index on the customers' country, for Pagination.
pub const COUNTRY_INDEX: &str = "shop_customer_country";

/// Index on the customers' zip code, for JOIN.
pub const ZIP_INDEX: &str = "shop_customer_zip";

/// Index on the orders' key that covers the fields that JOIN reads of an order, so that no order
/// need be fetched. A database that finds orders by their key may omit it.
pub const COVERING_INDEX: &str = "shop_orders_covering";

/// What a session is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Pages of customers.
    Pages,
    /// Joins in this variant.
    Joins(JoinVariant),
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
