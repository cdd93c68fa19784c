//! Requests that the service is asked to end when their client no longer waits for the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::Method;
use tokio::runtime::Handle;

use super::endpoint::Endpoint;
use crate::{Cause, Envelope, Error, Request};

/// An identifier that no other request has, of characters that a query of a URL may have.
pub(super) fn context() -> String {
    static REQUESTS: AtomicU64 = AtomicU64::new(0);
    let number = REQUESTS.fetch_add(1, Ordering::Relaxed);
    let nanos = std::time::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_nanos());
    format!("hoap-{}-{number}-{nanos}", std::process::id())
}

/// Asks the service to end a request. Failures are ignored: the caller may ask again.
pub(super) async fn end(endpoint: &Endpoint, context: &str) {
    let path = format!("{}?client_context_id={context}", endpoint.definition.cancel());
    let _ = endpoint.client.call(Method::DELETE, &path, Duration::from_secs(5)).await;
}

/// Runs a request under an identifier of [`context`]. The service is asked to end it where it is
/// late, its rows are too many, or the future is dropped.
pub(super) async fn run(
    endpoint: &Arc<Endpoint>,
    request: Request,
    context: &str,
    each: &mut (dyn FnMut(&[u8]) -> Result<(), String> + Send),
) -> Result<Envelope, Error> {
    let request = request.set("client_context_id", context);
    let mut underway = Underway {
        endpoint: endpoint.clone(),
        context: context.to_owned(),
        runtime: Handle::try_current().ok(),
    };
    let ended = endpoint.client.run(&request, each).await;
    underway.runtime = None;
    if let Err(Error { cause: Cause::Late(_) | Cause::TooLarge(_), .. }) = &ended {
        // A service does not keep its own limit in every operator; left alone the request goes on.
        end(endpoint, context).await;
    }
    ended
}

/// A request without an answer.
struct Underway {
    endpoint: Arc<Endpoint>,
    context: String,
    /// The runtime to ask from; `None` once the request is answered.
    runtime: Option<Handle>,
}

impl Drop for Underway {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            let (endpoint, context) = (self.endpoint.clone(), std::mem::take(&mut self.context));
            runtime.spawn(async move { end(&endpoint, &context).await });
        }
    }
}
