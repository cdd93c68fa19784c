//! Work on the pieces of a file by several threads, with the results in the order of the file.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The most threads that work. Each has a piece, and its result, in memory.
const MOST_THREADS: usize = 4;

/// Passes each of `pieces` through `work`, which has a state of its own in each thread, and the
/// results to `take` in the order of the pieces. A single piece needs no thread.
///
/// # Errors
/// The first error in that order. What comes after it is not taken.
pub(crate) fn in_order<Piece: Send, State: Default, Out: Send, Error>(
    mut pieces: impl FnMut() -> Result<Option<Piece>, Error>,
    work: impl Fn(&mut State, Piece) -> Out + Sync,
    mut take: impl FnMut(Out) -> Result<(), Error>,
) -> Result<(), Error> {
    let Some(first) = pieces()? else { return Ok(()) };
    let second = pieces();
    if !matches!(second, Ok(Some(_))) {
        take(work(&mut State::default(), first))?;
        return second.map(drop);
    }
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
    let (jobs, received) = sync_channel::<(Piece, SyncSender<Out>)>(threads);
    let received = Mutex::new(received);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut state = State::default();
                while let Some((piece, result)) = next(&received) {
                    // Nobody waits for it after an error.
                    let _ = result.send(work(&mut state, piece));
                }
            });
        }
        // The threads end when this is gone, also after an error.
        let jobs = jobs;
        let mut begun = VecDeque::new();
        let mut coming = [Ok(Some(first)), second].into_iter();
        let mut end = None;
        loop {
            while end.is_none() && begun.len() <= threads {
                match coming.next().unwrap_or_else(&mut pieces) {
                    Ok(Some(piece)) => {
                        let (result, out) = sync_channel(1);
                        // Only threads that panicked do not receive, and then `scope` does.
                        let _ = jobs.send((piece, result));
                        begun.push_back(out);
                    }
                    Ok(None) => end = Some(Ok(())),
                    Err(e) => end = Some(Err(e)),
                }
            }
            match begun.pop_front().map(|out| out.recv()) {
                Some(Ok(out)) => take(out)?,
                Some(Err(_)) => return Ok(()),
                None => return end.unwrap_or(Ok(())),
            }
        }
    })
}

fn next<T>(jobs: &Mutex<Receiver<T>>) -> Option<T> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of `number` pieces, where piece `fails` cannot be read and result `refused` is
    /// not taken.
    fn results(
        number: usize,
        fails: Option<usize>,
        refused: Option<usize>,
    ) -> (Vec<usize>, Result<(), String>) {
        let (mut made, mut taken) = (0, Vec::new());
        let pieces = || {
            let piece = made;
            made += 1;
            match fails == Some(piece) {
                true => Err(format!("piece {piece}")),
                false => Ok((piece < number).then_some(piece)),
            }
        };
        let work = |_: &mut (), piece: usize| {
            // Later pieces are done earlier.
            thread::sleep(std::time::Duration::from_micros(50 * (4 - piece as u64 % 4)));
            piece
        };
        let done = in_order(pieces, work, |result| {
            taken.push(result);
            match refused == Some(result) {
                true => Err(format!("result {result}")),
                false => Ok(()),
            }
        });
        (taken, done)
    }

    #[test]
    fn results_come_in_order_and_end_at_the_first_error() {
        for number in [0, 1, 2, 3, 500] {
            assert_eq!(results(number, None, None), ((0..number).collect(), Ok(())));
        }
        for at in [0, 1, 2, 99] {
            let failed = results(500, Some(at), None);
            assert_eq!(failed, ((0..at).collect(), Err(format!("piece {at}"))));
            let refused = results(500, None, Some(at));
            assert_eq!(refused, ((0..=at).collect(), Err(format!("result {at}"))));
            // Of two the one that comes first in the file counts.
            let both = results(500, Some(at + 1), Some(at));
            assert_eq!(both.1, Err(format!("result {at}")));
        }
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_is_passed_on() {
        let mut left = 0..100;
        let work = |_: &mut (), piece| assert!(piece != 40, "a piece");
        let _ = in_order(|| Ok::<_, ()>(left.next()), work, Ok);
    }
}
