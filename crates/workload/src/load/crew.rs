//! The clients that write the slices of a part, several at a time.
//!
//! A slice is written by a task with a writer of its own, so that clients use all cores. Who calls
//! [`write`] opens the writers, counts, and ends all tasks where one fails. A task that is dropped
//! in the middle of a batch is like a killed process: the slice goes on from its saved progress.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hoap_database::{Batch, BulkWriter, Documents, Texts, Unmade, Values};
use tokio::task::JoinHandle;

use super::division::Division;
use super::earlier::Earlier;
use super::maker::{Limit, Maker, Making, Span};
use super::pace::Rate;
use super::search::{Clients, Sample, Search};
use super::source::{LoadSource, TypedSource};
use crate::words::counted;
use crate::{Error, ErrorKind, Result};

/// How often the progress is told and the number of clients looked at.
const GLANCE: Duration = Duration::from_millis(50);
/// How long the other clients have to end their batches after one has failed.
const TO_END: Duration = Duration::from_secs(5);

/// The progress of a load.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// A mark of somebody at work no longer counts, in words.
    NotInUse(&'a str),
    /// Documents have been read, to be adopted.
    Read {
        /// Their collection.
        collection: &'a str,
        /// How many, of all collections.
        documents: u64,
        /// All that a load makes.
        of: u64,
    },
    /// Documents have been given to the writers.
    Written {
        /// The collection that was written to last.
        collection: &'a str,
        /// Documents of the part written so far, by all clients.
        documents: u64,
        /// All documents of the part.
        of: u64,
        /// Bytes written by this process.
        bytes: u64,
        /// The clients that write now.
        clients: u64,
    },
    /// All documents are written; indexes and durability remain.
    Settling,
}

/// Says when a load shall end before its end. Every client asks before each batch.
pub type Stopping = Arc<dyn Fn() -> bool + Send + Sync>;

/// What is to be written.
pub(super) struct Work {
    pub source: Arc<dyn LoadSource>,
    pub division: Division,
    pub stop: Stopping,
    pub rate: Option<Rate>,
}

/// The amount that this process has written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    pub documents: u64,
    pub bytes: u64,
    pub clients: u64,
    /// What earlier processes wrote of the part: documents, and the bytes that they are.
    pub earlier: (u64, u64),
}

/// What all tasks see.
struct Shared {
    work: Work,
    started: Instant,
    /// Set where one has failed.
    ended: AtomicBool,
    /// How many shall give their slices back.
    leave: AtomicUsize,
    /// The collection written to last.
    at: AtomicUsize,
    /// Documents of the part that are there: found by those that opened a slice, and written.
    there: AtomicU64,
    /// Written by this process.
    documents: AtomicU64,
    bytes: AtomicU64,
    batches: AtomicU64,
    earlier: Earlier,
}

/// How a slice ended.
enum End {
    Whole,
    /// Another client goes on with it.
    GivenBack(u64),
    /// The database gave no writer.
    NotOpened(u64, Error),
}

