//! Ingestion: the meter beside a load, and the wait for the database that follows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use hoap_conduct::caller::Caller;
use hoap_conduct::load::{Begins, Watch};
use hoap_database::Documents;
use hoap_record::{Ingestion, Time};
use hoap_workload::load::{self, Existing};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Local, Result, note};
use tokio::task::JoinHandle;

use crate::data::DataSet;
use crate::ingestion::{Meter, Progress};

/// How often a wait looks whether it is stopped.
const GLANCE: Duration = Duration::from_millis(50);
/// How long a count that runs has to end once the wait is stopped.
const TO_CANCEL: Duration = Duration::from_secs(1);

/// The database that follows the loaded one.
#[derive(Debug, Args)]
pub struct Following {
    /// The database of the queries, if it is another one that follows: its documents are counted
    /// until it has taken in all that is loaded
    #[arg(long, value_name = "URL", conflicts_with = "adopt")]
    pub analytical: Option<String>,
    /// How long the database of the queries may take, after the load, to take it in
    #[arg(long, value_name = "TIME", default_value = "1h")]
    pub catch_up_limit: Time,
}

impl Following {
    /// Whether there is a second database; tells where it is named and is the first.
    pub(crate) fn is_another(&self, caller: &dyn Caller, target: &str) -> bool {
        let one = self.analytical.as_deref() == Some(target);
        if one {
            caller.say("--analytical names the database that is loaded: no ingestion to measure");
        }
        self.analytical.is_some() && !one
    }
}

/// A meter that counts beside a load. Counting ends where this is dropped.
pub(crate) struct IngestionWatch {
    url: String,
    documents: u64,
    progress: Arc<Progress>,
    meter: JoinHandle<Result<Ingestion>>,
}

impl IngestionWatch {
    /// Before a load: removes what it replaces, waits until the analytical database is empty too,
    /// and begins to count. What is not empty is refused, unless the load goes on with an earlier
    /// one or is one of several parts.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where the analytical database holds documents that the
    /// operational one does not, or writing runs have changed the data, and the databases' errors.
    pub async fn begin(data: &DataSet, following: &Following, begins: Begins<'_>) -> Result<Self> {
        let Begins { caller, documents, what, .. } = begins;
        let limit = following.catch_up_limit.0;
        let target = hoap_databases::open(following.analytical.as_deref().unwrap_or_default());
        let target = target.await?;
        let url = target.description().url;
        let tried = format!("measure how {url} takes in the load");
        let refuse = |answer: String, advice: &str| {
            Err(Error::new(ErrorKind::Invalid, tried.clone(), answer).advise(advice))
        };
        let resume = what.existing == Existing::Resume;
        let progress = Arc::new(Progress::default());
        let mut meter = Meter::new(target, data, progress.clone())?;
        let replace = what.existing == Existing::Replace;
        // What is replaced may have a note that cannot be read.
        let loaded = if replace { None } else { note::read(documents).await? };
        if let Some(note) = loaded.as_ref().filter(|note| resume && note.runs > 0) {
            let runs = counted(note.runs, "run has", "runs have");
            return refuse(
                format!("{runs} changed the data since the load"),
                "load it anew with --replace",
            );
        }
        // Before anything is removed: that it can be counted at all.
        let counting = tokio::spawn(async move { Ok((meter.begin().await?, meter)) });
        let (mut there, mut meter) = attended(caller, &progress, counting, || ()).await?;
        if replace {
            let ignored = load::remove(documents, &what).await?;
            ignored.iter().for_each(|words| caller.say(words));
            caller.say(&format!("waiting until {url} is empty"));
            let counting = tokio::spawn(async move { meter.emptied(limit).await.map(|()| meter) });
            (there, meter) = (0, attended(caller, &progress, counting, || ()).await?);
        }
        if there > 0 && loaded.is_none() {
            let answer = format!("{}, and the operational database nothing", meter.held());
            return refuse(answer, "empty it, or name a database that follows the operational one");
        }
        let whole = loaded.as_ref().is_some_and(|note| note.load.settled);
        if whole || there > 0 {
            let whole = if whole { "the load is whole already; " } else { "" };
            let there = counted(there, "document", "documents");
            caller.say(&format!("{whole}{url} holds {there} already: what is left is measured"));
        }
        let documents = crate::data::Collection::ALL.iter().map(|c| data.count(*c)).sum();
        let meter = tokio::spawn(meter.finish(limit));
        Ok(IngestionWatch { url, documents, progress, meter })
    }
}

impl Watch for IngestionWatch {
    fn written(&self) {
        self.progress.written();
    }

    /// Waits until the analytical database holds all of the load, and writes the result into the
    /// note. `None` if it held everything from the beginning.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] if it does not within the limit, [`ErrorKind::Invalid`]
    /// if it holds other data, [`ErrorKind::Cancelled`] within two seconds after the caller's stop
    /// is set.
    fn end<'a>(
        mut self: Box<Self>,
        caller: &'a dyn Caller,
        documents: Documents<'a>,
    ) -> Local<'a, Result<Option<Ingestion>>> {
        Box::pin(async move {
            let url = &self.url;
            let Some(note) = note::read(documents).await? else {
                let tried = format!("measure how {url} takes in the load");
                return Err(Error::new(
                    ErrorKind::Missing,
                    tried,
                    "somebody removed the note meanwhile",
                ));
            };
            self.progress.settled(note);
            caller.say(&format!("loaded; waiting until {url} holds all of it"));
            let (mut bar, progress) =
                (caller.progress("ingestion", self.documents), &self.progress);
            let tell = || bar(progress.seen(), "documents counted".into());
            let ingestion = attended(caller, progress, &mut self.meter, tell).await?;
            if ingestion.came_in() == 0 {
                caller.say(&format!(
                    "{url} held everything already: there was no ingestion to measure"
                ));
                return Ok(None);
            }
            note::update(documents, |note| {
                note.load.ingestion = Some(ingestion.clone());
                Ok(())
            })
            .await?;
            Ok(Some(ingestion))
        })
    }
}

impl Drop for IngestionWatch {
    fn drop(&mut self) {
        self.progress.end();
        self.meter.abort();
    }
}

/// Waits for a meter's work until the caller is stopped.
async fn attended<T>(
    caller: &dyn Caller,
    progress: &Progress,
    mut work: impl Future<Output = std::result::Result<Result<T>, tokio::task::JoinError>> + Unpin,
    mut tell: impl FnMut(),
) -> Result<T> {
    let mut stopped: Option<Instant> = None;
    loop {
        match tokio::time::timeout(GLANCE, &mut work).await {
            Ok(Ok(done)) => return done,
            Ok(Err(e)) => match e.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => return Err(interrupted()),
            },
            Err(_) if stopped.is_some_and(|since| since.elapsed() >= TO_CANCEL) => {
                return Err(interrupted());
            }
            Err(_) => tell(),
        }
        if caller.stop().is_set() {
            stopped.get_or_insert_with(Instant::now);
            progress.end();
        }
    }
}

fn interrupted() -> Error {
    Error::new(ErrorKind::Cancelled, "count what the analytical database holds", "interrupted")
}
