//! A place of a test's own on a server that others use too.

use std::time::Duration;

use hoap_ch2::data::Collection;
use hoap_database::{Database, Documents};
use hoap_databases::open;
use hoap_workload::{ErrorKind, Result};

use hoap_testing::urls::{own, server, with};
use hoap_testing::wait;

/// Its collections go at its end.
pub struct Own {
    pub url: String,
}

impl Own {
    /// On the server that a variable of the lab names, with these options.
    pub fn on(variable: &str, options: &str) -> Own {
        Own { url: with(&own(&server(variable)), options) }
    }

    /// Removes collections.
    pub fn remove(&self, collections: &[&str]) -> Result<()> {
        wait(async { open(&self.url).await?.documents()?.drop(collections).await })
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        emptied(wait(async { clear(&open(&self.url).await?).await }));
    }
}

/// A target whose collections go at the end of a test.
pub struct Emptied(pub Database);

impl Drop for Emptied {
    fn drop(&mut self) {
        emptied(wait(clear(&self.0)));
    }
}

fn emptied(cleared: Result<()>) {
    assert!(cleared.is_ok() || std::thread::panicking(), "{cleared:?}");
}

/// Removes all that tests and benchmarks make and that is there.
async fn clear(target: &Database) -> Result<()> {
    let documents = target.documents()?;
    let mut tried = 0;
    loop {
        match clear_once(documents).await {
            // A driver clears its pool a moment after it has read that a server goes away.
            Err(e) if e.kind == ErrorKind::Unavailable && tried < 20 => tried += 1,
            done => return done,
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn clear_once(documents: Documents<'_>) -> Result<()> {
    let ch2 = Collection::ALL.map(Collection::name);
    let mut there = Vec::new();
    for name in ch2.into_iter().chain(["usertable", "shop_customer", "shop_orders"]) {
        if documents.any_exists(&[name]).await? {
            there.push(name);
        }
    }
    documents.drop(&there).await
}
