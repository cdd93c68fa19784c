//! What every worker has at hand, and what a client does after a failure.

use std::sync::mpsc::Sender;

use hoap_record::{Error, ErrorKind};

use crate::Outcome;

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
    StopStep(Error),
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

    /// Makes [`Outcome::Cancelled`] of an error of that kind, and returns what the client does
    /// after any other failure. Every loop passes its outcomes through this function first, so that
    /// no other code needs to handle [`ErrorKind::Cancelled`].
    #[inline]
    pub fn settle(&self, outcome: &mut Outcome) -> Option<AfterFailure> {
        match outcome {
            Outcome::Failed(_) => self.settle_error(outcome),
            Outcome::Done | Outcome::RolledBack | Outcome::Cancelled => None,
        }
    }

    #[cold]
    fn settle_error(&self, outcome: &mut Outcome) -> Option<AfterFailure> {
        let Outcome::Failed(error) = outcome else { return None };
        if error.kind == ErrorKind::Cancelled {
            *outcome = Outcome::Cancelled;
            return None;
        }
        if self.plan.on_error.stops(error.kind) {
            return Some(AfterFailure::StopStep(error.clone()));
        }
        match error.kind {
            ErrorKind::Unavailable | ErrorKind::Missing => Some(AfterFailure::BackOff),
            _ => Some(AfterFailure::Continue),
        }
    }

    /// Ends the step because of this failure, and waits for the end.
    pub async fn stop_step(&self, error: Error) {
        self.send(Message::Stopped(error));
        self.signal.reached(Phase::Ended).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;
    use crate::plan::End;

    #[test]
    fn an_error_of_kind_cancelled_is_a_cancelled_operation_and_any_other_a_failure() {
        let mut plan = StepPlan::plain(1, 1, End::After(Duration::from_secs(1)));
        plan.on_error = "invalid=stop".parse().unwrap();
        let (signal, clock, (sender, _messages)) = (PhaseSignal::new(), Clock::new(), channel());
        let context = Context { plan: &plan, signal: &signal, clock: &clock, messages: &sender };
        for kind in ErrorKind::ALL {
            let mut outcome = Outcome::Failed(Error::new(kind, "try", "no"));
            let after = context.settle(&mut outcome);
            let cancelled = matches!(outcome, Outcome::Cancelled);
            assert_eq!(cancelled, kind == ErrorKind::Cancelled);
            match kind {
                ErrorKind::Cancelled => assert!(after.is_none()),
                ErrorKind::Unavailable | ErrorKind::Missing => {
                    assert!(matches!(after, Some(AfterFailure::BackOff)));
                }
                ErrorKind::Invalid => {
                    let Some(AfterFailure::StopStep(error)) = after else { panic!("{after:?}") };
                    assert_eq!(error.kind, kind);
                }
                _ => assert!(matches!(after, Some(AfterFailure::Continue)), "{kind:?}"),
            }
        }
        assert!(context.settle(&mut Outcome::RolledBack).is_none());
    }
}
