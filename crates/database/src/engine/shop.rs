//! Pages of customers, and joins of customers and orders.

use async_trait::async_trait;

use crate::failure::{Done, Failure};
use crate::shop::{Ask, JoinRow, JoinVariant};

/// Pages or joins, or both, as the engine offers them; see [`crate::Shop`].
#[async_trait]
pub trait Shop: Send + Sync {
    /// The variants of the join, its users' first choice first. Empty if it does not join.
    fn variants(&self) -> &'static [JoinVariant];
    /// Connects one client, which asks for this alone. A variant is one of them.
    async fn shop_session(&self, ask: Ask) -> Done<Box<dyn ShopSession>>;
}

/// One client, which pages or joins.
#[async_trait]
pub trait ShopSession: Send {
    /// Replaces `keys`, whose strings are used again, by those of a page.
    async fn page(
        &mut self,
        _country: &str,
        _offset: u32,
        _limit: u32,
        _keys: &mut Vec<String>,
    ) -> Done<()> {
        Err(Failure::invalid("this session joins"))
    }
    /// Adds the rows of a join to `rows`, which is empty.
    async fn join(&mut self, _zip: &str, _month: &str, _rows: &mut Vec<JoinRow>) -> Done<()> {
        Err(Failure::invalid("this session pages"))
    }
    /// See [`Bulk::abandon`](super::Bulk::abandon).
    fn abandon(&mut self) -> bool {
        true
    }
}

/// Puts a key at this place of a page, into the string of the page before where there is one.
#[inline]
pub fn put_key(keys: &mut Vec<String>, at: usize, key: &str) {
    match keys.get_mut(at) {
        Some(slot) => key.clone_into(slot),
        None => keys.push(key.to_owned()),
    }
}
