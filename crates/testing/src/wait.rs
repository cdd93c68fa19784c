//! Asynchronous calls in tests.

use std::future::Future;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

/// Runs a future to its end on this thread. What it leaves running in the background (a driver's
/// connections) goes on between calls.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
    RUNTIME.block_on(future)
}

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < Duration::from_secs(120), "not within two minutes: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
