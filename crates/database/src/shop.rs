//! Customers and their orders: the operations of the comparison reports' Pagination and JOIN
//! workloads.

mod sum;
mod variant;

pub use sum::{Sum, cents};
pub use variant::JoinVariant;

/// The collection of the customers.
pub const CUSTOMERS: &str = "shop_customer";

/// The collection of the orders.
pub const ORDERS: &str = "shop_orders";

/// The joining table: a document for each zip code and month, with the prices of the orders that
/// the zip code's customers placed in it.
pub const SALES: &str = "shop_sales";

/// The key of a document of [`SALES`].
pub fn sales_key(zip: &str, month: &str) -> String {
    format!("sales:{zip}:{month}")
}

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
