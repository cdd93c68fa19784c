//! No database: `null:[?option=value&…]`. The options are in [`OPTIONS`].
//!
//! Every operation succeeds and does nothing: what is measured against it is the client alone.
//! Records, keys and rows come back empty. Documents are counted and thrown away; only the note is
//! kept, as long as the process lives. What cannot be answered by nothing without a lie (document
//! transactions, analytical queries, reading documents back) is not offered or fails.
//!
//! With options it is a database of known slowness, against which a driver's figures can be held:
//! an operation on records, pages or joins takes `latency_us`, and everyone who begins one within a
//! window waits for the window's end first. Such an operation ends up to a few microseconds late,
//! never early: it sleeps for all but the last two milliseconds, which a timer cannot hit, and
//! yields to the other clients of its thread until it is due. It must run in a Tokio runtime that
//! has a timer. Connecting, loading and the note take no time.

mod documents;
mod pace;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hoap_record::Description;
use hoap_workload::capability::key_value::{
    Fields, KeyValue, KeyValueSession, Record, Scanned, Table,
};
use hoap_workload::capability::shop::{JoinRow, JoinVariant, Shop, ShopSession};
use hoap_workload::capability::{
    Analytics, Applicable, Documents, NotApplicable, Target, Transactions,
};
use hoap_workload::{Error, ErrorKind, Result};

use crate::options::{microseconds, milliseconds, options, set_each};
use crate::url::redact;

pub use documents::Discarded;
use documents::Kept;
use pace::Pace;

options! {
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

/// What it offers.
pub(crate) const CAPABILITIES: &[&str] = &["documents", "key-value", "scans", "pagination", "join"];

/// No database. Clones are the same one.
#[derive(Clone, Debug)]
pub struct Null {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    url: String,
    pace: Arc<Pace>,
    kept: Kept,
}

/// Opens a `null:` URL.
///
/// # Errors
/// [`ErrorKind::Invalid`] where the URL is wrong.
pub fn open(url: &str) -> Result<Null> {
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
            format!(
                "`{}` names something, and there is nothing",
                named.trim_start_matches("null:")
            ),
        )
        .advise("write null: or null:?option=value&…"));
    }
    let mut options = Options::default();
    set_each(url, query, |name, value| options.set(name, value))?;
    let Options { latency, stall, stall_after } = options;
    let pace = Pace::new(latency, stall, stall_after);
    let kept = Kept::default();
    Ok(Null { shared: Arc::new(Shared { url: url.to_owned(), pace: Arc::new(pace), kept }) })
}

impl Null {
    /// The stall, once the first operation has begun and if there is one.
    pub fn stall(&self) -> Option<Range<Instant>> {
        self.shared.pace.stall()
    }

    /// What was loaded and thrown away.
    pub fn discarded(&self) -> Discarded {
        self.shared.kept.discarded()
    }

    fn client(&self) -> Client {
        let pace = &self.shared.pace;
        Client { pace: pace.slows().then(|| pace.clone()) }
    }

    fn not_applicable<T>(&self, capability: &'static str) -> Applicable<T> {
        Err(NotApplicable {
            capability,
            database: "null:".to_owned(),
            because: "it keeps no documents, and an answer without them would be a lie",
        })
    }
}

impl Target for Null {
    fn description(&self) -> Description {
        let pace = &self.shared.pace;
        let ms = |d: Duration| format!("{} ms", d.as_millis());
        Description {
            url: self.shared.url.clone(),
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

    fn blocking(&self) -> bool {
        false
    }

    fn documents(&self) -> Applicable<&dyn Documents> {
        Ok(&self.shared.kept)
    }

    fn transactions(&self) -> Applicable<&dyn Transactions> {
        self.not_applicable("document transactions")
    }

    fn analytics(&self) -> Applicable<&dyn Analytics> {
        self.not_applicable("analytical queries")
    }
}

/// One client of nothing.
#[derive(Debug)]
pub struct Client {
    /// `None` where operations take no time.
    pace: Option<Arc<Pace>>,
}

impl Client {
    /// Waits as long as an operation takes. Only a slow one pays for a place to wait in, so that the
    /// future of a fast one is a few bytes.
    async fn operation(&self) {
        if let Some(pace) = &self.pace {
            Box::pin(pace.operation()).await;
        }
    }
}

impl KeyValue for Null {
    type Session = Client;

    fn blocking(&self) -> bool {
        false
    }

    fn scans(&self) -> Applicable<()> {
        Ok(())
    }

    async fn session(&self, _: &Table) -> Result<Client> {
        Ok(self.client())
    }
}

impl KeyValueSession for Client {
    async fn read(&mut self, _: &str, _: Fields, record: &mut Record) -> Result<bool> {
        record.clear();
        self.operation().await;
        Ok(true)
    }

    async fn insert(&mut self, _: &str, _: &Record) -> Result<()> {
        self.operation().await;
        Ok(())
    }

    async fn update(&mut self, _: &str, _: &Record) -> Result<bool> {
        self.operation().await;
        Ok(true)
    }

    async fn scan(&mut self, _: &str, _: usize, _: Fields, scanned: &mut Scanned) -> Result<()> {
        scanned.clear();
        self.operation().await;
        Ok(())
    }
}

impl Shop for Null {
    type Session = Client;

    fn blocking(&self) -> bool {
        false
    }

    fn pagination(&self) -> Applicable<()> {
        Ok(())
    }

    fn joins(&self) -> Applicable<&'static [JoinVariant]> {
        use JoinVariant::{Ansi, Hash, Index, JoiningTable, Lookup, TwoPhase};
        Ok(&[Index, Ansi, Hash, TwoPhase, Lookup, JoiningTable])
    }

    async fn session(&self, _: Option<JoinVariant>) -> Result<Client> {
        Ok(self.client())
    }
}

impl ShopSession for Client {
    async fn page(&mut self, _: &str, _: u32, _: u32, keys: &mut Vec<String>) -> Result<()> {
        keys.clear();
        self.operation().await;
        Ok(())
    }

    async fn join(&mut self, _: &str, _: &str, rows: &mut Vec<JoinRow>) -> Result<()> {
        rows.clear();
        self.operation().await;
        Ok(())
    }
}
