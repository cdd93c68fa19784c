//! One operation: how long it took and what it counts for.

use crate::Completion;

use crate::plan::Phase;

/// The response time of an operation, nanoseconds, in its two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResponseTime {
    /// From the actual start to the end.
    pub service: u64,
    /// From the scheduled start to the actual one; `None` in a closed loop, which has no schedule.
    pub wait: Option<u64>,
    /// Whether its client waited for the scheduled start: what it waited beyond that is the
    /// driver's delay.
    pub late: bool,
}

impl ResponseTime {
    /// The response time of a closed loop.
    pub fn closed(service: u64) -> Self {
        ResponseTime { service, wait: None, late: false }
    }

    /// From the scheduled start to the end.
    pub fn total(self) -> u64 {
        self.service.saturating_add(self.wait.unwrap_or(0))
    }
}

/// What an operation counts for. It depends on when the operation was due, or in a closed loop
/// began, and on when it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountsFor {
    /// Throughput and response times of the phase, warm-up or measured window.
    Phase(Phase),
    /// Open loop: the operation was due in the warm-up and ended in the measured window. It counts
    /// for the window's throughput and for no response time.
    Backlog,
    /// The operation belongs to the measured window and ended after it. It counts for the window's
    /// response times and not for its throughput.
    AfterWindow {
        /// How long it had run at the end of the window, nanoseconds, in an open loop since it was
        /// due; `None` if it began later.
        age: Option<u64>,
    },
    /// The operation was in flight at the end of the measured window and belongs to the warm-up: it
    /// was due there or, in a step of a number of operations, began there. It counts as in flight
    /// only.
    InFlight {
        /// How long it had run at the end of the window, nanoseconds.
        age: u64,
    },
    /// Nothing.
    Nothing,
}

/// An operation that has ended.
pub(crate) struct EndedOperation {
    /// Index into the workload's kinds.
    pub kind: usize,
    pub counts_for: CountsFor,
    pub time: ResponseTime,
    /// When it ended, on the clients' clock.
    pub at: u64,
    pub completion: Completion,
}
