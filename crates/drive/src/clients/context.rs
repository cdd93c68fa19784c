//! What every worker has at hand, and what a client does after a failure.

use std::sync::mpsc::Sender;

use hoap_workload::client::Outcome;
use hoap_workload::{Error, ErrorKind};

use super::message::Message;
use crate::pace::{Clock, PhaseSignal};
use crate::plan::{Phase, StepPlan};

/// What the workers of a step share.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub plan: &'a StepPlan,
    pub signal: &'a PhaseSignal,
    pub clock: &'a Clock,
    pub messages: &'a Sender<Message>,
}

/// What a client does after a failure.
#[derive(Debug)]
pub(crate) enum AfterFailure {
    /// End the step with [`Context::stop_step`]. The client first records the failure, because an
    /// operation that is recorded after the end counts for nothing. It does not report its last
    /// operation before that, because then the step would have ended well.
    StopStep(Box<Error>),
    /// Back off: the database, or a collection that the operation needs, is not there.
    BackOff,
    /// Run the next operation.
    Continue,
}

impl Context<'_> {
    /// Sends a message to the controller.
    pub fn send(&self, message: Message) {
        // The controller receives until the last worker has exited. If it is gone before, it has
        // ended the step for another reason.
        let _ = self.messages.send(message);
    }

    /// What a client does after this outcome; `None` if it is no failure.
    #[inline]
    pub fn after(&self, outcome: &Outcome) -> Option<AfterFailure> {
        match outcome {
            Outcome::Failed(error) => Some(self.after_error(error)),
            Outcome::Done | Outcome::RolledBack | Outcome::Cancelled => None,
        }
    }

    #[cold]
    fn after_error(&self, error: &Error) -> AfterFailure {
        if self.plan.on_error.stops(error.kind) {
            return AfterFailure::StopStep(Box::new(error.clone()));
        }
        match error.kind {
            ErrorKind::Unavailable | ErrorKind::Missing => AfterFailure::BackOff,
            _ => AfterFailure::Continue,
        }
    }

    /// Ends the step because of this failure, and waits for the end.
    pub async fn stop_step(&self, error: Box<Error>) {
        self.send(Message::Stopped(error));
        self.signal.reached(Phase::Ended).await;
    }
}
