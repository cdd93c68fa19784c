//! The probe that reads the counters while the queries run.

use std::sync::Arc;
use std::time::Duration;

use hoap_database::{AnalyticalSession, Database};
use hoap_drive::{Canceller, Look, Probe, Probing};
use hoap_workload::Result;

use super::{Board, COLLECTION, FIELD};

/// Makes the probes of a run.
pub struct Probes {
    target: Database,
    board: Arc<Board>,
    every: Duration,
}

impl Probes {
    /// Probes of the analytical database, with one look every `every`.
    pub fn new(target: Database, board: Arc<Board>, every: Duration) -> Self {
        Probes { target, board, every }
    }
}

impl Probing for Probes {
    type Probe = FreshnessProbe;

    fn every(&self) -> Duration {
        self.every
    }

    async fn probe(&self) -> Result<FreshnessProbe> {
        let session = self.target.analytics()?.session().await?;
        Ok(FreshnessProbe { session, board: self.board.clone() })
    }
}

/// A session of the analytical side that reads the counters.
pub struct FreshnessProbe {
    session: AnalyticalSession,
    board: Arc<Board>,
}

impl Probe for FreshnessProbe {
    async fn look(&mut self) -> Result<Look> {
        let asked = self.board.ask();
        let counters = self.session.counters(COLLECTION, FIELD).await?;
        Ok(self.board.judge(&asked, &counters))
    }

    fn canceller(&self) -> Option<Canceller> {
        self.session.canceller()
    }
}
