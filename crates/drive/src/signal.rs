//! The phase of a step, which all clients watch.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use crate::plan::Phase;

/// The phase of the step, for all clients.
pub(crate) struct Signal {
    phase: AtomicU8,
    changed: Notify,
}

impl Signal {
    pub fn new() -> Self {
        Signal { phase: AtomicU8::new(Phase::Connecting as u8), changed: Notify::new() }
    }

    pub fn set(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Release);
        self.changed.notify_waiters();
    }

    #[inline]
    pub fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Connecting,
            1 => Phase::Warmup,
            2 => Phase::Measured,
            _ => Phase::Ended,
        }
    }

    #[inline]
    pub fn ended(&self) -> bool {
        self.phase() == Phase::Ended
    }

    /// Returns when the step is in this phase or a later one.
    pub async fn reached(&self, phase: Phase) {
        loop {
            // It hears of every change from here on, so none falls between the look and the wait.
            let changed = self.changed.notified();
            if self.phase() >= phase {
                return;
            }
            changed.await;
        }
    }

    /// Sleeps for `time` and says whether the step still goes on.
    #[inline]
    pub async fn pause(&self, time: Duration) -> bool {
        if !time.is_zero() {
            // An error means that the time is over, as it should be.
            let _ = tokio::time::timeout(time, self.reached(Phase::Ended)).await;
        }
        !self.ended()
    }
}
