//! Several indexes or statistics at the end of a load, made at the same time.

use std::future::Future;

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::failure::Done;

/// How many, each on a connection of its own where a connection does one thing at a time: CH2 has
/// three indexes, and a server that builds one on several cores leaves some to its other work.
const AT_ONCE: usize = 4;

/// Does all of it, some at a time, until one fails.
pub async fn at_once<F: Future<Output = Done<()>>>(work: Vec<F>) -> Done<()> {
    stream::iter(work).buffer_unordered(AT_ONCE).try_collect().await
}
