//! Reads each source on a thread of its own: one that hangs delays neither the load nor another
//! source.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hoap_record::error::clipped;
use hoap_record::folder::ObservedLog;
use hoap_record::limits::{MOST_RECORD, MOST_SERIES};
use hoap_record::{
    Error, ErrorKind, Observation, ObservedSeries, ObservedSource, Result, SeriesKind,
};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::bound::MetricBound;
use crate::exposition::{self, MOST};
use crate::http::Connection;
use crate::process::Process;
use crate::reading::Value;
use crate::select::Selection;
use crate::source::{From, MetricSource};
use crate::sums::Sums;

/// How often a source is read.
const EVERY: Duration = Duration::from_secs(1);
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(3);
/// A reading that came later after the end of a window says too much of what followed.
const LATE: Duration = Duration::from_millis(250);
/// How many of the names of an endpoint an error repeats.
const SOME: usize = 8;

/// The sources of a run. Those of a watch that is dropped are read no more.
pub struct MetricWatch {
    readers: Vec<Reader>,
    /// The bytes of the sums that [`MetricWatch::window`] has returned, about.
    told: AtomicUsize,
}

/// The most sources: their series are as many as a report reads.
const SOURCES: usize = MOST_SERIES / MOST;
/// The most bytes of sums that a run records: a quarter of what its record may have.
const MOST_TOLD: usize = MOST_RECORD as usize / 4;
/// The bytes of a sum in a record beside its names, about.
const EACH: usize = 200;

/// The thread of a source, as its watch sees it.
struct Reader {
    name: String,
    from: String,
    commands: Sender<Command>,
    /// The sums of the window that was ended last.
    ended: Mutex<Option<Receiver<Result<Vec<ObservedSeries>>>>>,
    latest: Arc<Mutex<Latest>>,
}

/// The last values of a source, and when they were asked for.
struct Latest {
    asked: Instant,
    values: Vec<Value>,
}

enum Command {
    /// Read each second from now on, into this file.
    Start(Arc<Mutex<ObservedLog>>),
    /// A measured window begins.
    Begin,
    /// It ended at this moment.
    End(Instant, Sender<Result<Vec<ObservedSeries>>>),
    /// Say how it went.
    Tell(Sender<Tally>),
}

#[derive(Clone, Default)]
struct Tally {
    readings: u64,
    missed: u64,
    first_miss: Option<String>,
}

impl MetricWatch {
    /// Reads every source once.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] for too many, two of the same name and one without a series that is
    /// kept, [`ErrorKind::Unavailable`] for one that cannot be read.
    pub fn open(sources: &[MetricSource]) -> Result<MetricWatch> {
        if sources.len() > SOURCES {
            let tried = format!("observe {} sources", sources.len());
            let why = format!("there may be {SOURCES}");
            return Err(Error::new(ErrorKind::Invalid, tried, why));
        }
        let mut names = BTreeSet::new();
        let mut opening = Vec::new();
        for source in sources {
            if !names.insert(&source.name) {
                let tried = format!("observe {}", source.name);
                return Err(Error::new(ErrorKind::Invalid, tried, "two sources have this name")
                    .advise("give each its own, as in --observe db1=http://…"));
            }
            let (commands, receiver) = mpsc::channel();
            let (opened, answer) = mpsc::channel();
            let source = source.clone();
            thread::spawn(move || match Reading::open(source) {
                Ok((from, reading)) => {
                    // Where nobody waits any more there is nothing to read for.
                    if opened.send(Ok((from, reading.latest.clone()))).is_ok() {
                        reading.follow(&receiver);
                    }
                }
                Err(e) => drop(opened.send(Err(e))),
            });
            opening.push((commands, answer));
        }
        let mut readers = Vec::new();
        for ((commands, answer), source) in opening.into_iter().zip(sources) {
            let (from, latest) = answer.recv().map_err(|_| gone(&source.name))??;
            let name = source.name.clone();
            readers.push(Reader { name, from, commands, ended: Mutex::default(), latest });
        }
        Ok(MetricWatch { readers, told: AtomicUsize::new(0) })
    }

    /// Refuses a bound of what no source has, or of a counter, which only grows.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`].
    pub fn expect(&self, bound: &MetricBound) -> Result<()> {
        let (mut there, mut gauges) = (false, Vec::new());
        for reader in &self.readers {
            let latest = reader.latest.lock().unwrap_or_else(PoisonError::into_inner);
            for Value { series, kind, .. } in &latest.values {
                let gauge = *kind == SeriesKind::Gauge;
                there |= gauge && bound.names(series);
                gauges.extend(gauge.then(|| series.clone()));
            }
        }
        if there {
            return Ok(());
        }
        let more = if gauges.len() > SOME { ", …" } else { "" };
        gauges.truncate(SOME);
        let why = match gauges.is_empty() {
            true => "no source has a gauge".to_owned(),
            false => format!("no source has this gauge; there are {}{more}", gauges.join(", ")),
        };
        Err(Error::new(ErrorKind::Invalid, format!("warm up until {bound}"), why).advise(
            "name one of --observe's gauges; of a counter there is no bound, as it only grows",
        ))
    }

