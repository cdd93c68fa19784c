//! Queries asked one after the other.

use std::path::Path;
use std::sync::mpsc::RecvTimeoutError::Timeout;
use std::time::{Duration, Instant};

use hoap_database::{AnalyticalSession, Database};
use hoap_drive::Stop;
use hoap_record::{Score, output};
use hoap_workload::answers::{ANSWER, AnswerFile, Query};
use hoap_workload::{Error, Result};
use serde_json::{Value, json};

use super::asks::{Asks, Parameters};
use crate::caller::Caller;
use crate::faults::is_unreachable;

/// How often a session is looked after.
const LOOK: Duration = Duration::from_millis(50);

/// Cancels what a session runs when somebody asks for the end, for as long as it lives.
pub struct CancelOnStop {
    _alive: std::sync::mpsc::Sender<()>,
}

impl CancelOnStop {
    /// Watches the flag beside the session.
    pub fn watch(stop: &Stop, session: &AnalyticalSession) -> Self {
        let (alive, ended) = std::sync::mpsc::channel::<()>();
        if let Some(cancel) = session.canceller() {
            let stop = stop.clone();
            std::thread::spawn(move || {
                while ended.recv_timeout(LOOK) == Err(Timeout) {
                    if stop.is_set() {
                        cancel();
                    }
                }
            });
        }
        CancelOnStop { _alive: alive }
    }
}

/// Whether the database is there to be asked another query, after one failed in this way.
pub async fn still_answers(target: &Database, error: &Error) -> bool {
    let Ok(documents) = target.documents() else { return true };
    !is_unreachable(error) || !documents.note().await.is_err_and(|e| is_unreachable(&e))
}

/// What is asked, and where the answers go.
pub struct Asking<'a, A> {
    /// The queries of the benchmark.
    pub asks: &'a A,
    /// The benchmark's name in files of answers.
    pub benchmark: &'a str,
    /// Whether a file says what was asked, as no later program may know these queries.
    pub tells: bool,
    /// The database.
    pub target: &'a Database,
    /// Those that are asked.
    pub queries: &'a [&'static Query],
    /// The folder of the answers' files.
    pub answers_out: Option<&'a Path>,
}

