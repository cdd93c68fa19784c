//! Waiting for a database that refuses what a load sends because of its rate. A load is no
//! measurement: it waits and sends it again.

use std::future::Future;
use std::time::{Duration, Instant, SystemTime};

use hoap_record::ErrorKind;

use crate::failure::{Done, Failure};

/// The time for which everything may be refused before the load fails.
const PATIENCE: Duration = Duration::from_secs(120);
const FIRST: Duration = Duration::from_millis(25);
const LONGEST: Duration = Duration::from_secs(5);

/// Pauses that grow.
pub struct Patience {
    pause: Duration,
    progress: Instant,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { pause: FIRST, progress: Instant::now() }
    }
}

impl Patience {
    /// A part was taken.
    pub fn progressed(&mut self) {
        self.progress = Instant::now();
    }

    /// Waits after a refusal.
    ///
    /// # Errors
    /// Returns the refusal after two minutes without progress.
    pub async fn rest(&mut self, refused: Failure) -> Done<()> {
        if self.progress.elapsed() > PATIENCE {
            let answer = format!("{} for {} s", refused.answer, PATIENCE.as_secs());
            let advice = "give the database more capacity, and go on with --resume";
            return Err(Failure { answer, advice: Some(advice.into()), ..refused });
        }
        tokio::time::sleep(self.pause / 2 + self.pause.mul_f64(jitter() / 2.0)).await;
        self.pause = (self.pause * 2).min(LONGEST);
        Ok(())
    }
}

/// Does it until it is not refused because of the rate.
///
/// # Errors
/// Every other error, and the refusal after two minutes.
pub async fn patiently<T, F: Future<Output = Done<T>>>(attempt: impl Fn() -> F) -> Done<T> {
    let mut patience = Patience::default();
    loop {
        match attempt().await {
            Err(e) if e.kind == ErrorKind::Throttled => patience.rest(e).await?,
            done => return done,
        }
    }
}

/// A number between 0 and 1 that spreads the retries of requests that were refused together.
fn jitter() -> f64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    f64::from(now.subsec_nanos() % 1_000_003) / 1_000_003.0
}
