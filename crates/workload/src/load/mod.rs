//! Loading a database: in one part or several, by one client or several, anew or resumed.

mod adopt;
mod begin;
mod crew;
mod division;
mod earlier;
pub mod indexes;
mod maker;
mod pace;
mod removal;
mod search;
mod source;
mod values;
mod what;

use std::time::Instant;

pub use adopt::Adopted;
use adopt::adopt;
use begin::begin;
use crew::{Work, Written};
use division::Division;
use hoap_database::Documents;
use hoap_record::Stored;
use removal::divisible;

use crate::at_work::AtWork;
use crate::note::{self, Note};
use crate::{Error, Result, claim};

pub use begin::difference;
pub use crew::{Progress, Stopping};
pub use pace::Rate;
pub use removal::remove;
pub use search::Clients;
pub use source::{Joined, LoadSource, TypedSource};
pub use values::hand_over;
pub use what::{Existing, Load};

/// The result of a load.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// Documents and bytes that this process wrote.
    pub documents: u64,
    #[allow(missing_docs)]
    pub bytes: u64,
    /// How long it took, seconds, settling included.
    pub seconds: f64,
    /// The clients that wrote at the same time: of a search what it found. 0 where nothing was
    /// left to write.
    pub clients: u64,
    /// Whether all data is loaded; else other parts are missing.
    pub whole: bool,
    /// What was there already and is adopted.
    pub adopted: Option<Adopted>,
    /// What the database stores of it, or why that is not known; `None` where it is not whole.
    pub stored: Option<std::result::Result<StoredLoad, String>>,
}

/// What a database stores of a whole load.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredLoad {
    /// What it stores.
    pub stored: Stored,
    /// The bytes of JSON text of all parts.
    pub json_bytes: u64,
}

