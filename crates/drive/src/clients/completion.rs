//! The outcome of an operation that the end of the step cancelled.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use hoap_workload::ErrorKind;
use hoap_workload::client::{Completion, Outcome};

use crate::pace::PhaseSignal;
use crate::plan::Phase;

/// Makes [`Outcome::Cancelled`] of an error of kind [`ErrorKind::Cancelled`]. All loops pass their
/// outcomes through this function, directly or in [`run_until_ended`], so that no other code needs to
/// handle that kind.
#[inline]
pub(crate) fn normalize(outcome: &mut Outcome) {
    if matches!(outcome, Outcome::Failed(error) if error.kind == ErrorKind::Cancelled) {
        *outcome = Outcome::Cancelled;
    }
}

/// Runs an operation until it ends, or until `patience` after the end of the step: then it is
/// dropped and counts as cancelled.
pub(crate) async fn run_until_ended(
    operation: impl Future<Output = Completion>,
    signal: &PhaseSignal,
    patience: Duration,
) -> Completion {
    let ended = async {
        signal.reached(Phase::Ended).await;
        tokio::time::sleep(patience).await;
    };
    match select(pin!(operation), pin!(ended)).await {
        Either::Left((mut completion, _)) => {
            normalize(&mut completion.outcome);
            completion
        }
        Either::Right(_) => Completion { outcome: Outcome::Cancelled, retries: 0, rows: 0 },
    }
}

#[cfg(test)]
mod tests {
    use hoap_workload::Error;

    use super::*;

    #[test]
    fn an_error_of_kind_cancelled_is_a_cancelled_operation_and_any_other_a_failure() {
        for kind in ErrorKind::ALL {
            let mut outcome = Outcome::Failed(Error::new(kind, "try", "no"));
            normalize(&mut outcome);
            let cancelled = matches!(outcome, Outcome::Cancelled);
            assert_eq!(cancelled, kind == ErrorKind::Cancelled);
        }
    }
}
