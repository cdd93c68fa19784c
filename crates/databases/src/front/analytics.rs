//! Analytical queries.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_database::Canceller;
use hoap_database::{AnalyticalSession, Analytics, Answer, Explained};
use hoap_record::Result;
use serde_json::Value;

use super::engine::{self, Engine, QuerySession};
use super::limit::{answer, not_read, unlimited, within};
use super::stopping::Waiting;
use super::{Front, check_name, check_paths, error};
use crate::failure::{Done, Failure};

#[async_trait]
impl<E: engine::Analytics> Analytics for Front<E> {
    fn dialect(&self) -> &'static str {
        E::DIALECT
    }

    async fn session(&self) -> Result<Box<dyn AnalyticalSession>> {
        let engine = self.0.clone();
        match unlimited(&*engine, engine.query_session()).await {
            Ok(inner) => Ok(Box::new(FrontQueries { engine, inner, waiting: Waiting::default() })),
            Err(failure) => Err(error(&*engine, failure, "connect a query stream to")),
        }
    }
}

/// One query stream.
struct FrontQueries<E, S> {
    engine: Arc<E>,
    inner: S,
    waiting: Waiting,
}

/// Waits for the answer to a query with these parameters, without a limit.
macro_rules! asked {
    ($self:ident, $parameters:ident, $call:expr) => {
        match check_parameters($parameters) {
            Ok(()) => match within(&*$self.engine, &mut $self.waiting, None, $call).await {
                Ok(done) => done,
                Err(silence) => {
                    $self.inner.abandon();
                    Err(silence)
                }
            },
            Err(failure) => Err(failure),
        }
    };
}

/// Refuses a parameter that is given twice, and a value that is no scalar.
fn check_parameters(parameters: &[(String, Value)]) -> Done<()> {
    for (at, (name, value)) in parameters.iter().enumerate() {
        if parameters[..at].iter().any(|(other, _)| other == name) {
            return Err(Failure::invalid(format!("parameter ${name} is given twice")));
        }
        if value.is_array() || value.is_object() {
            let answer = format!("the value of parameter ${name} is no scalar: {value}");
            return Err(Failure::invalid(answer));
        }
    }
    Ok(())
}

#[async_trait]
impl<E: Engine, S: QuerySession> AnalyticalSession for FrontQueries<E, S> {
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Answer> {
        let done = asked!(self, parameters, self.inner.query(text, parameters));
        done.map_err(|failure| error(&*self.engine, failure, "query"))
    }

    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Explained> {
        let done = asked!(self, parameters, self.inner.explain(text, parameters));
        done.map_err(|failure| error(&*self.engine, failure, "explain a query in"))
    }

    fn warnings(&self) -> &[String] {
        self.inner.warnings()
    }

    async fn counters(&mut self, collection: &str, field: &str) -> Result<Vec<(String, i64)>> {
        check_name(&*self.engine, collection)?;
        check_paths(&[field])?;
        let done = answer!(
            self.engine,
            &mut self.waiting,
            self.inner,
            self.inner.counters(collection, field),
            not_read
        );
        let what = || format!("read the counters of {collection} in");
        done.map_err(|failure| error(&*self.engine, failure, &what()))
    }

    fn canceller(&self) -> Option<Canceller> {
        self.inner.canceller()
    }
}
