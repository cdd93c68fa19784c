//! Customers and their orders: the data of the Pagination and JOIN workloads (NoSQL specification,
//! section 2) as pure functions of their keys.
//!
//! A [`ShopSpec`] gives the sizes; a [`ShopData`] computes any customer, any order, and their
//! relations. Drivers know the countries, zip codes and months that occur, and the right answer of
//! each query, without a database.
//!
//! ```
//! use hoap_shop::data::{MONTHS, ShopCollection, ShopData, ShopSpec};
//!
//! let data = ShopData::new(ShopSpec::new(5000))?;
//! let customer = data.index_of(ShopCollection::Customer, "customer:42").expect("loaded");
//! let order = data.orders_of(customer).next().expect("each customer has one");
//! assert_eq!(data.customer_of(order), customer);
//! assert_eq!(data.customers_of_zip(data.zip_of(customer)).len(), 100);
//! let mut document = Vec::new();
//! data.append(ShopCollection::Orders, order, &mut document);
//! assert!(document.starts_with(br#"{"_id":"order:"#));
//! # Ok::<(), hoap_data::SpecError>(())
//! ```

mod collection;
mod customer;
mod dataset;
mod documents;
mod order;
mod spec;
mod text;
mod values;

#[cfg(test)]
mod tests;

/// Version of the bytes. It changes whenever a single byte of any document changes. It is part of
/// every random stream's key, so that two versions differ everywhere.
pub const DATA_VERSION: u32 = 1;

pub use collection::ShopCollection;
pub use dataset::ShopData;
pub use spec::{
    JOIN_DOCUMENTS, MAX_CUSTOMERS, MAX_DOCUMENT_BYTES, MAX_ORDERS_PER_CUSTOMER, ShopSpec,
};
pub use values::MONTHS;
