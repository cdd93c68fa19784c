//! No database: `null:[?option=value&…]`. The options are in [`OPTIONS`].
//!
//! Every operation succeeds and does nothing: a run measures the client alone. Records, keys and
//! rows come back empty, documents as nulls. Documents are counted and thrown away; only the note is kept, while the
//! process lives. Document transactions, analytical queries and reading documents back would need
//! real answers: they are not offered, or fail.
//!
//! With options it is a database of known latency, to check the driver's measurements: an operation
//! on records, pages or joins takes `latency_us`, and one that begins within a stall waits for the
//! stall's end first. Such an operation ends up to a few microseconds late and never early: it
//! sleeps until two milliseconds before it is due, since timers are not exact, and then yields to
//! the other clients of its thread. It needs a Tokio runtime with a timer. Connecting, loading and
//! the note take no time.

mod documents;
mod operations;
mod pace;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use hoap_database::engine::{
    About, Calls, Documents, Done, Engine, RecordSession, RecordStore, Shop, ShopSession,
};
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_database::options::{microseconds, milliseconds, set_each};
use hoap_database::shop::{Ask, JoinRow, JoinVariant};
use hoap_database::url::redact;
use hoap_database::{Database, Offers, What};
use hoap_record::Description;
use hoap_record::{Error, ErrorKind, Result};

pub use documents::Discarded;
use documents::LoadState;
use pace::Pace;

hoap_database::options! {
    /// How slow it is.
    struct Options {
        latency: Duration = ("latency_us", "0", microseconds(0..=60_000_000),
            "microseconds that each operation takes; 0 to 60000000"),
        stall: Duration = ("stall_ms", "0", milliseconds(0..=3_600_000),
            "milliseconds of one stall: an operation of any client that begins in it waits for \
             its end first; 0 to 3600000"),
        /// From the begin of the first operation of any client.
        stall_after: Duration = ("stall_after_ms", "0", milliseconds(0..=3_600_000),
            "milliseconds from the begin of the first operation to the stall; 0 to 3600000"),
    }
}

const KEEPS_NOTHING: &str = "it keeps no documents, and an answer without them would be a lie";

/// What it offers, and why not the rest.
pub const OFFERS: Offers = Offers(&[
    (What::Transactions, KEEPS_NOTHING),
    (What::Analytics, KEEPS_NOTHING),
    (What::Learn, KEEPS_NOTHING),
]);

/// No database. Clones are the same one.
#[derive(Clone, Debug)]
pub struct Null {
    url: Arc<str>,
    pace: Arc<Pace>,
    load: LoadState,
}

/// Opens a `null:` URL.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where the URL is wrong.
pub fn open(url: &str) -> Result<Database> {
    let rest = url.strip_prefix("null:").unwrap_or(url);
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    if !path.is_empty() {
        let shown = redact(url);
        let named = shown.split(['?', ' ']).next().unwrap_or_default();
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("open {shown}"),
            format!("`{}`: null: takes no path", named.trim_start_matches("null:")),
        )
        .advise("write null: or null:?option=value&…"));
    }
    let mut options = Options::default();
    set_each(url, query, |name, value| options.set(name, value))?;
    let Options { latency, stall, stall_after } = options;
    let pace = Pace::new(latency, stall, stall_after);
    Ok(Database::new(Null { url: url.into(), pace: Arc::new(pace), load: LoadState::default() }))
}

impl Null {
    /// The stall, once the first operation has begun and if there is one.
    pub fn stall(&self) -> Option<Range<Instant>> {
        self.pace.stall()
    }

    /// The documents that were loaded and thrown away.
    pub fn discarded(&self) -> Discarded {
        self.load.discarded()
    }

    fn session(&self) -> NullSession {
        let pace = &self.pace;
        NullSession { pace: pace.slows().then(|| pace.clone()) }
    }
}

impl Engine for Null {
    fn about(&self) -> About {
        About { offers: OFFERS, ..About::new("null:", &*self.url, &[], Calls::InProcess) }
    }

    fn description(&self) -> Description {
        let pace = &self.pace;
        let ms = |d: Duration| format!("{} ms", d.as_millis());
        Description {
            url: self.url.to_string(),
            name: "null (no database: the client alone)".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            settings: BTreeMap::from([
                ("keeps".to_owned(), "nothing".to_owned()),
                ("latency".to_owned(), format!("{} us", pace.latency.as_micros())),
                ("stall".to_owned(), ms(pace.stall)),
                ("stall_after".to_owned(), ms(pace.stall_after)),
            ]),
        }
    }

    fn documents(&self) -> Option<&dyn Documents> {
        Some(&self.load)
    }

    hoap_database::gives!(operations, key_value, shop);
}

/// The operations of one client: documents, records, pages and joins.
#[derive(Debug)]
pub struct NullSession {
    /// `None` where operations take no time.
    pace: Option<Arc<Pace>>,
}

impl NullSession {
    /// Waits as long as an operation takes. Only a slow operation allocates a future to wait in:
    /// that of a fast one is a few bytes.
    async fn operation(&self) {
        if let Some(pace) = &self.pace {
            Box::pin(pace.operation()).await;
        }
    }
}

impl RecordStore for Null {
    type Session = NullSession;

    const BARE: bool = true;

    fn answers(&self) -> bool {
        false
    }

    async fn record_session(&self, _: &Table) -> Done<NullSession> {
        Ok(self.session())
    }
}

impl RecordSession for NullSession {
    async fn read(&mut self, _: &str, _: Fields, _: &mut Record) -> Done<bool> {
        self.operation().await;
        Ok(true)
    }

    async fn insert(&mut self, _: &str, _: &Record) -> Done<()> {
        self.operation().await;
        Ok(())
    }

    async fn update(&mut self, _: &str, _: &Record) -> Done<bool> {
        self.operation().await;
        Ok(true)
    }

    async fn delete(&mut self, _: &str) -> Done<bool> {
        self.operation().await;
        Ok(true)
    }

    async fn scan(&mut self, _: &str, _: usize, _: Fields, _: &mut Scanned) -> Done<()> {
        self.operation().await;
        Ok(())
    }
}

#[async_trait]
impl Shop for Null {
    fn variants(&self) -> &'static [JoinVariant] {
        &JoinVariant::ALL
    }

    async fn shop_session(&self, _: Ask) -> Done<Box<dyn ShopSession>> {
        Ok(Box::new(self.session()))
    }
}

#[async_trait]
impl ShopSession for NullSession {
    async fn page(&mut self, _: &str, _: u32, _: u32, keys: &mut Vec<String>) -> Done<()> {
        keys.clear();
        self.operation().await;
        Ok(())
    }

    async fn join(&mut self, _: &str, _: &str, _: &mut Vec<JoinRow>) -> Done<()> {
        self.operation().await;
        Ok(())
    }
}
