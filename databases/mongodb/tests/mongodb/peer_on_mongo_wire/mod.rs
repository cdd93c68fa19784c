//! A replica set of one member, played: it holds a driver to the protocol of transactions, and has
//! the lab's imitation keep the documents.
//!
//! Transactions run one at a time here. Before each write the document is read, and an abort puts
//! it back. Each command of a transaction must carry the session, the number and the flags that the
//! drivers' specification of transactions asks for; what does not is remembered as a violation.
//! Answers may be scripted.

mod cancel;
mod ch2;
mod money;
mod silent;
mod tests;

use std::collections::VecDeque;
use std::io::Result;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use mongodb::bson::{Bson, Document, doc};

use crate::protocol::{Request, answer, ask, read_request};

/// What happens to a command instead of, or after, what it asks for.
#[derive(Clone, Debug)]
pub enum Instead {
    /// It is not done; this is the answer.
    Answer(Document),
    /// It is done; this is the answer.
    AnswerAfter(Document),
    /// It is not done, and the connection is closed.
    Close,
    /// It is done, and the connection is closed.
    CloseAfter,
    /// It goes on until the client closes the connection, as a long query does.
    Hold,
}

/// What the driver asks of itself.
const WATCHING: [&str; 3] = ["hello", "isMaster", "ismaster"];

