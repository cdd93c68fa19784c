//! The signal that tells all clients the phase of the step.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use crate::plan::Phase;

/// The phase of the step. The controller sets it, and clients read it and wait for it.
pub(crate) struct PhaseSignal {
    phase: AtomicU8,
    /// When the step ended, on the clients' clock.
    ended_at: AtomicU64,
    changed: Notify,
}

impl PhaseSignal {
    pub fn new() -> Self {
        PhaseSignal {
            phase: AtomicU8::new(Phase::Connecting as u8),
            ended_at: AtomicU64::new(u64::MAX),
            changed: Notify::new(),
        }
    }

    pub fn set(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Release);
        self.changed.notify_waiters();
    }

    /// Ends the step at this time of the clients' clock.
    pub fn end(&self, now: u64) {
        self.ended_at.store(now, Ordering::Relaxed);
        self.set(Phase::Ended);
    }

    /// When the step ended, on the clients' clock. Valid only after the end.
    pub fn ended_at(&self) -> u64 {
        self.ended_at.load(Ordering::Relaxed)
    }

    /// How long an operation that began at `start`, on the clients' clock, had run when the step
    /// ended; `None` if it began later. Valid only after the end.
    pub fn age_at_end(&self, start: u64) -> Option<u64> {
        self.ended_at().checked_sub(start)
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

    /// Waits until the step is in this phase or a later one.
    pub async fn reached(&self, phase: Phase) {
        loop {
            // This future receives every change from here on, so none is lost between the check and
            // the wait.
            let changed = self.changed.notified();
            if self.phase() >= phase {
                return;
            }
            changed.await;
        }
    }

    /// Sleeps for `time`, or until the step ends. Returns whether the step goes on.
    #[inline]
    pub async fn pause(&self, time: Duration) -> bool {
        if !time.is_zero() {
            // An error means that the time has passed.
            let _ = tokio::time::timeout(time, self.reached(Phase::Ended)).await;
        }
        !self.ended()
    }
}
