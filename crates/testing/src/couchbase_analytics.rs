//! A service of HTTP that answers as it is told, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

/// One request.
#[derive(Clone, Debug)]
pub struct AnalyticsRequest {
    /// Method and path.
    pub line: String,
    /// The header `authorization`.
    pub authorization: String,
    /// The body, where it is JSON; else its text.
    pub body: Value,
}

impl AnalyticsRequest {
    /// The statement; empty where it is none.
    pub fn statement(&self) -> &str {
        self.body["statement"].as_str().unwrap_or("")
    }
}

/// What answers: HTTP's status and the text.
type Answering = dyn Fn(&AnalyticsRequest) -> (u16, String) + Send + Sync;

/// The service, which lives as long as the process.
pub struct Service {
    /// `127.0.0.1:port`.
    pub place: String,
    asked: Arc<Mutex<Vec<AnalyticsRequest>>>,
}

impl Service {
    /// Starts it.
    pub fn new(
        answering: impl Fn(&AnalyticsRequest) -> (u16, String) + Send + Sync + 'static,
    ) -> Self {
        Service::secured(None, answering)
    }

    /// Starts it, with TLS where there is a configuration of it.
    pub fn secured(
        tls: Option<Arc<ServerConfig>>,
        answering: impl Fn(&AnalyticsRequest) -> (u16, String) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (memory, answering): (_, Arc<Answering>) = (asked.clone(), Arc::new(answering));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (memory, answering) = (memory.clone(), answering.clone());
                let (tls, stream) = (tls.clone(), stream.unwrap());
                std::thread::spawn(move || match tls {
                    None => serve(stream, &memory, &*answering),
                    Some(tls) => {
                        let secured = ServerConnection::new(tls).unwrap();
                        let mut rest = stream.try_clone().unwrap();
                        serve(StreamOwned::new(secured, stream), &memory, &*answering);
                        // Who is not let in is told by TLS, unless the connection goes before that
                        // is read.
                        rest.set_read_timeout(Some(std::time::Duration::from_secs(2))).unwrap();
                        let _ = std::io::copy(&mut rest, &mut std::io::sink());
                    }
                });
            }
        });
        Service { place, asked }
    }

    /// Everything that was asked so far.
    pub fn asked(&self) -> Vec<AnalyticsRequest> {
        self.asked.lock().unwrap().clone()
    }

    /// The statements so far, but the first question of a client that connects.
    pub fn statements(&self) -> Vec<String> {
        let asked = self.asked();
        let statements = asked.iter().map(AnalyticsRequest::statement);
        statements.filter(|s| !s.is_empty() && *s != "SELECT VALUE 1").map(str::to_owned).collect()
    }
}

fn serve(stream: impl Read + Write, memory: &Mutex<Vec<AnalyticsRequest>>, answering: &Answering) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut line, mut length, mut authorization) = (String::new(), 0, String::new());
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            let Some((name, value)) = header.trim().split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap(),
                "authorization" => authorization = value.trim().to_owned(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let body = serde_json::from_slice(&body)
            .unwrap_or_else(|_| String::from_utf8_lossy(&body).into_owned().into());
        let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
        let asked = AnalyticsRequest { line, authorization, body };
        memory.lock().unwrap().push(asked.clone());
        let (status, text) = answering(&asked);
        if status == 0 {
            // The node is lost in the middle of its answer.
            let head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"results\":[";
            reader.get_mut().write_all(head.as_bytes()).unwrap();
            return;
        }
        let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{text}", text.len());
        if reader.get_mut().write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// An answer with these rows.
pub fn rows(rows: Value) -> (u16, String) {
    let answer = json!({"requestID": "x", "results": rows, "status": "success", "metrics": {}});
    (200, answer.to_string())
}

/// An answer with rows whose columns are named.
pub fn table(columns: &[&str], rows: Value) -> (u16, String) {
    let signature = json!({"name": columns, "type": columns});
    let answer = json!({"signature": signature, "results": rows, "status": "success"});
    (200, answer.to_string())
}

/// An answer with an error.
pub fn error(status: u16, code: u64, message: &str) -> (u16, String) {
    let errors = json!([{"code": code, "msg": message}]);
    (status, json!({"errors": errors, "status": "fatal"}).to_string())
}
