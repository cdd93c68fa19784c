//! The specification of customers and orders.

use hoap_data::SpecError;
use hoap_data::words::counted;

use super::text::digits;

/// Most customers of a data set.
pub const MAX_CUSTOMERS: u64 = 10_000_000_000;

/// Most orders of a customer.
pub const MAX_ORDERS_PER_CUSTOMER: u64 = 100;

/// Largest size of a document in bytes.
pub const MAX_DOCUMENT_BYTES: usize = 1 << 20;

/// Customers of a zip code that make a JOIN qualify as many documents as the comparison reports'
/// did on their 4, 10 and 20 nodes (Couchbase 6.6 report, section 4.4.3).
pub const JOIN_DOCUMENTS: [u64; 3] = [100, 250, 500];

/// Bytes of `"padding":""}` around the characters.
pub(super) const PADDING_FRAME: usize = 13;

/// The specification of customers and orders. Equal specifications give equal bytes.
///
/// All numbers of documents per parent are exact. A zip code lies in one country, and a country has
/// whole zip codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShopSpec {
    /// Seed of everything random.
    pub seed: u64,
    /// Number of customers, a multiple of `customers_per_country`.
    pub customers: u64,
    /// Orders of each customer, 1 to [`MAX_ORDERS_PER_CUSTOMER`].
    pub orders_per_customer: u64,
    /// Customers of each country, a multiple of `customers_per_zip`.
    pub customers_per_country: u64,
    /// Customers of each zip code: the number of customers that a JOIN qualifies, and with one
    /// order each the number of orders, before the month is applied. See [`JOIN_DOCUMENTS`].
    pub customers_per_zip: u64,
    /// Bytes of each customer as JSON.
    pub customer_bytes: usize,
    /// Bytes of each order as JSON.
    pub order_bytes: usize,
    /// Whether a customer has its orders in it (`orders`), in the place of their keys.
    pub embedded: bool,
}

impl ShopSpec {
    /// The shape of the comparison reports' smallest cluster: as many orders as customers, 100
    /// customers per zip code, 4 KB and 4.5 KB; seed 1, and 1000 customers per country.
    ///
    /// The reports do not say whether their KB has 1000 or 1024 bytes: the sizes here are within 2
    /// % of both.
    pub fn new(customers: u64) -> ShopSpec {
        ShopSpec {
            seed: 1,
            customers,
            orders_per_customer: 1,
            customers_per_country: 1000,
            customers_per_zip: JOIN_DOCUMENTS[0],
            customer_bytes: 4048,
            order_bytes: 4554,
            embedded: false,
        }
    }

    /// Checks that a data set can be made from it.
    pub(super) fn validate(&self) -> Result<(), SpecError> {
        let ShopSpec { customers, orders_per_customer, .. } = *self;
        let (country, zip) = (self.customers_per_country, self.customers_per_zip);
        if !(1..=MAX_CUSTOMERS).contains(&customers) {
            return Err(SpecError::new(format!(
                "{customers} customers are not possible: choose 1 to {MAX_CUSTOMERS}"
            )));
        }
        if !(1..=MAX_ORDERS_PER_CUSTOMER).contains(&orders_per_customer) {
            return Err(SpecError::new(format!(
                "{orders_per_customer} orders per customer are not possible: choose 1 to \
                 {MAX_ORDERS_PER_CUSTOMER}"
            )));
        }
        if country == 0 || !customers.is_multiple_of(country) {
            return Err(SpecError::new(format!(
                "{} cannot make whole countries of {country}: choose a number of customers per \
                 country that divides {customers}",
                counted(customers, "customer", "customers")
            )));
        }
        if zip == 0 || !country.is_multiple_of(zip) {
            return Err(SpecError::new(format!(
                "{} of a country cannot make whole zip codes of {zip}: choose a number of \
                 customers per zip code that divides {country}",
                counted(country, "customer", "customers")
            )));
        }
        check_size("customer", self.customer_bytes, self.longest_customer())?;
        check_size("order", self.order_bytes, self.longest_order())
    }

    /// Bytes of the longest customer without padding: the least size that every customer can be
    /// padded to.
    pub(super) fn longest_customer(&self) -> usize {
        /// All but the list of orders and the padding, in the largest data set.
        const FIXED: usize = 1620;
        let order = r#""order:","#.len() + digits(self.orders() - 1);
        FIXED + self.orders_per_customer as usize * order + PADDING_FRAME
    }

    /// Bytes of the longest order without padding: the least size that every order can be padded
    /// to.
    pub(super) fn longest_order(&self) -> usize {
        /// All but the numbers in its keys and the padding.
        const FIXED: usize = 300;
        let keys = digits(self.orders() - 1) + digits(self.customers - 1);
        FIXED + keys + PADDING_FRAME
    }

    /// Number of orders. Cannot overflow in a valid specification.
    pub(super) fn orders(&self) -> u64 {
        self.customers * self.orders_per_customer
    }
}

fn check_size(what: &str, bytes: usize, least: usize) -> Result<(), SpecError> {
    if (least..=MAX_DOCUMENT_BYTES).contains(&bytes) {
        return Ok(());
    }
    Err(SpecError::new(format!(
        "{what} documents of {bytes} bytes are not possible: choose {least} to \
         {MAX_DOCUMENT_BYTES} bytes"
    )))
}
