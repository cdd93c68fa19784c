//! The two collections.

use hoap_data::named;

use super::text::Text;

named! {
    /// The two collections, in the order in which they are loaded.
    #[derive(PartialOrd, Ord, Hash)]
    ShopCollection, "collection":
    /// Customers.
    Customer = "shop_customer",
    /// Orders.
    Orders = "shop_orders",
}

impl ShopCollection {
    /// The prefix of every key, so that both collections can share one key space.
    pub(super) const fn key_prefix(self) -> &'static str {
        match self {
            ShopCollection::Customer => "customer:",
            ShopCollection::Orders => "order:",
        }
    }

    /// The key of a number.
    #[inline(always)]
    pub(super) fn key(self, number: u64) -> Text {
        Text::new().str(self.key_prefix()).number(number)
    }
}
