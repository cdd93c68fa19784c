//! The time limit of a query whose database has none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use hoap_record::ErrorKind;

use crate::answer::Canceller;
use crate::failure::Failure;

/// Between two requests to end a query: one that comes before the query begins ends nothing.
const AGAIN: Duration = Duration::from_millis(5);

/// Ends a query when its time is over. A thread of its own: the query may block the one it runs on.
pub(super) struct Deadline {
    limit: Duration,
    over: Arc<AtomicBool>,
    /// Dropped when the query has ended.
    ended: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Deadline {
    pub fn new(limit: Duration, cancel: Canceller) -> Deadline {
        let (ended, end) = channel();
        let over = Arc::new(AtomicBool::new(false));
        let noted = over.clone();
        let thread = std::thread::spawn(move || wait(limit, &cancel, &noted, &end));
        Deadline { limit, over, ended: Some(ended), thread: Some(thread) }
    }

    /// What the failure of the query means: cancelled by this limit, it is a timeout.
    pub fn judge(&self, failure: Failure) -> Failure {
        if failure.kind != ErrorKind::Cancelled || !self.over.load(Ordering::SeqCst) {
            return failure;
        }
        let answer = format!("no answer within {} ms", self.limit.as_millis());
        Failure { code: failure.code, ..Failure::of(ErrorKind::Timeout, answer, ADVICE) }
    }
}

const ADVICE: &str = "raise query_timeout_ms";

fn wait(limit: Duration, cancel: &Canceller, over: &AtomicBool, end: &Receiver<()>) {
    let mut patience = limit;
    while end.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
        over.store(true, Ordering::SeqCst);
        cancel();
        patience = AGAIN;
    }
}

/// Nothing is cancelled after this.
impl Drop for Deadline {
    fn drop(&mut self) {
        self.ended = None;
        // It does not panic.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
