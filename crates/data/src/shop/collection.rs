//! The two collections.

use std::fmt;
use std::str::FromStr;

use super::text::Text;
use crate::error::{SpecError, quoted};

/// The two collections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShopCollection {
    /// Customers.
    Customer,
    /// Orders.
    Orders,
}

impl ShopCollection {
    /// Both, in the order they are loaded.
    pub const ALL: [ShopCollection; 2] = [ShopCollection::Customer, ShopCollection::Orders];

    /// The collection's name in a database.
    pub const fn name(self) -> &'static str {
        match self {
            ShopCollection::Customer => "shop_customer",
            ShopCollection::Orders => "shop_orders",
        }
    }

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

impl fmt::Display for ShopCollection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ShopCollection {
    type Err = SpecError;

    fn from_str(s: &str) -> Result<ShopCollection, SpecError> {
        ShopCollection::ALL.into_iter().find(|c| c.name() == s).ok_or_else(|| {
            let names = ShopCollection::ALL.map(ShopCollection::name).join(", ");
            SpecError::new(format!("collection {} is unknown: use one of {names}", quoted(s)))
        })
    }
}
