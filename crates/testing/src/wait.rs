//! Asynchronous calls in tests.

use std::future::Future;
use std::sync::LazyLock;

use tokio::runtime::Runtime;

/// Runs a future to its end on this thread. What it leaves running in the background (a driver's
/// connections) goes on between calls.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
    RUNTIME.block_on(future)
}
