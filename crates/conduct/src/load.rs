//! `hoap load`: a benchmark's documents into a database.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use hoap_data::{DataSet, Part, Schema};
use hoap_database::Documents;
use hoap_record::{Description, Ingestion};
use hoap_workload::load::{self, Clients, Existing, Load, LoadSource, Loaded, Progress, Rate};
use hoap_workload::words::counted;
use hoap_workload::{Local, Result};

use crate::caller::Caller;
use crate::data::{Data, Records, ShopArgs};
use crate::ingestion::{Following, IngestionWatch};
use crate::values::{LoadClients, LoadRate, PartArg};

/// The data of a benchmark, and where it goes.
#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
pub enum LoadBenchmark {
    /// CH2, the first version: flat names and addresses
    Ch2(LoadPair),
    /// CH2++: nested documents, arrays, extra fields
    Ch2pp(LoadPair),
    /// The records of YCSB
    Ycsb(LoadOf<Records>),
    /// The customers and orders of Pagination and JOIN
    Shop(LoadOf<ShopArgs>),
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct LoadOf<D: Args> {
    #[command(flatten)]
    pub data: D,
    #[command(flatten)]
    pub loading: Loading,
}

/// The data of CH2 or CH2++, and the databases that take it in.
#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct LoadPair {
    #[command(flatten)]
    pub data: Data,
    #[command(flatten)]
    pub loading: Loading,
    #[command(flatten)]
    pub following: Following,
}

/// Who loads, and how fast at most.
type Pace = (Clients, Option<Rate>);

/// Where a load goes and what it does about what is there.
#[derive(Debug, Args)]
pub struct Loading {
    /// The database, such as sqlite:bench.db
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
    /// Finish a load that was interrupted
    #[arg(long)]
    pub resume: bool,
    /// Write although another hoap that writes uses the database
    #[arg(long)]
    pub beside_others: bool,
}

impl Loading {
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

impl LoadBenchmark {
    /// What would be loaded, of all parts or the one that is named.
    ///
    /// # Errors
    /// Fails where the flags make no data set.
    pub fn size(&self) -> Result<Size> {
        let (source, loading) = self.source()?;
        Ok(Size::of(&*source, loading.part.part))
    }

    /// Where it goes.
    pub fn target(&self) -> &str {
        match self {
            LoadBenchmark::Ch2(of) | LoadBenchmark::Ch2pp(of) => &of.loading.target,
            LoadBenchmark::Ycsb(of) => &of.loading.target,
            LoadBenchmark::Shop(of) => &of.loading.target,
        }
    }

    /// Who loads and how fast, by the flags or else by YCSB's properties. `say` is told what these
    /// leave to a default, and what has no effect.
    fn pace(&self, documents: Documents<'_>, say: impl Fn(&str)) -> Result<Pace> {
        let LoadBenchmark::Ycsb(LoadOf { data, loading }) = self else {
            let (_, loading) = self.source()?;
            return Ok((loading.load_clients.0, loading.rate.map(|rate| rate.0)));
        };
        let setup = data.setup()?;
        if setup.record_count.is_none() && setup.insert_count.is_none() {
            let records = setup.records.count;
            say(&format!("loading {records} records: -p recordcount=N loads another number"));
        }
        let mut clients = loading.load_clients.0;
        if let (Clients::Auto, Some(n)) = (clients, setup.clients) {
            match documents.several_writers() {
                Ok(()) => clients = Clients::Number(n.into()),
                Err(because) => say(&format!("property threadcount has no effect: {because}")),
            }
        }
        for (name, given, because) in [
            ("maxexecutiontime", setup.duration.is_some(), "it ends when all records are there"),
            ("exportfile", setup.export_file.is_some(), "a run alone has what YCSB prints"),
        ] {
            if given {
                say(&format!("property {name} has no effect on a load: {because}"));
            }
        }
        setup.without_effect.iter().for_each(|remark| say(remark));
        let rate = loading.rate.map(|rate| rate.0).or(setup.rate.map(Rate::Documents));
        Ok((clients, rate))
    }

