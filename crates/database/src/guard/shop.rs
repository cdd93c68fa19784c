//! Customers and their orders.

use std::sync::Arc;

use hoap_record::Result;

use super::limit::{answer, repeatable, unlimited};
use super::stopping::Waiting;
use crate::engine::{About, Calls, Engine, Joiner, Pager};
use crate::failure::Failure;
use crate::shop::{JoinRow, JoinVariant};

/// Pages of customers, filtered on a nested field. Clones are of the same database.
#[derive(Clone)]
pub struct Pages {
    engine: Arc<dyn Engine>,
    about: Arc<About>,
}

impl Pages {
    pub(super) fn new(engine: Arc<dyn Engine>, about: Arc<About>) -> Self {
        Pages { engine, about }
    }

    /// Whether its calls block their thread.
    pub fn blocking(&self) -> bool {
        self.about.calls == Calls::Blocking
    }

    /// Connects one client.
    ///
    /// # Errors
    /// Why the database could not be reached, or refuses.
    pub async fn session(&self) -> Result<PageSession> {
        let Pages { engine, about } = self;
        let done = match engine.pages() {
            Some(pages) => unlimited(about, pages.pager()).await,
            None => Err(Failure::invalid("it has no pages")),
        };
        match done {
            Ok(inner) => {
                Ok(PageSession { about: about.clone(), inner, waiting: Waiting::default() })
            }
            Err(failure) => Err(about.error(failure, "page through customers in")),
        }
    }
}

/// One client that reads pages.
pub struct PageSession {
    about: Arc<About>,
    inner: Box<dyn Pager>,
    waiting: Waiting,
}

impl PageSession {
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
}

/// Joins of customers with their orders. Clones are of the same database.
#[derive(Clone)]
pub struct Joins {
    engine: Arc<dyn Engine>,
    about: Arc<About>,
}

impl Joins {
    pub(super) fn new(engine: Arc<dyn Engine>, about: Arc<About>) -> Self {
        Joins { engine, about }
    }

    /// Whether its calls block their thread.
    pub fn blocking(&self) -> bool {
        self.about.calls == Calls::Blocking
    }

    /// The variants of the join that the database has, its users' first choice first.
    pub fn variants(&self) -> &'static [JoinVariant] {
        self.engine.joins().map_or(&[], |joins| joins.variants())
    }

    /// Connects one client.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if `variant` is not one of
    /// [`Joins::variants`].
    pub async fn session(&self, variant: JoinVariant) -> Result<JoinSession> {
        let Joins { engine, about } = self;
        let done = match engine.joins() {
            Some(joins) if joins.variants().contains(&variant) => {
                unlimited(about, joins.joiner(variant)).await
            }
            _ => Err(Failure::invalid(format!("it has no {variant} join"))),
        };
        match done {
            Ok(inner) => {
                Ok(JoinSession { about: about.clone(), inner, waiting: Waiting::default() })
            }
            Err(failure) => Err(about.error(failure, "join customers in")),
        }
    }
}

/// One client that joins.
pub struct JoinSession {
    about: Arc<About>,
    inner: Box<dyn Joiner>,
    waiting: Waiting,
}

impl JoinSession {
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
