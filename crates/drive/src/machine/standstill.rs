//! Notes when the driver's process does not run: it was stopped, or its machine was.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use hoap_record::folder::seconds;
use hoap_record::step::longest;
use hoap_record::{Gap, RunFolder};

/// How often the timer wakes.
const EVERY: Duration = Duration::from_millis(20);
/// A wake that comes so much later than the one before is noted. A busy machine delays a thread by
/// tens of milliseconds.
const LEAST: Duration = Duration::from_millis(300);
/// The most that are kept until the end of a step.
const MOST: usize = 10_000;

type Seen = Vec<(Instant, Instant)>;

/// A timer on a thread of its own. It notes from which wake to which it did not run.
pub(crate) struct Timer {
    seen: Arc<Mutex<Seen>>,
    /// Its end is that of the thread.
    running: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Timer {
    /// Starts it. Without a thread it notes nothing.
    pub fn start() -> Timer {
        let seen = Arc::new(Mutex::new(Seen::new()));
        let (running, ended) = channel::<()>();
        let noted = seen.clone();
        let body = move || {
            let mut last = Instant::now();
            while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                let now = Instant::now();
                if now.saturating_duration_since(last) >= LEAST {
                    let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
                    if noted.len() < MOST {
                        noted.push((last, now));
                    }
                }
                last = now;
            }
        };
        let thread = Builder::new().name("standstills".into()).spawn(body).ok();
        Timer { seen, running: Some(running), thread }
    }

    /// What it noted within a window, as far as it lies in it: the longest, in the order of time.
    pub fn within(&self, start: Instant, length: Duration, folder: &RunFolder) -> Vec<Gap> {
        let end = start + length;
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let inside = seen.iter().map(|(from, to)| ((*from).max(start), (*to).min(end)));
        let gap = |(from, to): (Instant, Instant)| Gap {
            from_seconds: folder.seconds_at(from),
            seconds: seconds(to - from),
        };
        longest(inside.filter(|(from, to)| from < to).map(gap).collect())
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        drop(self.running.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
