//! A TCP proxy on loopback, which delays, silences, refuses and cuts the connections through it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hoap_record::{Error, ErrorKind, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The most bytes that are passed on at once.
const PIECE: usize = 16 * 1024;

/// What happens to everything that comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It passes.
    Pass,
    /// Each piece passes after this time.
    Delay(Duration),
    /// It waits until the mode changes.
    Silence,
    /// Connections are reset, new ones at once.
    Refuse,
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the client.
    ToServer,
    /// From the server.
    FromServer,
}

/// A break of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The direction in which bytes are counted.
    pub way: Way,
    /// Bytes that still pass, exactly so many.
    pub bytes: u64,
    /// Whether the connection is reset, which tells both sides at once, or ended in order.
    pub reset: bool,
}

/// A connection, as the proxy's owner sees it.
struct Connection {
    cut: watch::Sender<Option<Cut>>,
}

type Connections = Arc<Mutex<Vec<Connection>>>;

/// The proxy. It ends, with its connections, when this is dropped.
pub struct Proxy {
    address: SocketAddr,
    mode: watch::Sender<Mode>,
    connections: Connections,
    broken: Arc<AtomicU64>,
    listening: JoinHandle<()>,
}

impl Proxy {
    /// Listens on a free port of 127.0.0.1 in front of a server.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot listen.
    pub async fn start(server: SocketAddr) -> Result<Proxy> {
        let failed =
            |e| Error::new(ErrorKind::Unavailable, format!("listen in front of {server}"), e);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (mode, modes) = watch::channel(Mode::Pass);
        let connections = Connections::default();
        let (known, broken) = (connections.clone(), Arc::<AtomicU64>::default());
        let breaks = broken.clone();
        let listening = tokio::spawn(async move {
            loop {
                // Accepting fails for want of files, for one, which others may give back.
                let Ok((client, _)) = listener.accept().await else {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                };
                let (cut, cuts) = watch::channel(None);
                let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                known.retain(|c| !c.cut.is_closed());
                known.push(Connection { cut });
                let (modes, breaks) = (modes.clone(), breaks.clone());
                tokio::spawn(async move {
                    connection(client, server, modes, cuts.clone()).await;
                    if cuts.borrow().is_some() {
                        breaks.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        Ok(Proxy { address, mode, connections, broken, listening })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on this happens.
    pub fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    /// The number of open connections.
    pub fn open(&self) -> usize {
        let connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.iter().filter(|c| !c.cut.is_closed()).count()
    }

    /// The number of connections that have ended after [`Proxy::cut`] chose them.
    pub fn broken(&self) -> u64 {
        self.broken.load(Ordering::Relaxed)
    }

    /// Breaks all connections, or the one with this index modulo their number. Returns how many it
    /// breaks: each when so many bytes have passed.
    pub fn cut(&self, cut: Cut, which: Option<u64>) -> usize {
        let connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        let open: Vec<_> = connections.iter().filter(|c| !c.cut.is_closed()).collect();
        let one = which.map(|n| n as usize % open.len().max(1));
        let chosen = match one {
            Some(one) => open.get(one..=one).unwrap_or_default(),
            None => &open,
        };
        for connection in chosen {
            connection.cut.send_replace(Some(cut));
        }
        chosen.len()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.abort();
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// How a direction of a connection ended.
enum End {
    /// Its sender sends no more.
    Finished,
    /// The connection is to end, by a reset or in order.
    Break { reset: bool },
}

async fn connection(
    client: TcpStream,
    server: SocketAddr,
    mut modes: watch::Receiver<Mode>,
    cuts: watch::Receiver<Option<Cut>>,
) {
    let opened = async {
        match modes.wait_for(|mode| *mode != Mode::Silence).await.map(|mode| *mode) {
            Ok(Mode::Refuse) | Err(_) => None,
            Ok(_) => TcpStream::connect(server).await.ok(),
        }
    };
    let Some(server) = opened.await else {
        let _ = client.set_zero_linger();
        return;
    };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let mut up = Pump { from: from_client, to: to_server, way: Way::ToServer };
    let mut down = Pump { from: from_server, to: to_client, way: Way::FromServer };
    if both(&mut up, &mut down, modes, cuts).await {
        for to in [up.to, down.to] {
            let _ = to.as_ref().set_zero_linger();
            // Dropped, it would end its direction in order first.
            to.forget();
        }
    }
}

/// Runs both directions to their ends. Says whether the connection is to be reset.
async fn both(
    up: &mut Pump,
    down: &mut Pump,
    modes: watch::Receiver<Mode>,
    cuts: watch::Receiver<Option<Cut>>,
) -> bool {
    let (up, down) = (up.run(modes.clone(), cuts.clone()), down.run(modes, cuts));
    tokio::pin!(up, down);
    let (first, up_is_left) = tokio::select! {
        end = &mut up => (end, false),
        end = &mut down => (end, true),
    };
    let last = match (first, up_is_left) {
        (End::Finished, true) => up.await,
        (End::Finished, false) => down.await,
        (end, _) => end,
    };
    matches!(last, End::Break { reset: true })
}

/// One direction.
struct Pump {
    from: OwnedReadHalf,
    to: OwnedWriteHalf,
    way: Way,
}

impl Pump {
    async fn run(
        &mut self,
        mut modes: watch::Receiver<Mode>,
        mut cuts: watch::Receiver<Option<Cut>>,
    ) -> End {
        let mut piece = vec![0; PIECE];
        // What still passes, once a cut is known.
        let mut left: Option<(u64, bool)> = None;
        loop {
            if let Some((0, reset)) = left {
                return End::Break { reset };
            }
            let read = tokio::select! {
                biased;
                changed = cuts.changed() => {
                    let cut = *cuts.borrow_and_update();
                    match (changed, cut) {
                        // The proxy is gone.
                        (Err(_), _) => return End::Break { reset: true },
                        (_, Some(cut)) if cut.way == self.way => left = Some((cut.bytes, cut.reset)),
                        _ => {}
                    }
                    continue;
                }
                mode = modes.wait_for(|mode| *mode == Mode::Refuse) => {
                    drop(mode);
                    return End::Break { reset: true };
                }
                read = self.from.read(&mut piece) => read,
            };
            let Ok(mut length) = read else { return End::Break { reset: true } };
            if length == 0 {
                let _ = self.to.shutdown().await;
                return End::Finished;
            }
            if let Some(end) = held(&mut modes).await {
                return end;
            }
            // A cut that came meanwhile counts this piece: its bytes have not passed.
            if let Some(cut) = (*cuts.borrow_and_update()).filter(|cut| cut.way == self.way) {
                left.get_or_insert((cut.bytes, cut.reset));
            }
            if let Some((bytes, _)) = &mut left {
                length = length.min(usize::try_from(*bytes).unwrap_or(usize::MAX));
                *bytes -= length as u64;
            }
            if self.to.write_all(&piece[..length]).await.is_err() {
                return End::Break { reset: true };
            }
        }
    }
}

/// Waits as long as a piece has to.
async fn held(modes: &mut watch::Receiver<Mode>) -> Option<End> {
    let mode = *modes.borrow();
    if let Mode::Delay(time) = mode {
        tokio::time::sleep(time).await;
    }
    let passes = modes.wait_for(|mode| *mode != Mode::Silence).await.map(|mode| *mode);
    match passes {
        Ok(Mode::Refuse) | Err(_) => Some(End::Break { reset: true }),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests;
