//! A query client: it runs the 22 queries in the order of its stream, loop after loop.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hoap_database::{AnalyticalSession, Database};
use hoap_drive::{Canceller, Client, Completion, Next, Workload};
use hoap_workload::answers::Query;
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::data::DataSet;
use crate::queries::catalogue::{COUNT, QUERIES};
use crate::queries::{ParameterSet, Parameters, Texts, streams};

/// How often a query is run again that a conflict ended, as a standby ends those that read what it
/// has to replay; and the first pause before, which then grows by as much.
const RETRIES: usize = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// The analytical side of CH2 and CH2++ on one database.
pub struct Streams {
    target: Database,
    shared: Arc<Shared>,
}

struct Shared {
    data: DataSet,
    texts: Texts,
    parameters: ParameterSet,
    /// By query: the number of warnings and the first of them.
    warnings: Mutex<BTreeMap<&'static str, (u64, String)>>,
}

/// Names of the queries in results.
static NAMES: std::sync::LazyLock<[&'static str; COUNT]> =
    std::sync::LazyLock::new(|| std::array::from_fn(|i| QUERIES[i].name));

impl Streams {
    /// The streams of a run. Of random parameters only the seed is used: each stream and each loop
    /// draws its own.
    pub fn new(target: Database, data: DataSet, texts: Texts, parameters: ParameterSet) -> Self {
        let warnings = Mutex::default();
        Streams { target, shared: Arc::new(Shared { data, texts, parameters, warnings }) }
    }

    /// The texts of the queries.
    pub fn texts(&self) -> &Texts {
        &self.shared.texts
    }

    /// The warnings of the database so far, a line for each query.
    pub fn warnings(&self) -> Vec<String> {
        let warnings = self.shared.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        let line = |(query, (count, first)): (&&str, &(u64, String))| {
            format!("{query}: the database warned {}: {first}", counted(*count, "time", "times"))
        };
        warnings.iter().map(line).collect()
    }
}

impl Workload for Streams {
    type Client = Stream;

    fn kinds(&self) -> Vec<&str> {
        NAMES.to_vec()
    }

    fn loop_length(&self) -> Option<usize> {
        Some(COUNT)
    }

    fn blocking(&self) -> bool {
        self.target.blocking()
    }

    /// Client `number` is stream `number` of TPC-H 5.3.5.
    async fn client(&self, number: usize) -> Result<Stream> {
        let session = self.target.analytics()?.session().await?;
        Ok(Stream { session, shared: self.shared.clone(), number, drawn: 0 })
    }
}

/// One query client.
pub struct Stream {
    session: AnalyticalSession,
    shared: Arc<Shared>,
    number: usize,
    /// Queries drawn so far.
    drawn: usize,
}

impl Stream {
    /// Notes the conflicts that the last query was run again after, and its warnings.
    fn note_warnings(&self, query: &'static Query, conflicts: &[String]) {
        let warnings: Vec<&String> = conflicts.iter().chain(self.session.warnings()).collect();
        if let Some(first) = warnings.first() {
            let mut all = self.shared.warnings.lock().unwrap_or_else(PoisonError::into_inner);
            let (count, _) = all.entry(query.name).or_insert_with(|| (0, String::clone(first)));
            *count += warnings.len() as u64;
        }
    }

    /// The query drawn last, with its parameters.
    fn current(&self) -> (&'static Query, Parameters) {
        let last = self.drawn - 1;
        let number = streams::order(self.number)[last % COUNT];
        let query = &QUERIES[usize::from(number) - 1];
        let parameters = match self.shared.parameters {
            ParameterSet::Random { seed, .. } => ParameterSet::Random {
                seed,
                stream: self.number as u64,
                turn: (last / COUNT) as u64,
            },
            fixed => fixed,
        };
        (query, parameters.parameters(self.shared.data.spec(), query))
    }
}

impl Client for Stream {
    type Memory = ();

    fn next(&mut self) -> Next {
        self.drawn += 1;
        let (query, _) = self.current();
        Next::of(usize::from(query.number) - 1)
    }

    async fn run(&mut self) -> Completion {
        let (query, parameters) = self.current();
        let mut conflicts = Vec::new();
        let answer = loop {
            let asked = run_query(&mut self.session, &self.shared.texts, query, &parameters);
            match asked.await {
                Err(e) if e.kind == ErrorKind::Conflict && conflicts.len() < RETRIES => {
                    conflicts.push(format!("it ran again after a conflict: {}", e.answer));
                    tokio::time::sleep(PAUSE * conflicts.len() as u32).await;
                }
                answer => break answer,
            }
        };
        self.note_warnings(query, &conflicts);
        let retries = conflicts.len() as u32;
        Completion { retries, ..Completion::of(answer.map(|answer| answer.rows.len() as u64)) }
    }

    fn canceller(&self) -> Option<Canceller> {
        self.session.canceller()
    }

    fn finish(self) {}
}

/// Runs one query. An answer without the query's columns is an error.
///
/// # Errors
/// Returns the errors of the database, and [`ErrorKind::Broken`] where the answer lacks the columns
/// of the query.
pub async fn run_query(
    session: &mut AnalyticalSession,
    texts: &Texts,
    query: &Query,
    parameters: &[(String, Value)],
) -> Result<hoap_database::Answer> {
    let given = texts.given(query, parameters);
    let answer = session.query(texts.get(query), &given).await;
    let answer = answer.map_err(|e| texts.place(query, e))?;
    if answer.columns.iter().ne(query.columns.iter().map(|c| c.name)) {
        let wanted: Vec<_> = query.columns.iter().map(|c| c.name).collect();
        let came =
            format!("columns {} came back, not {}", answer.columns.join(", "), wanted.join(", "));
        let error = Error::new(ErrorKind::Broken, format!("run {}", query.name), came);
        return Err(texts.place(query, error.advise("mend the query text")));
    }
    Ok(answer)
}
