//! The documents, a module for each group of collections; `any` writes one of any collection.
//!
//! Every document has its own stream of random words (`DataSet::words`), and every value a fixed
//! place in that stream: the constants at the head of each module. Any value can be computed
//! without the others, and extra fields change no other value.

mod address;
mod any;
mod customer;
mod item;
mod last_name;
mod orders;
mod supplier;
mod text;
mod warehouse;

pub use item::StockNumbers;
pub use last_name::last_name;

/// First word of the extra fields, two words each.
const EXTRA_FIELDS: u64 = 256;
/// First word of the choice of categories. It comes last because its length varies.
const CATEGORIES: u64 = 1024;

/// Cents of one unit of money.
const UNIT: i64 = 100;

/// The initial payment of every customer, in cents (TPC-C 4.3.3.1: H_AMOUNT, C_YTD_PAYMENT, and the
/// negative of C_BALANCE before deliveries).
const INITIAL_PAYMENT: i64 = 10 * UNIT;
