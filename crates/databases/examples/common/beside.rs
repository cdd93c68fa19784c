//! Clients of the bare driver and sessions in turns, so that a disturbance of the machine hits
//! both.

use std::hint::black_box;

use futures_util::future::try_join_all;
use hoap_workload::capability::key_value::{
    Fields, KeyValue, KeyValueSession, Record, Scanned, Table,
};

use super::{Any, FIELDS, LENGTH, cpu_seconds, keys, median, value};

/// Keys that a scan asks for.
pub const SCAN: usize = 50;

/// An operation on a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reads all fields.
    Read,
    /// Reads field 5.
    ReadOne,
    /// Reads the keys of [`SCAN`] records.
    Scan,
    /// Sets field 5.
    Update,
    /// Sets field 5, which the bare driver does in another way.
    UpdateOtherwise,
}

/// What is done: its name, the operations in turn, and how many of them in a round.
pub type Work = (&'static str, &'static [Kind], usize);

/// A client of the bare driver. It looks at no answer.
pub trait Bare {
    /// Does an operation on the record of this key; updates write the value.
    async fn run(&mut self, kind: Kind, key: &str, value: &str) -> Result<(), Any>;
}

/// The sessions of so many clients.
pub async fn sessions<K: KeyValue>(target: &K, clients: usize) -> Result<Vec<K::Session>, Any> {
    let fields = (0..FIELDS).map(|n| format!("field{n}")).collect();
    let table = Table { name: "usertable".to_owned(), fields };
    let mut sessions = Vec::with_capacity(clients);
    for _ in 0..clients {
        sessions.push(target.session(&table).await?);
    }
    Ok(sessions)
}

/// CPU-seconds of this thread alone.
pub async fn client() -> Result<[f64; 1], Any> {
    Ok([cpu_seconds()?])
}

/// Does each work in `rounds` rounds, by the bare clients and by as many sessions, and prints the
/// CPU-microseconds an operation of those in `who`, whose seconds `clock` tells: medians of the
/// rounds, and of each round's ratio. A round before the first makes connections and fills caches.
pub async fn beside<const N: usize>(
    (records, rounds, works): (u64, usize, &[Work]),
    (bare, sessions): (&mut [impl Bare], &mut [impl KeyValueSession]),
    who: [&str; N],
    mut clock: impl AsyncFnMut() -> Result<[f64; N], Any>,
) -> Result<(), Any> {
    let clients = bare.len();
    let keys = keys(records);
    let key = |at: usize| keys[at % keys.len()].as_str();
    let mut turns: Vec<Vec<[[f64; N]; 2]>> = vec![Vec::new(); works.len()];
    for round in 0..=rounds {
        let new = &value(round as u64);
        for (&(_, kinds, operations), turns) in works.iter().zip(&mut turns) {
            let share = operations / clients;
            let nth = |client: usize, i: usize| {
                (kinds[i % kinds.len()], key(round * operations + client * share + i))
            };
            let start = clock().await?;
            try_join_all(bare.iter_mut().enumerate().map(|(client, bare)| async move {
                for (kind, key) in (0..share).map(|i| nth(client, i)) {
                    bare.run(kind, key, new).await?;
                }
                Ok::<_, Any>(())
            }))
            .await?;
            let middle = clock().await?;
            try_join_all(sessions.iter_mut().enumerate().map(|(client, session)| async move {
                let (mut record, mut scanned) = (Record::default(), Scanned::default());
                for (kind, key) in (0..share).map(|i| nth(client, i)) {
                    run(session, kind, key, new, (&mut record, &mut scanned)).await?;
                }
                Ok::<_, Any>(())
            }))
            .await?;
            let end = clock().await?;
            if round > 0 {
                let between =
                    |from: [f64; N], to: [f64; N]| std::array::from_fn(|n| to[n] - from[n]);
                turns.push([between(start, middle), between(middle, end)]);
            }
        }
    }
    println!(
        "{records} records of {FIELDS} x {LENGTH} bytes, {clients} clients, medians of {rounds} turns, CPU-microseconds \
         an operation"
    );
    for (&(name, _, operations), turns) in works.iter().zip(&turns) {
        let operations = (operations / clients * clients) as f64;
        print!("{name:24}");
        for (n, who) in who.iter().enumerate() {
            let each = |side: usize| {
                median(turns.iter().map(|turn| turn[side][n]).collect()) / operations * 1e6
            };
            let ratio = median(turns.iter().map(|turn| turn[1][n] / turn[0][n]).collect());
            print!("  {who}: bare {:6.2}  session {:6.2}  ratio {ratio:.3}", each(0), each(1));
        }
        println!();
    }
    Ok(())
}

/// An operation through a session.
async fn run(
    session: &mut impl KeyValueSession,
    kind: Kind,
    key: &str,
    new: &str,
    (record, scanned): (&mut Record, &mut Scanned),
) -> Result<(), Any> {
    let there = match kind {
        Kind::Read => session.read(key, Fields::All, record).await?,
        Kind::ReadOne => session.read(key, Fields::One(5), record).await?,
        Kind::Scan => {
            session.scan(key, SCAN, Fields::None, scanned).await?;
            !scanned.is_empty()
        }
        Kind::Update | Kind::UpdateOtherwise => {
            record.clear();
            record.push(5, |out| out.extend_from_slice(new.as_bytes()));
            session.update(key, record).await?
        }
    };
    black_box((record, scanned));
    there.then_some(()).ok_or_else(|| "a record is missing".into())
}
