//! `hoap load`: a benchmark's documents into a database.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use hoap_database::Documents;
use hoap_record::{Description, Ingestion};
use hoap_workload::load::{self, Clients, Existing, Load, LoadSource, Loaded, Progress, Rate};
use hoap_workload::words::counted;
use hoap_workload::{Local, Result};

use crate::caller::Caller;
use crate::size::Size;
use crate::values::{LoadClients, LoadRate, PartArg};

/// Where a load goes and what it does about what is there.
#[derive(Debug, Args)]
pub struct Loading {
    /// The database, such as sqlite:bench.db; given more than once, each is loaded
    #[arg(long, alias = "operational", value_name = "URL")]
    pub target: String,
    /// Load the I-th of N parts; the last one to finish makes the indexes. auto/N takes I from a
    /// scheduler's environment, and goes on with a part that was interrupted
    #[arg(long, value_name = "I/N", default_value_t = PartArg::WHOLE)]
    pub part: PartArg,
    /// Clients that write the part at the same time, each with a connection of its own; auto finds
    /// in the first seconds how many help. --resume may name another number
    #[arg(long, value_name = "N|auto", default_value_t = LoadClients::AUTO)]
    pub load_clients: LoadClients,
    /// The most that is written a second, by all of these clients together: documents, such as 5k,
    /// or bytes, such as 10MB
    #[arg(long, value_name = "N|SIZE")]
    pub rate: Option<LoadRate>,
    /// Remove first what an earlier load of hoap made there, and nothing else
    #[arg(long, conflicts_with = "resume")]
    pub replace: bool,
    /// Finish a load that was interrupted, and make indexes that are missing
    #[arg(long)]
    pub resume: bool,
    /// Load nothing: check what another program imported, make the indexes, and write the note by
    /// which it is used; from then on it is hoap's, and --replace removes it
    #[arg(long, conflicts_with_all = ["replace", "resume", "part"])]
    pub adopt: bool,
    /// What --adopt compares beside the counts: a thousand documents of each collection, or all
    #[arg(long, value_name = "HOW", default_value = "sample", requires = "adopt")]
    pub check: AdoptCheck,
    /// Write although another hoap that writes uses the database
    #[arg(long)]
    pub beside_others: bool,
}

/// How much of what is adopted is compared with what a load makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum AdoptCheck {
    Sample,
    Full,
}

impl Loading {
    /// Who loads, and how fast at most.
    pub fn pace(&self) -> Pace {
        (self.load_clients.0, self.rate.map(|rate| rate.0))
    }

    /// What is to be done where data exists already.
    fn existing(&self) -> Existing {
        // What a scheduler starts it may start again.
        let resume = self.resume || self.part.from.is_some();
        match (self.replace, self.adopt, resume) {
            (true, ..) => Existing::Replace,
            (_, true, _) => Existing::Adopt { whole: self.check == AdoptCheck::Full },
            (.., true) => Existing::Resume,
            _ => Existing::Refuse,
        }
    }

    fn what(&self, source: Arc<dyn LoadSource>, existing: Existing) -> Load {
        Load {
            source,
            part: self.part.part,
            existing,
            clients: self.load_clients.0,
            rate: self.rate.map(|rate| rate.0),
            again: self.part.from.is_some(),
            beside_others: self.beside_others,
        }
    }
}

/// Who loads, and how fast at most.
pub type Pace = (Clients, Option<Rate>);

/// A load that was asked for, whatever the documents.
pub trait AskedLoad: fmt::Debug {
    /// Where it goes, and how.
    fn loading(&self) -> &Loading;

    /// The documents.
    ///
    /// # Errors
    /// Fails if the flags make no data set.
    fn source(&self) -> Result<Arc<dyn LoadSource>>;

    /// What the documents are, in lines for `--dry-run`, if the flags do not say it.
    ///
    /// # Errors
    /// Fails if the flags make no data set.
    fn told(&self) -> Result<Option<String>>;

