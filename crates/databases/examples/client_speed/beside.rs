//! Clients of the bare driver and sessions in turns.

use std::hint::black_box;

use futures_util::TryStreamExt;
use futures_util::stream::FuturesUnordered;
use hoap_database::KeyValueSession;
use hoap_database::engine::BoxedSession;
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_databases::open;

use super::common::{Any, FIELDS, cpu_seconds, keys, median, value, with_records};

/// Keys that a scan asks for.
pub const SCAN: usize = 50;

/// What a client does at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reads all fields of a record.
    Read,
    /// Reads its field 5.
    ReadOne,
    /// Reads the keys of [`SCAN`] records.
    Scan,
    /// Sets field 5 of a record.
    Update,
    /// Asks a query that touches nothing.
    Query,
}

/// What is done: its name, and how many times in a round.
pub type Work = (&'static str, Kind, usize);

/// The command line's.
pub struct Settings {
    rounds: usize,
    scale: f64,
    clients: usize,
    only: Vec<String>,
}

impl Settings {
    pub fn read(words: &[String]) -> Result<Settings, Any> {
        let mut settings = Settings { rounds: 15, scale: 1.0, clients: 16, only: Vec::new() };
        for word in words {
            match word.split_once('=') {
                Some(("rounds", n)) => settings.rounds = n.parse()?,
                Some(("scale", x)) => settings.scale = x.parse()?,
                Some(("clients", n)) => settings.clients = n.parse()?,
                Some(("only", names)) => {
                    settings.only = names.split(',').map(str::to_owned).collect();
                }
                _ => return Err(format!("it has no setting {word}").into()),
            }
        }
        Ok(settings)
    }

    /// The clients of each side.
    #[cfg(feature = "asterixdb")]
    pub fn clients(&self) -> usize {
        self.clients
    }
}

/// What is compared.
pub struct Plan<'a> {
    pub database: &'a str,
    pub records: u64,
    pub works: &'a [Work],
    pub settings: &'a Settings,
}

/// A client, of one side or the other.
pub trait Client {
    /// Does something to the record of this key; updates write the value.
    async fn run(&mut self, kind: Kind, key: &str, value: &str) -> Result<(), Any>;
}

/// Makes the table in the database of this URL, compares clients of the bare driver with sessions,
/// and drops it.
pub async fn records<C: Client>(
    url: &str,
    plan: &Plan<'_>,
    bare: impl AsyncFnOnce(usize) -> Result<Vec<C>, Any>,
) -> Result<(), Any> {
    let target = open(url).await?;
    let key_value = target.key_value().map_err(hoap_workload::Error::from)?;
    let compared = async || {
        let fields = (0..FIELDS).map(|n| format!("field{n}")).collect();
        let table = Table { name: "usertable".to_owned(), fields };
        let clients = plan.settings.clients;
        let mut bare = bare(clients).await?;
        let mut sessions = Vec::with_capacity(clients);
        for _ in 0..clients {
            let session = key_value.session(&table).await?;
            sessions.push(Session { session, record: <_>::default(), scanned: <_>::default() });
        }
        beside(plan, &mut bare, &mut sessions).await
    };
    with_records(&target, plan.records, compared).await
}

/// Does each work in turns and prints what it takes. A round before the first makes connections and
/// fills caches.
pub async fn beside(
    plan: &Plan<'_>,
    bare: &mut [impl Client],
    sessions: &mut [impl Client],
) -> Result<(), Any> {
    let Settings { rounds, scale, clients, only } = plan.settings;
    let keys = &keys(plan.records);
    println!("database\toperation\tclients\trounds\tside\tus\tratio\tlow\thigh");
    for &(name, kind, operations) in plan.works {
        if !only.is_empty() && !only.iter().any(|only| only == name) {
            continue;
        }
        let share = ((operations as f64 * scale) as usize / clients).max(1);
        let mut turns = Vec::with_capacity(*rounds);
        for round in 0..=*rounds {
            let (first, new) = (round * share * clients, &value(round as u64));
            let start = cpu_seconds()?;
            all(bare, (first, share), kind, keys, new).await?;
            let middle = cpu_seconds()?;
            all(sessions, (first, share), kind, keys, new).await?;
            let end = cpu_seconds()?;
            if round > 0 {
                turns.push((middle - start, end - middle));
            }
        }
        let each = |side: fn(&(f64, f64)) -> f64| {
            median(turns.iter().map(side).collect()) / (share * clients) as f64 * 1e6
        };
        let mut ratios: Vec<f64> = turns.iter().map(|(bare, session)| session / bare).collect();
        ratios.sort_by(f64::total_cmp);
        let [low, middle, high] = [1, 2, 3].map(|n| ratios[(ratios.len() - 1) * n / 4]);
        let row = format!("{}\t{name}\t{clients}\t{rounds}", plan.database);
        println!("{row}\tbare\t{:.2}\t1\t1\t1", each(|turn| turn.0));
        println!("{row}\tsession\t{:.2}\t{middle:.3}\t{low:.3}\t{high:.3}", each(|turn| turn.1));
    }
    Ok(())
}

/// All clients of a side at once: each its share of the operations, from the `first` on. As in a
/// run, only a client that was woken is polled.
async fn all(
    clients: &mut [impl Client],
    (first, share): (usize, usize),
    kind: Kind,
    keys: &[String],
    new: &str,
) -> Result<(), Any> {
    let running = clients.iter_mut().enumerate().map(|(number, client)| async move {
        let first = first + number * share;
        for at in first..first + share {
            client.run(kind, &keys[at % keys.len()], new).await?;
        }
        Ok::<_, Any>(())
    });
    running.collect::<FuturesUnordered<_>>().try_collect().await
}

/// A session, and what it uses again.
struct Session {
    session: KeyValueSession<BoxedSession>,
    record: Record,
    scanned: Scanned,
}

impl Client for Session {
    async fn run(&mut self, kind: Kind, key: &str, new: &str) -> Result<(), Any> {
        let Session { session, record, scanned } = self;
        let there = match kind {
            Kind::Read => session.read(key, Fields::All, record).await?,
            Kind::ReadOne => session.read(key, Fields::One(5), record).await?,
            Kind::Scan => {
                session.scan(key, SCAN, Fields::None, scanned).await?;
                !scanned.is_empty()
            }
            Kind::Update => {
                record.clear();
                record.push(5, |out| out.extend_from_slice(new.as_bytes()));
                session.update(key, record).await?
            }
            Kind::Query => return Err("a session of records has no queries".into()),
        };
        black_box((record, scanned));
        there.then_some(()).ok_or_else(|| "a record is missing".into())
    }
}
