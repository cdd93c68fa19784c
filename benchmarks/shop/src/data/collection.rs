//! The collections.

use hoap_data::named;

use super::text::Text;

named! {
    /// The collections, in the order in which they are loaded.
    #[derive(PartialOrd, Ord, Hash)]
    ShopCollection, "collection":
    /// Customers.
    Customer = "shop_customer",
    /// Orders.
    Orders = "shop_orders",
    /// The joining table: what a zip code's customers ordered in a month.
    Sales = "shop_sales",
}

impl ShopCollection {
    /// Customers, and the orders that they name.
    pub const BOTH: [ShopCollection; 2] = [ShopCollection::Customer, ShopCollection::Orders];

    /// The prefix of every key, so that all collections can share one key space.
    pub(super) const fn key_prefix(self) -> &'static str {
        match self {
            ShopCollection::Customer => "customer:",
            ShopCollection::Orders => "order:",
            ShopCollection::Sales => "sales:",
        }
    }

    /// The key of a customer or an order.
    #[inline(always)]
    pub(super) fn key(self, number: u64) -> Text {
        Text::new().str(self.key_prefix()).number(number)
    }
}
