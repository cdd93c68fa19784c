//! Waking a worker, and yielding to its other clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Wake};

use futures_util::task::AtomicWaker;

/// Wakes a worker. While the worker polls its clients a wake-up only sets a flag, because waking a
/// runtime costs a system call.
#[derive(Default)]
pub(crate) struct WorkerWaker {
    /// Whether a client was woken since the last poll.
    pub woken: AtomicBool,
    /// Whether the worker polls its clients.
    pub polling: AtomicBool,
    /// The waker of the worker's runtime.
    pub runtime: AtomicWaker,
}

impl Wake for WorkerWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::SeqCst);
        if !self.polling.load(Ordering::SeqCst) {
            self.runtime.wake();
        }
    }
}

/// Yields to the other clients of the worker.
pub(crate) async fn yield_now() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
