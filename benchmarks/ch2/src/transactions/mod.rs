//! The five transactions of TPC-C as document operations, written once for all databases.
//!
//! Each function runs inside a transaction of its caller and neither commits nor rolls back.
//! Amounts of money are in cents.

mod customer;
mod delivery;
mod fields;
mod new_order;
mod order_status;
mod payment;
mod stock_level;

pub use delivery::{Delivered, deliver_district};
pub use fields::cents;
pub use new_order::{Receipt, extra_field, new_order};
pub use order_status::{Status, order_status};
pub use payment::{LONGEST_DATA, Paid, bad_credit_entry, payment};
pub use stock_level::stock_level;
