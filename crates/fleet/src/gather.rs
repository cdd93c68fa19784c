//! `hoap gather`: serves the [`Hall`] to the drivers and takes their folders.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hoap_conduct::Local;
use hoap_drive::Stop;
use hoap_record::{Error, ErrorKind, Result, whole};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::AUTHORIZATION;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::hall::Hall;
use crate::message::{
    AT, DRIVERS, FILE, HERE, Here, ID, LARGEST, MOST, PIECE, State, Steady, is_file,
};
use crate::secret::{Token, plain};
use crate::tls::acceptor;

/// How often the hall looks for who is gone.
const LOOK: Duration = Duration::from_millis(20);
/// How long drivers have to hear that all is over.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long a connection has to show the token, and how many may not have done so: of more the
/// oldest is closed, so that no number of them keeps a driver out.
const PROOF: Duration = Duration::from_secs(3);
const STRANGERS: usize = 256;
/// How long a wrong token waits for its answer.
const WRONG: Duration = Duration::from_secs(1);
/// How long a request may take, and how long a connection may be silent.
const LONGEST: Duration = Duration::from_secs(10);
/// The largest head of a request, bytes.
const HEAD: usize = 16 << 10;
/// How long a failed accept waits for what it lacked, such as a free file descriptor.
const PAUSE: Duration = Duration::from_millis(100);

/// What is gathered, and where.
pub struct Gather {
    /// How many drivers.
    pub drivers: u64,
    /// Where they come to; port 0 is any free one.
    pub listen: SocketAddr,
    /// How long one may be waited for.
    pub wait: Duration,
    /// Whether the token may cross a network in plain text.
    pub insecure: bool,
    /// The files of a certificate and of its key, where the messages are encrypted.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// Where their folders go, each into one called `part-I`. Empty or absent.
    pub folder: PathBuf,
    /// The version of this program.
    pub hoap: String,
    /// Which run of an experiment it is; empty of any other.
    pub run: String,
}

struct Server {
    hall: Mutex<Hall>,
    token: Token,
    folder: PathBuf,
    run: String,
    tls: Option<TlsAcceptor>,
    steady: Steady,
    /// How many requests had another token, and where the last one came from.
    wrong: Mutex<(u64, Option<SocketAddr>)>,
}

impl Server {
    fn hall(&self) -> MutexGuard<'_, Hall> {
        self.hall.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gathers the drivers and returns their folders, in the order of their parts. `say` is told what
/// goes on.
///
/// # Errors
/// Returns [`ErrorKind::Broken`], naming the part, where a driver is gone, failed, does not belong
/// to the others or was waited for too long: all drivers have been told then.
/// [`ErrorKind::Invalid`] for an address beyond this machine, a missing token or a folder that is
/// not empty; [`ErrorKind::Unavailable`] where it cannot listen; [`ErrorKind::Cancelled`] where
/// `stop` was set.
pub fn gather<'a>(
    ask: Gather,
    stop: &'a Stop,
    say: &'a dyn Fn(&str),
) -> Local<'a, Result<Vec<PathBuf>>> {
    Box::pin(async move {
        let Gather { drivers, listen, wait, insecure, certificate, folder, hoap, run } = ask;
        let tried = || format!("gather {drivers} drivers at {listen}");
        let token = Token::of_environment()?;
        if !(1..=DRIVERS).contains(&drivers) {
            let why = format!("there are from 1 to {DRIVERS} drivers");
            return Err(Error::new(ErrorKind::Invalid, tried(), why));
        }
        let tls = certificate.map(|(certificate, key)| acceptor(&certificate, &key)).transpose()?;
        if tls.is_none() {
            plain(&tried(), &[listen], insecure)?;
        }
        if whole::names(&folder).is_ok_and(|there| !there.is_empty()) {
            let why = format!("{} is not empty", folder.display());
            return Err(Error::new(ErrorKind::Invalid, tried(), why)
                .advise("the drivers' folders go there: name another -o"));
        }
        let failed = |e: std::io::Error| Error::new(ErrorKind::Unavailable, tried(), e);
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        say(&format!("waiting for {drivers} drivers at {address}"));
        let hall = Mutex::new(Hall::new(drivers, wait, &hoap, Instant::now()));
        let (steady, wrong) = (Steady::begin(), Mutex::default());
        let folder_ = folder.clone();
        let server = Arc::new(Server { hall, token, folder: folder_, run, tls, steady, wrong });
        let serving = tokio::spawn(serve(listener, server.clone()));
        let (mut told, mut ended, mut strangers) = (String::new(), None, 1);
        loop {
            sleep(LOOK).await;
            let (wrong, from) = *server.wrong.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(from) = from.filter(|_| wrong >= strangers) {
                // Half of them at most are told, however many there are.
                strangers = wrong.saturating_mul(2);
                say(&format!("  refused another token from {from}, {wrong} so far"));
            }
            let mut hall = server.hall();
            if stop.is_set() {
                hall.end("interrupted where the drivers meet");
            }
            hall.look(Instant::now());
            let now = hall.to_string();
            if now != told {
                say(&format!("  {now}"));
                told = now;
            }
            if hall.over().is_some() || hall.is_done() {
                let since = *ended.get_or_insert_with(Instant::now);
                if hall.all_know() || since.elapsed() > FAREWELL {
                    break;
                }
            }
        }
        // Answers that are on their way.
        sleep(LOOK).await;
        serving.abort();
        let over = server.hall().over().map(String::from);
        match over {
            None => Ok((1..=drivers).map(|part| folder.join(named(part))).collect()),
            Some(why) => {
                let kind = if stop.is_set() { ErrorKind::Cancelled } else { ErrorKind::Broken };
                Err(Error::new(kind, tried(), why))
            }
        }
    })
}