/// Writes what is missing of a part.
pub(super) async fn write(
    documents: Documents<'_>,
    work: Work,
    clients: Clients,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<Written> {
    let Work { source, division, .. } = &work;
    let (source, division) = (source.clone(), *division);
    let names = source.collections();
    let length = |at| {
        let range = source.part(at, division.part.part, division.part.of);
        range.end - range.start
    };
    let all: u64 = (0..names.len()).map(length).sum();
    let shared = Arc::new(Shared::new(work));
    let mut search = Search::new(clients, division.slices);
    let mut left: VecDeque<u64> = (1..=division.slices).collect();
    let mut under_way = FuturesUnordered::new();
    let (started, mut most) = (Instant::now(), 0);
    let end = loop {
        search.look(shared.sample(started.elapsed()), under_way.len() + left.len());
        while under_way.len() < search.clients()
            && let Some(slice) = left.pop_front()
        {
            under_way.push(load_slice(documents, slice, shared.clone()));
        }
        most = most.max(under_way.len());
        let too_many = under_way.len().saturating_sub(search.clients());
        shared.leave.store(too_many, Ordering::Relaxed);
        let ended = tokio::select! {
            biased;
            ended = under_way.next() => Some(ended),
            () = tokio::time::sleep(GLANCE) => None,
        };
        match ended {
            None | Some(Some(Ok(End::Whole))) => {}
            Some(Some(Ok(End::GivenBack(slice)))) => left.push_front(slice),
            Some(Some(Ok(End::NotOpened(slice, e)))) => match search.refused(under_way.len()) {
                true => left.push_front(slice),
                false => break Err(e),
            },
            Some(Some(Err(e))) => break Err(e),
            Some(None) => break Ok(()),
        }
        progress(shared.progress(&names, all, under_way.len()));
    };
    if end.is_err() {
        shared.ended.store(true, Ordering::Relaxed);
        let others = async { while under_way.next().await.is_some() {} };
        // Those that do not end are ended when they are dropped.
        let _ = tokio::time::timeout(TO_END, others).await;
    }
    end?;
    Ok(Written {
        documents: shared.documents.load(Ordering::Relaxed),
        bytes: shared.bytes.load(Ordering::Relaxed),
        clients: search.clients().min(most) as u64,
        earlier: shared.earlier.counted(),
    })
}

/// Opens a writer of a slice, and lets a task write with it.
async fn load_slice(documents: Documents<'_>, slice: u64, shared: Arc<Shared>) -> Result<End> {
    let writer = match documents.bulk(&shared.work.division.label(slice)).await {
        Ok(writer) => writer,
        Err(e) => return Ok(End::NotOpened(slice, e)),
    };
    let task = Task(tokio::spawn(write_slice(writer, slice, shared)));
    task.end().await
}

/// A task that ends when this is dropped.
struct Task<T>(JoinHandle<T>);

impl<T> Task<Result<T>> {
    async fn end(mut self) -> Result<T> {
        match (&mut self.0).await {
            Ok(done) => done,
            Err(e) => match e.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(e) => Err(Error::new(ErrorKind::Cancelled, "load a slice", e)),
            },
        }
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Writes what is missing of a slice.
async fn write_slice(mut writer: BulkWriter, slice: u64, shared: Arc<Shared>) -> Result<End> {
    let Work { source, division, .. } = &shared.work;
    let names = source.collections();
    let (mut spans, mut there) = (VecDeque::new(), 0);
    let is_first = shared.earlier.is_first(slice);
    for (at, name) in names.iter().enumerate() {
        let range = division.range(&**source, at, slice);
        if range.is_empty() {
            continue;
        }
        let position = writer.position(name).await?;
        there += position;
        if is_first && position > 0 {
            let (shared, start) = (shared.clone(), range.start);
            let count = move || {
                shared.earlier.count(&*shared.work.source, at, start..start + position);
            };
            let ended = |e| Error::new(ErrorKind::Cancelled, "count what was loaded earlier", e);
            tokio::task::spawn_blocking(count).await.map_err(ended)?;
        }
        spans.push_back(Span {
            at,
            start: range.start,
            next: range.start + position,
            end: range.end,
        });
    }
    shared.there.fetch_add(there, Ordering::Relaxed);
    let mut progress = SliceProgress { shared: &shared, there };
    let whole = match source.typed().zip(writer.values_at_once()) {
        Some(typed) => write_values(&mut writer, typed, spans, &mut progress).await?,
        None if writer.takes_texts() => {
            write_texts(&mut writer, &**source, spans, &mut progress).await?
        }
        None => write_batches(&mut writer, source, spans, &mut progress).await?,
    };
    if !whole {
        shared.there.fetch_sub(progress.there, Ordering::Relaxed);
        return Ok(End::GivenBack(slice));
    }
    finish(&mut writer, &shared).await?;
    Ok(End::Whole)
}

/// How far a slice is.
struct SliceProgress<'a> {
    shared: &'a Shared,
    /// Its documents that are there.
    there: u64,
}

impl SliceProgress<'_> {
    /// Whether its client goes on with the collection at `at`, or gives the slice back. Waits until
    /// the rate allows more.
    async fn goes_on(&self, at: usize) -> Result<bool> {
        loop {
            if self.shared.stops() {
                return Err(self.shared.interrupted(self.shared.work.source.collections()[at]));
            }
            let early = self.shared.early();
            if early.is_zero() {
                return Ok(!self.shared.leaves());
            }
            tokio::time::sleep(early.min(GLANCE)).await;
        }
    }

    /// The most documents that a writer is given at once.
    fn at_once(&self, at_once: u64) -> u64 {
        self.shared.work.rate.map_or(at_once, |rate| rate.documents_at_once().min(at_once))
    }

    /// What the writer wants now, within the rate.
    fn limit(&self, writer: &BulkWriter) -> Limit {
        let limit = Limit::of(writer);
        self.shared.work.rate.map_or(limit, |rate| rate.within(limit))
    }

    fn wrote(&mut self, at: usize, documents: u64, bytes: u64) {
        self.there += documents;
        self.shared.wrote(at, documents, bytes);
    }
}

/// Writes documents as JSON text, each batch made while the one before is written. Returns whether
/// they are all written.
async fn write_batches(
    writer: &mut BulkWriter,
    source: &Arc<dyn LoadSource>,
    spans: VecDeque<Span>,
    progress: &mut SliceProgress<'_>,
) -> Result<bool> {
    let names = source.collections();
    let maker = Maker { source: source.clone(), left: spans };
    let mut making = Making::begin(maker, Batch::default(), progress.limit(writer));
    let mut spare = Batch::default();
    loop {
        let (maker, made) = making.end().await?;
        let Some(made) = made else { return Ok(true) };
        if !progress.goes_on(made.at).await? {
            return Ok(false);
        }
        making = Making::begin(maker, spare, progress.limit(writer));
        writer.write(names[made.at], &made.batch, made.position).await?;
        progress.wrote(made.at, made.batch.len() as u64, made.batch.bytes() as u64);
        spare = made.batch;
    }
}

