//! Work done by several threads at once, with results taken in order.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The job whose result is taken next.
struct Turn<T, E> {
    next: u64,
    take: T,
    /// Set once; no further result is taken.
    failed: Option<Result<(), E>>,
}

/// Each thread draws a job, fills its own buffer, waits until all earlier results are taken, and
/// passes its buffer to `take`. Results are therefore taken one at a time and in order. There are
/// as many buffers as threads, reused for every job, so a slow `take` slows the filling and memory
/// stays bounded.
///
/// # Errors
/// The first failure, in the order of jobs, of `fill` or `take`; later jobs are not taken.
pub(crate) fn in_order<J: Send, B: Default, E: Send>(
    threads: usize,
    jobs: impl Iterator<Item = J> + Send,
    fill: impl Fn(&J, &mut B) -> Result<(), E> + Sync,
    take: impl FnMut(J, &mut B) -> Result<(), E> + Send,
) -> Result<(), E> {
    let jobs = Mutex::new(jobs.zip(0u64..));
    let turn = Mutex::new(Turn { next: 0, take, failed: None });
    let handed_in = Condvar::new();
    let work = || {
        let _guard = OnPanic(|| {
            lock(&turn).failed.get_or_insert(Ok(()));
            handed_in.notify_all();
        });
        let mut buffer = B::default();
        loop {
            let drawn = lock(&jobs).next();
            let Some((job, number)) = drawn else { return };
            let filled = fill(&job, &mut buffer);
            let mine = handed_in
                .wait_while(lock(&turn), |t| t.next != number && t.failed.is_none())
                .unwrap_or_else(PoisonError::into_inner);
            let mut mine = mine;
            if mine.failed.is_some() {
                return;
            }
            match filled.and_then(|()| (mine.take)(job, &mut buffer)) {
                Ok(()) => mine.next += 1,
                Err(e) => mine.failed = Some(Err(e)),
            }
            drop(mine);
            handed_in.notify_all();
        }
    };
    on_threads(threads, &work);
    turn.into_inner().unwrap_or_else(PoisonError::into_inner).failed.unwrap_or(Ok(()))
}

/// Runs it on so many threads, this one among them.
fn on_threads(threads: usize, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
}

/// A panicking thread poisons the lock. [`OnPanic`] has told the other threads, and joining the
/// threads propagates the panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs when a thread unwinds, so that the others do not wait for its turn forever.
struct OnPanic<F: Fn()>(F);

impl<F: Fn()> Drop for OnPanic<F> {
    fn drop(&mut self) {
        if thread::panicking() {
            (self.0)();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_are_taken_in_order_by_any_number_of_threads() {
        for threads in [1, 2, 3, 16] {
            let mut taken = Vec::new();
            let fill = |job: &u64, buffer: &mut Vec<u64>| {
                buffer.clear();
                // Later jobs finish before earlier ones.
                (0..(100 - job) * 50).for_each(|n| {
                    std::hint::black_box(n);
                });
                buffer.push(job * job);
                Ok::<_, ()>(())
            };
            in_order(threads, 0..100u64, fill, |job, buffer| {
                taken.push((job, buffer[0]));
                Ok(())
            })
            .unwrap();
            assert_eq!(taken, (0..100).map(|n| (n, n * n)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_failure_in_order_ends_it() {
        for threads in [1, 2, 5] {
            let mut taken = 0;
            let fill = |&job: &u32, (): &mut ()| if job >= 7 { Err(job) } else { Ok(()) };
            let end = in_order(threads, 0..1000, fill, |_, ()| {
                taken += 1;
                Ok(())
            });
            assert_eq!((end, taken), (Err(7), 7));
            let end = in_order(
                threads,
                0..1000,
                |_, (): &mut ()| Ok(()),
                |job, ()| match job {
                    3 => Err(job),
                    _ => Ok(()),
                },
            );
            assert_eq!(end, Err(3));
        }
    }

    /// The number of waiting results is bounded by the number of threads, however slow the taking
    /// is.
    #[test]
    fn nothing_piles_up() {
        let (ahead, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let fill = |_: &u32, (): &mut ()| {
            most.fetch_max(ahead.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            Ok::<_, ()>(())
        };
        in_order(4, 0..200, fill, |_, ()| {
            thread::yield_now();
            ahead.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        })
        .unwrap();
        assert!(most.into_inner() <= 4);
    }

    #[test]
    fn a_panic_reaches_the_caller_and_hangs_nobody() {
        let run = || {
            let fill = |&job: &u32, (): &mut ()| match job {
                5 => panic!("on purpose"),
                _ => Ok::<_, ()>(()),
            };
            in_order(3, 0..100, fill, |_, ()| Ok(()))
        };
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }
}
