//! Analytical queries.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hoap_record::Result;
use serde_json::Value;

use super::check::check_paths;
use super::deadline::Deadline;
use super::limit::{answer, repeatable, unlimited, within};
use super::stopping::Waiting;
use crate::answer::{Answer, Canceller, Explained};
use crate::engine::{self, About, QuerySession};
use crate::failure::{Done, Failure};

/// Analytical queries of a [`Database`](crate::Database).
#[derive(Clone, Copy)]
pub struct Analytics<'d> {
    pub(super) about: &'d Arc<About>,
    pub(super) engine: &'d dyn engine::Analytics,
}

impl Analytics<'_> {
    /// The dialect of its query texts: the folder below `queries/<benchmark>/`.
    pub fn dialect(&self) -> &'static str {
        self.engine.dialect()
    }

    /// Connects one query stream.
    ///
    /// # Errors
    /// Why the database could not be reached, or refuses.
    pub async fn session(&self) -> Result<AnalyticalSession> {
        match unlimited(self.about, self.engine.query_session()).await {
            Ok(inner) => {
                let (about, waiting) = (self.about.clone(), Waiting::default());
                Ok(AnalyticalSession { about, inner, waiting, asked: Arc::default() })
            }
            Err(failure) => Err(self.about.error(failure, "connect a query stream to")),
        }
    }
}

/// One query stream's connection. Each query reads a consistent snapshot beside the writers.
pub struct AnalyticalSession {
    about: Arc<About>,
    inner: Box<dyn QuerySession>,
    waiting: Waiting,
    /// Whether somebody here asked to cancel the query that runs.
    asked: Arc<AtomicBool>,
}

/// Waits for the answer to a query with these parameters, with the limit that the database has, or
/// [`About::query_timeout`].
macro_rules! asked {
    ($self:ident, $parameters:ident, $call:expr) => {
        match check_parameters($parameters) {
            Ok(()) => {
                $self.asked.store(false, Ordering::SeqCst);
                let deadline = $self.deadline();
                match within(&$self.about, &mut $self.waiting, None, $call).await {
                    Ok(done) if $self.asked.load(Ordering::SeqCst) => done,
                    Ok(done) => done.map_err(|failure| match &deadline {
                        Some(deadline) => repeatable(deadline.judge(failure)),
                        None => repeatable(failure),
                    }),
                    Err(silence) => {
                        $self.inner.abandon();
                        Err(silence)
                    }
                }
            }
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

impl AnalyticalSession {
    /// The end of a query that begins now, where the guard keeps it.
    fn deadline(&self) -> Option<Deadline> {
        let (limit, cancel) = (self.about.query_timeout?, self.inner.canceller()?);
        Some(Deadline::new(limit, cancel))
    }

    /// Runs one query. `text` names its parameters `$name`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if the text does not parse or
    /// names a parameter that is not in `parameters`.
    pub async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Answer> {
        let done = asked!(self, parameters, self.inner.query(text, parameters));
        done.map_err(|failure| self.about.error(failure, "query"))
    }

    /// How the database runs a query. Executes the query if its plan alone does not tell.
    ///
    /// # Errors
    /// Returns the errors of [`AnalyticalSession::query`].
    pub async fn explain(
        &mut self,
        text: &str,
        parameters: &[(String, Value)],
    ) -> Result<Explained> {
        let done = asked!(self, parameters, self.inner.explain(text, parameters));
        done.map_err(|failure| self.about.error(failure, "explain a query in"))
    }

    /// The database's warnings about the last [`AnalyticalSession::query`], a line each.
    pub fn warnings(&self) -> &[String] {
        self.inner.warnings()
    }

    /// Key and integer `field` of every document of a small collection, from one state that a query
    /// begun now would see. Freshness is measured with it (spec ch2 §7).
    ///
    /// # Errors
    /// Why they were not read.
    pub async fn counters(&mut self, collection: &str, field: &str) -> Result<Vec<(String, i64)>> {
        self.about.check_name(collection)?;
        check_paths(&[field])?;
        let done = answer!(self, self.inner.counters(collection, field), repeatable);
        let what = || format!("read the counters of {collection} in");
        done.map_err(|failure| self.about.error(failure, &what()))
    }

    /// A handle that interrupts a running [`AnalyticalSession::query`], which then fails with
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled); `None` if the database has no way.
    pub fn canceller(&self) -> Option<Canceller> {
        let (asked, cancel) = (self.asked.clone(), self.inner.canceller()?);
        Some(Arc::new(move || {
            asked.store(true, Ordering::SeqCst);
            cancel();
        }))
    }
}