    /// The data set of CH2 or CH2++, and the database that follows the loaded one.
    fn pair(&self) -> Result<Option<(DataSet, &Following)>> {
        let (of, schema) = match self {
            LoadBenchmark::Ch2(of) => (of, Schema::Ch2),
            LoadBenchmark::Ch2pp(of) => (of, Schema::Ch2pp),
            LoadBenchmark::Ycsb(_) | LoadBenchmark::Shop(_) => return Ok(None),
        };
        Ok(Some((of.data.data_set(schema)?, &of.following)))
    }

    /// The documents that the flags describe, and where they go.
    fn source(&self) -> Result<(Arc<dyn LoadSource>, &Loading)> {
        Ok(match self {
            LoadBenchmark::Ch2(of) => (Arc::new(of.data.data_set(Schema::Ch2)?), &of.loading),
            LoadBenchmark::Ch2pp(of) => (Arc::new(of.data.data_set(Schema::Ch2pp)?), &of.loading),
            LoadBenchmark::Ycsb(of) => (Arc::new(of.data.table()?), &of.loading),
            LoadBenchmark::Shop(of) => (Arc::new(of.data.data_set()?), &of.loading),
        })
    }
}

/// How much data there is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Documents.
    pub documents: u64,
    /// About how many bytes they are as JSON.
    pub bytes: u64,
    /// About how long one core takes to make them.
    pub making: Duration,
}

impl Size {
    /// The size of a part of these documents: some of each collection are made.
    pub fn of(source: &dyn LoadSource, part: Part) -> Size {
        const MADE: u64 = 500;
        let mut size = Size::default();
        let (mut key, mut text) = (String::new(), Vec::new());
        for at in 0..source.collections().len() {
            let all = source.part(at, part.part, part.of);
            let count = all.end - all.start;
            let made = count.min(MADE);
            text.clear();
            let begun = Instant::now();
            for n in 0..made {
                source.append(at, all.start + count / made * n, &mut key, &mut text);
            }
            let times = count as f64 / made.max(1) as f64;
            size.making += begun.elapsed().mul_f64(times);
            size.documents += count;
            size.bytes += (text.len() as f64 * times) as u64;
        }
        size
    }
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
/// [`IngestionWatch`], which name the database.
pub fn load<'a>(caller: &'a dyn Caller, benchmark: &'a LoadBenchmark) -> Local<'a, Result<Done>> {
    Box::pin(async move {
        let (source, loading) = benchmark.source()?;
        let target = hoap_databases::open(&loading.target).await?;
        let documents = target.documents()?;
        // What a scheduler starts it may start again.
        let mut existing = match (loading.replace, loading.resume || loading.part.from.is_some()) {
            (true, _) => Existing::Replace,
            (_, true) => Existing::Resume,
            _ => Existing::Refuse,
        };
        if let Some(chosen) = loading.part.chosen() {
            caller.say(&chosen);
        }
        let (clients, rate) = benchmark.pace(documents, |line| caller.say(line))?;
        let watch = match benchmark.pair()? {
            Some((data, following)) if following.is_another(caller, &loading.target) => {
                let what = Load { clients, rate, ..loading.what(source.clone(), existing) };
                let watch =
                    IngestionWatch::begin(caller, &data, following, documents, what).await?;
                if existing == Existing::Replace {
                    existing = Existing::Refuse;
                }
                Some(watch)
            }
            _ => None,
        };
        let started = Instant::now();
        let mut shown = None;
        let mut progress = |progress: Progress<'_>| match progress {
            Progress::Written { collection, documents, of, bytes, clients } => {
                let rate = bytes as f64 / 1e6 / started.elapsed().as_secs_f64().max(1e-3);
                let bar = shown.get_or_insert_with(|| caller.progress("load", of));
                let clients = counted(clients, "client", "clients");
                bar(documents, format!("{rate:.0} MB/s, {clients}, {collection}").into());
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
        let loaded = loaded.map_err(|mut e| {
            if !e.tried.contains(&target.url) {
                e.tried = format!("{} into {}", e.tried, target.url);
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
