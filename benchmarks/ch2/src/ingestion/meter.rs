//! Counting the documents of the analytical database until none is missing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hoap_database::{AnalyticalSession, Answer, Database};
use hoap_record::Ingestion;
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result, note};
use serde_json::Value;

use super::Progress;
use super::outcome::{Count, Moments, outcome};
use crate::data::{Collection, DataSet};
use crate::freshness::{self, Held};
use crate::queries::texts;

/// Counts of no length are as far apart.
const LEAST_REST: Duration = Duration::from_millis(250);
/// A count is followed by a rest of this many times its length.
const RESTS: u32 = 10;
/// Counts are no farther apart than this part of the time that they measure.
const RESOLVED: u32 = 25;
/// How often a resting meter looks at what the load tells.
const GLANCE: Duration = Duration::from_millis(20);

/// Counts the documents of the analytical database.
pub struct Meter {
    target: Database,
    url: String,
    text: &'static str,
    /// Each collection with its documents.
    wanted: Vec<(&'static str, u64)>,
    progress: Arc<Progress>,
    session: Option<AnalyticalSession>,
    /// Those that were answered.
    counts: Vec<Count>,
    /// What each of `wanted` had at the last of them.
    found: Vec<u64>,
    /// When the last of them began.
    last: Instant,
    /// How long the last count took, answered or not.
    took: Duration,
    /// The error of the last count, if it failed.
    failed: Option<Error>,
}

impl Meter {
    /// A meter of this data in the analytical database.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where the database has no queries, and
    /// [`ErrorKind::Invalid`] where there is no text for its dialect.
    pub fn new(target: Database, data: &DataSet, progress: Arc<Progress>) -> Result<Self> {
        let text = texts::count(data.spec().schema, target.analytics()?.dialect())?;
        let wanted = Collection::ALL.iter().map(|c| (c.name(), data.count(*c)));
        let wanted: Vec<_> = wanted.collect();
        Ok(Meter {
            url: target.description().url,
            target,
            text,
            found: vec![0; wanted.len()],
            wanted,
            progress,
            session: None,
            counts: Vec::new(),
            last: Instant::now(),
            took: Duration::ZERO,
            failed: None,
        })
    }

    /// Counts what the database holds before the load. The time of [`Meter::finish`] begins here.
    ///
    /// # Errors
    /// Returns the errors of the database.
    pub async fn begin(&mut self) -> Result<u64> {
        self.counts.clear();
        self.look().await?;
        match self.failed.take() {
            Some(e) => Err(e),
            None => Ok(self.seen()),
        }
    }

    /// Counts until the database is empty, as that of a load that removed everything becomes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it is not within the limit, and
    /// [`ErrorKind::Cancelled`] where the load has ended.
    pub async fn emptied(&mut self, limit: Duration) -> Result<()> {
        let start = Instant::now();
        while self.begin().await? > 0 {
            if start.elapsed() >= limit {
                let answer = format!("not within {} s: {}", limit.as_secs_f64(), self.held());
                return Err(Error::new(
                    ErrorKind::Unavailable,
                    format!("wait for {} to remove what the load replaces", self.url),
                    answer,
                )
                .advise(FOLLOW));
            }
            self.rest().await?;
        }
        Ok(())
    }

    /// What the last count saw, in words.
    pub fn held(&self) -> String {
        let held = self.wanted.iter().zip(&self.found).filter(|(_, found)| **found > 0);
        let held: Vec<String> = held.map(|((name, _), n)| format!("{n} of {name}")).collect();
        format!("it holds {}", held.join(", "))
    }

    /// Counts until the database holds all documents, and until its note is that of the same data.
    /// `limit` is the time that it may take once the operational database has settled.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where the database holds other data,
    /// [`ErrorKind::Unavailable`] where it lacks documents at the limit, [`ErrorKind::Cancelled`]
    /// where the load has ended, and the first error that is not one of the moment.
    pub async fn finish(mut self, limit: Duration) -> Result<Ingestion> {
        let progress = self.progress.clone();
        while !self.is_whole() {
            self.rest().await?;
            let before = (self.seen(), self.counts.len());
            self.look().await?;
            self.refuse_more()?;
            let Some((settled, operational)) = progress.settled_at() else { continue };
            let stands_still = self.counts.len() > before.1 && self.seen() == before.0;
            if stands_still && !self.is_whole() && self.target.documents().is_ok() {
                // A note that cannot be read now is read again; one of other data ends the wait.
                let held = freshness::compare(&self.target, operational).await;
                if let Ok(Held::Other(e)) = held {
                    return Err(e);
                }
            }
            if settled.elapsed() >= limit && !self.is_whole() {
                return Err(self.late(limit));
            }
        }
        let (settled, note) = loop {
            match progress.settled_at() {
                Some(settled) => break settled,
                None => self.glance(GLANCE).await?,
            }
        };
        if self.target.documents().is_ok() {
            let left = limit.saturating_sub(settled.elapsed());
            let ended = || progress.has_ended();
            freshness::same_data(&self.target, note, left, &ended).await?;
        }
        let written = progress.written_at().unwrap_or(*settled);
        Ok(Ingestion {
            analytical: self.url.clone(),
            bytes: note.load.bytes,
            ..outcome(&self.counts, &Moments { written, settled: *settled })
        })
    }

    /// Documents that the last count saw.
    fn seen(&self) -> u64 {
        self.found.iter().sum()
    }