/// Lets the writer make the documents, as JSON text. Returns whether they are all written.
async fn write_texts(
    writer: &mut BulkWriter,
    source: &dyn LoadSource,
    spans: VecDeque<Span>,
    progress: &mut SliceProgress<'_>,
) -> Result<bool> {
    let names = source.collections();
    for Span { at, start, next, end } in spans {
        let mut append = |index, key: &mut String, text: &mut Vec<u8>| {
            source.append(at, index, key, text);
        };
        let at_once = progress.at_once(u64::MAX);
        let mut next = next;
        while next < end {
            if !progress.goes_on(at).await? {
                return Ok(false);
            }
            let mut documents =
                Texts::new(&mut append, next, end.min(next.saturating_add(at_once)));
            let all = documents.len();
            let bytes = writer.write_texts(names[at], &mut documents, next - start).await?;
            let wrote = all - documents.len();
            progress.wrote(at, wrote, bytes);
            next += wrote;
        }
    }
    Ok(true)
}

/// Lets the writer make the documents, value by value. Returns whether they are all written.
async fn write_values(
    writer: &mut BulkWriter,
    (source, at_once): (&dyn TypedSource, u64),
    spans: VecDeque<Span>,
    progress: &mut SliceProgress<'_>,
) -> Result<bool> {
    let names = progress.shared.work.source.collections();
    for Span { at, start, mut next, end } in spans {
        while next < end {
            if !progress.goes_on(at).await? {
                return Ok(false);
            }
            let until = end.min(next + progress.at_once(at_once));
            let mut make = |index, key: &mut String, values: &mut dyn Values| {
                source.write(at, index, key, values)
            };
            let mut documents = Unmade::new(&mut make, next..until);
            let bytes = writer.write_values(names[at], &mut documents, until - start).await?;
            progress.wrote(at, until - next, bytes);
            next = until;
        }
    }
    Ok(true)
}

/// Waits for the writer to finish, until the load is stopped.
async fn finish(writer: &mut BulkWriter, shared: &Shared) -> Result<()> {
    let stopped = async {
        while !shared.stops() {
            tokio::time::sleep(GLANCE).await;
        }
    };
    tokio::select! {
        biased;
        done = writer.finish() => done,
        () = stopped => Err(interrupted("finish the load", "before its end".to_owned())),
    }
}

fn interrupted(tried: impl Into<String>, when: String) -> Error {
    Error::new(ErrorKind::Cancelled, tried, format!("interrupted {when}"))
        .advise("go on with --resume")
}

impl Shared {
    fn new(work: Work) -> Shared {
        Shared {
            work,
            started: Instant::now(),
            ended: AtomicBool::new(false),
            leave: AtomicUsize::new(0),
            at: AtomicUsize::new(0),
            there: AtomicU64::new(0),
            documents: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            batches: AtomicU64::new(0),
            earlier: Earlier::default(),
        }
    }

    /// Whether the load shall end now.
    fn stops(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || (self.work.stop)()
    }

    /// Whether the client that asks shall give its slice back.
    fn leaves(&self) -> bool {
        let less = |n: usize| n.checked_sub(1);
        self.leave.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// How long to wait until the rate allows more.
    fn early(&self) -> Duration {
        let Some(rate) = self.work.rate else { return Duration::ZERO };
        let written = (self.documents.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed));
        rate.due(written.0, written.1).saturating_sub(self.started.elapsed())
    }

    fn wrote(&self, at: usize, documents: u64, bytes: u64) {
        self.at.store(at, Ordering::Relaxed);
        self.there.fetch_add(documents, Ordering::Relaxed);
        self.documents.fetch_add(documents, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.batches.fetch_add(1, Ordering::Relaxed);
    }

    fn interrupted(&self, collection: &str) -> Error {
        let written = self.documents.load(Ordering::Relaxed);
        let when = format!("after {}", counted(written, "document", "documents"));
        interrupted(format!("load {collection}"), when)
    }

    fn sample(&self, at: Duration) -> Sample {
        let bytes = self.bytes.load(Ordering::Relaxed);
        Sample { at, bytes, batches: self.batches.load(Ordering::Relaxed) }
    }

    fn progress<'a>(&self, names: &[&'a str], all: u64, clients: usize) -> Progress<'a> {
        Progress::Written {
            collection: names[self.at.load(Ordering::Relaxed)],
            documents: self.there.load(Ordering::Relaxed),
            of: all,
            bytes: self.bytes.load(Ordering::Relaxed),
            clients: clients as u64,
        }
    }
}
