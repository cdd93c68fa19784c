//! The benchmark clock.

use std::time::Instant;

use hoap_data::Timestamp;

use crate::data::DataSet;

/// Starts at RUN_DATE 00:00:00 when a run starts and advances in real time. Transactions take all
/// their dates from it, so that the history continues where the loaded one ends.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    run_date: Timestamp,
    started: Instant,
}

impl Clock {
    /// Starts the clock.
    pub fn start(data: &DataSet) -> Self {
        Clock { run_date: Timestamp::from(data.spec().run_date), started: Instant::now() }
    }

    /// The time on the clock.
    pub fn now(&self) -> Timestamp {
        let micros = i64::try_from(self.started.elapsed().as_micros()).unwrap_or(i64::MAX / 4);
        self.run_date.add_micros(micros)
    }
}
