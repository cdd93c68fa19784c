//! A redis-server of one test's own.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::until;

/// It ends when this is dropped.
pub struct Server {
    port: u16,
    arguments: Vec<String>,
    process: Child,
    _folder: tempfile::TempDir,
}

impl Server {
    /// One that syncs before it answers. With `everysec` an acknowledged write may wait in the
    /// server's memory as long as a sync of the one before goes on, and be lost with the process.
    pub fn start() -> Server {
        Server::with(&["--appendonly", "yes", "--appendfsync", "always"])
    }

    /// One that keeps nothing.
    pub fn forgetful() -> Server {
        Server::with(&["--save", ""])
    }

    /// One that follows this one and takes no writes, once it has what is there now.
    pub fn replica(of: &Server) -> Server {
        let primary = format!("127.0.0.1 {}", of.port);
        let replica = Server::with(&["--save", "", "--replicaof", &primary]);
        until("the replica follows", || {
            let mut stream = TcpStream::connect(("127.0.0.1", replica.port)).unwrap();
            stream.write_all(b"INFO replication\r\nQUIT\r\n").unwrap();
            let mut said = String::new();
            stream.read_to_string(&mut said).unwrap();
            said.contains("master_link_status:up")
        });
        replica
    }

    fn with(keeps: &[&str]) -> Server {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        let place = [&port.to_string(), "--dir", &folder.path().display().to_string()];
        let all = [&["--bind", "127.0.0.1"], keeps, &["--port"], &place].concat();
        let arguments: Vec<String> = all.into_iter().map(str::to_owned).collect();
        let process = spawn(&arguments);
        let server = Server { port, arguments, process, _folder: folder };
        server.say("PING");
        server
    }

    /// Ends it without a word.
    pub fn kill(&mut self) {
        // SIGKILL on Unix.
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub fn start_again(&mut self) {
        self.process = spawn(&self.arguments);
        self.say("PING");
    }

    /// Sends it a signal, such as STOP.
    pub fn signal(&self, name: &str) {
        let mut kill = Command::new("kill");
        kill.arg(format!("-{name}")).arg(self.process.id().to_string());
        assert!(kill.status().unwrap().success());
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Says a command once the server answers one, with an answer that is no error.
    pub fn say(&self, command: &str) {
        until("the server answers", || {
            let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
            let mut first = [0];
            let said = stream.write_all(format!("{command}\r\n").as_bytes());
            said.and_then(|()| stream.read_exact(&mut first)).is_ok() && first == *b"+"
        });
    }
}

fn spawn(arguments: &[String]) -> Child {
    let mut server = Command::new("redis-server");
    let spawned = server.args(arguments).stdout(Stdio::null()).spawn();
    spawned.expect("redis-server is there where the lab's redis is")
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
