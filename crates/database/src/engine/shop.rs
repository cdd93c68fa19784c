//! Pages of customers, and joins of customers and orders.

use async_trait::async_trait;

use crate::failure::Done;
use crate::shop::{JoinRow, JoinVariant};

/// A database that filters on a nested field with offset and limit; see [`crate::Pages`].
#[async_trait]
pub trait Pages: Send + Sync {
    /// Connects one client.
    async fn pager(&self) -> Done<Box<dyn Pager>>;
}

/// One client that reads pages.
#[async_trait]
pub trait Pager: Send {
    /// Replaces `keys`, whose strings are used again, by those of a page.
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Done<()>;
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

/// A database that joins customers with their orders; see [`crate::Joins`].
#[async_trait]
pub trait Joins: Send + Sync {
    /// The variants of the join, its users' first choice first. Never empty.
    fn variants(&self) -> &'static [JoinVariant];
    /// Connects one client. The variant is one of them.
    async fn joiner(&self, variant: JoinVariant) -> Done<Box<dyn Joiner>>;
}

/// One client that joins.
#[async_trait]
pub trait Joiner: Send {
    /// Adds the rows of a join to `rows`, which is empty.
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()>;
    /// See [`Bulk::abandon`](super::Bulk::abandon).
    fn abandon(&mut self) -> bool {
        true
    }
}
