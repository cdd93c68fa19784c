//! A conflict that is forced: two clients read the same number and write it back one larger, at the
//! same time, and one after the other has committed.

use std::sync::Arc;
use std::time::Duration;

use hoap_database::{Access, Change, Database, Intent, Patch, Session};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::findings::{Findings, Step};

const COLLECTION: &str = "stock";
const KEY: &str = "1.1";
const FIELD: &str = "s_order_cnt";
/// How long a client that has read waits for the other one, which may be waiting for its lock.
const MEET: Duration = Duration::from_millis(500);
/// How much later the second client writes, so that the first one has committed.
const BEHIND: Duration = Duration::from_millis(500);
const ATTEMPTS: u32 = 50;

/// One of them waits, or one is told of a conflict and runs again; both numbers count.
pub(super) async fn no_update_is_lost(findings: &mut Findings<'_>, target: &Database) {
    let Ok(transactions) = target.transactions() else { return };
    let tried = async {
        let mut session = transactions.session().await?;
        let before = read(&mut session).await?;
        let mut conflicts = 0;
        for behind in [Duration::ZERO, BEHIND] {
            conflicts += two_clients(target, behind).await?;
        }
        let after = read(&mut session).await?;
        // As it was: the checks compare it with the orders.
        write(&mut session, before).await?;
        if after != before + 4 {
            let answer = format!(
                "two clients added 1 to {before} twice each and it is {after}: an update was lost"
            );
            let tried = format!("change {FIELD} of {COLLECTION} {KEY} by two clients");
            let advice = "look at the isolation level in the settings above";
            return Err(Error::new(ErrorKind::Broken, tried, answer).advise(advice));
        }
        let told = match conflicts {
            0 => "no conflict: the second client waited for the first".to_owned(),
            n => {
                format!("{}, after which the client ran again", counted(n, "conflict", "conflicts"))
            }
        };
        Ok(Step::Proved((4, told)))
    };
    let proves = "two clients change a document that both have read: no update is lost";
    findings.take("forced conflict", proves, tried).await;
}

/// Each adds one, the second so much later than the first. Returns the number of conflicts.
async fn two_clients(target: &Database, behind: Duration) -> Result<u32> {
    let met = Arc::new(Barrier::new(2));
    // A thread each: an embedded database blocks it while it waits for a lock.
    let client = |pause| {
        let (target, met) = (target.clone(), met.clone());
        let runtime = tokio::runtime::Handle::current();
        tokio::task::spawn_blocking(move || runtime.block_on(add_one(&target, &met, pause)))
    };
    let (one, other) = tokio::join!(client(Duration::ZERO), client(behind));
    let ended = |end: std::result::Result<Result<u32>, tokio::task::JoinError>| {
        end.map_err(|e| Error::new(ErrorKind::Broken, "run a client", e))?
    };
    Ok(ended(one)? + ended(other)?)
}

async fn read(session: &mut Session) -> Result<i64> {
    let mut t = session.begin(Access::Read).await?;
    let row = t.get(COLLECTION, KEY, &[FIELD], Intent::Look).await?;
    t.commit().await?;
    number(row)
}

fn number(row: Option<Vec<Value>>) -> Result<i64> {
    let found = row.and_then(|row| row.first().and_then(Value::as_i64));
    let tried = format!("read {FIELD} of {COLLECTION} {KEY}");
    found.ok_or_else(|| Error::new(ErrorKind::Broken, tried, "there is no such number"))
}

async fn write(session: &mut Session, number: i64) -> Result<()> {
    let mut t = session.begin(Access::Write).await?;
    t.patch(COLLECTION, KEY, &[set(number)]).await?;
    t.commit().await
}

fn set(number: i64) -> Patch<'static> {
    Patch { path: FIELD, change: Change::Set(json!(number)) }
}

/// Reads, meets the other client, and writes; again after a conflict. Returns how many there were.
async fn add_one(target: &Database, met: &Barrier, pause: Duration) -> Result<u32> {
    let mut session = target.transactions()?.session().await?;
    let mut conflicts = 0;
    loop {
        let attempt = async {
            let mut t = session.begin(Access::Write).await?;
            let done = async {
                let row = t.get(COLLECTION, KEY, &[FIELD], Intent::Change).await?;
                if conflicts == 0 {
                    let _ = tokio::time::timeout(MEET, met.wait()).await;
                    tokio::time::sleep(pause).await;
                }
                t.patch(COLLECTION, KEY, &[set(number(row)? + 1)]).await
            };
            match done.await {
                Ok(()) => t.commit().await,
                Err(e) => {
                    // The first error is the one that counts.
                    let _ = t.rollback().await;
                    Err(e)
                }
            }
        };
        match attempt.await {
            Err(e) if e.kind == ErrorKind::Conflict && conflicts < ATTEMPTS => {
                conflicts += 1;
                tokio::time::sleep(Duration::from_millis(20) * conflicts).await;
            }
            end => return end.map(|()| conflicts),
        }
    }
}
