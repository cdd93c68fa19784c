//! The one connection that writes, which is handed from writer to writer in the order of arrival.
//!
//! SQLite has one writer at a time. Its busy handler makes writers sleep and poll, which wastes
//! time and starves some of them; here they queue. All writers share one connection, because SQLite
//! empties a connection's page cache whenever another one has committed: the cache and the prepared
//! statements stay warm.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::Instant;

use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use rusqlite::Connection;

use super::connection::{Database, Role};

/// The queue for the writing connection.
pub(super) struct Writer {
    pub database: Arc<Database>,
    queue: Mutex<Queue>,
    /// Commits that were asked for, if one is to be lost.
    commits: AtomicU32,
}

struct Queue {
    taken: bool,
    /// The connection while no writer has it; `None` before the first use.
    idle: Option<Connection>,
    waiting: VecDeque<Arc<Waiter>>,
}

struct Waiter {
    thread: Thread,
    /// The connection that the previous writer handed over.
    handed: Mutex<Handed>,
}

enum Handed {
    NotYet,
    Over(Option<Connection>),
}

impl Writer {
    pub fn new(database: Arc<Database>) -> Self {
        let queue = Queue { taken: false, idle: None, waiting: VecDeque::new() };
        Writer { database, queue: Mutex::new(queue), commits: AtomicU32::new(0) }
    }

    /// Waits for the turn and opens the connection if it is not open yet.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] after `busy_timeout_ms`; [`ErrorKind::Unavailable`] where the file
    /// cannot be opened.
    pub fn turn(&self, role: Role) -> Done<Turn<'_>> {
        let connection = self.wait()?;
        let mut turn = Turn { writer: self, connection };
        if turn.connection.is_none() {
            turn.connection = Some(self.database.connect(role)?);
        }
        Ok(turn)
    }

    fn wait(&self) -> Done<Option<Connection>> {
        let waiter = {
            let mut queue = lock(&self.queue);
            if !queue.taken {
                queue.taken = true;
                return Ok(queue.idle.take());
            }
            let waiter = Arc::new(Waiter {
                thread: std::thread::current(),
                handed: Mutex::new(Handed::NotYet),
            });
            queue.waiting.push_back(waiter.clone());
            waiter
        };
        let start = Instant::now();
        let limit = self.database.options.busy_timeout;
        let taken = || std::mem::replace(&mut *lock(&waiter.handed), Handed::NotYet);
        loop {
            if let Handed::Over(connection) = taken() {
                return Ok(connection);
            }
            let Some(left) = limit.checked_sub(start.elapsed()) else { break };
            std::thread::park_timeout(left);
        }
        let mut queue = lock(&self.queue);
        // It may have been handed over at the last moment; the lock settles that.
        if let Handed::Over(connection) = taken() {
            return Ok(connection);
        }
        queue.waiting.retain(|other| !Arc::ptr_eq(other, &waiter));
        Err(Failure::of(
            ErrorKind::Conflict,
            format!("no turn within {} ms", limit.as_millis()),
            "use fewer clients, or raise busy_timeout_ms",
        )
        .trying(format!("wait for the writers before in {}", self.database.url)))
    }

    fn hand_on(&self, connection: Option<Connection>) {
        let mut queue = lock(&self.queue);
        match queue.waiting.pop_front() {
            Some(next) => {
                *lock(&next.handed) = Handed::Over(connection);
                next.thread.unpark();
            }
            None => {
                queue.taken = false;
                queue.idle = connection;
            }
        }
    }
}

/// The guarded values are consistent wherever a thread could panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The right to write, and the connection. Dropping it rolls back an open transaction and hands the
/// connection on.
pub(super) struct Turn<'a> {
    writer: &'a Writer,
    connection: Option<Connection>,
}

impl Deref for Turn<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("a turn has its connection from `turn` to `drop`")
    }
}

impl Turn<'_> {
    /// Whether the commit that is asked for now is the one to lose (`lose_commit`).
    pub fn loses_commit(&self) -> bool {
        let lost = self.writer.database.options.lose_commit;
        lost > 0 && self.writer.commits.fetch_add(1, Ordering::Relaxed) == lost - 1
    }

    /// Begins a write transaction, with the lock before any read.
    pub fn begin(&self) -> rusqlite::Result<()> {
        self.prepare_cached("BEGIN IMMEDIATE")?.execute([]).map(drop)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let sound = |c: &Connection| {
            c.is_autocommit() || c.execute_batch("ROLLBACK").is_ok() || c.is_autocommit()
        };
        // A connection that cannot roll back is closed, which does roll back.
        let connection = self.connection.take().filter(sound);
        self.writer.hand_on(connection);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    fn writer(directory: &tempfile::TempDir, url: &str) -> Writer {
        let (_, options) = crate::options::parse(url).unwrap();
        let path = directory.path().join("t.db");
        Writer::new(Arc::new(Database { url: url.to_owned(), path, options }))
    }

    fn waiting(writer: &Writer) -> usize {
        lock(&writer.queue).waiting.len()
    }

    #[test]
    fn turns_come_in_the_order_of_arrival() {
        let directory = tempfile::tempdir().unwrap();
        let writer = writer(&directory, "sqlite:t.db");
        let first = writer.turn(Role::Creator).unwrap();
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for n in 0..16 {
                let (writer, order) = (&writer, &order);
                scope.spawn(move || {
                    let _turn = writer.turn(Role::Writer).unwrap();
                    lock(order).push(n);
                });
                while waiting(writer) <= n {
                    std::thread::yield_now();
                }
            }
            drop(first);
        });
        assert_eq!(*lock(&order), Vec::from_iter(0..16));
    }

    #[test]
    fn a_turn_begins_with_nothing_open_whatever_the_one_before_left() {
        let directory = tempfile::tempdir().unwrap();
        let writer = writer(&directory, "sqlite:t.db");
        let turn = writer.turn(Role::Creator).unwrap();
        turn.execute_batch("BEGIN; CREATE TABLE t (x)").unwrap();
        drop(turn);
        let turn = writer.turn(Role::Writer).unwrap();
        assert!(turn.is_autocommit());
        assert!(turn.prepare("SELECT * FROM t").is_err());
    }

    #[test]
    fn a_writer_that_panics_or_gives_up_does_not_stop_the_queue() {
        let directory = tempfile::tempdir().unwrap();
        let writer = writer(&directory, "sqlite:t.db?busy_timeout_ms=20");
        assert_eq!(
            writer.database.options,
            Options { busy_timeout: std::time::Duration::from_millis(20), ..Options::default() }
        );
        // Where the file cannot be opened the next writer gets the turn.
        assert!(writer.turn(Role::Writer).is_err());
        let turn = writer.turn(Role::Creator).unwrap();
        std::thread::scope(|scope| {
            let late = scope.spawn(|| writer.turn(Role::Writer).map(drop).unwrap_err().kind);
            assert_eq!(late.join().unwrap(), ErrorKind::Conflict);
        });
        assert_eq!(waiting(&writer), 0);
        let panicked = std::thread::scope(|scope| {
            scope
                .spawn(move || {
                    let _turn = turn;
                    panic!("on purpose");
                })
                .join()
        });
        assert!(panicked.is_err());
        assert!(writer.turn(Role::Writer).is_ok());
    }
}
