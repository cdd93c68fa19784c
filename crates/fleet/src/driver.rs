//! A driver: it says how far it is, hears when its steps begin, and sends the files of its folder.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use hoap_conduct::Local;
use hoap_conduct::start::{Named, Start};
use hoap_drive::{StepPlan, Stop};
use hoap_record::merge::joint::Measured;
use hoap_record::{Error, ErrorKind, Result, Step};
use hyper::body::Bytes;
use hyper::{Method, StatusCode};
use jiff::Timestamp;
use tokio::time::timeout;

use crate::line::{Fault, Line, Protection};
use crate::message::{AT, Clock, FILE, Here, ID, PIECE, State, Steady, does, is_file, unix_nanos};
use crate::secret::Token;
use crate::speak::{ANSWER, LOOK, Shared, lock, speak};
use crate::tls;

/// How long a driver looks for a meeting point that nobody has started yet.
const COME: Duration = Duration::from_secs(300);
/// The same for the next run of an experiment, before which data may be loaded and checked.
const NEXT: Duration = Duration::from_secs(24 * 3600);
/// How long the answer to a file's piece may take.
const TAKEN: Duration = Duration::from_secs(30);

/// Who joins, and where.
pub struct Join {
    /// `HOST:PORT`.
    pub address: String,
    /// `--part`: number and how many there are.
    pub part: (u64, u64),
    /// The version of this program.
    pub hoap: String,
    /// What drivers share of the command line ([`crate::message::shared`]).
    pub command: Vec<String>,
    /// Which run of an experiment it is; empty of any other.
    pub run: String,
    /// Whether the token may cross a network in plain text.
    pub insecure: bool,
    /// A file with the authorities whose certificates are trusted, or [`tls::SYSTEM`]; without it
    /// nothing is encrypted.
    pub authorities: Option<String>,
}

/// A driver that has joined the others. When all is over its run is stopped.
pub struct Meeting {
    shared: Arc<Mutex<Shared>>,
    address: String,
    token: Token,
    protection: Protection,
    id: String,
    part: u64,
    stop: Stop,
    steady: Steady,
}

