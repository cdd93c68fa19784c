//! A query client: it runs the queries in the order of its stream, loop after loop.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hoap_database::{AnalyticalSession, Database};
use hoap_drive::{Canceller, Client, Completion, Next, Workload};
use hoap_workload::answers::Query;
use hoap_workload::words::counted;
use hoap_workload::{ErrorKind, Result};

use super::asks::{Asks, Parameters};

/// How often a query is run again that a conflict ended, as a standby ends those that read what it
/// has to replay; and the first pause before, which then grows by as much.
const RETRIES: usize = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// The query clients of a benchmark on one database.
pub struct Streams<A> {
    target: Database,
    shared: Arc<Shared<A>>,
}

struct Shared<A> {
    asks: A,
    /// By query: the number of warnings and the first of them.
    warnings: Mutex<BTreeMap<&'static str, (u64, String)>>,
}

impl<A: Asks> Streams<A> {
    /// The streams of a run.
    pub fn new(target: Database, asks: A) -> Self {
        Streams { target, shared: Arc::new(Shared { asks, warnings: Mutex::default() }) }
    }

    /// What they ask.
    pub fn asks(&self) -> &A {
        &self.shared.asks
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

impl<A: Asks> Workload for Streams<A> {
    type Client = Stream<A>;

    fn kinds(&self) -> Vec<&str> {
        self.shared.asks.queries().iter().map(|query| query.name).collect()
    }

    fn loop_length(&self) -> Option<usize> {
        Some(self.shared.asks.queries().len())
    }

    fn blocking(&self) -> bool {
        self.target.blocking()
    }

    async fn client(&self, number: usize) -> Result<Stream<A>> {
        let session = self.target.analytics()?.session().await?;
        Ok(Stream { session, shared: self.shared.clone(), number, drawn: 0 })
    }
}

/// One query client.
pub struct Stream<A> {
    session: AnalyticalSession,
    shared: Arc<Shared<A>>,
    number: usize,
    /// Queries drawn so far.
    drawn: usize,
}

impl<A: Asks> Stream<A> {
    /// Notes the conflicts that the last query was run again after, and its warnings.
    fn note_warnings(&self, query: &'static Query, conflicts: &[String]) {
        let warnings: Vec<&String> = conflicts.iter().chain(self.session.warnings()).collect();
        if let Some(first) = warnings.first() {
            let mut all = self.shared.warnings.lock().unwrap_or_else(PoisonError::into_inner);
            let (count, _) = all.entry(query.name).or_insert_with(|| (0, String::clone(first)));
            *count += warnings.len() as u64;
        }
    }

    /// The place of the query drawn last.
    fn place(&self) -> usize {
        let asks = &self.shared.asks;
        asks.nth(self.number, (self.drawn - 1) % asks.queries().len())
    }

    /// That query with its parameters.
    fn current(&self) -> (&'static Query, Parameters) {
        let asks = &self.shared.asks;
        let (all, last) = (asks.queries(), self.drawn - 1);
        let query = &all[self.place()];
        (query, asks.parameters(query, self.number, last / all.len()))
    }
}

impl<A: Asks> Client for Stream<A> {
    type Memory = ();

    fn next(&mut self) -> Next {
        self.drawn += 1;
        Next::of(self.place())
    }

    async fn run(&mut self) -> Completion {
        let (query, parameters) = self.current();
        let mut conflicts = Vec::new();
        let answer = loop {
            match self.shared.asks.ask(&mut self.session, query, &parameters).await {
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