    /// Whether all series of a bound have passed it since a moment, of which each has been read.
    pub fn passed(&self, bound: &MetricBound, since: Instant) -> bool {
        let mut there = false;
        for reader in &self.readers {
            let latest = reader.latest.lock().unwrap_or_else(PoisonError::into_inner);
            for Value { value, .. } in latest.values.iter().filter(|v| bound.names(&v.series)) {
                there = true;
                if latest.asked < since || !bound.passed(*value) {
                    return false;
                }
            }
        }
        there
    }

    /// The last values of the series of a bound, as text.
    pub fn values(&self, bound: &MetricBound) -> String {
        let mut all = Vec::new();
        for reader in &self.readers {
            let latest = reader.latest.lock().unwrap_or_else(PoisonError::into_inner);
            let these = latest.values.iter().filter(|v| bound.names(&v.series));
            all.extend(these.map(|v| v.value.to_string()));
        }
        all.join(", ")
    }

    /// Whether there is no source.
    pub fn is_empty(&self) -> bool {
        self.readers.is_empty()
    }

    /// Reads each source every second from now on.
    pub fn start(&self, log: ObservedLog) {
        let log = Arc::new(Mutex::new(log));
        for reader in &self.readers {
            reader.say(Command::Start(log.clone()));
        }
    }

    /// A measured window begins now.
    pub fn begin(&self) {
        for reader in &self.readers {
            reader.say(Command::Begin);
        }
    }

    /// It ends now.
    pub fn end(&self) {
        let now = Instant::now();
        for reader in &self.readers {
            let (sender, receiver) = mpsc::channel();
            reader.say(Command::End(now, sender));
            *reader.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(receiver);
        }
    }

    /// What the sources told in the window that ended. Of a run with very many steps and series the
    /// last ones have none: its record would be longer than one that is read.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where `observed.csv` cannot be written.
    pub fn window(&self) -> Result<Vec<ObservedSeries>> {
        let mut all = Vec::new();
        for reader in &self.readers {
            let ended = reader.ended.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(ended) = ended else { continue };
            all.extend(ended.recv().map_err(|_| gone(&reader.name))??);
        }
        let of = |series: &ObservedSeries| EACH + series.source.len() + series.series.len();
        let more = all.iter().map(of).sum::<usize>();
        let before = self.told.fetch_add(more, Ordering::Relaxed);
        if before.saturating_add(more) > MOST_TOLD {
            self.told.fetch_max(MOST_TOLD, Ordering::Relaxed);
            all.clear();
        }
        Ok(all)
    }

    /// How it went with each source.
    pub fn sources(&self) -> Vec<ObservedSource> {
        let source = |reader: &Reader| {
            let (sender, receiver) = mpsc::channel();
            reader.say(Command::Tell(sender));
            let Tally { readings, missed, first_miss } = receiver.recv().unwrap_or_default();
            let full = self.told.load(Ordering::Relaxed) >= MOST_TOLD;
            let left_out =
                || format!("the sums of the last steps: a run has {MOST_TOLD} bytes of them");
            let first_miss = first_miss.or_else(|| full.then(left_out));
            let (name, from) = (reader.name.clone(), reader.from.clone());
            ObservedSource { name, from, readings, missed, first_miss }
        };
        self.readers.iter().map(source).collect()
    }
}

impl Reader {
    /// A thread that has gone is noticed where its answer is missing.
    fn say(&self, command: Command) {
        let _ = self.commands.send(command);
    }
}

fn gone(name: &str) -> Error {
    Error::new(ErrorKind::Broken, format!("observe {name}"), "its thread has ended")
}

/// A source that is being read.
struct Reading {
    name: String,
    probe: Probe,
    log: Option<Arc<Mutex<ObservedLog>>>,
    window: Option<Sums>,
    latest: Arc<Mutex<Latest>>,
    tally: Tally,
    /// Why the file cannot be written.
    broken: Option<Error>,
}

enum Probe {
    Endpoint(Runtime, Connection, Selection),
    Process(Process),
}