/// Loads one part. The database is marked as in use meanwhile.
///
/// # Errors
/// Returns [`ErrorKind::Cancelled`] soon after `stop` returns true; all documents written so far
/// are kept for a resume. [`ErrorKind::Invalid`] where `existing` forbids it,
/// [`ErrorKind::Unavailable`] where somebody else is at work, and what the database answers.
pub async fn load(
    documents: Documents<'_>,
    load: Load,
    stop: Stopping,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<Loaded> {
    let started = Instant::now();
    divisible(documents, load.part)?;
    let clients = allowed(documents, load.clients)?;
    let slices = match (clients, documents.several_writers()) {
        (Clients::Number(n), Ok(())) => Division::slices(&*load.source, load.part, n),
        (Clients::Auto, Ok(())) => Division::slices(&*load.source, load.part, 1),
        (_, Err(_)) => 1,
    };
    let mine = AtWork::new(&load.work());
    let (note, ignored, adopted) = match load.existing {
        Existing::Adopt { whole } => {
            let what = (&load, whole);
            let (note, ignored, adopted) = adopt(documents, what, &mine, &stop, progress).await?;
            (note, ignored, Some(adopted))
        }
        _ => {
            let (note, ignored) = begin(documents, &load, slices, &mine).await?;
            (note, ignored, None)
        }
    };
    ignored.iter().for_each(|words| progress(Progress::NotInUse(words)));
    let division = Division {
        part: load.part,
        slices: note.load.slices,
        range: note.load.ranges.len() as u64 + 1,
    };
    let work = Work { source: load.source, division, stop, rate: load.rate };
    let is_done = note.load.done.contains(&load.part.part);
    let begun = (started, is_done);
    let loaded = tokio::select! {
        biased;
        loaded = load_part(documents, work, clients, begun, progress) => loaded,
        never = claim::renewing(documents, &mine) => match never {},
    };
    let seconds = started.elapsed().as_secs_f64();
    let timed = |note: &mut Note| {
        note.load.seconds += if loaded.is_err() && !is_done { seconds } else { 0.0 };
    };
    let left = claim::leave(documents, &mine, timed).await;
    let loaded = loaded?;
    left.map(|_| Loaded { adopted, ..loaded })
}

/// Writes what is missing of a part that has begun, and settles after the last one.
async fn load_part(
    documents: Documents<'_>,
    work: Work,
    clients: Clients,
    (started, is_done): (Instant, bool),
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<Loaded> {
    let (source, part) = (work.source.clone(), work.division.part.part);
    let names = source.collections();
    let mut written = Written::default();
    if !is_done {
        documents.create(&names).await?;
        written = crew::write(documents, work, clients, progress).await?;
        note::update(documents, |note| {
            if !note.load.done.contains(&part) {
                note.load.done.push(part);
                note.load.documents += written.documents + written.earlier.0;
                note.load.bytes += written.bytes + written.earlier.1;
                note.load.seconds += started.elapsed().as_secs_f64();
                note.load.clients += written.clients;
            }
            Ok(())
        })
        .await?;
    }
    let whole = settle(documents, &*source, progress).await?;
    let seconds = started.elapsed().as_secs_f64();
    let stored = if whole { stored(documents, &names).await? } else { None };
    let Written { documents, bytes, clients, .. } = written;
    Ok(Loaded { documents, bytes, seconds, clients, whole, adopted: None, stored })
}

/// What the database stores, from the note or asked now. It is loaded whether it says so or not.
/// `None` where runs have changed what was loaded.
async fn stored(
    documents: Documents<'_>,
    names: &[&str],
) -> Result<Option<std::result::Result<StoredLoad, String>>> {
    let Some(note) = note::read(documents).await? else { return Ok(None) };
    let json_bytes = note.load.bytes;
    if let Some(stored) = note.load.stored {
        return Ok(Some(Ok(StoredLoad { stored, json_bytes })));
    }
    if note.runs > 0 {
        return Ok(None);
    }
    let stored = match documents.stored(names).await {
        Ok(Ok(stored)) => stored,
        Ok(Err(lacking)) => return Ok(Some(Err(lacking.to_string()))),
        Err(e) => return Ok(Some(Err(e.to_string()))),
    };
    note::update(documents, |note| {
        note.load.stored = Some(stored.clone());
        Ok(())
    })
    .await?;
    Ok(Some(Ok(StoredLoad { stored, json_bytes })))
}

/// The clients that the database allows: one where it has one writer.
fn allowed(documents: Documents<'_>, clients: Clients) -> Result<Clients> {
    match (clients, documents.several_writers()) {
        (Clients::Number(n), Err(e)) if n > 1 => {
            Err(Error::from(e).advise("leave out --load-clients"))
        }
        (_, Err(_)) => Ok(Clients::Number(1)),
        (clients, Ok(())) => Ok(clients),
    }
}

/// Settles where all parts are done, and makes again the indexes that somebody dropped. Returns
/// whether all is loaded.
async fn settle(
    documents: Documents<'_>,
    source: &dyn LoadSource,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<bool> {
    let Some(note) = note::read(documents).await? else { return Ok(false) };
    if (note.load.done.len() as u64) < note.load.of {
        return Ok(false);
    }
    if note.load.settled && is_indexed(documents, source).await? {
        return Ok(true);
    }
    progress(Progress::Settling);
    let started = Instant::now();
    documents.settle(&source.indexes()).await?;
    note::update(documents, |note| {
        if !note.load.settled {
            note.load.settled = true;
            note.load.seconds += started.elapsed().as_secs_f64();
            let before = note.load.ranges.last();
            if let Some(Joined::Together(all)) = before.and_then(|before| source.joins(before)) {
                note.data = all;
            }
        }
        Ok(())
    })
    .await?;
    Ok(true)
}

/// Whether no index is known to be missing.
async fn is_indexed(documents: Documents<'_>, source: &dyn LoadSource) -> Result<bool> {
    let found = indexes::missing(documents, source).await?;
    Ok(found.map_or(true, |(_, missing)| missing.is_empty()))
}
