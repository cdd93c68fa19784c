//! Analytical queries.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_workload::Result;
use hoap_workload::capability::{AnalyticalSession, Analytics, Answer, Explained};
use hoap_workload::client::Canceller;
use serde_json::Value;

use super::engine::{self, Engine, QuerySession};
use super::limit::{answer, not_read, unlimited, within};
use super::{Front, check_name, check_paths, error};

#[async_trait]
impl<E: engine::Analytics> Analytics for Front<E> {
    fn dialect(&self) -> &'static str {
        E::DIALECT
    }

    async fn session(&self) -> Result<Box<dyn AnalyticalSession>> {
        let engine = self.0.clone();
        match unlimited(&*engine, engine.query_session()).await {
            Ok(inner) => Ok(Box::new(FrontQueries { engine, inner })),
            Err(failure) => Err(error(&*engine, failure, "connect a query stream to")),
        }
    }
}

/// One query stream.
struct FrontQueries<E, S> {
    engine: Arc<E>,
    inner: S,
}

/// Waits for the answer of a call to a session, without a limit.
macro_rules! unlimited {
    ($self:ident, $call:expr) => {
        match within(&*$self.engine, None, $call).await {
            Ok(done) => done,
            Err(silence) => {
                $self.inner.abandon();
                Err(silence)
            }
        }
    };
}

#[async_trait]
impl<E: Engine, S: QuerySession> AnalyticalSession for FrontQueries<E, S> {
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Answer> {
        let done = unlimited!(self, self.inner.query(text, parameters));
        done.map_err(|failure| error(&*self.engine, failure, "query"))
    }

    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Explained> {
        let done = unlimited!(self, self.inner.explain(text, parameters));
        done.map_err(|failure| error(&*self.engine, failure, "explain a query in"))
    }

    fn warnings(&self) -> &[String] {
        self.inner.warnings()
    }

    async fn counters(&mut self, collection: &str, field: &str) -> Result<Vec<(String, i64)>> {
        check_name(&*self.engine, collection)?;
        check_paths(&[field])?;
        let done =
            answer!(self.engine, self.inner, self.inner.counters(collection, field), not_read);
        let what = || format!("read the counters of {collection} in");
        done.map_err(|failure| error(&*self.engine, failure, &what()))
    }

    fn canceller(&self) -> Option<Canceller> {
        self.inner.canceller()
    }
}