/// The folder of a part, in that of all.
fn named(part: u64) -> String {
    format!("part-{part}")
}

/// A connection that has not shown the token, as far as is known.
struct Stranger {
    proved: Arc<AtomicBool>,
    task: AbortHandle,
}

impl Stranger {
    fn is_one(&self) -> bool {
        !self.proved.load(Ordering::Relaxed) && !self.task.is_finished()
    }
}

/// Answers until it is aborted. What goes wrong with one connection is that driver's to notice.
async fn serve(listener: TcpListener, server: Arc<Server>) {
    let mut strangers: VecDeque<Stranger> = VecDeque::new();
    loop {
        let accepted = listener.accept().await;
        strangers.retain(Stranger::is_one);
        // Of too many, and of as many as there are file descriptors.
        if (strangers.len() >= STRANGERS || accepted.is_err())
            && let Some(oldest) = strangers.pop_front()
        {
            oldest.task.abort();
        }
        let Ok((stream, from)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        // Without it answers may wait for more.
        let _ = stream.set_nodelay(true);
        let proved = Arc::new(AtomicBool::new(false));
        let peer = Peer { server: server.clone(), from, proved: proved.clone() };
        let task = tokio::spawn(async move {
            let proved = peer.proved.clone();
            let mut connection = std::pin::pin!(connection(stream, peer));
            let within = timeout(PROOF, &mut connection).await;
            if within.is_err() && proved.load(Ordering::Relaxed) {
                connection.await;
            }
        });
        strangers.push_back(Stranger { proved, task: task.abort_handle() });
    }
}

/// Who is at the other end of a connection.
#[derive(Clone)]
struct Peer {
    server: Arc<Server>,
    from: SocketAddr,
    /// Set once it has shown the token.
    proved: Arc<AtomicBool>,
}

/// Answers the requests of a connection.
async fn connection(stream: TcpStream, peer: Peer) {
    let tls = peer.server.tls.clone();
    let service = service_fn(move |request| {
        let peer = peer.clone();
        async move {
            let late = (StatusCode::REQUEST_TIMEOUT, "the request took too long".into());
            let answer = timeout(LONGEST, answer(&peer, request)).await.unwrap_or(late);
            let mut response = Response::new(Full::new(answer.1));
            *response.status_mut() = answer.0;
            Ok::<_, Infallible>(response)
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(LONGEST).max_buf_size(HEAD);
    let _ = match tls {
        None => http.serve_connection(TokioIo::new(stream), service).await,
        Some(tls) => match begins_tls(&stream).await {
            true => match timeout(LONGEST, tls.accept(stream)).await {
                Ok(Ok(stream)) => http.serve_connection(TokioIo::new(stream), service).await,
                _ => Ok(()),
            },
            false => http.serve_connection(TokioIo::new(stream), service_fn(unencrypted)).await,
        },
    };
}

/// Whether the first byte is that of a TLS handshake.
async fn begins_tls(stream: &TcpStream) -> bool {
    let mut first = [0];
    let peeked = timeout(LONGEST, stream.peek(&mut first)).await;
    matches!(peeked, Ok(Ok(1))) && first == [22]
}

/// What a driver is told that does not speak TLS.
async fn unencrypted(
    _: Request<Incoming>,
) -> std::result::Result<Response<Full<Bytes>>, Infallible> {
    let why = "the messages are encrypted here: give the drivers --tls-ca";
    let mut response = Response::new(Full::new(why.into()));
    *response.status_mut() = StatusCode::UPGRADE_REQUIRED;
    Ok(response)
}

type Answer = (StatusCode, Bytes);

async fn answer(peer: &Peer, request: Request<Incoming>) -> Answer {
    let Peer { server, from, proved } = peer;
    let said = request.headers().get(AUTHORIZATION).map_or(&b""[..], |value| value.as_bytes());
    if !server.token.is(said) {
        {
            let mut wrong = server.wrong.lock().unwrap_or_else(PoisonError::into_inner);
            *wrong = (wrong.0.saturating_add(1), Some(*from));
        }
        sleep(WRONG).await;
        let why = "the token is another one: give the drivers the HOAP_FLEET_TOKEN of gather";
        return (StatusCode::UNAUTHORIZED, why.into());
    }
    proved.store(true, Ordering::Relaxed);
    let path = request.uri().path().to_owned();
    let end = match (request.method(), path.strip_prefix(FILE)) {
        (&Method::POST, None) if path == HERE => here(server, request).await,
        (&Method::PUT, Some(file)) => take(server, file, request).await,
        _ => {
            let why = "no such place: are these two versions of hoap?";
            Err((StatusCode::NOT_FOUND, why.into()))
        }
    };
    end.map_or_else(|(status, why)| (status, why.into()), |body| (StatusCode::OK, body))
}

type Refused = (StatusCode, String);

async fn body(request: Request<Incoming>, most: usize) -> std::result::Result<Bytes, Refused> {
    let all = Limited::new(request.into_body(), most).collect().await;
    all.map(|all| all.to_bytes()).map_err(|e| (StatusCode::BAD_REQUEST, e.to_string()))
}

async fn here(server: &Server, request: Request<Incoming>) -> std::result::Result<Bytes, Refused> {
    let text = body(request, MOST).await?;
    let mut here = Here::read(&text).map_err(|why| (StatusCode::BAD_REQUEST, why))?;
    if here.run != server.run {
        // Drivers may be faster from one run to the next than those that they met, or than
        // `gather`.
        let run = if server.run.is_empty() { "a run of no experiment" } else { &server.run };
        return Err((StatusCode::CONFLICT, format!("{run} is gathered now")));
    }
    if let State::Ended(files) = &here.state {
        let folder = server.folder.join(named(here.part));
        let length = |name: &str| fs::metadata(folder.join(name)).map_or(0, |file| file.len());
        let wrong = files.iter().find(|(name, sent)| length(name) != *sent);
        let whole = files.iter().any(|(name, _)| name == "run.json");
        if let Some((name, sent)) = wrong {
            let why = format!("{name} has {} bytes here, {sent} were sent", length(name));
            here.state = State::Failed(why);
        } else if !whole {
            here.state = State::Failed("it sent no run.json".into());
        }
    }
    let word = server.hall().here(here, Instant::now(), server.steady.now());
    Ok(serde_json::to_vec(&word).expect("a message has only string keys").into())
}

/// Takes a file's piece. `file` is `PART/NAME`.
async fn take(
    server: &Server,
    file: &str,
    request: Request<Incoming>,
) -> std::result::Result<Bytes, Refused> {
    let refuse = |why: &str| Err((StatusCode::CONFLICT, format!("{file:?}: {why}")));
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let id = header(ID).unwrap_or_default().to_owned();
    let at: Option<u64> = header(AT).and_then(|at| at.parse().ok());
    let both = file.split_once('/').filter(|(_, name)| is_file(name));
    let part = both.and_then(|(part, name)| Some((part.parse::<u64>().ok()?, name)));
    let (Some((part, name)), Some(at)) = (part, at) else {
        return refuse("no file of a run folder");
    };
    if !server.hall().has(part, &id) {
        return refuse("this driver is not among those that are gathered");
    }
    let piece = body(request, PIECE).await?;
    if at.saturating_add(piece.len() as u64) > LARGEST {
        return refuse("larger than any file of a run folder may be");
    }
    let folder = server.folder.join(named(part));
    match append(&folder, name, at, &piece) {
        Ok(true) => Ok(Bytes::new()),
        Ok(false) => refuse("the piece does not follow the one before it"),
        Err(e) => {
            let why = format!("write {}: {e}", folder.join(name).display());
            server.hall().end(why.clone());
            Err((StatusCode::INSUFFICIENT_STORAGE, why))
        }
    }
}

/// Appends to a file of this length. Whether it has this length.
fn append(folder: &Path, name: &str, at: u64, piece: &[u8]) -> std::io::Result<bool> {
    let path = folder.join(name);
    let mut file = if at == 0 {
        fs::create_dir_all(folder)?;
        File::create(path)?
    } else {
        let file = OpenOptions::new().append(true).open(path)?;
        if file.metadata()?.len() != at {
            return Ok(false);
        }
        file
    };
    file.write_all(piece)?;
    Ok(true)
}