impl<A: Asks> Asking<'_, A> {
    /// Asks the queries, each with the parameters of a stream's first loop. `also` is done after
    /// each answer. One that fails does not keep the others from being asked.
    ///
    /// # Errors
    /// Fails where the database cannot be asked at all, a file cannot be written, or somebody asks
    /// for the end.
    pub async fn ask(
        &self,
        caller: &dyn Caller,
        mut also: impl AsyncFnMut(&mut AnalyticalSession, &'static Query, &Parameters) -> Result<()>,
    ) -> Result<AskedQueries> {
        let mut session = self.target.analytics()?.session().await?;
        let _watch = CancelOnStop::watch(caller.stop(), &session);
        if let Some(dir) = self.answers_out {
            output::folder(dir)?;
            let file = |query: &&Query| dir.join(AnswerFile::name(query.number));
            self.queries.iter().try_for_each(|query| output::check(&file(query), &ANSWER))?;
        }
        let mut bar = caller.progress("queries", self.queries.len() as u64);
        let mut asked = AskedQueries { of: self.asks.queries().len(), ..AskedQueries::default() };
        let mut gone = false;
        for (n, &query) in (0..).zip(self.queries) {
            if gone {
                asked.left_out.push(query);
                continue;
            }
            bar(n, format!("{} {}", query.name, query.asks).into());
            let parameters = self.asks.parameters(query, 0, 0);
            let end = match self.one(caller, &mut session, (query, &parameters)).await {
                Ok(answered) => {
                    asked.answered.push(answered);
                    also(&mut session, query, &parameters).await
                }
                Err(e) => Err(e),
            };
            match end {
                Ok(()) => {}
                Err(e) if caller.stop().is_set() => return Err(e),
                Err(e) => {
                    caller.say(&format!("{} failed: {e}", query.name));
                    gone = !still_answers(self.target, &e).await;
                    asked.failed.push((query, e));
                }
            }
        }
        Ok(asked)
    }

    /// Asks one, and writes its answer.
    async fn one(
        &self,
        caller: &dyn Caller,
        session: &mut AnalyticalSession,
        (query, parameters): (&'static Query, &Parameters),
    ) -> Result<Answered> {
        let started = Instant::now();
        let answer = self.asks.ask(session, query, parameters).await?;
        let seconds = started.elapsed().as_secs_f64();
        let warnings = session.warnings().to_vec();
        for warning in &warnings {
            caller.say(&format!("{}: the database warns: {warning}", query.name));
        }
        let rows = answer.rows.len();
        if let Some(dir) = self.answers_out {
            let url = self.target.description().url;
            let given = self.asks.given(query, parameters);
            let (of, asked) = ((self.benchmark, &*url), (query, &*given));
            let file = AnswerFile::new(of, asked, answer, seconds);
            let file = if self.tells { file.telling(query) } else { file };
            file.write(&dir.join(AnswerFile::name(query.number)))?;
        }
        Ok(Answered { query, rows, seconds, warnings })
    }
}

/// What became of the queries.
#[derive(Default)]
pub struct AskedQueries {
    /// Those that gave an answer.
    pub answered: Vec<Answered>,
    /// Those that failed, or whose plan could not be had.
    pub failed: Vec<(&'static Query, Error)>,
    /// Those that were not asked since the database had gone away.
    pub left_out: Vec<&'static Query>,
    /// How many the benchmark has.
    of: usize,
}

/// A query that gave an answer.
pub struct Answered {
    /// The query.
    pub query: &'static Query,
    /// Number of rows.
    pub rows: usize,
    /// Its response time.
    pub seconds: f64,
    /// The database's.
    pub warnings: Vec<String>,
}

impl AskedQueries {
    /// How many there were.
    pub fn count(&self) -> usize {
        self.answered.len() + self.failed.len() + self.left_out.len()
    }

    /// The time of all queries that gave an answer, seconds.
    pub fn seconds(&self) -> f64 {
        // A sum of nothing is minus zero.
        self.answered.iter().map(|answered| answered.seconds).fold(0.0, |sum, more| sum + more)
    }

    /// Geometric mean of the times, seconds, where all of the benchmark gave an answer.
    pub fn power(&self) -> Option<f64> {
        (self.answered.len() == self.of).then(|| self.mean()).flatten()
    }

    /// The same of those that gave an answer, where others did not. It does not compare with the
    /// power of all.
    pub fn power_of_others(&self) -> Option<f64> {
        let some_lack = !(self.failed.is_empty() && self.left_out.is_empty());
        some_lack.then(|| self.mean()).flatten()
    }

    fn mean(&self) -> Option<f64> {
        let times: Vec<f64> = self.answered.iter().map(|answered| answered.seconds).collect();
        Score::of(&times, 1).map(|score| score.power_seconds)
    }

    /// The result of the command. `id` is what it calls a query.
    pub fn json(&self, id: impl Fn(&Query) -> Value) -> Value {
        let answered = |a: &Answered| {
            json!({
                "query": id(a.query), "rows": a.rows, "seconds": a.seconds, "warnings": a.warnings,
            })
        };
        let failed = |(query, e): &(&Query, Error)| json!({ "query": id(query), "kind": e.kind.name(), "error": e.to_string() });
        json!({
            "queries": self.answered.iter().map(answered).collect::<Vec<_>>(),
            "failed": self.failed.iter().map(failed).collect::<Vec<_>>(),
            "left_out": self.left_out.iter().map(|query| id(query)).collect::<Vec<_>>(),
            "total_seconds": self.seconds(),
            "power_seconds": self.power(),
            "power_of_others_seconds": self.power_of_others(),
        })
    }
}
