//! The link: a SQLite database is followed, as the option `link` says.
//!
//! A thread of this process copies the collections, and then applies the [changes] that the source
//! logs. Each batch of changes brings the file from one snapshot of the source to a later one, in
//! one transaction together with the number of the last change: a query sees a state that the
//! source had, and a process that is killed goes on where the file is. What is applied is removed
//! from the source's log after that.
//!
//! [changes]: hoap_sqlite::changes

mod advance;
mod apply;
mod copy;
mod follower;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use advance::advance;
use follower::Follower;
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use hoap_sqlite::changes::FollowedDatabase;

use super::file::DatabaseFile;

/// The time between two looks at the log.
const LOOK: Duration = Duration::from_millis(5);
/// The wait after a failure.
const AFTER_FAILURE: Duration = Duration::from_secs(1);
/// Applied changes that are left in the log before it is pruned: pruning takes the write lock, and
/// makes the writers read their pages again.
const UNPRUNED: i64 = 50_000;

/// The thread that follows. It ends with the last of those who share this.
pub(super) struct Link {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stop: Arc<AtomicBool>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Whether the file held what the source held at some time since the link began.
    caught_up: bool,
    /// Why the last attempt failed.
    failure: Option<Failure>,
}

impl Link {
    /// Begins to follow.
    ///
    /// # Errors
    /// Where the file holds what was loaded into it or follows another source, or cannot be
    /// written.
    pub fn begin(file: &Arc<DatabaseFile>) -> Done<Link> {
        let source = file.options.link.clone();
        let shared = Arc::new(Shared::default());
        let mut follower = Follower::of(file, &source, shared.stop.clone())?;
        let (name, state) = (file.path.display().to_string(), shared.clone());
        let (every, batch) = (file.options.link_every, file.options.link_batch);
        let follow = move || {
            let mut source = Lazy { url: source, follower: name, opened: None, taken: false };
            let pace = Pace { every, batch: i64::from(batch) };
            state.follow(&mut source, &mut follower, &pace);
        };
        let thread = std::thread::Builder::new().name("link".into()).spawn(follow);
        let thread = thread.map_err(|e| Failure::new(ErrorKind::Unavailable, e))?;
        Ok(Link { shared, thread: Some(thread) })
    }

    /// Waits until the file held what the source held at some time since the link began: a process
    /// that only asks ends before that otherwise, and the link with it.
    ///
    /// # Errors
    /// Why the link fails where it does.
    pub async fn caught_up(&self) -> Done<()> {
        loop {
            self.check()?;
            if self.shared.lock().caught_up {
                return Ok(());
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Whether the link goes on.
    ///
    /// # Errors
    /// Returns the failure that ended it, or that it tries to get over.
    pub fn check(&self) -> Done<()> {
        self.shared.lock().failure.clone().map_or(Ok(()), Err)
    }
}

impl Drop for Link {
    /// What is under way is rolled back, and comes again with the next link.
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // The thread has read it, or waits already.
        drop(self.shared.lock());
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// When a batch begins: `link_every_ms` after the last one, or when `link_batch` changes wait.
struct Pace {
    every: Duration,
    batch: i64,
}

/// The source, opened as soon as it is there.
struct Lazy {
    url: String,
    /// The name under which it is followed.
    follower: String,
    opened: Option<FollowedDatabase>,
    /// Whether it was opened before: who follows it since then keeps it.
    taken: bool,
}

impl Lazy {
    fn get(&mut self) -> Done<&FollowedDatabase> {
        let source = match self.opened.take() {
            Some(source) => source,
            None => FollowedDatabase::open(&self.url, &self.follower, !self.taken)?,
        };
        self.taken = true;
        Ok(self.opened.insert(source))
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits; returns whether the link goes on.
    fn rest(&self, time: Duration) -> bool {
        let goes_on = || !self.stop.load(Ordering::SeqCst);
        let waited = self.changed.wait_timeout_while(self.lock(), time, |_| goes_on());
        drop(waited);
        goes_on()
    }

    fn follow(&self, source: &mut Lazy, follower: &mut Follower, pace: &Pace) {
        let mut begun: Option<Instant> = None;
        let mut pruned = 0;
        loop {
            let due = begun.is_none_or(|begun| begun.elapsed() >= pace.every);
            let attempt = source.get().and_then(|source| {
                if !due && (pace.batch == 0 || source.last()? - follower.position < pace.batch) {
                    return Ok(());
                }
                begun = Some(Instant::now());
                advance(follower, &source.snapshot()?)?;
                self.lock().caught_up = true;
                if follower.position - pruned >= UNPRUNED {
                    source.prune(follower.position)?;
                    pruned = follower.position;
                }
                Ok(())
            });
            let rest = match attempt {
                Ok(()) if pace.batch > 0 => LOOK.min(pace.every),
                Ok(()) => begun.map_or(pace.every, |b| pace.every.saturating_sub(b.elapsed())),
                Err(_) => AFTER_FAILURE,
            };
            let url = &source.url;
            self.lock().failure = attempt.err().map(|e| e.trying(format!("follow {url}")));
            if self.lock().failure.is_some() {
                source.opened = None;
            }
            if !self.rest(rest) {
                return;
            }
        }
    }
}
