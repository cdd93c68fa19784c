//! A pair of databases: one runs the transactions; the other follows it and runs the queries. This
//! module checks whether the second holds what the first holds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hoap_database::{Access, Database, Transactions};
use hoap_workload::note::{self, Note};
use hoap_workload::{Error, ErrorKind, Result, load};

use super::board::Counter;
use super::{Asked, Board, COLLECTION, FIELD};

/// Wait between two reads of a database that has not caught up.
const LOOK: Duration = Duration::from_millis(20);
/// Wait after a read that failed.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

/// Inserts the document of a counter, unless it is there.
pub(crate) async fn enter(transactions: Transactions<'_>, counter: &Counter) -> Result<()> {
    if counter.used() {
        return Ok(());
    }
    let document = serde_json::json!({ FIELD: 0 });
    // A commit of unknown outcome is retried: if it was applied, the key exists.
    for _ in 0..10 {
        let mut session = transactions.session().await?;
        let mut tx = session.begin(Access::Write).await?;
        let inserted = match tx.insert(COLLECTION, counter.key(), &document).await {
            Ok(()) => tx.commit().await,
            Err(e) => Err(e),
        };
        match inserted {
            Err(e) if matches!(e.kind, ErrorKind::Ambiguous | ErrorKind::Conflict) => {}
            Err(e) if e.kind == ErrorKind::Duplicate => return Ok(()),
            end => return end,
        }
    }
    Err(counter.failed("ten attempts to insert it met conflicts"))
}

/// Commits a mark on the operational side for the other side to show.
///
/// # Errors
/// Returns the errors of the transaction.
pub async fn mark(operational: &Database, board: &Arc<Board>) -> Result<()> {
    let mut counter = board.counter(0);
    let transactions = operational.transactions()?;
    enter(transactions, &counter).await?;
    let mut session = transactions.session().await?;
    let mut tx = session.begin(Access::Write).await?;
    counter.stamp(&mut tx).await?;
    tx.commit().await?;
    counter.acknowledge();
    Ok(())
}

/// Waits until the analytical database has a note of the same data as the operational one.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] at once where it holds other data; [`ErrorKind::Unavailable`]
/// where it does not hold the whole data within the limit; [`ErrorKind::Cancelled`] soon after
/// `stop` returns true.
pub async fn same_data(
    analytical: &Database,
    operational: &Note,
    limit: Duration,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<()> {
    let wait = Wait::begin(analytical, limit, stop);
    loop {
        let (rest, answer) = match compare(analytical, operational).await {
            Ok(Held::Same) => return Ok(()),
            Ok(Held::NotYet(behind)) => (LOOK, behind.to_owned()),
            Ok(Held::Other(e)) => return Err(e),
            Err(e) => (AFTER_FAILURE, format!("{}: {}", e.tried, e.answer)),
        };
        wait.rest(rest, &answer).await?;
    }
}

/// What a database holds by its note, compared with another's.
pub enum Held {
    /// The same data, whole.
    Same,
    /// Not the whole data yet, and why.
    NotYet(&'static str),
    /// Other data, as an error.
    Other(Error),
}

/// Reads the note of the analytical database once, and compares it with the operational one's.
///
/// # Errors
/// Returns the errors of the database.
pub async fn compare(analytical: &Database, operational: &Note) -> Result<Held> {
    let Some(note) = note::read(analytical.documents()?).await? else {
        return Ok(Held::NotYet("it holds no data of hoap"));
    };
    if note.benchmark == operational.benchmark && !note.load.settled {
        return Ok(Held::NotYet("it is half-loaded"));
    }
    Ok(match load::difference(&note, &operational.benchmark, &operational.data) {
        None => Held::Same,
        Some(difference) => {
            let answer = format!("it holds other data than the operational one: {difference}");
            Held::Other(
                Error::new(ErrorKind::Invalid, tried(analytical), answer)
                    .advise("name two databases that hold the same data"),
            )
        }
    })
}

fn tried(analytical: &Database) -> String {
    format!("wait for {} to catch up", analytical.description().url)
}

/// Waits until the analytical database shows all commits acknowledged at `asked`. Returns the time
/// from now until then.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] where it does not within the limit; [`ErrorKind::Cancelled`]
/// soon after `stop` returns true.
pub async fn caught_up(
    analytical: &Database,
    board: &Board,
    asked: &Asked,
    limit: Duration,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Duration> {
    let wait = Wait::begin(analytical, limit, stop);
    let mut session = None;
    loop {
        let counters = async {
            let session = match &mut session {
                Some(session) => session,
                none => none.insert(analytical.analytics()?.session().await?),
            };
            session.counters(COLLECTION, FIELD).await
        };
        match counters.await {
            Ok(counters) if board.shows_all(asked, &counters) => return Ok(wait.start.elapsed()),
            Ok(_) => wait.rest(LOOK, "it does not show what was acknowledged last").await?,
            Err(e) => wait.rest(AFTER_FAILURE, &format!("{}: {}", e.tried, e.answer)).await?,
        }
    }
}

/// A wait for the analytical database.
struct Wait<'a> {
    target: &'a Database,
    start: Instant,
    limit: Duration,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Wait<'a> {
    fn begin(target: &'a Database, limit: Duration, stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Wait { target, start: Instant::now(), limit, stop }
    }

    /// Sleeps before the next read. Fails where the limit has passed or the wait was stopped;
    /// `answer` is the result of the last read.
    async fn rest(&self, time: Duration, answer: &str) -> Result<()> {
        if (self.stop)() {
            return Err(Error::new(ErrorKind::Cancelled, tried(self.target), "interrupted"));
        }
        if self.start.elapsed() >= self.limit {
            let answer = format!("not within {} s: {answer}", self.limit.as_secs_f64());
            return Err(Error::new(ErrorKind::Unavailable, tried(self.target), answer).advise(
                "see that it follows the operational database, or allow more with --catch-up-limit; \
                 where nothing links the two, use --freshness off",
            ));
        }
        tokio::time::sleep(time).await;
        Ok(())
    }
}
