//! The service: a driver for each thread, and sending requests.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, ThreadId};

#[allow(deprecated, reason = "the names that are not are those of a crate beside the driver")]
use aws_config::profile::profile_file::{ProfileFileKind, ProfileFiles};
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Region};
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use hoap_database::failure::Done;
use hoap_record::ErrorKind;
use tokio::sync::Semaphore;

use super::counters::{Attempts, Counters};
use super::error;
use super::options::{Options, ParsedUrl};

/// The service of a region or an endpoint.
pub(super) struct Server {
    pub url: String,
    pub region: String,
    pub options: Options,
    pub counters: Arc<Counters>,
    config: Config,
    /// The driver of each thread that has asked for one, for as long as the thread lives.
    drivers: Mutex<HashMap<ThreadId, ThreadDriver>>,
    /// The requests in flight, where the option `connections` limits them.
    permits: Option<Semaphore>,
}

/// The driver of a thread.
struct ThreadDriver {
    /// Whether the thread lives.
    alive: Weak<()>,
    driver: Arc<aws_sdk_dynamodb::Client>,
}

thread_local! {
    /// Ends with the thread.
    static ALIVE: Arc<()> = Arc::default();
}

/// The profiles of this file, beside the configuration in its usual place.
#[allow(deprecated, reason = "as above")]
fn profiles(credentials: &str) -> ProfileFiles {
    ProfileFiles::builder()
        .include_default_config_file(true)
        .with_file(ProfileFileKind::Credentials, credentials)
        .build()
}

impl Server {
    /// Finds credentials as the AWS command line does. Does not connect yet.
    pub async fn new(place: ParsedUrl) -> Server {
        let ParsedUrl { url, region, options } = place;
        let retry = match options.retries {
            0 => RetryConfig::disabled(),
            more => RetryConfig::standard().with_max_attempts(more + 1),
        };
        let limit = options.request_timeout;
        let timeout = TimeoutConfig::builder()
            .connect_timeout(options.connect_timeout)
            .read_timeout(limit)
            .operation_attempt_timeout(limit)
            .build();
        let mut loader = aws_config::defaults(BehaviorVersion::latest())
            .region(Region::new(region.clone()))
            .retry_config(retry)
            .timeout_config(timeout);
        if !options.endpoint.is_empty() {
            loader = loader.endpoint_url(&options.endpoint);
        }
        if !options.profile.is_empty() {
            loader = loader.profile_name(&options.profile);
        }
        if !options.credentials_file.is_empty() {
            loader = loader.profile_files(profiles(&options.credentials_file));
        }
        let shared = loader.load().await;
        let counters = Arc::new(Counters::default());
        let mut config = aws_sdk_dynamodb::config::Builder::from(&shared);
        if options.retries > 0 {
            config = config.interceptor(Attempts(counters.clone()));
        }
        let permits = match options.connections {
            0 => None,
            n => Some(Semaphore::new(n as usize)),
        };
        let config = config.build();
        Server { url, region, options, counters, config, drivers: Mutex::default(), permits }
    }

    /// The driver of this thread. Each thread has a runtime, and a connection ends with the runtime
    /// that made it.
    pub fn driver(&self) -> Arc<aws_sdk_dynamodb::Client> {
        let mut drivers = self.drivers.lock().unwrap_or_else(PoisonError::into_inner);
        drivers.retain(|_, of_thread| of_thread.alive.strong_count() > 0);
        let of_thread = drivers.entry(thread::current().id()).or_insert_with(|| ThreadDriver {
            alive: ALIVE.with(Arc::downgrade),
            driver: Arc::new(aws_sdk_dynamodb::Client::from_conf(self.config.clone())),
        });
        of_thread.driver.clone()
    }

    /// Sends a request and counts its outcome.
    pub async fn send<T, E>(&self, request: impl Future<Output = Result<T, SdkError<E>>>) -> Done<T>
    where
        E: ProvideErrorMetadata + std::error::Error + 'static,
    {
        let _permit = match &self.permits {
            // It is never closed.
            Some(permits) => permits.acquire().await.ok(),
            None => None,
        };
        self.counters.request();
        request.await.map_err(|e| {
            let mut failure = error::of(&e);
            self.counters.failure(failure.kind);
            // The outcome of the last attempt says nothing about those before.
            failure.may_be_applied |= self.options.retries > 0
                && matches!(failure.kind, ErrorKind::Unavailable | ErrorKind::Throttled);
            failure
        })
    }
}
