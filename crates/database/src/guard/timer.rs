//! A timer of one wait after the other.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

/// A timer that stays set between operations: most have their answer long before it fires, and one
/// that finds it due early enough leaves it as it is.
#[derive(Default)]
pub struct Timer(pub(super) Option<Pin<Box<Sleep>>>);

impl Timer {
    /// Ready at this time, not before.
    pub(super) fn poll_until(&mut self, until: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let new = || Box::pin(tokio::time::sleep_until(until));
        let sleep = self.0.get_or_insert_with(new);
        loop {
            if sleep.is_elapsed() {
                // It fired for an earlier wait, or early in this one.
                if Instant::now() >= until {
                    return Poll::Ready(());
                }
                sleep.as_mut().reset(until);
            } else if sleep.deadline() > until {
                sleep.as_mut().reset(until);
            }
            ready!(sleep.as_mut().poll(cx));
        }
    }

    /// Waits for something within a limit; `None` where it is over.
    pub async fn within<T>(&mut self, limit: Duration, what: impl Future<Output = T>) -> Option<T> {
        let until = Instant::now() + limit;
        tokio::select! {
            biased;
            done = what => Some(done),
            () = poll_fn(|cx| self.poll_until(until, cx)) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[test]
    fn a_limit_ends_a_wait_that_takes_longer() {
        let ms = Duration::from_millis;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.unwrap().block_on(async {
            let timer = &mut Timer::default();
            assert_eq!(timer.within(ms(40), async { 7 }).await, Some(7));
            let begin = Instant::now();
            assert_eq!(timer.within(ms(60), pending::<()>()).await, None);
            assert!(begin.elapsed() >= ms(60));
            assert_eq!(timer.within(ms(2_000), tokio::time::sleep(ms(100))).await, Some(()));
        });
    }
}