#[derive(Default)]
struct State {
    /// Session and number of the transaction that is open.
    open: Option<(Bson, i64)>,
    /// The last one that was committed: the commit may be asked for again.
    committed: Option<(Bson, i64)>,
    /// Collection, key and document before each write of it.
    before: Vec<(String, Bson, Option<Document>)>,
    script: VecDeque<(&'static str, Instead)>,
    log: Vec<Document>,
    /// The names of all commands.
    asked: Vec<String>,
    violations: Vec<String>,
    /// Commands that are held, and those whose clients closed their connections.
    held: usize,
    left: usize,
}

struct Shared {
    address: SocketAddr,
    upstream: String,
    database: String,
    state: Mutex<State>,
    ended: Condvar,
}

/// The peer. It ends with the process.
#[derive(Clone)]
pub struct Peer(Arc<Shared>);

impl Peer {
    /// One in front of the server of this URL.
    pub fn new(url: &str) -> Peer {
        let rest = url.strip_prefix("mongodb://").unwrap();
        let (upstream, database) = rest.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let shared = Arc::new(Shared {
            address: listener.local_addr().unwrap(),
            upstream: upstream.to_owned(),
            database: database.split('?').next().unwrap().to_owned(),
            state: Mutex::default(),
            ended: Condvar::new(),
        });
        let peer = Peer(shared);
        let serving = peer.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let peer = serving.clone();
                std::thread::spawn(move || peer.serve(stream));
            }
        });
        peer
    }

    pub fn url(&self) -> String {
        format!("mongodb://{}/{}?replicaSet=rs", self.0.address, self.0.database)
    }

    /// What happens to the next command of this name for which nothing is said yet.
    pub fn next(&self, command: &'static str, instead: Instead) {
        self.state().script.push_back((command, instead));
    }

    /// The commands of transactions since the last call, without what they read and write.
    pub fn log(&self) -> Vec<Document> {
        std::mem::take(&mut self.state().log)
    }

    /// The names of all commands since the last call, but for those by which the driver watches.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.state().asked)
    }

    /// How many commands were held so far, and how many of them their clients left.
    pub fn held(&self) -> (usize, usize) {
        let state = self.state();
        (state.held, state.left)
    }

    pub fn violations(&self) -> Vec<String> {
        self.state().violations.clone()
    }

    /// Forgets what is open and what is scripted.
    pub fn forget(&self) {
        let mut upstream = TcpStream::connect(&self.0.upstream).unwrap();
        self.state().script.clear();
        self.abort(&mut upstream).unwrap();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, mut stream: TcpStream) -> Result<()> {
        stream.set_nodelay(true)?;
        let mut upstream = TcpStream::connect(&self.0.upstream)?;
        upstream.set_nodelay(true)?;
        loop {
            let request = read_request(&mut stream)?;
            let name = request.command.keys().next().cloned().unwrap_or_default();
            let instead = {
                let mut state = self.state();
                if !WATCHING.contains(&&*name) {
                    state.asked.push(name.clone());
                }
                let at = state.script.iter().position(|(command, _)| *command == name);
                at.and_then(|at| state.script.remove(at)).map(|(_, instead)| instead)
            };
            let reply = match instead {
                Some(Instead::Close) => return Ok(()),
                Some(Instead::Hold) => {
                    self.state().held += 1;
                    // Until there is no more to read, or what comes is no request.
                    while read_request(&mut stream).is_ok() {}
                    self.state().left += 1;
                    return Ok(());
                }
                Some(Instead::Answer(reply)) => {
                    if in_transaction(&request.command) {
                        self.enter(&name, &request.command);
                        // An error aborts the transaction, but for that of a commit of unknown
                        // result.
                        if name != "commitTransaction" {
                            self.abort(&mut upstream)?;
                        }
                    }
                    reply
                }
                Some(Instead::CloseAfter) => {
                    self.run(&name, &request, &mut upstream)?;
                    return Ok(());
                }
                Some(Instead::AnswerAfter(reply)) => {
                    self.run(&name, &request, &mut upstream)?;
                    reply
                }
                None => self.run(&name, &request, &mut upstream)?,
            };
            answer(&mut stream, &request, &reply)?;
        }
    }

    fn run(&self, name: &str, request: &Request, upstream: &mut TcpStream) -> Result<Document> {
        let command = &request.command;
        if WATCHING.contains(&name) {
            return Ok(self.hello());
        }
        if name == "endSessions" {
            return Ok(doc! {"ok": 1});
        }
        if !in_transaction(command) {
            return self.forward(command.clone(), upstream);
        }
        if !self.enter(name, command) {
            return Ok(doc! {
                "ok": 0, "code": 251, "codeName": "NoSuchTransaction", "errmsg": "no such transaction",
                "errorLabels": ["TransientTransactionError"]
            });
        }
        match name {
            "commitTransaction" => {
                let mut state = self.state();
                state.before.clear();
                if let Some(open) = state.open.take() {
                    state.committed = Some(open);
                }
                self.0.ended.notify_all();
                Ok(doc! {"ok": 1})
            }
            "abortTransaction" => {
                self.abort(upstream)?;
                Ok(doc! {"ok": 1})
            }
            "find" | "getMore" => self.forward(command.clone(), upstream),
            "insert" | "update" | "delete" => {
                let reply = self.write(name, command, upstream)?;
                // As the server does: an error of a write is the end of the transaction.
                if reply.contains_key("writeErrors") || reply.get("ok") == Some(&Bson::Double(0.0))
                {
                    self.abort(upstream)?;
                }
                Ok(reply)
            }
            other => {
                self.state().violations.push(format!("{other} in a transaction"));
                Ok(doc! {"ok": 0, "code": 263, "errmsg": format!("{other} in a transaction")})
            }
        }
    }

    fn hello(&self) -> Document {
        let me = self.0.address.to_string();
        doc! {
            "helloOk": true, "ismaster": true, "isWritablePrimary": true, "secondary": false,
            "setName": "rs", "setVersion": 1, "hosts": [&me], "primary": &me, "me": &me,
            "maxBsonObjectSize": 16 << 20, "maxMessageSizeBytes": 48_000_000,
            "maxWriteBatchSize": 100_000, "logicalSessionTimeoutMinutes": 30,
            "minWireVersion": 0, "maxWireVersion": 21, "readOnly": false, "ok": 1.0
        }
    }

    /// Checks what a command of a transaction carries, and waits until it is its turn. Says whether
    /// there is such a transaction.
    fn enter(&self, name: &str, command: &Document) -> bool {
        let mut state = self.state();
        let mut seen = doc! {"name": name};
        for field in ["startTransaction", "txnNumber", "readConcern", "writeConcern", "maxTimeMS"] {
            seen.extend(command.get(field).map(|value| (field.to_owned(), value.clone())));
        }
        state.log.push(seen);
        let (Some(session), Ok(number)) = (command.get("lsid"), command.get_i64("txnNumber"))
        else {
            state.violations.push(format!("{name} without session or number"));
            return false;
        };
        let this = (session.clone(), number);
        if command.get_bool("startTransaction").is_ok_and(|start| start) {
            if state.open.as_ref().is_some_and(|open| open.0 == this.0) {
                state.violations.push(format!("{name} starts a second transaction in its session"));
            }
            while state.open.is_some() {
                state = self.0.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.open = Some(this);
            return true;
        }
        for field in ["readConcern", "startTransaction"] {
            if command.contains_key(field) {
                state
                    .violations
                    .push(format!("{name} has {field}, which belongs to the first command"));
            }
        }
        let ends = matches!(name, "commitTransaction" | "abortTransaction");
        if command.contains_key("writeConcern") && !ends {
            state
                .violations
                .push(format!("{name} has a writeConcern, which belongs to the commit"));
        }
        state.open.as_ref() == Some(&this)
            || (name == "commitTransaction" && state.committed.as_ref() == Some(&this))
    }

    /// Puts back what the transaction changed.
    fn abort(&self, upstream: &mut TcpStream) -> Result<()> {
        let before = std::mem::take(&mut self.state().before);
        for (collection, key, document) in before.into_iter().rev() {
            let q = doc! {"_id": key};
            let delete = doc! {"delete": &collection, "deletes": [{"q": q, "limit": 1}]};
            self.forward(delete, upstream)?;
            if let Some(document) = document {
                self.forward(doc! {"insert": &collection, "documents": [document]}, upstream)?;
            }
        }
        self.state().open = None;
        self.0.ended.notify_all();
        Ok(())
    }

    fn write(&self, name: &str, command: &Document, upstream: &mut TcpStream) -> Result<Document> {
        let collection = command.get_str(name).unwrap_or_default().to_owned();
        let mut command = command.clone();
        let list = match name {
            "insert" => "documents",
            "update" => "updates",
            _ => "deletes",
        };
        let changes = command.get_array(list).cloned().unwrap_or_default();
        for change in changes.iter().filter_map(Bson::as_document) {
            let target =
                if name == "insert" { Some(change) } else { change.get_document("q").ok() };
            let Some(key) = target.and_then(|target| target.get("_id")) else { continue };
            let there = self.find(&collection, doc! {"_id": key}, upstream)?;
            self.state().before.push((collection.clone(), key.clone(), there));
        }
        if name == "update" {
            let mut updates = Vec::new();
            for change in changes.iter().filter_map(Bson::as_document) {
                let mut change = change.clone();
                if let Ok(pipeline) = change.get_array("u").cloned() {
                    let q = change.get_document("q").cloned().unwrap_or_default();
                    // The imitation has no pipeline updates: what the document becomes is computed
                    // here.
                    let there = self.find(&collection, q, upstream)?.unwrap_or_default();
                    change.insert("u", money::operators(&pipeline, &there));
                }
                updates.push(Bson::Document(change));
            }
            command.insert(list, updates);
        }
        self.forward(command, upstream)
    }

    fn find(
        &self,
        collection: &str,
        q: Document,
        upstream: &mut TcpStream,
    ) -> Result<Option<Document>> {
        let found = self.forward(doc! {"find": collection, "filter": q, "limit": 1}, upstream)?;
        let batch = found.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
        Ok(batch.ok().and_then(|batch| batch.first()).and_then(Bson::as_document).cloned())
    }

    /// Has the imitation do it, which knows no sessions and concerns.
    fn forward(&self, mut command: Document, upstream: &mut TcpStream) -> Result<Document> {
        let ours = [
            "lsid",
            "txnNumber",
            "autocommit",
            "startTransaction",
            "readConcern",
            "writeConcern",
            "$clusterTime",
            "$readPreference",
            "hint",
            "maxTimeMS",
        ];
        for field in ours {
            command.remove(field);
        }
        if !command.contains_key("$db") {
            command.insert("$db", &self.0.database);
        }
        ask(upstream, &command)
    }
}

fn in_transaction(command: &Document) -> bool {
    command.get_bool("autocommit").is_ok_and(|auto| !auto)
}
