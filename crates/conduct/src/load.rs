//! `hoap load`: a benchmark's documents into a database.

use std::time::Instant;

use clap::{Args, Subcommand};
use hoap_data::Schema;
use hoap_record::Description;
use hoap_workload::load::{self, Existing, Load, Loaded, Progress, Source};
use hoap_workload::{Error, Result};

use crate::caller::Caller;
use crate::data::{Data, Records, ShopArgs};
use crate::values::PartArg;

/// The data of a benchmark, and where it goes.
#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
pub enum LoadBenchmark {
    /// CH2, the first version: flat names and addresses
    Ch2(LoadOf<Data>),
    /// CH2++: nested documents, arrays, extra fields
    Ch2pp(LoadOf<Data>),
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

/// Where a load goes and what it does about what is there.
#[derive(Debug, Args)]
pub struct Loading {
    /// The database, such as sqlite:bench.db
    #[arg(long, value_name = "URL")]
    pub target: String,
    /// Load the I-th of N parts; the last one to finish makes the indexes. auto/N takes I from a
    /// scheduler's environment, and goes on with a part that was interrupted
    #[arg(long, value_name = "I/N", default_value_t = PartArg::WHOLE)]
    pub part: PartArg,
    /// Remove what is there first
    #[arg(long, conflicts_with = "resume")]
    pub replace: bool,
    /// Finish a load that was interrupted
    #[arg(long)]
    pub resume: bool,
}

impl LoadBenchmark {
    /// How many documents these are, and about how many bytes as JSON: a few of each collection are
    /// made.
    ///
    /// # Errors
    /// Fails where the flags make no data set.
    pub fn size(&self) -> Result<(u64, u64)> {
        const MADE: u64 = 32;
        let (source, _) = self.source()?;
        let (mut documents, mut bytes) = (0, 0);
        let (mut key, mut text) = (String::new(), Vec::new());
        for at in 0..source.collections().len() {
            let all = source.part(at, 1, 1);
            let count = all.end - all.start;
            let made = count.min(MADE);
            text.clear();
            for n in 0..made {
                source.append(at, all.start + count / made * n, &mut key, &mut text);
            }
            documents += count;
            bytes += (text.len() as u128 * u128::from(count) / u128::from(made.max(1))) as u64;
        }
        Ok((documents, bytes))
    }

    /// The documents that the flags describe, and where they go.
    fn source(&self) -> Result<(Box<dyn Source>, &Loading)> {
        Ok(match self {
            LoadBenchmark::Ch2(of) => (Box::new(of.data.data_set(Schema::Ch2)?), &of.loading),
            LoadBenchmark::Ch2pp(of) => (Box::new(of.data.data_set(Schema::Ch2pp)?), &of.loading),
            LoadBenchmark::Ycsb(of) => (Box::new(of.data.table()?), &of.loading),
            LoadBenchmark::Shop(of) => (Box::new(of.data.data_set()?), &of.loading),
        })
    }
}

/// Loads, and tells how far it is.
///
/// # Errors
/// Fails where the flags make no data set. Returns the errors of [`load::load`], which name the
/// database.
pub async fn load(caller: &dyn Caller, benchmark: &LoadBenchmark) -> Result<(Loaded, Description)> {
    let (source, loading) = benchmark.source()?;
    let target = hoap_databases::open(&loading.target).await?;
    let started = Instant::now();
    let mut shown = None;
    let mut progress = |progress: Progress<'_>| match progress {
        Progress::Written { collection, documents, of, bytes } => {
            let rate = bytes as f64 / 1e6 / started.elapsed().as_secs_f64().max(1e-3);
            let bar = shown.get_or_insert_with(|| caller.progress("load", of));
            bar(documents, format!("{rate:.0} MB/s, {collection}").into());
        }
        Progress::Settling => {
            shown = None;
            caller.say("making indexes, gathering statistics, syncing to disk");
        }
    };
    // What a scheduler starts it may start again.
    let existing = match (loading.replace, loading.resume || loading.part.from.is_some()) {
        (true, _) => Existing::Replace,
        (_, true) => Existing::Resume,
        _ => Existing::Refuse,
    };
    if let Some(chosen) = loading.part.chosen() {
        caller.say(&chosen);
    }
    let what = Load { source: &*source, part: loading.part.part, existing };
    let stop = || caller.stop().is_set();
    let loaded = load::load(target.documents()?, what, &stop, &mut progress).await;
    let description = target.description();
    let loaded = loaded.map_err(|e| match e.tried.contains(&description.url) {
        true => e,
        false => Error { tried: format!("{} into {}", e.tried, description.url), ..e },
    })?;
    Ok((loaded, description))
}