    /// Who loads and how fast. `say` is told what is left to a default, and what has no effect.
    ///
    /// # Errors
    /// Fails if the flags make no data set.
    fn pace(&self, documents: Documents<'_>, say: &dyn Fn(&str)) -> Result<Pace>;

    /// What watches the load beside it.
    fn watch<'a>(&'a self, begins: Begins<'a>) -> Local<'a, Result<Option<Box<dyn Watch>>>>;
}

/// A load that is about to begin.
pub struct Begins<'a> {
    /// Who asked.
    pub caller: &'a dyn Caller,
    /// The URL of the database.
    pub target: &'a str,
    /// The database.
    pub documents: Documents<'a>,
    /// What will be done.
    pub what: Load,
}

/// What goes on beside a load and ends after it: another database takes the documents in.
pub trait Watch: Send + Sync {
    /// The last document is acknowledged.
    fn written(&self);

    /// After a whole load: what was seen, if there was anything to see.
    fn end<'a>(
        self: Box<Self>,
        caller: &'a dyn Caller,
        documents: Documents<'a>,
    ) -> Local<'a, Result<Option<Ingestion>>>;
}

/// What a load did.
pub struct Done {
    /// What this process wrote.
    pub loaded: Loaded,
    /// The database.
    pub target: Description,
    /// How the analytical database took it in, where that was measured.
    pub ingestion: Option<Ingestion>,
}

/// Loads, and tells how far it is. With an analytical database it waits until that has taken in
/// what was loaded; the load is whole before that wait.
///
/// # Errors
/// Fails where the flags make no data set. Returns the errors of [`load::load`] and those of
/// what watches it, which name the database.
pub fn load<'a>(caller: &'a dyn Caller, asked: &'a dyn AskedLoad) -> Local<'a, Result<Done>> {
    Box::pin(async move {
        let (source, loading) = (asked.source()?, asked.loading());
        let target = hoap_databases::open(&loading.target).await?;
        let documents = target.documents()?;
        let mut existing = loading.existing();
        let size = Size::of(&*source, loading.part.part);
        if !loading.adopt {
            caller.loads(&size);
        }
        // How much earlier processes wrote is known in documents alone.
        let by_bytes = existing != Existing::Resume;
        if let Some(chosen) = loading.part.chosen() {
            caller.say(&chosen);
        }
        let (clients, rate) = asked.pace(documents, &|line| caller.say(line))?;
        let what = Load { clients, rate, ..loading.what(source.clone(), existing) };
        let watch =
            asked.watch(Begins { caller, target: &loading.target, documents, what }).await?;
        if watch.is_some() && existing == Existing::Replace {
            // What is watched was removed, so that the other database is empty too.
            existing = Existing::Refuse;
        }
        let started = Instant::now();
        let mut shown = None;
        let mut progress = |progress: Progress<'_>| match progress {
            Progress::Written { collection, documents, of, bytes, clients } => {
                let rate = bytes as f64 / 1e6 / started.elapsed().as_secs_f64().max(1e-3);
                // Documents differ in size, so that bytes are the better measure of time.
                let (done, of) = if by_bytes { (bytes, size.bytes) } else { (documents, of) };
                let bar = shown.get_or_insert_with(|| caller.progress("load", of));
                let clients = counted(clients, "client", "clients");
                bar(done, format!("{rate:.0} MB/s, {clients}, {collection}").into());
            }
            Progress::Read { collection, documents, of } => {
                let bar = shown.get_or_insert_with(|| caller.progress("adopt", of));
                bar(documents, collection.to_owned().into());
            }
            Progress::NotInUse(words) => caller.say(words),
            Progress::Settling => {
                if let Some(watch) = &watch {
                    watch.written();
                }
                shown = None;
                caller.say("making indexes, gathering statistics, syncing to disk");
            }
        };
        let what = Load { clients, rate, ..loading.what(source, existing) };
        let stop = caller.stop().clone();
        let stop = Arc::new(move || stop.is_set());
        let loaded = load::load(documents, what, stop, &mut progress).await;
        let target = target.description();
        let at = if loading.adopt { "of" } else { "into" };
        let loaded = loaded.map_err(|mut e| {
            if !e.tried.contains(&target.url) {
                e.tried = format!("{} {at} {}", e.tried, target.url);
            }
            e
        })?;
        let ingestion = match watch {
            Some(watch) if loaded.whole => watch.end(caller, documents).await?,
            Some(_) => {
                caller
                    .say("other parts are missing: the part that ends the load measures ingestion");
                None
            }
            None => None,
        };
        Ok(Done { loaded, target, ingestion })
    })
}