impl Meeting {
    /// Joins, and measures the clock. Blocks until both is done, `stop` is set, or nobody was there
    /// for five minutes; of an experiment a day. From then on a thread speaks for this driver; it
    /// sets `stop` and calls `end` when all is over before its end.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where the token is missing or refused, the address is beyond
    /// this machine and nothing is encrypted, or a certificate is not trusted;
    /// [`ErrorKind::Unavailable`] where nobody answers; [`ErrorKind::Broken`] where all is over
    /// already; [`ErrorKind::Cancelled`] where `stop` was set.
    pub fn join(join: Join, stop: Stop, end: impl Fn() + Send + 'static) -> Result<Meeting> {
        let token = Token::of_environment()?;
        let id = format!("{:x}-{:x}", std::process::id(), unix_nanos());
        let Join { address, part: (part, of), hoap, command, run, insecure, authorities } = join;
        let patience = if run.is_empty() { COME } else { NEXT };
        let protection = match authorities {
            Some(authorities) => Protection::Tls(tls::connector(&authorities)?),
            None => Protection::None { insecure },
        };
        let shared = Arc::new(Mutex::<Shared>::default());
        let state = State::Preparing;
        let id_ = id.clone();
        let here =
            Here { id: id_, part, of, hoap, command, run, clock: None, state, measured: None };
        let mut line = Line::new(&address, &token, protection.clone());
        let (of_thread, stopped) = (shared.clone(), stop.clone());
        let steady = Steady::begin();
        let speak = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let why = match runtime {
                Ok(runtime) => {
                    let with = (steady, patience);
                    runtime.block_on(speak(&of_thread, &mut line, here, with))
                }
                Err(e) => Some(Error::new(ErrorKind::Unavailable, "start a runtime", e)),
            };
            if let Some(why) = why {
                lock(&of_thread).over.get_or_insert(why);
                stopped.set();
                end();
            }
        };
        let failed = |kind, why: String| {
            Err(Error::new(kind, format!("join the drivers at {address}"), why))
        };
        if let Err(e) = thread::Builder::new().name("meeting".into()).spawn(speak) {
            return failed(ErrorKind::Unavailable, e.to_string());
        }
        let address_ = address.clone();
        let meeting =
            Meeting { shared, address: address_, token, protection, id, part, stop, steady };
        loop {
            let shared = lock(&meeting.shared);
            match (&shared.over, shared.clock.is_some()) {
                (Some(why), _) => return Err(why.clone()),
                (None, true) => break,
                (None, false) if meeting.stop.is_set() => {
                    return failed(ErrorKind::Cancelled, "interrupted".into());
                }
                (None, false) => {}
            }
            drop(shared);
            thread::sleep(LOOK);
        }
        Ok(meeting)
    }

    /// Why all is over before its end, if it is.
    pub fn over(&self) -> Option<Error> {
        lock(&self.shared).over.clone()
    }

    /// Tells the others that this driver's run is none of theirs, and why: whether somebody ended
    /// it, or it failed.
    pub fn fail<'a>(&'a self, why: &'a str, interrupted: bool) -> Local<'a, ()> {
        Box::pin(async move {
            let why = why.chars().take(2000).collect();
            let failed = if interrupted { State::Interrupted(why) } else { State::Failed(why) };
            lock(&self.shared).state = failed.clone();
            let since = Instant::now();
            let heard = || {
                let shared = lock(&self.shared);
                shared.over.is_some() || shared.said.as_ref() == Some(&failed)
            };
            while since.elapsed() < ANSWER && !heard() {
                tokio::time::sleep(LOOK).await;
            }
        })
    }

    /// Sends the folder of the whole run and waits until all drivers have sent theirs.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where all is over before that, [`ErrorKind::Unavailable`]
    /// where the folder cannot be read.
    pub fn end<'a>(&'a self, folder: &'a Path) -> Local<'a, Result<()>> {
        Box::pin(async move {
            let files = self.send(folder).await?;
            lock(&self.shared).state = State::Ended(files);
            let outcome = || {
                let shared = lock(&self.shared);
                match &shared.over {
                    Some(why) => Some(Err(why.clone())),
                    None => shared.done.then_some(Ok(())),
                }
            };
            loop {
                if let Some(outcome) = outcome() {
                    return outcome;
                }
                tokio::time::sleep(LOOK).await;
            }
        })
    }

    fn broken(&self, why: &str) -> Error {
        Error::new(ErrorKind::Broken, format!("meet the drivers at {}", self.address), why)
    }

    /// Sends the files of the folder. What they are called, and their lengths.
    async fn send(&self, folder: &Path) -> Result<Vec<(String, u64)>> {
        let failed = |e: std::io::Error| {
            Error::new(ErrorKind::Unavailable, format!("send {}", folder.display()), e)
        };
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            files.extend(is_file(&name).then_some(name));
        }
        files.sort();
        let mut line = Line::new(&self.address, &self.token, self.protection.clone());
        let mut sent = Vec::new();
        for name in files {
            let mut file = std::fs::File::open(folder.join(&name)).map_err(failed)?;
            let mut at = 0;
            loop {
                let mut piece = Vec::new();
                let some = std::io::Read::take(&mut file, PIECE as u64);
                std::io::Read::read_to_end(&mut { some }, &mut piece).map_err(failed)?;
                let length = piece.len() as u64;
                if length > 0 || at == 0 {
                    self.piece(&mut line, &name, at, piece.into()).await?;
                }
                at += length;
                if length < PIECE as u64 {
                    break;
                }
            }
            sent.push((name, at));
        }
        Ok(sent)
    }

    async fn piece(&self, line: &mut Line, name: &str, at: u64, piece: Bytes) -> Result<()> {
        let path = format!("{FILE}{}/{name}", self.part);
        let headers = [(ID, self.id.clone()), (AT, at.to_string())];
        if let Some(why) = self.over() {
            return Err(why);
        }
        let answer = timeout(TAKEN, line.ask(Method::PUT, &path, &headers, piece)).await;
        match answer {
            Ok(Ok((StatusCode::OK, _))) => Ok(()),
            Ok(Ok((status, text))) => {
                let text: String = String::from_utf8_lossy(&text).chars().take(500).collect();
                let refused = || self.broken(&format!("{name}: {status}: {text}"));
                Err(self.over().unwrap_or_else(refused))
            }
            Ok(Err(Fault::Again(why) | Fault::Last(why))) => {
                Err(self.broken(&format!("{name}: {why}")))
            }
            Err(_) => Err(self.broken(&format!("{name}: no answer for {} s", TAKEN.as_secs()))),
        }
    }
}

impl Start for Meeting {
    fn named(&self, step: &StepPlan) -> Result<Named> {
        let mut shared = lock(&self.shared);
        if let Some(why) = &shared.over {
            return Err(why.clone());
        }
        shared.state = State::Ready(step.number, does(step));
        (shared.measured, shared.joint) = (None, None);
        match shared.start {
            Some((number, at)) if number == step.number => {
                let at = Timestamp::from_nanosecond(i128::from(at));
                at.map(Named::At).map_err(|e| self.broken(&format!("a start that is no time: {e}")))
            }
            _ => Ok(Named::NotYet),
        }
    }

    fn joint(&self, step: &Step, folder: &Path) -> Result<Option<Step>> {
        let measured = Box::new(Measured::of(step, folder)?);
        let mut shared = lock(&self.shared);
        shared.state = State::Measured(step.number);
        (shared.measured, shared.joint) = (Some(measured), None);
        loop {
            if let Some(joint) = shared.joint.take() {
                return Ok(Some(*joint));
            }
            if let Some(why) = &shared.over {
                return Err(why.clone());
            }
            if self.stop.is_set() {
                return Ok(None);
            }
            drop(shared);
            thread::sleep(LOOK);
            shared = lock(&self.shared);
        }
    }

    fn now(&self) -> Timestamp {
        let now = Timestamp::from_nanosecond(i128::from(self.steady.now()));
        now.unwrap_or(Timestamp::MAX)
    }

    fn clock(&self) -> Option<hoap_record::Clock> {
        let Clock { ahead_ns, error_ns } = lock(&self.shared).clock?;
        let seconds = |nanos: f64| hoap_record::folder::micros(nanos / 1e9);
        Some(hoap_record::Clock {
            ahead_seconds: seconds(ahead_ns as f64),
            error_seconds: seconds(error_ns as f64),
        })
    }
}
