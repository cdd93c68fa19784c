//! Customers and their orders.

use std::sync::Arc;

use hoap_database::shop::{JoinRow, JoinSession, JoinVariant, Joins, PageSession, Pages};
use hoap_record::Result;

use super::engine::{self, Engine, Joiner, Pager};
use super::limit::{answer, not_read, unlimited};
use super::stopping::Waiting;
use super::{Front, error};
use crate::failure::Failure;

impl<E: engine::Pages> Pages for Front<E> {
    type Session = FrontPager<E, E::Pager>;

    async fn session(&self) -> Result<Self::Session> {
        match unlimited(&*self.0, self.0.pager()).await {
            Ok(inner) => {
                Ok(FrontPager { engine: self.0.clone(), inner, waiting: Waiting::default() })
            }
            Err(failure) => Err(error(&*self.0, failure, "page through customers in")),
        }
    }
}

/// One client that reads pages.
pub struct FrontPager<E, P> {
    engine: Arc<E>,
    inner: P,
    waiting: Waiting,
}

impl<E: Engine, P: Pager> PageSession for FrontPager<E, P> {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Result<()> {
        let done = answer!(
            self.engine,
            &mut self.waiting,
            self.inner,
            self.inner.page(country, offset, limit, keys),
            not_read
        );
        done.map_err(|failure| {
            keys.clear();
            error(&*self.engine, failure, &format!("page through {country} in"))
        })
    }
}

impl<E: engine::Joins> Joins for Front<E> {
    type Session = FrontJoiner<E, E::Joiner>;

    fn variants(&self) -> &'static [JoinVariant] {
        E::VARIANTS
    }

    async fn session(&self, variant: JoinVariant) -> Result<Self::Session> {
        let done = match E::VARIANTS.contains(&variant) {
            true => unlimited(&*self.0, self.0.joiner(variant)).await,
            false => Err(Failure::invalid(format!("it has no {variant} join"))),
        };
        match done {
            Ok(inner) => {
                Ok(FrontJoiner { engine: self.0.clone(), inner, waiting: Waiting::default() })
            }
            Err(failure) => Err(error(&*self.0, failure, "join customers in")),
        }
    }
}

/// One client that joins.
pub struct FrontJoiner<E, J> {
    engine: Arc<E>,
    inner: J,
    waiting: Waiting,
}

impl<E: Engine, J: Joiner> JoinSession for FrontJoiner<E, J> {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Result<()> {
        rows.clear();
        let done = answer!(
            self.engine,
            &mut self.waiting,
            self.inner,
            self.inner.join(zip, month, rows),
            not_read
        );
        done.map_err(|failure| {
            error(&*self.engine, failure, &format!("join zip code {zip}, {month} in"))
        })
    }
}
