//! A wire to a server, on which what passes is held, lost or cut.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What happens to what passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Pass,
    /// Answers are kept back, and come late.
    Hold,
    /// Answers are thrown away, and their connections closed.
    Mute,
    /// Connections are closed, and new ones as soon as they come.
    Cut,
}

/// Where a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Never,
    /// A message of the client with these bytes does not reach the server.
    Before(&'static [u8]),
    /// It does, and the answer does not come back.
    After(&'static [u8]),
    /// After so many bytes of the server.
    Bytes(usize),
}

struct Shared {
    mode: Mutex<Mode>,
    end: End,
    sent: AtomicUsize,
    muted: AtomicUsize,
    open: Mutex<Vec<TcpStream>>,
}

/// It ends with the process.
pub struct Wire {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Wire {
    /// To this host and port.
    pub fn new(server: &str) -> Wire {
        Wire::ending(server, End::Never)
    }

    pub fn ending(server: &str, end: End) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            mode: Mutex::new(Mode::Pass),
            end,
            sent: AtomicUsize::new(0),
            muted: AtomicUsize::new(0),
            open: Mutex::default(),
        });
        let (passing, server) = (shared.clone(), server.to_owned());
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                if *passing.mode.lock().unwrap() == Mode::Cut {
                    let _ = near.shutdown(Shutdown::Both);
                    continue;
                }
                let far = TcpStream::connect(&server).unwrap();
                let clone = |s: &TcpStream| s.try_clone().unwrap();
                passing.open.lock().unwrap().extend([clone(&near), clone(&far)]);
                let (from, to, shared) = (clone(&near), clone(&far), passing.clone());
                std::thread::spawn(move || shared.ask(from, to));
                let shared = passing.clone();
                std::thread::spawn(move || shared.answer(far, near));
            }
        });
        Wire { address, shared }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on.
    pub fn set(&self, mode: Mode) {
        *self.shared.mode.lock().unwrap() = mode;
        if mode == Mode::Cut {
            for stream in self.shared.open.lock().unwrap().drain(..) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }

    /// Messages of clients: as many as packets, where each waits for its answer.
    pub fn sent(&self) -> usize {
        self.shared.sent.load(Ordering::SeqCst)
    }

    /// Answers that were thrown away.
    pub fn muted(&self) -> usize {
        self.shared.muted.load(Ordering::SeqCst)
    }
}

impl Shared {
    fn mode(&self) -> Mode {
        *self.mode.lock().unwrap()
    }

    /// Passes on what a client says.
    fn ask(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut buffer = [0; 1 << 16];
        while let Ok(n @ 1..) = from.read(&mut buffer) {
            self.sent.fetch_add(1, Ordering::SeqCst);
            let has = |at: &[u8]| buffer[..n].windows(at.len()).any(|found| found == at);
            let after = matches!(self.end, End::After(at) if has(at));
            if after {
                // The client hears nothing more of it.
                let _ = from.shutdown(Shutdown::Both);
            }
            if matches!(self.end, End::Before(at) if has(at)) || to.write_all(&buffer[..n]).is_err()
            {
                break;
            }
            if after {
                // The server must read it before it sees the end.
                let _ = to.shutdown(Shutdown::Write);
                return;
            }
        }
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    }

    /// Passes on what the server answers.
    fn answer(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut buffer = [0; 1 << 16];
        let mut left = if let End::Bytes(most) = self.end { most } else { usize::MAX };
        while let Ok(n) = from.read(&mut buffer) {
            while self.mode() == Mode::Hold {
                std::thread::sleep(Duration::from_millis(5));
            }
            left = left.saturating_sub(n);
            if n == 0 || left == 0 {
                break;
            }
            if self.mode() == Mode::Mute {
                self.muted.fetch_add(1, Ordering::SeqCst);
                break;
            }
            if to.write_all(&buffer[..n]).is_err() {
                break;
            }
        }
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    }
}
