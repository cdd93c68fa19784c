//! Customers and their orders.

use std::sync::Arc;

use hoap_record::Result;

use super::limit::{answer, repeatable, unlimited};
use super::stopping::Waiting;
use crate::engine::{self, About, Calls, Engine};
use crate::failure::Failure;
use crate::shop::{Ask, JoinRow, JoinVariant};

/// Pages of customers, filtered on a nested field, or joins of customers with their orders. Clones
/// are of the same database.
#[derive(Clone)]
pub struct Shop {
    engine: Arc<dyn Engine>,
    about: Arc<About>,
}

impl Shop {
    pub(super) fn new(engine: Arc<dyn Engine>, about: Arc<About>) -> Self {
        Shop { engine, about }
    }

    /// Whether its calls block their thread.
    pub fn blocking(&self) -> bool {
        self.about.calls == Calls::Blocking
    }

    /// The variants of the join that the database has, its users' first choice first.
    pub fn variants(&self) -> &'static [JoinVariant] {
        self.engine.shop().map_or(&[], |shop| shop.variants())
    }

    /// Connects one client.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a variant that is not one of
    /// [`Shop::variants`].
    pub async fn session(&self, ask: Ask) -> Result<ShopSession> {
        let Shop { engine, about } = self;
        let done = match (engine.shop(), ask) {
            (Some(shop), Ask::Joins(variant)) if !shop.variants().contains(&variant) => {
                Err(Failure::invalid(format!("it has no {variant} join")))
            }
            (Some(shop), _) => unlimited(about, shop.shop_session(ask)).await,
            (None, _) => Err(Failure::invalid("it was not made for that")),
        };
        match done {
            Ok(inner) => {
                Ok(ShopSession { about: about.clone(), inner, waiting: Waiting::default() })
            }
            Err(failure) => Err(about.error(
                failure,
                match ask {
                    Ask::Pages => "page through customers in",
                    Ask::Joins(_) => "join customers in",
                },
            )),
        }
    }
}

/// One client, which pages or joins.
pub struct ShopSession {
    about: Arc<About>,
    inner: Box<dyn engine::ShopSession>,
    waiting: Waiting,
}

impl ShopSession {
    /// Replaces `keys` by the keys of a country's customers: at most `limit`, after the first
    /// `offset`, in the database's own order.
    ///
    /// # Errors
    /// Why they were not read; there are no keys then.
    pub async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Result<()> {
        let done = answer!(self, self.inner.page(country, offset, limit, keys), repeatable);
        done.map_err(|failure| {
            keys.clear();
            self.about.error(failure, &format!("page through {country} in"))
        })
    }

    /// Replaces `rows` by the sums of sale_price, per month and zip code, of the orders that
    /// customers of this zip code placed in this month. The smallest sum comes first.
    ///
    /// # Errors
    /// Why they were not read.
    pub async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Result<()> {
        rows.clear();
        let done = answer!(self, self.inner.join(zip, month, rows), repeatable);
        done.map_err(|failure| {
            self.about.error(failure, &format!("join zip code {zip}, {month} in"))
        })
    }
}
