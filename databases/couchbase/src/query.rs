//! The statements of a client at one query node, each prepared once.

use std::collections::HashMap;
use std::sync::Arc;

use hoap_database::failure::{Done, Failure};
use hoap_sqlpp::{Cause, Envelope, Error, Request, StatementClient};
use serde_json::Value;

use super::server::Server;

/// One client at one node. It has HTTP connections of its own: they belong to the runtime of the
/// client.
pub(super) struct Node {
    pub server: Arc<Server>,
    client: StatementClient,
    /// Names of the statements that this client has prepared.
    prepared: HashMap<String, String>,
}

/// A transaction, as the service identifies it.
#[derive(Clone, Debug)]
pub(super) struct NodeTransaction {
    pub id: String,
    /// The number of statements so far.
    pub statement: u64,
}

/// The answer to a statement.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub rows: Vec<Value>,
    pub rest: Envelope,
}

impl Answer {
    /// Rows that are lists.
    pub fn lists(self) -> Done<Vec<Vec<Value>>> {
        let list = |row| match row {
            Value::Array(values) => Ok(values),
            other => Err(Failure::broken(format!("a row is {other}"))),
        };
        self.rows.into_iter().map(list).collect()
    }
}

impl Node {
    /// A client of the next node in turn.
    pub fn new(server: Arc<Server>) -> Done<Node> {
        let client = server.client()?;
        Ok(Node { server, client, prepared: HashMap::new() })
    }

    /// A client of the same node with the same connections, for statements in the background.
    pub fn beside(&self) -> Node {
        Node { server: self.server.clone(), client: self.client.clone(), prepared: HashMap::new() }
    }

    /// Whether the scope has this collection. The driver would search for a missing one until its
    /// time limit.
    pub async fn has(&self, collection: &str) -> Done<bool> {
        Ok(self.keyspaces().await?.iter().any(|name| name == collection))
    }

    /// Refuses a collection that is missing.
    pub async fn expect(&self, collection: &str) -> Done<()> {
        match self.has(collection).await? {
            true => Ok(()),
            false => Err(Failure::missing(format!("there is no collection {collection}"))),
        }
    }

    /// The collections of the scope.
    pub async fn keyspaces(&self) -> Done<Vec<String>> {
        let text = "SELECT RAW k.name FROM system:keyspaces AS k WHERE k.`bucket` = $1 AND \
                    k.`scope` = $2";
        let place = &self.server.place;
        let args = [place.bucket.as_str().into(), place.options.scope.as_str().into()];
        let answer = self.ask(text, &args, None).await?;
        Ok(answer.rows.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
    }

    /// Runs a statement without preparing it.
    pub async fn ask(
        &self,
        text: &str,
        args: &[Value],
        tx: Option<&mut NodeTransaction>,
    ) -> Result<Answer, Error> {
        self.send(Request::new(text), args, tx).await
    }

    /// Commits a transaction: without an answer its outcome is unknown.
    pub async fn commit(&self, tx: &mut NodeTransaction) -> Result<Answer, Error> {
        self.send(Request::new("COMMIT WORK"), &[], Some(tx)).await
    }

    /// Runs a statement that is prepared the first time.
    pub async fn run(
        &mut self,
        text: &str,
        args: &[Value],
        mut tx: Option<&mut NodeTransaction>,
    ) -> Result<Answer, Error> {
        let alone = tx.is_none();
        for last in [false, true] {
            let done = match self.prepare(text).await {
                Err(e) => Err(e),
                Ok(name) => {
                    let request = Request::default().set("prepared", name);
                    self.send(request, args, tx.as_deref_mut()).await
                }
            };
            match done {
                // The node has lost the statement, or its plan is stale; nothing was done yet.
                Err(e) if !last && e.fault().is_some_and(|f| STALE.contains(&f.code)) => {
                    self.prepared.remove(text);
                }
                Err(e) if alone => return Err(self.moved(e)),
                done => return done,
            }
        }
        unreachable!("the last time returns")
    }

    /// Moves to the next node where this one refuses connections: the next statement goes there. An
    /// open transaction stays, and is lost with its node.
    fn moved(&mut self, e: Error) -> Error {
        if let (Cause::NoConnection(_), Ok(client)) = (&e.cause, self.server.client()) {
            self.client = client;
            self.prepared.clear();
        }
        e
    }

    async fn prepare(&mut self, text: &str) -> Result<String, Error> {
        if let Some(name) = self.prepared.get(text) {
            return Ok(name.clone());
        }
        let name = self.server.statement_name(text);
        let statement = format!("PREPARE FORCE `{name}` FROM {text}");
        self.send(Request::new(statement), &[], None).await?;
        self.prepared.insert(text.to_owned(), name.clone());
        Ok(name)
    }

    async fn send(
        &self,
        request: Request,
        args: &[Value],
        tx: Option<&mut NodeTransaction>,
    ) -> Result<Answer, Error> {
        let options = &self.server.place.options;
        let mut request = request
            .set("query_context", self.server.context.as_str())
            .timeout(options.query_timeout);
        if !args.is_empty() {
            request = request.set("args", args.to_vec());
        }
        request = match tx {
            Some(tx) => {
                tx.statement += 1;
                request.set("txid", tx.id.as_str()).set("txstmtnum", tx.statement)
            }
            None => request.set("scan_consistency", options.scan_consistency),
        };
        self.finish(&request).await
    }

    async fn finish(&self, request: &Request) -> Result<Answer, Error> {
        let mut answer = Answer::default();
        let rows = &mut answer.rows;
        let mut each = |row: &[u8]| {
            rows.push(serde_json::from_slice(row).map_err(|e| format!("a row is no JSON: {e}"))?);
            Ok(())
        };
        answer.rest = self.client.run(request, &mut each).await?;
        Ok(answer)
    }

    /// Begins a transaction, which stays at this node.
    pub async fn begin(&mut self) -> Result<NodeTransaction, Error> {
        let options = &self.server.place.options;
        let milliseconds = |limit: std::time::Duration| format!("{}ms", limit.as_millis());
        let request = Request::new("BEGIN WORK")
            .set("query_context", self.server.context.as_str())
            .set("txtimeout", milliseconds(options.tx_timeout))
            .set("kvtimeout", milliseconds(options.kv_timeout))
            .set("durability_level", options.tx_durability.in_requests())
            .set("scan_consistency", options.scan_consistency)
            .timeout(options.query_timeout);
        let answer = self.finish(&request).await.map_err(|e| self.moved(e))?;
        match answer.rows.first().and_then(|row| row["txid"].as_str()) {
            Some(id) => Ok(NodeTransaction { id: id.to_owned(), statement: 0 }),
            None => {
                let cause = Cause::Malformed("BEGIN WORK answered without a txid".to_owned());
                Err(self.client.error(cause))
            }
        }
    }
}

/// The service's codes for a prepared statement that it does not have, cannot read, or must plan
/// anew.
const STALE: [u64; 5] = [4040, 4050, 4060, 4070, 4090];