impl Reading {
    /// Reads the source once, and says what is read.
    fn open(source: MetricSource) -> Result<(String, Reading)> {
        let MetricSource { name, from } = source;
        let (what, advice) = match &from {
            From::Endpoint(endpoint) => {
                (endpoint.url(), "start what serves it, or leave --observe out")
            }
            From::Process(pid) => {
                (format!("pid:{pid}"), "name a process of this machine by its number")
            }
        };
        let unavailable = |why: String| {
            Error::new(ErrorKind::Unavailable, format!("observe {what}"), why).advise(advice)
        };
        let (said, mut probe) = match from {
            From::Endpoint(endpoint) => {
                // It looks at the time after every piece of work: an endpoint may send without end.
                let mut runtime = tokio::runtime::Builder::new_current_thread();
                let runtime = runtime.event_interval(1).enable_all().build();
                let runtime = runtime.map_err(|e| unavailable(e.to_string()))?;
                let selection = endpoint.selection.clone();
                let connection = Connection::new(endpoint).map_err(unavailable)?;
                (what.clone(), Probe::Endpoint(runtime, connection, selection))
            }
            From::Process(pid) => {
                let process = Process::of(pid).map_err(unavailable)?;
                (format!("{what} ({})", process.command), Probe::Process(process))
            }
        };
        let asked = Instant::now();
        let (values, others) = probe.read().map_err(unavailable)?;
        let refused = |why: String| {
            let advice =
                "choose the series behind a #, as in http://HOST/metrics#NAME,PREFIX*{LABEL}";
            Error::new(ErrorKind::Invalid, format!("observe {what}"), why).advise(advice)
        };
        if values.is_empty() {
            let some: Vec<&str> = others.iter().take(SOME).map(String::as_str).collect();
            let more = if others.len() > SOME { ", …" } else { "" };
            let why = match some.is_empty() {
                true => "it has no series".to_owned(),
                false => format!("none of its series is chosen; it has {}{more}", some.join(", ")),
            };
            return Err(refused(why));
        }
        if values.len() > MOST {
            return Err(refused(format!("{} series are chosen, at most {MOST} fit", values.len())));
        }
        let latest = Arc::new(Mutex::new(Latest { asked, values }));
        let (window, tally) = (None, Tally::default());
        Ok((said, Reading { name, probe, log: None, window, latest, tally, broken: None }))
    }

    /// Reads as the commands say, until whoever sends them is gone.
    fn follow(mut self, commands: &Receiver<Command>) {
        let mut next = Instant::now();
        loop {
            let command = match self.log {
                None => commands.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(_) => commands.recv_timeout(next.saturating_duration_since(Instant::now())),
            };
            match command {
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    self.read(None);
                    while next <= Instant::now() {
                        next += EVERY;
                    }
                }
                Ok(Command::Start(log)) => (self.log, next) = (Some(log), Instant::now()),
                Ok(Command::Begin) => {
                    self.window = Some(Sums::default());
                    self.read(None);
                    next = Instant::now() + EVERY;
                }
                Ok(Command::End(at, answer)) => {
                    // Behind a reading that hung there is nothing to be had for the window.
                    if Instant::now() <= at + LATE {
                        self.read(Some(at + LATE));
                    }
                    let sums = self.window.take().unwrap_or_default().finish(&self.name);
                    // Who does not wait for the sums does not need them.
                    let _ = answer.send(self.broken.take().map_or(Ok(sums), Err));
                }
                Ok(Command::Tell(answer)) => drop(answer.send(self.tally.clone())),
            }
        }
    }

    /// Reads once. What comes after `latest` is no part of the window.
    fn read(&mut self, latest: Option<Instant>) {
        let asked = Instant::now();
        let values = self.probe.read().and_then(|(values, _)| match values.len() {
            // An endpoint that grew.
            n if n > MOST => Err(format!("{n} series are chosen, at most {MOST} fit")),
            _ => Ok(values),
        });
        let values = match values {
            Ok(values) => values,
            Err(why) => {
                self.tally.missed += 1;
                self.tally.first_miss.get_or_insert_with(|| clipped(why));
                return;
            }
        };
        self.tally.readings += 1;
        let at = asked + asked.elapsed() / 2;
        let Some(log) = &self.log else { return };
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        let at_seconds = log.seconds_at(at);
        let row = |Value { series, kind, value }: &Value| Observation {
            at_seconds,
            source: self.name.clone(),
            series: series.clone(),
            kind: *kind,
            value: *value,
        };
        if let Err(e) = log.add(values.iter().map(row)) {
            self.broken.get_or_insert(e);
        }
        drop(log);
        if let Some(window) = self.window.as_mut().filter(|_| latest.is_none_or(|l| at <= l)) {
            window.add(at_seconds, &values);
        }
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Latest { asked, values };
    }
}

impl Probe {
    /// The series that are kept, and the names of the others.
    fn read(&mut self) -> std::result::Result<(Vec<Value>, Vec<String>), String> {
        match self {
            Probe::Process(process) => Ok((process.read()?, Vec::new())),
            Probe::Endpoint(runtime, connection, selection) => {
                let text = runtime.block_on(async { timeout(ANSWER, connection.ask()).await });
                let text = text.map_err(|_| format!("no answer for {} s", ANSWER.as_secs()))??;
                exposition::read(&text, selection)
            }
        }
    }
}