    fn is_whole(&self) -> bool {
        self.failed.is_none() && self.wanted.iter().map(|(_, wanted)| wanted).eq(&self.found)
    }

    /// Counts once. What fails for the moment is kept in `failed`.
    async fn look(&mut self) -> Result<()> {
        let at = Instant::now();
        let answer = self.query().await;
        let found = match answer {
            Ok(answer) => self.read(&answer)?,
            Err(e) if e.kind == ErrorKind::Missing => {
                // Collections that follow others are made when the note is read.
                if let Ok(documents) = self.target.documents() {
                    let _ = note::read(documents).await;
                }
                vec![0; self.wanted.len()]
            }
            Err(e) if matches!(e.kind, ErrorKind::Invalid | ErrorKind::Broken) => return Err(e),
            Err(e) => {
                self.session = None;
                self.failed = Some(e);
                self.took = at.elapsed();
                return Ok(());
            }
        };
        (self.took, self.failed, self.found) = (at.elapsed(), None, found);
        self.last = at;
        self.counts.push(Count { at, documents: self.seen() });
        self.progress.see(self.seen());
        Ok(())
    }

    async fn query(&mut self) -> Result<Answer> {
        let session = match &mut self.session {
            Some(session) => session,
            none => {
                let session = none.insert(self.target.analytics()?.session().await?);
                self.progress.cancel_by(session.canceller());
                session
            }
        };
        session.query(self.text, &[]).await
    }

    /// The documents of each collection in an answer; one without a row has none.
    fn read(&self, answer: &Answer) -> Result<Vec<u64>> {
        let mut found = vec![0; self.wanted.len()];
        for row in &answer.rows {
            let read = match row.as_slice() {
                [Value::String(name), n] => {
                    let at = self.wanted.iter().position(|(wanted, _)| wanted == name);
                    at.zip(n.as_u64().or_else(|| n.as_f64().map(|n| n as u64)))
                }
                _ => None,
            };
            let Some((at, n)) = read else {
                let answer = format!("a row is {}", Value::from(row.clone()));
                return Err(Error::new(ErrorKind::Broken, self.tried(), answer));
            };
            found[at] = n;
        }
        Ok(found)
    }

    /// Refuses more documents than the load has: they are not all of it.
    fn refuse_more(&self) -> Result<()> {
        let mut all = self.wanted.iter().zip(&self.found);
        let Some(((name, wanted), found)) = all.find(|((_, wanted), found)| *found > wanted) else {
            return Ok(());
        };
        let answer = format!("{name} has {found} documents, and the load {wanted}");
        Err(Error::new(ErrorKind::Invalid, self.tried(), answer)
            .advise("name a database that follows the operational one and holds nothing else"))
    }

    fn tried(&self) -> String {
        format!("wait for {} to hold what was loaded", self.url)
    }

    /// Rests until the next count, but no longer than until the operational database is whole.
    async fn rest(&mut self) -> Result<()> {
        let start = Instant::now();
        let begun = self.counts.first().map_or(self.last, |first| first.at);
        let begun = self.progress.written_at().unwrap_or(begun);
        let rest = rest(self.took, begun.elapsed());
        while start.elapsed() < rest {
            self.glance(rest.saturating_sub(start.elapsed())).await?;
            let written = self.progress.written_at();
            if self.failed.is_none() && written.is_some_and(|written| written > self.last) {
                break;
            }
        }
        Ok(())
    }

    async fn glance(&mut self, most: Duration) -> Result<()> {
        if self.progress.has_ended() {
            let error = Error::new(ErrorKind::Cancelled, self.tried(), "interrupted");
            return Err(error.advise(LEFT));
        }
        tokio::time::sleep(GLANCE.min(most)).await;
        Ok(())
    }

    /// What is missing at the limit.
    fn late(&self, limit: Duration) -> Error {
        let lacks = self.wanted.iter().zip(&self.found).filter(|((_, wanted), n)| *n < wanted);
        let lacks: Vec<String> = lacks
            .map(|((name, wanted), n)| format!("{name} lacks {} of {wanted}", wanted - n))
            .collect();
        let of = counted(self.wanted.len(), "collection", "collections");
        let mut answer = format!("not within {} s: of {of}", limit.as_secs_f64());
        match lacks.len() {
            1 => answer += &format!(" {}", lacks[0]),
            n => answer += &format!(" {n} lack documents: {}", lacks.join(", ")),
        }
        if let Some(e) = &self.failed {
            answer += &format!("; the last count failed: {}: {}", e.tried, e.answer);
        }
        let error = Error::new(ErrorKind::Unavailable, self.tried(), answer);
        error.advise(format!("{FOLLOW}; {LEFT}"))
    }
}

/// The time from the end of a count that took so long to the next, `begun` after the time that is
/// measured began: ten times as long, so that counting takes an eleventh of a query stream's time.
/// Where that would not tell the end to a twenty-fifth of that time it is less, down to the length of
/// the count.
pub(super) fn rest(took: Duration, begun: Duration) -> Duration {
    let told = (begun / RESOLVED).saturating_sub(took);
    LEAST_REST.max(took * RESTS).min(told).max(took).max(GLANCE)
}

/// What to do where the database does not follow in time.
const FOLLOW: &str =
    "see that it follows the operational database, or allow more with --catch-up-limit";
/// What to do after the wait has ended without a result.
const LEFT: &str = "the operational database is whole: measure what is left with --resume";
